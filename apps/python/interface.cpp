// The functions that Python calls: from JSON to a Session and back, exceptions to texts.
// SPDX-License-Identifier: Apache-2.0
#include "interface.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "failure.hpp"
#include "session.hpp"
#include "tacit/base/error.hpp"
#include "tacit/base/provenance.hpp"
#include "tacit/config/parameters.hpp"
#include "tacit/engine/error.hpp"
#include "tacit/engine/field_table.hpp"
#include "tacit/io/verify.hpp"
#include "tacit/solvers/registry.hpp"

/// Opaque to C.
struct tacit_run {
  tacit::apps::python::Session session;
};

namespace {

using namespace tacit;
using Json = nlohmann::json;

thread_local std::string last_error;
thread_local std::string last_text;

/// Paths may hold any bytes.
std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json problems_of(const config::Error& error) {
  Json problems = Json::array();
  for (const config::Problem& problem : error.problems()) {
    problems.push_back({{"file", problem.where.file},
                        {"line", problem.where.line},
                        {"column", problem.where.column},
                        {"key", problem.key},
                        {"message", problem.message},
                        {"hint", problem.hint}});
  }
  return problems;
}

/// What an exception knows beside its text.
void add_details(Json& told, const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const config::Error& error) {
    told["problems"] = problems_of(error);
  } catch (const engine::NumericsError& error) {
    told["field"] = error.flaw().field;
    if (error.step()) told["step"] = *error.step();
    if (error.flaw().element) told["element"] = *error.flaw().element;
  } catch (const base::SystemError& error) {
    told["errno"] = error.code();
  } catch (...) {
    return;
  }
}

std::string describe_current() {
  const std::exception_ptr failure = std::current_exception();
  try {
    const apps::Failure told = apps::describe_failure();
    Json json{{"kind", told.kind}, {"text", told.message}};
    add_details(json, failure);
    return text_of(json);
  } catch (...) {
    return R"({"kind": "machine", "text": "an error that cannot be told: out of memory?"})";
  }
}

template <class Work>
int guarded(const Work& work) noexcept {
  try {
    work();
    return 0;
  } catch (...) {
    last_error = describe_current();
    return 1;
  }
}

void give(std::string text, const char** out) {
  last_text = std::move(text);
  *out = last_text.c_str();
}

Json json_of(const engine::FieldTable::View& view) {
  return {{"name", view.info.name},
          {"symbol", view.info.symbol},
          {"unit", engine::unit_text(view.info.unit)},
          {"meaning", view.info.meaning},
          {"type", view.info.number == base::Number::float32 ? "float32" : "float64"},
          {"address", reinterpret_cast<std::uintptr_t>(view.first)},
          {"shape", view.shape},
          {"strides", view.strides}};
}

/// "FILE: bytes 8 to 15 are not what was written"; empty where all are, or nothing can tell.
std::string damage_of(const std::filesystem::path& path) {
  const bool has_checksums = io::has_checksums(path);
  const auto damage = has_checksums ? io::find_damage(path) : io::damage_without_checksums(path);
  if (damage) return fmt::format("{}: {}", path.string(), *damage);
  if (!has_checksums) return {};
  for (const std::string& part : io::names_of_parts(path)) {
    const std::filesystem::path file = io::path_of_part(path, part);
    if (const auto of_part = io::find_damage(file)) return fmt::format("{}: {}", file.string(), *of_part);
  }
  return {};
}

engine::Restart restart_of(const std::string& word) {
  if (word == "always") return engine::Restart::always;
  return word == "if_any" ? engine::Restart::if_any : engine::Restart::never;
}

apps::python::Request request_of(const char* text) {
  const Json json = Json::parse(text);
  apps::python::Request request;
  request.arguments.file = json.at("file").get<std::string>();
  request.arguments.settings = json.at("settings").get<std::vector<std::string>>();
  request.arguments.threads = json.at("threads").get<std::string>();
  request.arguments.output = json.at("output").get<std::string>();
  request.arguments.restart = restart_of(json.at("restart").get<std::string>());
  if (json.contains("text")) request.text = json.at("text").get<std::string>();
  return request;
}

}  // namespace

int tacit_interface() { return TACIT_PYTHON_INTERFACE; }

const char* tacit_version() {
  static const std::string version(base::provenance().version);
  return version.c_str();
}

const char* tacit_error() { return last_error.c_str(); }

int tacit_run_make(const char* request, tacit_run** run) {
  return guarded([&] { *run = new tacit_run{apps::python::Session(request_of(request))}; });
}

void tacit_run_drop(tacit_run* run) { delete run; }

int tacit_run_state(tacit_run* run, tacit_state* state) {
  return guarded([&] { *state = run->session.state(); });
}

int tacit_run_advance(tacit_run* run, uint64_t steps, double until, double wall_s, tacit_state* state) {
  return guarded([&] { *state = run->session.advance({.steps = steps, .until = until, .wall_s = wall_s}); });
}

int tacit_run_end(tacit_run* run, const char** summary) {
  return guarded([&] { give(run->session.end(), summary); });
}

int tacit_run_write_snapshot(tacit_run* run, const char* path) {
  return guarded([&] { run->session.write_snapshot(path); });
}

int tacit_run_about(tacit_run* run, const char** about) {
  return guarded([&] {
    const apps::python::About& it = run->session.about();
    give(text_of({{"solver", it.solver},
                  {"axis", it.axis},
                  {"directory", it.directory.string()},
                  {"parameters", it.parameters}}),
         about);
  });
}

int tacit_run_fields(tacit_run* run, const char** fields) {
  return guarded([&] {
    Json all = Json::array();
    for (const engine::FieldTable::View& view : run->session.fields()) all.push_back(json_of(view));
    give(text_of(all), fields);
  });
}

int tacit_run_notes(tacit_run* run, const char** notes) {
  return guarded([&] { give(text_of(run->session.take_notes()), notes); });
}

int tacit_verify(const char* path, const char** verdict) {
  return guarded([&] {
    give(text_of({{"damage", damage_of(path)}, {"has_checksums", io::has_checksums(path)}}), verdict);
  });
}

int tacit_solvers(const char** names) {
  return guarded([&] {
    Json all = Json::array();
    for (const engine::SolverEntry* solver : solvers()) all.push_back(solver->name);
    give(text_of(all), names);
  });
}

int tacit_schema(const char* name, const char** schema) {
  return guarded([&] {
    const engine::SolverEntry* const solver = find_solver(name);
    if (solver == nullptr) throw base::Error(std::string("there is no solver '") + name + "': see tacit.solvers()");
    give(config::keys_schema(std::string("Keys of the ") + name + " solver", tables_for(*solver)), schema);
  });
}

// tacit diff: what differs between two files, or between the files of two runs.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "commands.hpp"
#include "diff_log.hpp"
#include "diff_options.hpp"
#include "diff_text.hpp"
#include "info_log.hpp"
#include "tacit/base/error.hpp"
#include "tacit/engine/checkpoint_ring.hpp"
#include "tacit/engine/fingerprint.hpp"
#include "tacit/io/compare.hpp"
#include "tacit/io/verify.hpp"

namespace tacit::apps {
namespace {

namespace fs = std::filesystem;

/// Of all files that are compared.
struct Sum {
  std::uint64_t files = 0;
  std::uint64_t arrays = 0;
  std::uint64_t attributes = 0;
  std::uint64_t differences = 0;
  std::uint64_t differing_files = 0;
};

io::Comparison compare_hdf5(const fs::path& a, const fs::path& b, const DiffOptions& options) {
  io::CompareOptions how;
  how.tolerance = [&](const std::string& name) { return options.tolerance_of(name); };
  how.leaves_out = [&](const std::string& name) { return options.leaves_out(name); };
  return io::compare_files(a, b, how);
}

/// By what the name of the first one says that they are.
io::Comparison compare(const fs::path& a, const fs::path& b, const DiffOptions& options) {
  if (a.extension() == ".hdf5" || a.extension() == ".h5") return compare_hdf5(a, b, options);
  if (a.extension() == ".csv") return compare_tables(a, b, options);
  if (is_log(a) && is_log(b)) return compare_logs(a, b, options);
  if (a.filename() == "summary.json") return compare_json(a, b, options);
  return compare_bytes(a, b);
}

/// @param prefix  of the lines
void print_and_add(const std::string& prefix, const io::Comparison& found, Sum& sum) {
  for (const io::Difference& difference : found.differences) {
    const std::string text = io::to_text(difference);
    fmt::print("{}{}\n", prefix, difference.name.empty() ? text.substr(1) : text);
  }
  ++sum.files;
  sum.arrays += found.arrays;
  sum.attributes += found.attributes;
  sum.differences += found.differences.size();
  if (!found.differences.empty()) ++sum.differing_files;
}

/// The files of a run that hold its results, parts of others aside.
std::set<std::string> results_in(const fs::path& directory, const DiffOptions& options) {
  if (!fs::exists(directory / "parameters.toml")) {
    throw base::FormatError(directory.string(), "is not the directory of a run (it has no parameters.toml)");
  }
  std::set<std::string> names;
  std::set<std::string> parts;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || name.starts_with('.') || options.leaves_out_file(name)) continue;
    if (entry.path().extension() == ".index" && is_log(entry.path().stem())) continue;  // made from its log
    names.insert(name);
    if (entry.path().extension() != ".hdf5") continue;
    const std::vector<std::string> of_file = io::names_of_parts(entry.path());
    parts.insert(of_file.begin(), of_file.end());
  }
  for (const std::string& part : parts) names.erase(part);
  return names;
}

void compare_runs(const DiffArguments& arguments, const DiffOptions& options, Sum& sum) {
  const std::set<std::string> first = results_in(arguments.a, options);
  const std::set<std::string> second = results_in(arguments.b, options);
  std::set<std::string> all = first;
  all.insert(second.begin(), second.end());
  for (const std::string& name : all) {
    io::Comparison found;
    if (!first.contains(name)) {
      found.differences.push_back({.name = "", .what = "is only in the second"});
    } else if (!second.contains(name)) {
      found.differences.push_back({.name = "", .what = "is only in the first"});
    } else {
      found = compare(arguments.a / name, arguments.b / name, options);
    }
    print_and_add(name + ": ", found, sum);
  }
}

std::string counted(std::uint64_t count, const std::string& one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

void print_sum(const Sum& sum) {
  if (sum.differences == 0) {
    fmt::print("the same: {}, {} and {}\n", counted(sum.files, "file"), counted(sum.arrays, "array"),
               counted(sum.attributes, "attribute"));
  } else {
    fmt::print("{} in {} of {}; {} and {} were compared\n", counted(sum.differences, "difference"), sum.differing_files,
               counted(sum.files, "file"), counted(sum.arrays, "array"), counted(sum.attributes, "attribute"));
  }
}

/// That of a checkpoint, or of the newest one of a run.
engine::Fingerprint fingerprint_in(const fs::path& path) {
  if (!fs::is_directory(path)) return engine::fingerprint_of(io::FileReader(path));
  const std::vector<std::uint64_t> steps = engine::checkpoints_in(path);
  if (steps.empty()) {
    throw base::FormatError(path.string(), "has no checkpoint (restart_*.hdf5), of which a fingerprint could be taken");
  }
  return engine::fingerprint_of(io::FileReader(path / engine::checkpoint_name(steps.front())));
}

/// Takes the fingerprint from the checkpoint, whatever summary.json says.
int compare_with_fingerprint(const fs::path& path, const std::string& expected) {
  const engine::Fingerprint found = fingerprint_in(path);
  if (found.digits == expected) {
    fmt::print("the same: {}, of {} at step {}\n", found.digits, found.solver, found.step);
    return success;
  }
  fmt::print("differs: {} is that of {} at step {}, not {}\n", found.digits, found.solver, found.step, expected);
  fmt::print(
      "Results may depend on the instruction set and the mathematics library (here, now: {}), and on the version "
      "of Tacit; TACIT_INSTRUCTION_SET=NAME chooses other loops.\n",
      engine::fingerprint_depends_on());
  return differs;
}

}  // namespace

int diff(const DiffArguments& arguments) {
  const DiffOptions options(arguments);
  if (const auto digits = engine::as_fingerprint(arguments.b.string()); digits && !fs::exists(arguments.b)) {
    if (!fs::exists(arguments.a)) throw base::SystemError(arguments.a.string(), "cannot be opened for reading", ENOENT);
    return compare_with_fingerprint(arguments.a, *digits);
  }
  for (const fs::path& path : {arguments.a, arguments.b}) {
    if (!fs::exists(path)) throw base::SystemError(path.string(), "cannot be opened for reading", ENOENT);
  }
  const bool are_runs = fs::is_directory(arguments.a);
  if (are_runs != fs::is_directory(arguments.b)) {
    throw base::FormatError(arguments.b.string(), fmt::format("is a {}, but {} is a {}; compare two of a kind",
                                                              are_runs ? "file" : "directory", arguments.a.string(),
                                                              are_runs ? "directory" : "file"));
  }
  Sum sum;
  if (are_runs) {
    compare_runs(arguments, options, sum);
  } else {
    print_and_add("", compare(arguments.a, arguments.b, options), sum);
  }
  print_sum(sum);
  return sum.differences == 0 ? success : differs;
}

}  // namespace tacit::apps

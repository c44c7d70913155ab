// The one list of solvers; the only file that sees them all.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/registry.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include "tacit/engine/axis.hpp"
#include "tacit/solvers/amr/amr_solver.hpp"
#include "tacit/solvers/dns/dns_solver.hpp"
#include "tacit/solvers/heat/heat_solver.hpp"
#include "tacit/solvers/md/md_solver.hpp"
#include "tacit/solvers/md/units.hpp"
#include "tacit/solvers/qcd/formats/describe.hpp"
#include "tacit/solvers/qcd/gauge/gauge_solver.hpp"
#include "tacit/solvers/qcd/qcd_solver.hpp"
#include "tacit/solvers/sph/sph_solver.hpp"

namespace tacit {
namespace {

std::vector<config::Choice<const engine::SolverEntry*>> solver_choices() {
  std::vector<config::Choice<const engine::SolverEntry*>> choices;
  for (const auto* solver : solvers()) choices.push_back({solver->name, solver, solver->help});
  return choices;
}

}  // namespace

std::span<const engine::SolverEntry* const> solvers() {
  static const std::array<const engine::SolverEntry*, 7> all{
      &sph::solver_entry(), &dns::solver_entry(),   &heat::solver_entry(), &md::solver_entry(),
      &qcd::solver_entry(), &gauge::solver_entry(), &amr::solver_entry()};
  return all;
}

const engine::SolverEntry* find_solver(std::string_view name) {
  const auto all = solvers();
  const auto found = std::ranges::find(all, name, &engine::SolverEntry::name);
  return found == all.end() ? nullptr : *found;
}

const config::Key& solver_key() {
  static const auto choices = solver_choices();
  static const config::Key key = config::Key::choice("solver", choices, "Which physics is simulated.").required();
  return key;
}

std::vector<config::KeyTable> tables_for(const engine::SolverEntry& solver) {
  std::vector<config::KeyTable> tables{{"Solver", std::span(&solver_key(), 1)}};
  const std::vector<config::KeyTable> general = engine::key_tables(solver.axis);
  tables.insert(tables.end(), general.begin(), general.end());
  const auto own = solver.tables();
  tables.insert(tables.end(), own.begin(), own.end());
  return tables;
}

std::vector<config::KeyTable> tables_for(const engine::SolverEntry& solver, const config::Document& document) {
  std::vector<config::KeyTable> tables = tables_for(solver);
  if (solver.name != md::solver_entry().name) return tables;
  std::string system;
  try {
    system = document.choice(md::units_key());
  } catch (const config::Error&) {
    return tables;  // which is said with all else that is wrong with the file
  }
  const auto implied = md::implied_units(system);
  if (implied.empty()) return tables;
  // As long as the program, as all keys.
  static std::mutex mutex;
  static std::map<std::string, std::vector<config::Key>> kept;
  const std::scoped_lock lock(mutex);
  for (config::KeyTable& table : tables) {
    if (table.keys.empty() || !table.keys.front().name.starts_with("units.")) continue;
    std::vector<config::Key>& keys = kept[system];
    if (keys.empty()) {
      keys.assign(table.keys.begin(), table.keys.end());
      for (config::Key& key : keys) {
        const auto found = std::ranges::find(implied, key.name, [](const auto& setting) { return setting.first; });
        if (found != implied.end()) key = key.with_default(found->second);
      }
    }
    table.keys = keys;
  }
  return tables;
}

std::optional<std::string> describe_file(const std::filesystem::path& path) { return qcd::describe_gauge_file(path); }

void require_sound_file(const std::filesystem::path& path) { qcd::require_sound_gauge_file(path); }

}  // namespace tacit

// Snapshots, correlators as text, the gauge field, and checkpoints.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/engine/across_ranks.hpp"
#include "tacit/engine/checkpoint.hpp"
#include "tacit/engine/field_file.hpp"
#include "tacit/io/output_directory.hpp"
#include "tacit/solvers/qcd/file_parts.hpp"
#include "tacit/solvers/qcd/formats/ildg.hpp"
#include "tacit/solvers/qcd/formats/nersc.hpp"
#include "tacit/solvers/qcd/qcd_solver.hpp"
#include "tacit/solvers/qcd/sources/sources.hpp"

namespace tacit::qcd {
namespace {

constexpr const char* checkpoint_group = "Qcd";
constexpr const char* correlators_name = "correlators";
constexpr const char* gauge_name = "gauge";
constexpr const char* setup_name = "multigrid";

std::string in_checkpoint(const std::string& name) { return in_group(checkpoint_group, name); }

/// A field in the order of files, shape (t, z, y, x, 24): the same numbers for any folding and division among ranks.
/// One of odd sites alone has zeros at the others.
void write_field(io::FileWriter& file, const std::string& name, const FieldSpace<double>& space,
                 const Field<double>& field) {
  if (field.size() < space.size()) {
    Field<double> whole = space.make();
    std::ranges::copy(field, whole.begin() + static_cast<std::ptrdiff_t>(field.size()));
    return write_field(file, name, space, whole);
  }
  const LatticePart& part = space.lattice().part();
  const Coordinates& n = part.whole.n;
  const std::size_t slice = part.own.sites() / part.own.n[3];
  file.part(name, std::array<std::uint64_t, 5>{n[3], n[2], n[1], n[0], kernels::spinor_numbers}, io::Number::float64,
            part_in_file(part, kernels::spinor_numbers),
            io::RowSource<double>(
                [&](std::uint64_t first, std::span<double> out) { space.copy_out(field, first * slice, out); }));
}

void read_field(const io::FileReader& file, const std::string& name, const FieldSpace<double>& space,
                Field<double>& field) {
  std::vector<double> values(space.size());
  file.read_part(name, part_in_file(space.lattice().part(), kernels::spinor_numbers), values);
  if (field.size() == space.size()) return space.copy_in(values, field);
  Field<double> whole = space.make();
  space.copy_in(values, whole);
  std::copy(whole.begin() + static_cast<std::ptrdiff_t>(field.size()), whole.end(), field.begin());
}

std::string number(double value) { return std::isnan(value) ? std::string() : fmt::format("{:.16e}", value); }

/// A row for each t, with the effective mass beside each correlator.
std::string table_of(const std::vector<QcdSolver::Correlator>& correlators) {
  std::string table = "t";
  std::vector<std::vector<double>> columns;
  for (const char* const name : {"pion", "rho"}) table += fmt::format(",{0},{0}_effective_mass", name);
  for (const QcdSolver::Correlator& one : correlators) {
    columns.push_back(one.values);
    columns.push_back(effective_mass(one.values));
  }
  table += "\n";
  for (std::size_t t = 0; !columns.empty() && t < columns[0].size(); ++t) {
    table += std::to_string(t);
    for (const std::vector<double>& column : columns) table.append(",").append(number(column[t]));
    table += "\n";
  }
  return table;
}

}  // namespace

std::uint64_t QcdSolver::write_snapshot(const std::filesystem::path& path, const engine::FileContext& context) const {
  io::FileWriter file = context.file(path, resources_.ranks);
  const Coordinates& n = parameters_.extents.n;
  file.group("Residuals");
  std::vector<double> history;
  std::vector<double> lengths;
  std::vector<double> true_residuals;
  for (const Ended& ended : ended_) {
    history.insert(history.end(), ended.history.begin(), ended.history.end());
    lengths.push_back(static_cast<double>(ended.history.size()));
    true_residuals.push_back(ended.true_residual);
  }
  for (std::size_t which = 0; which < under_way() && !has_converged(); ++which) {
    const std::vector<double>& present = solve(which).history();
    history.insert(history.end(), present.begin(), present.end());
    lengths.push_back(static_cast<double>(present.size()));
  }
  file.attribute("Residuals", "Tolerance", std::array{parameters_.solve.tolerance});
  if (!history.empty()) write_line(file, "Residuals/Recursion", history);
  if (!lengths.empty()) write_line(file, "Residuals/Iterations", lengths);
  if (!true_residuals.empty()) write_line(file, "Residuals/True", true_residuals);
  file.group("Correlators");
  for (const Correlator& one : correlators()) {
    write_line(file, fmt::format("Correlators/{}", one.group), one.values);
    write_line(file, fmt::format("Correlators/{}EffectiveMass", one.group), effective_mass(one.values));
  }
  if (parameters_.writes_solutions && !solutions_.empty()) {
    file.group("Solutions");
    for (std::size_t source = 0; source < solutions_.size(); ++source) {
      write_field(file, fmt::format("Solutions/Source{:02}", source), space_, solutions_[source]);
    }
  }
  engine::write_header(file, context,
                       {static_cast<double>(n[0]), static_cast<double>(n[1]), static_cast<double>(n[2])});
  file.attribute("Header", "Extents", std::array<std::int64_t, 4>{n[0], n[1], n[2], n[3]});
  file.attribute("Header", "Plaquette", std::array{plaquette_});
  file.attribute("Header", "Mass", std::array{parameters_.dirac.mass});
  file.attribute("Header", "GaugeField", parameters_.gauge.text());
  return file.commit();
}

std::vector<engine::Series> QcdSolver::series() const {
  std::vector<engine::Series> all;
  if (parameters_.source.has_columns() && parameters_.method != Method::apply)
    all.push_back({.name = correlators_name, .suffix = ".csv"});
  if (parameters_.writes_gauge != GaugeFormat::none) {
    all.push_back({.name = gauge_name, .suffix = parameters_.writes_gauge == GaugeFormat::nersc ? ".nersc" : ".lime"});
  }
  if (multigrid_ && parameters_.multigrid.writes_setup) all.push_back({.name = setup_name});
  return all;
}

std::uint64_t QcdSolver::write_series(const engine::Series& series, const std::filesystem::path& path,
                                      const engine::FileContext& context) const {
  if (series.name == setup_name) {
    io::FileWriter file = context.file(path, resources_.ranks);
    multigrid::write_setup(file, setup_of(), single_->space, multigrid_->test_vectors());
    return file.commit();
  }
  std::string content;
  if (series.name == gauge_name) {
    if (!gauge_) return 0;  // the first rank has it
    const std::string title = parameters_.gauge.text();
    content = parameters_.writes_gauge == GaugeFormat::nersc ? nersc_file(*gauge_, title) : ildg_file(*gauge_, title);
  } else {
    content = table_of(correlators());  // together, as all have sites
    if (!engine::is_first(resources_.ranks)) return 0;
  }
  io::write_atomically(path, content);
  return content.size();
}

engine::OutputBytes QcdSolver::output_bytes(const engine::FileContext& /*context*/) const {
  const std::uint64_t field = parameters_.extents.sites() * kernels::spinor_numbers * sizeof(double);
  const std::uint64_t solved = solutions_.size() * field;
  return {.snapshot = parameters_.writes_solutions ? solved : 0,
          .checkpoint = solved + b_.size() * kept_fields(parameters_.method, parameters_.precision) * field};
}

std::string QcdSolver::checksums() const {
  return fmt::format("gauge field {}, source {}", gauge_checksum_.empty() ? "of no file" : gauge_checksum_,
                     source_checksum_.empty() ? "of no file" : source_checksum_);
}

std::string QcdSolver::settings() const { return fmt::format("{} sites, {}", parameters_.extents.text(), checksums()); }

void QcdSolver::save(io::FileWriter& file) const {
  file.group(checkpoint_group);
  engine::save_settings(file, checkpoint_group, settings());
  file.attribute(checkpoint_group, "source", std::array{static_cast<double>(source_)});
  for (std::size_t source = 0; source < ended_.size(); ++source) {
    write_field(file, in_checkpoint(fmt::format("solution_{}", source)), space_, solutions_[source]);
    if (parameters_.method == Method::apply) continue;
    write_line(file, in_checkpoint(fmt::format("history_{}", source)), ended_[source].history);
    file.attribute(checkpoint_group, fmt::format("true residual {}", source), std::array{ended_[source].true_residual});
  }
  for (std::size_t which = 0; which < under_way() && !has_converged(); ++which) save(file, which);
}

/// A name in a checkpoint: that alone of one source at a time.
std::string QcdSolver::in_solve(const std::string& name, std::size_t which) const {
  return solves_ ? fmt::format("{} of source {}", name, source_ + which) : name;
}

/// A solve that is under way.
void QcdSolver::save(io::FileWriter& file, std::size_t which) const {
  Solve& one = solve(which);
  for (const auto& [name, field] : one.fields()) {
    write_field(file, in_checkpoint(in_solve(name, which)), space_, *field);
  }
  for (const auto& [name, field] : one.single_fields()) {
    Field<double> wide(field->size());
    convert(single_->space, *field, 1.0, space_, wide);
    write_field(file, in_checkpoint(in_solve(name, which)), space_, wide);
  }
  for (const auto& [name, value] : one.numbers()) {
    file.attribute(checkpoint_group, in_solve(name, which), std::array{*value});
  }
  if (solves_) {
    const double is_over = one.status() == Solve::Status::converged ? 1.0 : 0.0;
    file.attribute(checkpoint_group, in_solve("converged", which), std::array{is_over});
  }
  if (one.iterations() > 0) write_line(file, in_checkpoint(in_solve("history", which)), one.history());
}

void QcdSolver::load(const io::FileReader& file) {
  engine::require_same_settings(file, checkpoint_group, settings(), "start a new run.");
  const double count = engine::load_number(file, checkpoint_group, "source", "number of the source", 0.0);
  if (count > static_cast<double>(parameters_.source.count())) {
    throw base::FormatError(file.path().string(), "has more solutions than there are sources; the file is damaged");
  }
  for (; source_ < static_cast<std::size_t>(count); ++source_) {
    solutions_.push_back(space_.make());
    read_field(file, in_checkpoint(fmt::format("solution_{}", source_)), space_, solutions_.back());
    ended_.emplace_back();
    if (parameters_.method == Method::apply) continue;
    ended_.back().history = read_line(file, in_checkpoint(fmt::format("history_{}", source_)));
    ended_.back().true_residual =
        engine::load_number(file, checkpoint_group, fmt::format("true residual {}", source_), "true residual", 0.0);
  }
  if (has_converged()) return;
  begin_source();
  for (std::size_t which = 0; which < under_way(); ++which) load(file, which);
}

/// Numbers first, as they say of which directions there are fields.
void QcdSolver::load(const io::FileReader& file, std::size_t which) {
  Solve& one = solve(which);
  for (const auto& [name, value] : one.numbers()) {
    *value = engine::load_number(file, checkpoint_group, in_solve(name, which), name);
  }
  for (const auto& [name, field] : one.fields()) {
    read_field(file, in_checkpoint(in_solve(name, which)), space_, *field);
  }
  for (const auto& [name, field] : one.single_fields()) {
    Field<double> wide(field->size());
    read_field(file, in_checkpoint(in_solve(name, which)), space_, wide);
    convert(space_, wide, 1.0, single_->space, *field);
  }
  const std::string history = in_checkpoint(in_solve("history", which));
  std::vector<double> lines = file.has(history) ? read_line(file, history) : std::vector<double>();
  const bool is_over =
      solves_ && engine::load_number(file, checkpoint_group, in_solve("converged", which), "converged") > 0.0;
  if (is_over) {
    one.resume_converged(std::move(lines));
  } else {
    one.resume(std::move(lines));
  }
}

}  // namespace tacit::qcd

// Measurements, gauge fields and checkpoints of a Markov chain.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/comm/collectives/gather.hpp"
#include "tacit/engine/across_ranks.hpp"
#include "tacit/engine/checkpoint.hpp"
#include "tacit/engine/field_file.hpp"
#include "tacit/io/output_directory.hpp"
#include "tacit/solvers/qcd/file_parts.hpp"
#include "tacit/solvers/qcd/formats/ildg.hpp"
#include "tacit/solvers/qcd/formats/nersc.hpp"
#include "tacit/solvers/qcd/gauge/gauge_solver.hpp"

namespace tacit::qcd {
namespace {

constexpr const char* gauge_group = "Gauge";
constexpr const char* fields_name = "gauge";
constexpr const char* measurements_name = "measurements";
constexpr const char* means_name = "means";
constexpr const char* flow_name = "flow";
constexpr const char* flow_means_name = "flow_means";
constexpr std::size_t site_numbers = axes * 18;

/// A quantity as datasets are named: "wilson_1x2" becomes "Wilson1x2".
std::string dataset_of(const std::string& quantity) {
  std::string name;
  bool is_first = true;
  for (const char c : quantity) {
    if (c == '_') {
      is_first = true;
      continue;
    }
    name += is_first && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    is_first = false;
  }
  return name;
}

}  // namespace

std::uint64_t GaugeSolver::write_snapshot(const std::filesystem::path& path, const engine::FileContext& context) const {
  io::FileWriter file = context.file(path, resources_.ranks);
  const Coordinates& n = parameters_.extents.n;
  file.group("Present");
  write_line(file, "Present/Plaquettes", {plaquettes_.mean(), plaquettes_.spatial, plaquettes_.temporal});
  write_line(file, "Present/PolyakovLoop", {polyakov_.real(), polyakov_.imag()});
  file.group("Measurements");
  file.group("Means");
  if (ensemble_.rows() > 0) {
    write_line(file, "Measurements/Sweep", ensemble_.sweeps());
    for (std::size_t k = 0; k < ensemble_.names().size(); ++k) {
      const std::string name = dataset_of(ensemble_.names()[k]);
      const Mean mean = mean_of(ensemble_.column(k));
      write_line(file, "Measurements/" + name, ensemble_.column(k));
      write_line(file, "Means/" + name, {mean.value, mean.error, mean.tau});
    }
  }
  write_flow(file);
  engine::write_header(file, context,
                       {static_cast<double>(n[0]), static_cast<double>(n[1]), static_cast<double>(n[2])});
  file.attribute("Header", "Extents", std::array<std::int64_t, 4>{n[0], n[1], n[2], n[3]});
  file.attribute("Header", "Plaquette", std::array{plaquettes_.mean()});
  file.attribute("Header", "Beta", std::array{parameters_.beta});
  file.attribute("Header", "GaugeField", parameters_.origin());
  return file.commit();
}

void GaugeSolver::write_flow(io::FileWriter& file) const {
  if (flows_.rows() == 0) return;
  file.group("Flow");
  write_line(file, "Flow/Time", flows_.times());
  write_line(file, "Flow/Sweep", flows_.sweeps());
  write_line(file, "Flow/Charge", flows_.charges());
  const auto write_energies = [&](const std::string& name, std::size_t number) {
    std::vector<double> values;
    std::vector<double> errors;
    for (const Mean& mean : flows_.energies(number)) {
      values.push_back(mean.value);
      errors.push_back(mean.error);
    }
    write_line(file, "Flow/" + name, values);
    write_line(file, "Flow/" + name + "Error", errors);
  };
  write_energies("T2Energy", 0);
  write_energies("T2PlaquetteEnergy", 1);
  for (const auto& [name, mean] : flows_.scales()) {
    write_line(file, "Means/" + dataset_of(name), {mean.value, mean.error, mean.tau});
  }
}

std::vector<engine::Series> GaugeSolver::series() const {
  std::vector<engine::Series> all{{.name = measurements_name, .suffix = ".csv"},
                                  {.name = means_name, .suffix = ".csv"}};
  if (parameters_.flow.end > 0.0) {
    all.push_back({.name = flow_name, .suffix = ".csv"});
    all.push_back({.name = flow_means_name, .suffix = ".csv"});
  }
  if (parameters_.writes != GaugeFormat::none) {
    all.push_back({.name = fields_name,
                   .every = parameters_.writes_every,
                   .suffix = parameters_.writes == GaugeFormat::nersc ? ".nersc" : ".lime"});
  }
  return all;
}

std::uint64_t GaugeSolver::write_series(const engine::Series& series, const std::filesystem::path& path,
                                        const engine::FileContext& /*context*/) const {
  std::string content;
  if (series.name == fields_name) {
    const GaugeField whole = whole_field();  // together
    if (!engine::is_first(resources_.ranks)) return 0;
    const std::string title = fmt::format("beta {:g}, sweep {}", parameters_.beta, sweep_);
    content = parameters_.writes == GaugeFormat::nersc ? nersc_file(whole, title) : ildg_file(whole, title);
  } else {
    if (!engine::is_first(resources_.ranks)) return 0;
    content = table_of(series.name);
  }
  io::write_atomically(path, content);
  return content.size();
}

std::string GaugeSolver::table_of(const std::string& series) const {
  if (series == flow_name) return flows_.points_csv();
  if (series == flow_means_name) return flows_.means_csv();
  if (series == measurements_name) return ensemble_.measurements_csv();
  std::string table = ensemble_.means_csv();
  for (const auto& [name, mean] : flows_.scales()) table += mean_row(name, mean, flows_.rows());
  return table;
}

/// The first rank gets all links, in blocks of the largest part; others get a field that is not used.
GaugeField GaugeSolver::whole_field() const {
  comm::Communicator* const ranks = division_.ranks();
  if (ranks == nullptr) return field_;
  const auto part_of_rank = [&](std::size_t rank) {
    return part_of(
        divide(parameters_.extents, parameters_.ranks, ranks->size(), comm::RankId{static_cast<std::uint32_t>(rank)}));
  };
  std::size_t most = 0;
  for (std::size_t rank = 0; rank < ranks->size(); ++rank) most = std::max(most, part_of_rank(rank).own.sites());
  std::vector<Matrix3> mine(most * axes);
  for (std::size_t k = 0; k < field_.part.own.sites() * axes; ++k) {
    mine[k] = field_.at(field_.part.at(k / axes), k % axes);
  }
  const bool is_first = engine::is_first(resources_.ranks);
  std::vector<Matrix3> all(is_first ? mine.size() * ranks->size() : 0);
  comm::Gather<Matrix3>(*ranks, comm::RankId{0}, std::span<const Matrix3>(mine), std::span(all)).run();
  if (!is_first) return GaugeField(Extents{{2, 2, 2, 2}});
  GaugeField whole(parameters_.extents);
  for (std::size_t rank = 0; rank < ranks->size(); ++rank) {
    const LatticePart part = part_of_rank(rank);
    for (std::size_t k = 0; k < part.own.sites() * axes; ++k) {
      whole.at(part.at(k / axes), k % axes) = all[rank * mine.size() + k];
    }
  }
  return whole;
}

engine::OutputBytes GaugeSolver::output_bytes(const engine::FileContext& /*context*/) const {
  const std::uint64_t table =
      (ensemble_.rows() * (1 + ensemble_.names().size()) + flows_.rows() + flows_.values().size()) * sizeof(double);
  return {.snapshot = table, .checkpoint = parameters_.extents.sites() * site_numbers * sizeof(double) + table};
}

std::string GaugeSolver::settings() const {
  return fmt::format("{} sites, start {}", parameters_.extents.text(),
                     file_checksum_.empty() ? "of no file" : file_checksum_);
}

void GaugeSolver::save(io::FileWriter& file) const {
  file.group(gauge_group);
  engine::save_settings(file, gauge_group, settings());
  file.attribute(gauge_group, "sweep", std::array{static_cast<double>(sweep_)});
  const LatticePart& part = field_.part;
  const Coordinates& n = part.whole.n;
  const std::size_t slice = part.own.sites() / part.own.n[3];
  file.part(in_group(gauge_group, "links"), std::array<std::uint64_t, 5>{n[3], n[2], n[1], n[0], site_numbers},
            io::Number::float64, part_in_file(part, site_numbers),
            io::RowSource<double>([&](std::uint64_t first, std::span<double> out) {
              for (std::size_t k = 0; k < out.size(); k += 2) {
                const std::size_t number = k / 2;
                const Coordinates x = part.at(first * slice + number / (9 * axes));
                const Complex value = field_.at(x, number / 9 % axes).m[number % 9];
                out[k] = value.real();
                out[k + 1] = value.imag();
              }
            }));
  if (ensemble_.rows() == 0) return;
  write_line(file, in_group(gauge_group, "sweeps"), ensemble_.sweeps());
  for (std::size_t k = 0; k < ensemble_.names().size(); ++k) {
    write_line(file, in_group(gauge_group, ensemble_.names()[k]), ensemble_.column(k));
  }
  if (flows_.rows() == 0) return;
  write_line(file, in_group(gauge_group, "flow_sweeps"), flows_.sweeps());
  write_line(file, in_group(gauge_group, "flow_values"), flows_.values());
}

void GaugeSolver::load(const io::FileReader& file) {
  engine::require_same_settings(file, gauge_group, settings(), "start a new run.");
  sweep_ = static_cast<std::uint64_t>(engine::load_number(file, gauge_group, "sweep", "number of the sweep", 0.0));
  std::vector<double> values(field_.part.own.sites() * site_numbers);
  file.read_part(in_group(gauge_group, "links"), part_in_file(field_.part, site_numbers), values);
  for (std::size_t k = 0; k < values.size(); k += 2) {
    const std::size_t number = k / 2;
    field_.at(field_.part.at(number / (9 * axes)), number / 9 % axes).m[number % 9] = {values[k], values[k + 1]};
  }
  exchange_links(tasks_, field_.links);
  plaquettes_ = plaquettes(tasks_, field_);
  polyakov_ = polyakov_loop(tasks_, field_);
  if (!file.has(in_group(gauge_group, "sweeps"))) return;
  const std::vector<double> sweeps = read_line(file, in_group(gauge_group, "sweeps"));
  std::vector<std::vector<double>> columns;
  for (const std::string& name : ensemble_.names()) {
    columns.push_back(read_line(file, in_group(gauge_group, name)));
    if (columns.back().size() != sweeps.size()) {
      throw base::FormatError(file.path().string(), fmt::format("has {} values of {} for {} measurements; the file is "
                                                                "damaged",
                                                                columns.back().size(), name, sweeps.size()));
    }
  }
  std::vector<double> row(columns.size());
  for (std::size_t k = 0; k < sweeps.size(); ++k) {
    for (std::size_t column = 0; column < row.size(); ++column) row[column] = columns[column][k];
    ensemble_.add(sweeps[k], row);
  }
  load_flow(file);
}

void GaugeSolver::load_flow(const io::FileReader& file) {
  if (!file.has(in_group(gauge_group, "flow_sweeps"))) return;
  const std::vector<double> flow_sweeps = read_line(file, in_group(gauge_group, "flow_sweeps"));
  const std::vector<double> values = read_line(file, in_group(gauge_group, "flow_values"));
  const std::size_t expected = flow_sweeps.size() * flows_.times().size() * FlowRecord::numbers;
  if (values.size() != expected) {
    throw base::FormatError(file.path().string(),
                            fmt::format("has {} numbers of {} Wilson flows, expected {}; the file "
                                        "is damaged",
                                        values.size(), flow_sweeps.size(), expected));
  }
  flows_.restore(flow_sweeps, values);
}

}  // namespace tacit::qcd

// The file of spectra, structure functions, probability densities and slices.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <string>

#include "tacit/solvers/dns/dns_solver.hpp"
#include "tacit/solvers/dns/fields.hpp"
#include "tacit/solvers/dns/statistics/distributions.hpp"
#include "tacit/solvers/dns/statistics/spectra.hpp"

namespace tacit::dns {
namespace {

constexpr std::array axis_names{"x", "y", "z"};

void write_line(io::FileWriter& file, const std::string& name, const std::vector<double>& values) {
  file.array(name, values, std::array<std::uint64_t, 1>{values.size()}, io::Number::float64);
}

/// 0, step, 2 step, ...
std::vector<double> multiples(std::size_t count, double step) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = step * static_cast<double>(i);
  return values;
}

void write_shells(io::FileWriter& file, const Shells& shells) {
  const std::string group = "Spectra";
  file.group(group);
  file.attribute(group, "ShellWidth", std::array{shells.shell_width});
  write_line(file, group + "/wave_number", multiples(shells.energy.size(), shells.shell_width));
  write_line(file, group + "/energy", shells.energy);
  write_line(file, group + "/dissipation", shells.dissipation);
  write_line(file, group + "/helicity", shells.helicity);
  write_line(file, group + "/transfer", shells.transfer);
  write_line(file, group + "/flux", shells.flux);
}

void write_lines(io::FileWriter& file, const Spectra& spectra, const Flow& flow) {
  file.group("LineSpectra");
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string group = fmt::format("LineSpectra/{}", axis_names[axis]);
    file.group(group);
    const LineSpectra& lines = spectra.lines[axis];
    write_line(file, group + "/wave_number", multiples(lines[0].size(), flow.wave_number(axis, 1)));
    for (std::size_t c = 0; c < 3; ++c) write_line(file, fmt::format("{}/{}", group, velocity_names[c]), lines[c]);
  }
}

void write_structures(io::FileWriter& file, const Spectra& spectra) {
  file.group("StructureFunctions");
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string group = fmt::format("StructureFunctions/{}", axis_names[axis]);
    file.group(group);
    const StructureFunctions& along = spectra.structures[axis];
    write_line(file, group + "/separation", along.separation);
    write_line(file, group + "/longitudinal_2", along.longitudinal2);
    write_line(file, group + "/transverse_2", along.transverse2);
    write_line(file, group + "/longitudinal_3", along.longitudinal3);
    write_line(file, group + "/mixed_3", along.mixed3);
  }
}

/// One after another to (3, first.size()).
std::vector<double> joined(const std::array<std::vector<double>, 3>& parts) {
  std::vector<double> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

void write_density(io::FileWriter& file, const std::string& name, const Distribution& found) {
  const std::string group = "Densities/" + name;
  file.group(group);
  write_line(file, group + "/centre", found.centre);
  const std::array<std::uint64_t, 2> shape{3, found.centre.size()};
  file.array(group + "/density", joined(found.density), shape, io::Number::float64);
  const auto each = [&](const char* attribute, double Moments::*member) {
    const auto& m = found.moments;
    file.attribute(group, attribute, std::array{m[0].*member, m[1].*member, m[2].*member});
  };
  each("RootMeanSquare", &Moments::root_mean_square);
  each("Skewness", &Moments::skewness);
  each("Flatness", &Moments::flatness);
  file.attribute(group, "Outside", found.outside);
}

/// Ranks that have points of the plane have some rows of it each.
void write_slice(io::FileWriter& file, const std::string& name, const Distribution& found, const fft::Pencils& pencils,
                 std::size_t plane) {
  const fft::Shape& points = pencils.modes().points();
  const bool has_plane = pencils.z().begin <= plane && plane < pencils.z().end;
  const io::Part mine{.first = {0, pencils.y().begin, 0},
                      .count = {has_plane ? 3U : 0U, pencils.y().size(), points[0]}};
  std::vector<double> rows;
  for (std::size_t c = 0; has_plane && c < 3; ++c) {
    const double* const first = found.slice[c].data() + pencils.y().begin * points[0];
    rows.insert(rows.end(), first, first + pencils.y().size() * points[0]);
  }
  file.part("Slice/" + name, std::array<std::uint64_t, 3>{3, points[1], points[0]}, io::Number::float32, mine, rows);
}

}  // namespace

std::vector<engine::Series> DnsSolver::series() const {
  return {{.name = "spectra", .every = parameters_.statistics.spectra_every}};
}

std::uint64_t DnsSolver::write_series(const engine::Series& /*series*/, const std::filesystem::path& path,
                                      const engine::FileContext& context) const {
  io::FileWriter file = context.file(path, resources_.ranks);
  write_header(file, context, parameters_.flow);
  const Spectra spectra = spectra_of(flow_);
  write_shells(file, spectra.shells);
  write_lines(file, spectra, flow_);
  write_structures(file, spectra);
  file.group("Scales");
  for (const auto& [name, value] : statistics()) file.attribute("Scales", std::string(name), std::array{value});
  const StatisticsParameters& how = parameters_.statistics;
  const fft::Shape& points = parameters_.flow.points;
  file.group("Densities");
  file.group("Slice");
  const double height = parameters_.flow.box.z * static_cast<double>(how.slice_z) / static_cast<double>(points[2]);
  file.attribute("Slice", "Z", std::array{height});
  for (const Quantity quantity : {Quantity::velocity, Quantity::gradient, Quantity::vorticity}) {
    const std::string name(quantity_names[static_cast<std::size_t>(quantity)]);
    const Distribution found = distribution_of(flow_, quantity, how.binning, how.slice_z);
    write_density(file, name, found);
    if (quantity != Quantity::gradient) write_slice(file, name, found, flow_.pencils(), how.slice_z);
  }
  return file.commit();
}

}  // namespace tacit::dns

// Writes a snapshot group by group: what its readers ask for, and where the numbers came from.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/formats/swift_snapshot.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <ctime>
#include <numbers>

#include "tacit/base/error.hpp"
#include "tacit/base/provenance.hpp"
#include "tacit/solvers/sph/formats/top_cells.hpp"

namespace tacit::sph {
namespace {

using Integers = std::vector<std::int64_t>;
using Numbers = std::vector<double>;

/// SWIFT's seven particle types: gas, dark matter, background, sinks, stars, black holes, neutrinos.
constexpr std::size_t particle_types = 7;

Integers of_gas(std::int64_t value) {
  Integers values(particle_types, 0);
  values[0] = value;
  return values;
}

/// One writer per group of the file; all write to `file`.
class Snapshot {
 public:
  Snapshot(io::FileWriter& file, const SnapshotHeader& header, const TopCells& cells)
      : file_(file), header_(header), cells_(cells) {}

  void write_header();
  void write_code();
  void write_units(const std::string& group);
  void write_cosmology();
  void write_scheme();
  void write_parameters();
  void write_provenance();
  void write_cells();
  void write_ids(std::span<const std::uint64_t> ids);
  void write_field(const SnapshotField& field);

 private:
  void text(const std::string& group, const std::string& name, std::string_view value) {
    file_.attribute(group, name, value);
  }
  void number(const std::string& group, const std::string& name, double value) {
    file_.attribute(group, name, std::array{value});
  }
  void integer(const std::string& group, const std::string& name, std::int64_t value) {
    file_.attribute(group, name, std::array{value});
  }
  void integers(const std::string& group, const std::string& name, const Integers& values) {
    file_.attribute(group, name, std::span(values));
  }
  void numbers(const std::string& group, const std::string& name, const Numbers& values) {
    file_.attribute(group, name, std::span(values));
  }
  void describe_array(const std::string& array, std::string_view description, const base::Dimension& dimension);

  io::FileWriter& file_;
  const SnapshotHeader& header_;
  const TopCells& cells_;
};

// yt and swiftsimio recognise this layout, and with it the meaning of every unit attribute, by the word "SWIFT" in
// Header/Code and Code/Code; without it yt takes the file for GADGET's and gives wrong units. So these two name the
// layout; Code/"Written by" and the group Provenance name the program.
constexpr std::string_view layout_name = "SWIFT";

void Snapshot::write_header() {
  const std::string group = "Header";
  const auto n = static_cast<std::int64_t>(cells_.order.size());
  const base::Vec3& box = header_.box;
  file_.group(group);
  numbers(group, "BoxSize", {box.x, box.y, box.z});
  integers(group, "CanHaveTypes", of_gas(1));
  text(group, "Code", layout_name);
  integer(group, "Dimension", header_.dimension);
  integers(group, "Flag_Entropy_ICs", of_gas(0));
  numbers(group, "InitialMassTable", Numbers(particle_types, 0.0));
  numbers(group, "MassTable", Numbers(particle_types, 0.0));
  integer(group, "NumFilesPerSnapshot", 1);
  integer(group, "NumPartTypes", particle_types);
  integers(group, "NumPart_ThisFile", of_gas(n));
  integers(group, "NumPart_Total", of_gas(n & 0xffffffff));
  integers(group, "NumPart_Total_HighWord", of_gas(n >> 32));
  text(group, "OutputType", "FullVolume");
  number(group, "Redshift", 0.0);
  text(group, "RunName", header_.run_name);
  number(group, "Scale-factor", 1.0);
  text(group, "SnapshotDate", fmt::format("{:%H:%M:%S %Y-%m-%d} UTC", fmt::gmtime(std::time(nullptr))));
  integer(group, "Step", static_cast<std::int64_t>(header_.step));
  text(group, "System", base::provenance().host);
  integer(group, "ThisFile", 0);
  number(group, "Time", header_.time);
  integers(group, "TotalNumberOfParticles", of_gas(n));
  integer(group, "Virtual", 0);
}

void Snapshot::write_code() {
  const base::Provenance build = base::provenance();
  file_.group("Code");
  text("Code", "Code", layout_name);
  text("Code", "Written by", "Tacit");
  text("Code", "Code Version", "Tacit " + build.version);
  text("Code", "Git Branch", "Tacit");
  text("Code", "Git Revision", build.commit);
  text("Code", "Git Date", "unknown");
  text("Code", "Compiler Name", build.compiler);
  text("Code", "Compiler Version", build.compiler);
  text("Code", "MPI library", "none");
}

// Nothing else may be in this group: swiftsimio takes every attribute for a unit.
void Snapshot::write_units(const std::string& group) {
  const base::UnitSystem& units = header_.units;
  file_.group(group);
  number(group, "Unit current in cgs (U_I)", units.current_in_cgs);
  number(group, "Unit length in cgs (U_L)", units.length_in_cgs);
  number(group, "Unit mass in cgs (U_M)", units.mass_in_cgs);
  number(group, "Unit temperature in cgs (U_T)", units.temperature_in_cgs);
  number(group, "Unit time in cgs (U_t)", units.time_in_cgs);
}

void Snapshot::write_cosmology() {
  file_.group("Cosmology");
  integer("Cosmology", "Cosmological run", 0);
  number("Cosmology", "Redshift", 0.0);
  number("Cosmology", "Scale-factor", 1.0);
  file_.group("Policy");
  integer("Policy", "cosmological integration", 0);
  integer("Policy", "hydro", 1);
  file_.group("SubgridScheme");
}

/// Volume of a sphere, area of a circle, length of a line of that radius.
double neighbours_within(double radius, int dimension) {
  if (dimension == 1) return 2.0 * radius;
  const double circle = std::numbers::pi * radius * radius;
  return dimension == 2 ? circle : 4.0 / 3.0 * circle * radius;
}

void Snapshot::write_scheme() {
  const std::string group = "HydroScheme";
  const double support = header_.kernel_gamma * header_.eta;  // in mean particle distances
  file_.group(group);
  number(group, "Adiabatic index", header_.gamma);
  integer(group, "Dimension", header_.dimension);
  text(group, "Equation of state", "Ideal gas");
  number(group, "Kernel eta", header_.eta);
  text(group, "Kernel function", header_.kernel_name);
  number(group, "Kernel gamma", header_.kernel_gamma);
  number(group, "Kernel target N_ngb", neighbours_within(support, header_.dimension));
  text(group, "Scheme", header_.solver);
  for (const auto& [name, value] : header_.scheme) number(group, name, value);
}

void Snapshot::write_parameters() {
  file_.group("Parameters");
  text("Parameters", "InitialConditions:periodic", header_.periodic ? "1" : "0");
  text("Parameters", "Tacit:parameter_file", header_.parameters);
}

void Snapshot::write_provenance() {
  file_.group("Provenance");
  text("Provenance", "code", "Tacit");
  for (const auto& [name, value] : header_.provenance) text("Provenance", name, value);
}

void Snapshot::write_cells() {
  const std::uint64_t n = cells_.size();
  const std::array<std::uint64_t, 1> list{n};
  const std::array<std::uint64_t, 2> vectors{n, 3};
  for (const char* group : {"Cells", "Cells/Meta-data", "Cells/Counts", "Cells/OffsetsInFile", "Cells/Files",
                            "Cells/MinPositions", "Cells/MaxPositions"}) {
    file_.group(group);
  }
  Integers dimension;
  for (const std::size_t along : cells_.n) dimension.push_back(static_cast<std::int64_t>(along));
  integers("Cells/Meta-data", "dimension", dimension);
  integer("Cells/Meta-data", "nr_cells", static_cast<std::int64_t>(n));
  numbers("Cells/Meta-data", "size", {cells_.width.x, cells_.width.y, cells_.width.z});
  file_.array("Cells/Centres", cells_.centres, vectors, io::Number::float64);
  file_.array("Cells/Counts/PartType0", std::span(cells_.counts), list);
  file_.array("Cells/OffsetsInFile/PartType0", std::span(cells_.offsets), list);
  file_.array("Cells/Files/PartType0", std::span<const std::int64_t>(Integers(n, 0)), list);
  file_.array("Cells/MinPositions/PartType0", cells_.lowest, vectors, io::Number::float64);
  file_.array("Cells/MaxPositions/PartType0", cells_.highest, vectors, io::Number::float64);
}

/// "U_L^2 U_t^-2": the dimension in the words of the group Units; "1" if there is none.
std::string expression(const base::Dimension& dimension) {
  const std::array<std::pair<std::string_view, int>, 5> factors{{{"U_M", dimension.mass},
                                                                 {"U_L", dimension.length},
                                                                 {"U_t", dimension.time},
                                                                 {"U_I", dimension.current},
                                                                 {"U_T", dimension.temperature}}};
  std::string text;
  for (const auto& [name, exponent] : factors) {
    if (exponent == 0) continue;
    if (!text.empty()) text += ' ';
    text += exponent == 1 ? std::string(name) : fmt::format("{}^{}", name, exponent);
  }
  return text.empty() ? "1" : text;
}

void Snapshot::describe_array(const std::string& array, std::string_view description,
                              const base::Dimension& dimension) {
  const double cgs = header_.units.in_cgs(dimension);
  number(array, "Conversion factor to CGS (not including cosmological corrections)", cgs);
  number(array, "Conversion factor to physical CGS (including cosmological corrections)", cgs);
  text(array, "Description", description);
  text(array, "Expression for physical CGS units", expression(dimension));
  text(array, "Lossy compression filter", "None");
  integer(array, "Property can be converted to comoving", 1);
  integer(array, "Value stored as physical", 0);
  number(array, "U_I exponent", dimension.current);
  number(array, "U_L exponent", dimension.length);
  number(array, "U_M exponent", dimension.mass);
  number(array, "U_T exponent", dimension.temperature);
  number(array, "U_t exponent", dimension.time);
  number(array, "a-scale exponent", 0.0);
  number(array, "h-scale exponent", 0.0);
}

void Snapshot::write_ids(std::span<const std::uint64_t> ids) {
  const std::string name = "PartType0/ParticleIDs";
  TACIT_EXPECT(ids.size() == cells_.order.size());
  std::vector<std::uint64_t> sorted(ids.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = ids[cells_.order[i]];
  file_.array(name, std::span<const std::uint64_t>(sorted), std::array<std::uint64_t, 1>{sorted.size()});
  describe_array(name, "Unique IDs of the particles", base::dimension::none);
}

void Snapshot::write_field(const SnapshotField& field) {
  const std::size_t n = cells_.order.size();
  const std::size_t width = field.components.size();
  TACIT_EXPECT(width == 1 || width == 3);
  Numbers sorted(n * width);
  for (std::size_t axis = 0; axis < width; ++axis) {
    const std::span<const double> component = field.components[axis];
    TACIT_EXPECT(component.size() == n);
    for (std::size_t i = 0; i < n; ++i) sorted[i * width + axis] = component[cells_.order[i]];
  }
  std::vector<std::uint64_t> shape{n};
  if (width > 1) shape.push_back(width);
  const std::string name = "PartType0/" + std::string(field.name);
  file_.array(name, sorted, shape, field.type);
  describe_array(name, field.description, field.dimension);
}

}  // namespace

std::uint64_t write_swift_snapshot(const std::filesystem::path& path, const SnapshotHeader& header,
                                   std::span<const std::uint64_t> ids,
                                   std::span<const std::span<const double>> positions,
                                   std::span<const SnapshotField> fields) {
  const TopCells cells = make_top_cells(positions, header.box, header.dimension);
  io::FileWriter file(path, header.compression);
  Snapshot snapshot(file, header, cells);
  snapshot.write_header();
  snapshot.write_code();
  snapshot.write_units("Units");
  snapshot.write_units("InternalCodeUnits");
  snapshot.write_cosmology();
  snapshot.write_scheme();
  snapshot.write_parameters();
  snapshot.write_provenance();
  snapshot.write_cells();
  file.group("PartType0");
  snapshot.write_field({"Coordinates",
                        "Positions of the particles",
                        base::dimension::length,
                        io::Number::float64,
                        {positions.begin(), positions.end()}});
  snapshot.write_ids(ids);
  for (const SnapshotField& field : fields) snapshot.write_field(field);
  return file.commit();
}

}  // namespace tacit::sph

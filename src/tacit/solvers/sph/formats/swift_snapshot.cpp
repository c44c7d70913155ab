// Writes a snapshot group by group: what its readers ask for, and where the numbers came from.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/formats/swift_snapshot.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/base/provenance.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/solvers/sph/formats/array_description.hpp"
#include "tacit/solvers/sph/formats/carried.hpp"
#include "tacit/solvers/sph/formats/gadget_header.hpp"
#include "tacit/solvers/sph/formats/top_cells.hpp"

namespace tacit::sph {
namespace {

using Integers = std::vector<std::int64_t>;
using Numbers = std::vector<double>;

/// One writer per group of the file; all write to `file`.
class Snapshot {
 public:
  Snapshot(io::FileWriter& file, const SnapshotHeader& header, const TopGrid& grid,
           const std::array<std::uint64_t, particle_types>& counts)
      : file_(file), header_(header), grid_(grid), counts_(counts) {}

  void write_header();
  void write_code();
  void write_units(const std::string& group);
  void write_cosmology();
  void write_universe(const Cosmology& universe);
  [[nodiscard]] double redshift() const noexcept { return 1.0 / header_.a - 1.0; }
  void write_scheme();
  void write_parameters();
  void write_provenance();
  void write_grid();
  void write_cells(std::size_t type, const TopCells& cells);
  void write_kind(const SnapshotKind& kind, const Loop& loop, comm::Communicator* ranks);
  void write_ids(const std::string& group, const TopCells& cells, std::span<const std::uint64_t> ids,
                 const SharedCells* shared);
  void write_field(const std::string& group, const TopCells& cells, const SnapshotField& field,
                   const SharedCells* shared);
  void write_others(const CarriedType& kind);

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
  /// f(count) of each particle type.
  template <class F>
  [[nodiscard]] Integers by_type(const F& f) const {
    Integers values;
    for (const std::uint64_t count : counts_) values.push_back(static_cast<std::int64_t>(f(count)));
    return values;
  }
  void write_array(const TopCells& cells, const std::string& group, const CarriedArray& array);

  io::FileWriter& file_;
  const SnapshotHeader& header_;
  const TopGrid& grid_;
  std::array<std::uint64_t, particle_types> counts_;  // particles of each type
};

// yt and swiftsimio recognise this layout, and with it the meaning of every unit attribute, by the word "SWIFT" in
// Header/Code and Code/Code; without it yt takes the file for GADGET's and gives wrong units. So these two name the
// layout; Code/"Written by" and the group Provenance name the program.
constexpr std::string_view layout_name = "SWIFT";

void Snapshot::write_header() {
  const std::string group = "Header";
  const Integers counts = by_type([](std::uint64_t n) { return n; });
  const base::Vec3& box = header_.box;
  file_.group(group);
  numbers(group, "BoxSize", {box.x, box.y, box.z});
  if (header_.is_box_only_shown) integer(group, box_is_only_shown, 1);
  integers(group, "CanHaveTypes", by_type([](std::uint64_t n) { return n > 0 ? 1 : 0; }));
  text(group, "Code", layout_name);
  integer(group, "Dimension", header_.dimension);
  integers(group, "Flag_Entropy_ICs", Integers(particle_types, 0));
  numbers(group, "InitialMassTable", Numbers(particle_types, 0.0));
  numbers(group, "MassTable", Numbers(particle_types, 0.0));
  integer(group, "NumFilesPerSnapshot", 1);
  integer(group, "NumPartTypes", particle_types);
  integers(group, "NumPart_ThisFile", counts);
  integers(group, "NumPart_Total", by_type([](std::uint64_t n) { return n & 0xffffffffU; }));
  integers(group, "NumPart_Total_HighWord", by_type([](std::uint64_t n) { return n >> 32U; }));
  text(group, "OutputType", "FullVolume");
  number(group, "Redshift", redshift());
  text(group, "RunName", header_.run_name);
  number(group, "Scale-factor", header_.a);
  text(group, "SnapshotDate", fmt::format("{:%H:%M:%S %Y-%m-%d} UTC", fmt::gmtime(std::time(nullptr))));
  integer(group, "Step", static_cast<std::int64_t>(header_.step));
  text(group, "System", base::provenance().host);
  integer(group, "ThisFile", 0);
  number(group, "Time", header_.time);
  integers(group, "TotalNumberOfParticles", counts);
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
  integer("Cosmology", "Cosmological run", header_.cosmology ? 1 : 0);
  number("Cosmology", "Redshift", redshift());
  number("Cosmology", "Scale-factor", header_.a);
  if (header_.cosmology) write_universe(*header_.cosmology);
  file_.group("Policy");
  integer("Policy", "cosmological integration", header_.cosmology ? 1 : 0);
  integer("Policy", "hydro", 1);
  file_.group("SubgridScheme");
}

void Snapshot::write_universe(const Cosmology& universe) {
  const auto write = [this](const char* name, double value) { number("Cosmology", name, value); };
  write("H0 [internal units]", universe.H0);
  write("H [internal units]", universe.hubble(header_.a));
  write("Hubble time [internal units]", 1.0 / universe.hubble(header_.a));
  write("Universe age [internal units]", universe.age(header_.a));
  write("Lookback time [internal units]", universe.age(1.0) - universe.age(header_.a));
  write("Growth factor", linear_growth(universe, header_.a).D / linear_growth(universe, 1.0).D);
  write("h", universe.h);
  write("Omega_m", universe.omega_m);
  write("Omega_b", universe.omega_b);
  write("Omega_cdm", universe.omega_m - universe.omega_b);
  write("Omega_lambda", universe.omega_lambda);
  write("Omega_k", universe.omega_k());
  write("Omega_r", universe.omega_r);
  write("Omega_g", universe.omega_r);
  write("Omega_nu", 0.0);
  write("Omega_nu_0", 0.0);
  write("N_eff", 0.0);
  write("w_0", universe.w0);
  write("w_a", universe.wa);
  write("w", universe.w0 + universe.wa * (1.0 - header_.a));
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
  text(group, "Equation of state", header_.equation_of_state);
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

void Snapshot::write_grid() {
  for (const char* group : {"Cells", "Cells/Meta-data", "Cells/Counts", "Cells/OffsetsInFile", "Cells/Files",
                            "Cells/MinPositions", "Cells/MaxPositions"}) {
    file_.group(group);
  }
  Integers dimension;
  for (const std::size_t along : grid_.n) dimension.push_back(static_cast<std::int64_t>(along));
  integers("Cells/Meta-data", "dimension", dimension);
  integer("Cells/Meta-data", "nr_cells", static_cast<std::int64_t>(grid_.size()));
  numbers("Cells/Meta-data", "size", {grid_.width.x, grid_.width.y, grid_.width.z});
  const std::array<std::uint64_t, 2> vectors{grid_.size(), 3};
  file_.array("Cells/Centres", centres_of(grid_), vectors, io::Number::float64);
}

void Snapshot::write_cells(std::size_t type, const TopCells& cells) {
  const std::string name = fmt::format("PartType{}", type);
  const std::array<std::uint64_t, 1> list{grid_.size()};
  const std::array<std::uint64_t, 2> vectors{grid_.size(), 3};
  file_.array("Cells/Counts/" + name, std::span(cells.counts), list);
  file_.array("Cells/OffsetsInFile/" + name, std::span(cells.offsets), list);
  file_.array("Cells/Files/" + name, std::span<const std::int64_t>(Integers(grid_.size(), 0)), list);
  file_.array("Cells/MinPositions/" + name, cells.lowest, vectors, io::Number::float64);
  file_.array("Cells/MaxPositions/" + name, cells.highest, vectors, io::Number::float64);
}

void Snapshot::write_ids(const std::string& group, const TopCells& cells, std::span<const std::uint64_t> ids,
                         const SharedCells* shared) {
  const std::string name = group + "/ParticleIDs";
  TACIT_EXPECT(ids.size() == cells.order.size());
  const auto fill = [&](std::uint64_t first, std::span<std::uint64_t> out) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = ids[cells.order[first + i]];
  };
  if (shared == nullptr) {
    file_.stream(name, std::array<std::uint64_t, 1>{ids.size()}, fill);
  } else {
    std::vector<std::uint64_t> values(ids.size());
    fill(0, values);
    file_.parts(name, std::array{shared->particles}, io::Number::uint64, shared->mine, values);
  }
  describe_array(file_, name, "Unique IDs of the particles", base::dimension::none, header_.units);
}

void Snapshot::write_field(const std::string& group, const TopCells& cells, const SnapshotField& field,
                           const SharedCells* shared) {
  const std::size_t width = field.values.width;
  std::vector<std::uint64_t> shape{shared != nullptr ? shared->particles : cells.order.size()};
  if (width > 1) shape.push_back(width);
  const std::string name = group + "/" + std::string(field.name);
  const auto fill = [&](std::uint64_t first, std::span<double> out) {
    field.values.fill(std::span(cells.order).subspan(first, out.size() / width), out);
  };
  if (shared == nullptr) {
    file_.stream(name, shape, field.type, fill);
  } else {
    std::vector<io::Part> mine = shared->mine;
    for (io::Part& part : mine) {
      if (width > 1) part.first.push_back(0);
      if (width > 1) part.count.push_back(width);
    }
    std::vector<double> values(width * cells.order.size());
    fill(0, values);
    file_.parts(name, shape, field.type, mine, values);
  }
  describe_array(file_, name, field.description, field.dimension, header_.units, {field.a_power, header_.a});
}

void Snapshot::write_kind(const SnapshotKind& kind, const Loop& loop, comm::Communicator* ranks) {
  const std::string group = fmt::format("PartType{}", kind.type);
  TopCells cells = sort_into(grid_, kind.ids.size(), kind.positions, loop);
  std::optional<SharedCells> of_ranks;
  if (ranks != nullptr) of_ranks = share(grid_, cells, kind.blocks, *ranks);
  const SharedCells* shared = of_ranks ? &*of_ranks : nullptr;
  write_cells(kind.type, cells);
  file_.group(group);
  const SnapshotField positions{"Coordinates",           "Positions of the particles",
                                base::dimension::length, io::Number::float64,
                                kind.positions,          header_.cosmology ? 1 : 0};
  write_field(group, cells, positions, shared);
  write_ids(group, cells, kind.ids, shared);
  for (const SnapshotField& field : kind.fields) write_field(group, cells, field, shared);
}

void Snapshot::write_others(const CarriedType& kind) {
  const std::string group = fmt::format("PartType{}", kind.type);
  const auto positions = std::ranges::find(kind.arrays, "Coordinates", &CarriedArray::name);
  TACIT_EXPECT(positions != kind.arrays.end());
  const TopCells cells =
      sort_into(grid_, kind.count, {3, [&](std::span<const std::uint32_t> particles, std::span<double> out) {
                                      gather_numbers(*positions, particles, out);
                                    }});
  write_cells(kind.type, cells);
  file_.group(group);
  for (const CarriedArray& array : kind.arrays) write_array(cells, group, array);
  if (kind.mass == 0.0) return;
  const std::string masses = group + "/Masses";
  file_.stream(masses, std::array{kind.count}, io::Number::float64,
               [&](std::uint64_t, std::span<double> out) { std::ranges::fill(out, kind.mass); });
  describe_array(file_, masses, "Masses, from MassTable of the initial conditions", base::dimension::mass,
                 header_.units);
}

void Snapshot::write_array(const TopCells& cells, const std::string& group, const CarriedArray& array) {
  const std::string name = group + "/" + array.name;
  const std::size_t row = array.values.size() / array.shape[0];
  file_.stream(name, array.shape, array.type, [&](std::uint64_t first, std::span<std::byte> out) {
    gather_rows(array, std::span(cells.order).subspan(first, out.size() / row), out);
  });
  describe_array(file_, name, array.description, array.dimension, header_.units);
  for (const auto& [attribute, value] : array.attributes) {
    write_attribute(file_, name, attribute, value);
  }
}

}  // namespace

std::uint64_t write_swift_snapshot(io::FileWriter file, const SnapshotHeader& header,
                                   std::span<const SnapshotKind> kinds, const OtherParticles& others, const Loop& loop,
                                   comm::Communicator* ranks) {
  std::array<std::uint64_t, particle_types> counts{};
  for (const SnapshotKind& kind : kinds) counts[kind.type] = kind.ids.size();
  comm::Communicator* const sharing = ranks != nullptr && ranks->size() > 1 ? ranks : nullptr;
  if (sharing != nullptr) exchange::add_over(*sharing, counts);
  const std::uint64_t all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  const TopGrid grid = make_top_grid(all, header.box, header.dimension);
  for (const CarriedType& kind : others.types) counts[kind.type] = kind.count;
  Snapshot snapshot(file, header, grid, counts);
  snapshot.write_header();
  snapshot.write_code();
  snapshot.write_units("Units");
  snapshot.write_units("InternalCodeUnits");
  snapshot.write_cosmology();
  snapshot.write_scheme();
  snapshot.write_parameters();
  snapshot.write_provenance();
  snapshot.write_grid();
  for (const SnapshotKind& kind : kinds) {
    const bool is_all_there_is = kinds.size() == 1 || all == 0;
    if (counts[kind.type] > 0 || (kind.type == 0 && is_all_there_is)) snapshot.write_kind(kind, loop, sharing);
  }
  for (const CarriedType& kind : others.types) snapshot.write_others(kind);
  return file.commit();
}

std::uint64_t write_swift_snapshot(io::FileWriter file, const SnapshotHeader& header,
                                   std::span<const std::uint64_t> ids, const ParticleValues& positions,
                                   std::span<const SnapshotField> fields, const OtherParticles& others,
                                   const Loop& loop, comm::Communicator* ranks, std::span<const ParticleBlock> blocks) {
  const std::array gas{SnapshotKind{0, ids, positions, fields, blocks}};
  return write_swift_snapshot(std::move(file), header, gas, others, loop, ranks);
}

}  // namespace tacit::sph

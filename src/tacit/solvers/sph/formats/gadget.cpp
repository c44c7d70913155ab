// Reads gas from GADGET / SWIFT HDF5 files and refuses what would give a wrong run, naming the particle.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/formats/gadget.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/base/checksum.hpp"
#include "tacit/base/error.hpp"
#include "tacit/io/file.hpp"

namespace tacit::sph {
namespace {

namespace dimension = base::dimension;
using base::FormatError;

constexpr std::array<std::string_view, 7> type_names{
    "gas", "dark matter", "background dark matter", "sinks", "stars", "black holes", "neutrinos"};

/// Whether a value of a particle is allowed, and how to say what is.
struct Rule {
  std::string_view quantity;
  std::string_view expected;
  bool (*holds)(double);
};
constexpr Rule finite_position{"position", "a finite number", [](double x) { return std::isfinite(x); }};
constexpr Rule finite_velocity{"velocity", "a finite number", [](double v) { return std::isfinite(v); }};
constexpr Rule positive_mass{"mass", "a mass > 0", [](double m) { return std::isfinite(m) && m > 0.0; }};
constexpr Rule valid_energy{"internal energy", "a finite energy >= 0",
                            [](double u) { return std::isfinite(u) && u >= 0.0; }};
constexpr Rule valid_entropy{"entropy", "a finite entropy >= 0", [](double A) { return std::isfinite(A) && A >= 0.0; }};
constexpr Rule positive_density{"density", "a density > 0", [](double rho) { return std::isfinite(rho) && rho > 0.0; }};
constexpr Rule positive_length{"smoothing length", "a length > 0",
                               [](double h) { return std::isfinite(h) && h > 0.0; }};

using Components = std::array<std::vector<double>*, 3>;

/// One file on its way to InitialConditions; values stay in the file's units until `convert`.
class GasFile {
 public:
  explicit GasFile(const std::filesystem::path& path, const GadgetOptions& options)
      : file_(path), options_(options), file_units_(read_units()) {}

  InitialConditions read();

 private:
  [[noreturn]] void fail(const std::string& what) const { throw FormatError(file_.path().string(), what); }

  [[nodiscard]] base::UnitSystem read_units() const;
  [[nodiscard]] double header_value(const std::string& name, double absent) const;
  [[nodiscard]] std::vector<double> header_counts(const std::string& name) const;
  [[nodiscard]] base::Vec3 read_box(int dimension) const;
  void check_header() const;
  [[nodiscard]] int read_dimension() const;
  void flatten_box(InitialConditions& gas) const;
  void require_flat(const std::string& array, int dimension, const Rule& rule, const Components& values) const;
  void check_set() const;
  void count_gas();

  [[nodiscard]] std::string describe_particle(std::size_t i) const;
  void check(const std::string& array, std::span<const double> values, std::size_t width, const Rule& rule) const;
  [[nodiscard]] std::string find(std::initializer_list<const char*> names) const;
  void check_shape(const std::string& array, std::size_t width) const;
  [[nodiscard]] std::vector<double> scalars(const std::string& array, const Rule& rule) const;
  void vectors(const std::string& array, const Rule& rule, const Components& out) const;
  [[nodiscard]] std::vector<std::uint64_t> read_ids();
  void check_unique(const std::string& array) const;
  void settle_positions(InitialConditions& gas, const std::string& array) const;
  void convert_all(InitialConditions& gas) const;
  [[nodiscard]] std::vector<double> read_masses() const;
  [[nodiscard]] std::vector<double> read_energies() const;
  void convert(std::vector<double>& values, const base::Dimension& dimension) const;
  [[nodiscard]] double factor(const base::Dimension& dimension) const {
    return file_units_.in_cgs(dimension) / options_.units.in_cgs(dimension);
  }

  io::FileReader file_;
  GadgetOptions options_;
  base::UnitSystem file_units_;
  std::size_t n_ = 0;
  std::vector<std::uint64_t> ids_;  // empty if the file has none
};

base::UnitSystem GasFile::read_units() const {
  if (!file_.has("Units")) return options_.units;
  const auto unit = [this](const std::string& name) {
    const std::vector<double> value = file_.attribute("Units", name);
    if (value.size() == 1 && std::isfinite(value[0]) && value[0] > 0.0) return value[0];
    fail(fmt::format("Units: attribute '{}' is {}, expected one number > 0", name, fmt::join(value, ", ")));
  };
  base::UnitSystem units;
  units.length_in_cgs = unit("Unit length in cgs (U_L)");
  units.mass_in_cgs = unit("Unit mass in cgs (U_M)");
  units.time_in_cgs = unit("Unit time in cgs (U_t)");
  return units;
}

double GasFile::header_value(const std::string& name, double absent) const {
  if (!file_.has_attribute("Header", name)) return absent;
  const double value = file_.attribute("Header", name).front();
  if (!std::isfinite(value)) fail(fmt::format("Header: attribute '{}' is {}, expected a finite number", name, value));
  return value;
}

// Counts pass through double, which is exact to 2^53; an array of more particles could not be stored anyway.
std::vector<double> GasFile::header_counts(const std::string& name) const {
  std::vector<double> counts = file_.attribute("Header", name);
  for (const double count : counts) {
    if (!(count >= 0.0 && count < 0x1.0p53) || count != std::floor(count)) {
      fail(fmt::format("Header: attribute '{}' holds {}, expected numbers of particles", name, count));
    }
  }
  return counts;
}

base::Vec3 GasFile::read_box(int dimension) const {
  const std::vector<double> size = file_.attribute("Header", "BoxSize");
  const auto used = std::min(size.size(), static_cast<std::size_t>(dimension));
  const bool is_positive = std::all_of(size.begin(), size.begin() + static_cast<std::ptrdiff_t>(used),
                                       [](double length) { return std::isfinite(length) && length > 0.0; });
  if ((size.size() != 1 && size.size() != 3) || !is_positive) {
    fail(fmt::format("Header: attribute 'BoxSize' is {}, expected one or three lengths > 0", fmt::join(size, ", ")));
  }
  return size.size() == 1 ? base::Vec3{size[0], size[0], size[0]} : base::Vec3{size[0], size[1], size[2]};
}

// What would be read without complaint and give a wrong run.
void GasFile::check_header() const {
  if (!file_.has("Header")) fail("group Header is missing: not a GADGET or SWIFT file");
  if (file_.has_attribute("Cosmology", "Cosmological run") &&
      file_.attribute("Cosmology", "Cosmological run").front() != 0.0) {
    fail("comes from a cosmological run (Cosmology: 'Cosmological run' is 1); expanding space is not supported yet");
  }
  if (header_value("Flag_Entropy_ICs", 0.0) != 0.0) {
    fail(
        "Header: attribute 'Flag_Entropy_ICs' is 1, so InternalEnergy holds entropies, which cannot be converted "
        "without "
        "the densities; write internal energies and set the flag to 0");
  }
}

int GasFile::read_dimension() const {
  const double dimension = header_value("Dimension", options_.dimension.value_or(3));
  if (dimension != 1.0 && dimension != 2.0 && dimension != 3.0) {
    fail(fmt::format("Header: attribute 'Dimension' is {}, expected 1, 2 or 3", dimension));
  }
  if (dimension != options_.dimension.value_or(dimension)) {
    fail(fmt::format("Header: attribute 'Dimension' is {}, but sph.dimension is {}; remove the key to take the file's",
                     dimension, *options_.dimension));
  }
  return static_cast<int>(dimension);
}

// The sides that a run does not use are as long as the first, whatever the file says.
void GasFile::flatten_box(InitialConditions& gas) const {
  for (auto axis = static_cast<std::size_t>(gas.dimension); axis < 3; ++axis) gas.box[axis] = gas.box[0];
}

void GasFile::require_flat(const std::string& array, int dimension, const Rule& rule, const Components& values) const {
  constexpr std::array axes{'x', 'y', 'z'};
  for (auto axis = static_cast<std::size_t>(dimension); axis < 3; ++axis) {
    const std::vector<double>& component = *values[axis];
    const auto bad = std::ranges::find_if(component, [](double value) { return value != 0.0; });
    if (bad == component.end()) continue;
    fail(fmt::format("{}: {} has {} {} {}; expected 0 in {} dimension{}", array,
                     describe_particle(static_cast<std::size_t>(bad - component.begin())), axes[axis], rule.quantity,
                     *bad, dimension, dimension == 1 ? "" : "s"));
  }
}

void GasFile::check_set() const {
  const double files = header_value("NumFilesPerSnapshot", 1.0);
  double total = static_cast<double>(n_);
  if (file_.has_attribute("Header", "NumPart_Total")) total = header_counts("NumPart_Total").front();
  if (file_.has_attribute("Header", "NumPart_Total_HighWord")) {
    total += 0x1.0p32 * header_counts("NumPart_Total_HighWord").front();
  }
  if (files <= 1.0 && total == static_cast<double>(n_)) return;
  fail(
      fmt::format("holds {} of {} gas particles (NumFilesPerSnapshot is {}); sets of several files are not supported "
                  "yet: join them "
                  "into one file",
                  n_, total, files));
}

void GasFile::count_gas() {
  const std::vector<double> counts = header_counts("NumPart_ThisFile");
  n_ = static_cast<std::size_t>(counts.front());
  if (n_ > 0 && file_.has("PartType0")) return;
  if (n_ > 0) fail(fmt::format("group PartType0 is missing, but Header says that it holds {} gas particles", n_));
  std::vector<std::string> others;
  for (std::size_t type = 1; type < counts.size(); ++type) {
    if (counts[type] == 0.0) continue;
    others.push_back(fmt::format("{} of PartType{} ({})", counts[type], type,
                                 type < type_names.size() ? type_names[type] : "unknown"));
  }
  fail(fmt::format("has no gas (PartType0); it has {}",
                   others.empty() ? "no particles at all" : fmt::format("{}", fmt::join(others, ", "))));
}

std::string GasFile::describe_particle(std::size_t i) const {
  return ids_.empty() ? fmt::format("particle {}", i) : fmt::format("particle {} (ID {})", i, ids_[i]);
}

void GasFile::check(const std::string& array, std::span<const double> values, std::size_t width,
                    const Rule& rule) const {
  const auto bad = std::find_if_not(values.begin(), values.end(), rule.holds);
  if (bad == values.end()) return;
  const auto i = static_cast<std::size_t>(bad - values.begin());
  constexpr std::array<std::string_view, 3> axes{"x ", "y ", "z "};
  fail(fmt::format("{}: {} has {}{} {}; expected {}", array, describe_particle(i / width),
                   width == 3 ? axes[i % 3] : "", rule.quantity, *bad, rule.expected));
}

// The first of `names` that PartType0 has; "" if none.
std::string GasFile::find(std::initializer_list<const char*> names) const {
  for (const char* name : names) {
    if (std::string array = std::string("PartType0/") + name; file_.has(array)) return array;
  }
  return "";
}

void GasFile::check_shape(const std::string& array, std::size_t width) const {
  const std::vector<std::uint64_t> shape = file_.info(array).shape;
  const bool is_list =
      width == 1 && (shape == std::vector<std::uint64_t>{n_} || shape == std::vector<std::uint64_t>{n_, 1});
  if (is_list || (width != 1 && shape == std::vector<std::uint64_t>{n_, width})) return;
  fail(fmt::format("{} has shape ({}), expected ({}{}): Header says {} gas particles", array, fmt::join(shape, ", "),
                   n_, width == 1 ? "" : fmt::format(", {}", width), n_));
}

std::vector<double> GasFile::scalars(const std::string& array, const Rule& rule) const {
  check_shape(array, 1);
  std::vector<double> values(n_);
  file_.read(array, std::span(values));
  check(array, values, 1, rule);
  return values;
}

void GasFile::vectors(const std::string& array, const Rule& rule, const Components& out) const {
  check_shape(array, 3);
  std::vector<double> values(3 * n_);
  file_.read(array, std::span(values));
  check(array, values, 3, rule);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    out[axis]->resize(n_);
    for (std::size_t i = 0; i < n_; ++i) (*out[axis])[i] = values[3 * i + axis];
  }
}

void GasFile::check_unique(const std::string& array) const {
  if (std::adjacent_find(ids_.begin(), ids_.end(), std::greater_equal{}) == ids_.end()) return;  // as most files are
  std::vector<std::uint64_t> sorted = ids_;
  std::sort(sorted.begin(), sorted.end());
  const auto twin = std::adjacent_find(sorted.begin(), sorted.end());
  if (twin == sorted.end()) return;
  const auto first = std::find(ids_.begin(), ids_.end(), *twin);
  const auto second = std::find(first + 1, ids_.end(), *twin);
  fail(fmt::format("{}: particles {} and {} have the same ID {}; expected unique IDs", array, first - ids_.begin(),
                   second - ids_.begin(), *twin));
}

std::vector<std::uint64_t> GasFile::read_ids() {
  const std::string array = find({"ParticleIDs"});
  if (!array.empty()) check_shape(array, 1);
  std::vector<std::uint64_t> ids(n_);
  if (!array.empty()) {
    file_.read(array, std::span(ids));
    ids_ = ids;
    check_unique(array);
    return ids;
  }
  for (std::size_t i = 0; i < n_; ++i) ids[i] = i + 1;
  return ids;
}

// Positions must lie in a periodic or reflecting box; the upper edge of a periodic one is its lower one. A float32 that
// was rounded up from just below the edge, or an edge that is no float32 itself, counts as the edge.
void GasFile::settle_positions(InitialConditions& gas, const std::string& array) const {
  if (options_.boundary == Boundary::open) return;
  const bool is_periodic = options_.boundary == Boundary::periodic;
  const bool is_single = file_.info(array).type == io::Number::float32;
  const Components components{&gas.x, &gas.y, &gas.z};
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double& x = (*components[axis])[i];
      const double box = gas.box[axis];
      const bool is_edge = x == box || (is_single && static_cast<float>(x) == static_cast<float>(box));
      if (is_edge) x = is_periodic ? 0.0 : box;
      if (x >= 0.0 && (x < box || is_edge)) continue;
      fail(fmt::format("{}: {} is at ({}, {}, {}), outside the {} box ({}, {}, {})", array, describe_particle(i),
                       gas.x[i], gas.y[i], gas.z[i], is_periodic ? "periodic" : "reflecting", gas.box.x, gas.box.y,
                       gas.box.z));
    }
  }
}

std::vector<double> GasFile::read_masses() const {
  if (const std::string array = find({"Masses", "Mass"}); !array.empty()) return scalars(array, positive_mass);
  if (!file_.has_attribute("Header", "MassTable")) fail("PartType0/Masses and Header: 'MassTable' are both missing");
  const double mass = file_.attribute("Header", "MassTable").front();
  if (!positive_mass.holds(mass)) {
    fail(fmt::format("PartType0/Masses is missing and Header: 'MassTable' gives the gas mass {}; expected {}", mass,
                     positive_mass.expected));
  }
  return std::vector<double>(n_, mass);
}

// u = A rho^(gamma - 1) / (gamma - 1) where a snapshot gives the entropic function A and the density.
std::vector<double> GasFile::read_energies() const {
  if (const std::string array = find({"InternalEnergy", "InternalEnergies"}); !array.empty()) {
    return scalars(array, valid_energy);
  }
  const std::string entropies = find({"Entropies", "Entropy"});
  const std::string densities = find({"Densities", "Density"});
  if (entropies.empty() || densities.empty()) {
    fail("PartType0/InternalEnergy (in snapshots InternalEnergies) is missing");
  }
  std::vector<double> u = scalars(entropies, valid_entropy);
  const std::vector<double> rho = scalars(densities, positive_density);
  const double gamma = options_.gamma;
  for (std::size_t i = 0; i < n_; ++i) u[i] *= std::pow(rho[i], gamma - 1.0) / (gamma - 1.0);
  check(entropies, u, 1, valid_energy);
  return u;
}

void GasFile::convert(std::vector<double>& values, const base::Dimension& dimension) const {
  const double scale = factor(dimension);
  if (scale == 1.0) return;
  for (double& value : values) {
    const double converted = value * scale;
    if (value != 0.0 && !std::isnormal(converted)) {
      fail(fmt::format(
          "{} in the file's units cannot be expressed as {} in the run's (factor {}): check group Units and "
          "the units of the run",
          value, base::describe(dimension), scale));
    }
    value = converted;
  }
}

void GasFile::convert_all(InitialConditions& gas) const {
  const double length = factor(dimension::length);
  gas.box = length * gas.box;
  gas.time *= factor(dimension::time);
  const Components positions{&gas.x, &gas.y, &gas.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    convert(*positions[axis], dimension::length);
    if (options_.boundary == Boundary::open) continue;
    // Rounding may lift a position just below the edge onto or beyond it.
    const double edge = options_.boundary == Boundary::periodic ? 0.0 : gas.box[axis];
    std::replace_if(
        positions[axis]->begin(), positions[axis]->end(), [&](double x) { return x >= gas.box[axis]; }, edge);
  }
  for (std::vector<double>* v : {&gas.vx, &gas.vy, &gas.vz}) convert(*v, dimension::velocity);
  convert(gas.m, dimension::mass);
  convert(gas.u, dimension::specific_energy);
  convert(gas.h, dimension::length);
}

InitialConditions GasFile::read() {
  check_header();
  count_gas();
  check_set();
  InitialConditions gas;
  gas.dimension = read_dimension();
  gas.box = read_box(gas.dimension);
  flatten_box(gas);
  gas.time = header_value("Time", 0.0);
  const std::string positions = "PartType0/Coordinates";
  check_shape(positions, 3);  // before anything is allocated for as many particles as the header claims
  gas.id = read_ids();
  vectors(positions, finite_position, {&gas.x, &gas.y, &gas.z});
  require_flat(positions, gas.dimension, finite_position, {&gas.x, &gas.y, &gas.z});
  settle_positions(gas, positions);
  vectors("PartType0/Velocities", finite_velocity, {&gas.vx, &gas.vy, &gas.vz});
  require_flat("PartType0/Velocities", gas.dimension, finite_velocity, {&gas.vx, &gas.vy, &gas.vz});
  gas.m = read_masses();
  gas.u = read_energies();
  if (const std::string h = find({"SmoothingLength", "SmoothingLengths"}); !h.empty())
    gas.h = scalars(h, positive_length);
  convert_all(gas);
  gas.source = file_.path().string();
  gas.checksum = base::file_checksum(file_.path());
  return gas;
}

}  // namespace

InitialConditions read_gadget(const std::filesystem::path& path, const GadgetOptions& options) {
  GasFile file(path, options);
  return file.read();
}

}  // namespace tacit::sph

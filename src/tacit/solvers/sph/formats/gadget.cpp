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
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/particles/domain.hpp"
#include "tacit/solvers/sph/formats/carried.hpp"
#include "tacit/solvers/sph/formats/file_set.hpp"
#include "tacit/solvers/sph/formats/gadget_header.hpp"

namespace tacit::sph {
namespace {

namespace dimension = base::dimension;

/// Whether a value of a particle is allowed, and how to say what is.
struct Rule {
  std::string_view quantity;
  std::string_view expected;
  bool (*holds)(double);
};
// The bounds leave room for what is computed of them: powers of a length up to the fifth must be numbers of a double,
// velocities those of a float.
constexpr Rule finite_position{"position", "a finite number, at most 1e50",
                               [](double x) { return std::abs(x) <= 1e50; }};
constexpr Rule finite_velocity{"velocity", "a finite number, at most 1e30",
                               [](double v) { return std::abs(v) <= 1e30; }};
constexpr Rule positive_mass{"mass", "a mass > 0, at most 1e60", [](double m) { return m > 0.0 && m <= 1e60; }};
constexpr Rule valid_energy{"internal energy", "a finite energy >= 0, at most 1e60",
                            [](double u) { return u >= 0.0 && u <= 1e60; }};
constexpr Rule valid_entropy{"entropy", "a finite entropy >= 0", [](double A) { return std::isfinite(A) && A >= 0.0; }};
constexpr Rule positive_density{"density", "a density > 0", [](double rho) { return std::isfinite(rho) && rho > 0.0; }};
constexpr Rule positive_length{"smoothing length", "a length > 0",
                               [](double h) { return std::isfinite(h) && h > 0.0; }};

using Components = std::array<std::vector<double>*, 3>;
using Shape = std::vector<std::uint64_t>;  // of an array in a file

/// Vectors are read in pieces of about this many rows, so that they need little memory beside the result.
constexpr std::uint64_t rows_at_once = 32768;

/// A set of files on its way to InitialConditions; values stay in the files' units until `convert_all`.
class GasReader {
 public:
  GasReader(const FileSet& set, const GadgetOptions& options, const Share& share)
      : set_(set),
        options_(options),
        header_(read_gadget_header(set.first(), options)),
        conversion_(header_.units, options.units),
        share_(share),
        rows_(share.of(set.total(0))) {}

  InitialConditions read();
  [[nodiscard]] GadgetOutline outline() const;

 private:
  /// What is read of one file.
  struct Piece {
    const FilePart& part;
    std::uint64_t first = 0;  ///< row in the file
    std::uint64_t count = 0;
    std::size_t to = 0;  ///< row among those that are read
  };

  [[noreturn]] static void fail(const FilePart& part, const std::string& what) {
    throw base::FormatError(part.file.path().string(), what);
  }

  void require_gas() const;
  [[nodiscard]] std::string describe_particle(const FilePart& part, std::uint64_t i) const;
  void check(const FilePart& part, const std::string& array, std::uint64_t first, std::span<const double> values,
             std::size_t width, const Rule& rule) const;
  void require_flat(const std::string& array, const Rule& rule, const Components& values) const;
  [[nodiscard]] std::string find(std::initializer_list<const char*> names) const;
  static void check_shape(const FilePart& part, const std::string& array, std::size_t width);
  [[nodiscard]] std::vector<double> scalars(const std::string& array, const Rule& rule) const;
  void vectors(const std::string& array, const Rule& rule, const Components& out) const;
  void read_vectors(const Piece& piece, const std::string& array, const Rule& rule, const Components& out) const;
  [[nodiscard]] std::vector<std::uint64_t> read_ids() const;
  void check_unique(const std::string& array) const;
  void check_twins() const;
  void settle_positions(InitialConditions& gas, const std::string& array) const;
  void settle_in_box(const Piece& piece, InitialConditions& gas, const std::string& array) const;
  void convert_all(InitialConditions& gas) const;
  void check_box(const base::Vec3& box) const;
  [[nodiscard]] double bytes_of_others() const;
  [[nodiscard]] std::vector<double> read_masses() const;
  [[nodiscard]] std::vector<double> read_energies() const;

  /// Calls f for each part that holds gas.
  template <class F>
  void for_each_part(const F& f) const {
    for (const FilePart& part : set_.parts()) {
      if (part.counts[0] > 0) f(part);
    }
  }
  /// Calls f for each file of which something is read.
  template <class F>
  void for_each_piece(const F& f) const {
    for_each_part([&](const FilePart& part) {
      const Rows held = rows_.among(part.firsts[0], part.counts[0]);
      if (held.size() > 0) f(Piece{part, held.first - part.firsts[0], held.size(), held.first - rows_.first});
    });
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return rows_.size(); }
  [[nodiscard]] const FilePart& first_part() const {
    return *std::ranges::find_if(set_.parts(), [](const FilePart& part) { return part.counts[0] > 0; });
  }

  const FileSet& set_;
  GadgetOptions options_;
  GadgetHeader header_;
  Conversion conversion_;
  Share share_;
  Rows rows_;                           // of all gas
  std::span<const std::uint64_t> ids_;  // empty if the files have none
};

void GasReader::require_gas() const {
  for_each_part([](const FilePart& part) {
    if (part.file.has("PartType0")) return;
    fail(part,
         fmt::format("group PartType0 is missing, but Header says that it holds {} gas particles", part.counts[0]));
  });
  if (set_.total(0) > 0) return;
  std::vector<std::string> others;
  for (std::size_t type = 1; type < particle_types; ++type) {
    if (set_.total(type) == 0) continue;
    others.push_back(fmt::format("{} of PartType{} ({})", set_.total(type), type, type_names[type]));
  }
  fail(set_.parts().front(),
       fmt::format("has no gas (PartType0); it has {}",
                   others.empty() ? "no particles at all" : fmt::format("{}", fmt::join(others, ", "))));
}

std::string GasReader::describe_particle(const FilePart& part, std::uint64_t i) const {
  if (ids_.empty()) return fmt::format("particle {}", i);
  return fmt::format("particle {} (ID {})", i, ids_[part.firsts[0] + i - rows_.first]);
}

void GasReader::check(const FilePart& part, const std::string& array, std::uint64_t first,
                      std::span<const double> values, std::size_t width, const Rule& rule) const {
  const auto bad = std::find_if_not(values.begin(), values.end(), rule.holds);
  if (bad == values.end()) return;
  const auto i = static_cast<std::size_t>(bad - values.begin());
  constexpr std::array<std::string_view, 3> axes{"x ", "y ", "z "};
  fail(part, fmt::format("{}: {} has {}{} {}; expected {}", array, describe_particle(part, first + i / width),
                         width == 3 ? axes[i % 3] : "", rule.quantity, *bad, rule.expected));
}

void GasReader::require_flat(const std::string& array, const Rule& rule, const Components& values) const {
  constexpr std::array axes{'x', 'y', 'z'};
  for_each_piece([&](const Piece& piece) {
    for (auto axis = static_cast<std::size_t>(header_.dimension); axis < 3; ++axis) {
      const std::span component = std::span(*values[axis]).subspan(piece.to, piece.count);
      const auto bad = std::ranges::find_if(component, [](double value) { return value != 0.0; });
      if (bad == component.end()) continue;
      const std::uint64_t i = piece.first + static_cast<std::uint64_t>(bad - component.begin());
      fail(piece.part,
           fmt::format("{}: {} has {} {} {}; expected 0 in {} dimension{}", array, describe_particle(piece.part, i),
                       axes[axis], rule.quantity, *bad, header_.dimension, header_.dimension == 1 ? "" : "s"));
    }
  });
}

// The first of `names` that PartType0 has; "" if none. What one file of a set has, all must have.
std::string GasReader::find(std::initializer_list<const char*> names) const {
  for (const char* name : names) {
    if (std::string array = std::string("PartType0/") + name; first_part().file.has(array)) return array;
  }
  return "";
}

void GasReader::check_shape(const FilePart& part, const std::string& array, std::size_t width) {
  const std::uint64_t n = part.counts[0];
  const Shape shape = part.file.info(array).shape;
  const bool is_list = width == 1 && (shape == Shape{n} || shape == Shape{n, 1});
  if (is_list || (width != 1 && shape == Shape{n, width})) return;
  fail(part, fmt::format("{} has shape ({}), expected ({}{}): Header says {} gas particles", array,
                         fmt::join(shape, ", "), n, width == 1 ? "" : fmt::format(", {}", width), n));
}

std::vector<double> GasReader::scalars(const std::string& array, const Rule& rule) const {
  std::vector<double> values(size());
  for_each_piece([&](const Piece& piece) {
    check_shape(piece.part, array, 1);
    const std::span own = std::span(values).subspan(piece.to, piece.count);
    piece.part.file.read_rows(array, piece.first, own);
    check(piece.part, array, piece.first, own, 1, rule);
  });
  return values;
}

void GasReader::vectors(const std::string& array, const Rule& rule, const Components& out) const {
  for (std::vector<double>* component : out) component->resize(size());
  for_each_piece([&](const Piece& piece) {
    check_shape(piece.part, array, 3);
    read_vectors(piece, array, rule, out);
  });
  require_flat(array, rule, out);
}

void GasReader::read_vectors(const Piece& piece, const std::string& array, const Rule& rule,
                             const Components& out) const {
  const std::uint64_t chunk = piece.part.file.info(array).chunk_rows;
  const std::uint64_t at_once = chunk * std::max<std::uint64_t>(rows_at_once / chunk, 1);
  const std::uint64_t end = piece.first + piece.count;
  std::vector<double> values;
  for (std::uint64_t first = piece.first; first < end;) {
    const std::uint64_t next = std::min(end, (first / at_once + 1) * at_once);  // whole chunks
    values.resize(3 * (next - first));
    piece.part.file.read_rows(array, first, std::span(values));
    check(piece.part, array, first, values, 3, rule);
    const std::size_t to = piece.to + (first - piece.first);
    first = next;
    for (std::size_t k = 0; k < values.size(); ++k) (*out[k % 3])[to + k / 3] = values[k];
  }
}

void GasReader::check_unique(const std::string& array) const {
  if (std::adjacent_find(ids_.begin(), ids_.end(), std::greater_equal{}) == ids_.end()) return;  // as most files are
  std::vector<std::uint64_t> sorted(ids_.begin(), ids_.end());
  std::sort(sorted.begin(), sorted.end());
  const auto twin = std::adjacent_find(sorted.begin(), sorted.end());
  if (twin == sorted.end()) return;
  const auto first = std::find(ids_.begin(), ids_.end(), *twin);
  const auto second = std::find(first + 1, ids_.end(), *twin);
  fail(first_part(), fmt::format("{}: particles {} and {} have the same ID {}; expected unique IDs", array,
                                 first - ids_.begin(), second - ids_.begin(), *twin));
}

std::vector<std::uint64_t> GasReader::read_ids() const {
  std::vector<std::uint64_t> ids(size());
  if (const std::string array = find({"ParticleIDs"}); !array.empty()) {
    for_each_piece([&](const Piece& piece) {
      check_shape(piece.part, array, 1);
      piece.part.file.read_rows(array, piece.first, std::span(ids).subspan(piece.to, piece.count));
    });
    return ids;
  }
  std::iota(ids.begin(), ids.end(), rows_.first + 1);
  return ids;
}

/// What initial conditions and snapshots have under different names may be there under both, if it is the same.
void GasReader::check_twins() const {
  constexpr std::array<std::array<const char*, 2>, 5> twins{{{"Masses", "Mass"},
                                                             {"InternalEnergy", "InternalEnergies"},
                                                             {"SmoothingLength", "SmoothingLengths"},
                                                             {"Entropies", "Entropy"},
                                                             {"Densities", "Density"}}};
  const Rule any{"value", "any", [](double) { return true; }};
  for (const auto& [name, other_name] : twins) {
    const std::string array = find({name});
    const std::string other = find({other_name});
    if (array.empty() || other.empty()) continue;
    const std::vector<double> values = scalars(array, any);
    const std::vector<double> others = scalars(other, any);
    for_each_piece([&](const Piece& piece) {
      for (std::uint64_t i = 0; i < piece.count; ++i) {
        const double a = values[piece.to + i];
        const double b = others[piece.to + i];
        if (std::abs(a - b) <= 1e-5 * std::max(std::abs(a), std::abs(b))) continue;
        fail(piece.part, fmt::format("contradicts itself: {} of {} is {}, but {} is {}; remove the wrong one", array,
                                     describe_particle(piece.part, piece.first + i), a, other, b));
      }
    });
  }
}

void GasReader::settle_positions(InitialConditions& gas, const std::string& array) const {
  if (options_.boundary == Boundary::open) return;
  for_each_piece([&](const Piece& piece) { settle_in_box(piece, gas, array); });
}

// Positions must lie in a reflecting box, or a box length from a periodic one, which repeats them; the upper edge of
// the latter is its lower one. A float32 that was rounded up from just below the edge, or an edge that is no float32
// itself, counts as the edge.
void GasReader::settle_in_box(const Piece& piece, InitialConditions& gas, const std::string& array) const {
  const bool is_periodic = options_.boundary == Boundary::periodic;
  const bool is_single = piece.part.file.info(array).type == io::Number::float32;
  const Components components{&gas.x, &gas.y, &gas.z};
  for (std::size_t i = piece.to; i < piece.to + piece.count; ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double& x = (*components[axis])[i];
      const double box = gas.box[axis];
      const bool is_edge = x == box || (is_single && static_cast<float>(x) == static_cast<float>(box));
      if (is_edge) x = is_periodic ? 0.0 : box;
      if (x >= 0.0 && (x < box || is_edge)) continue;
      if (is_periodic && x >= -box && x < 2.0 * box) {
        x = particles::wrap(x, 0.0, box);
        continue;
      }
      fail(piece.part, fmt::format("{}: {} is at ({}, {}, {}), {}outside the {} box ({}, {}, {})", array,
                                   describe_particle(piece.part, piece.first + (i - piece.to)), gas.x[i], gas.y[i],
                                   gas.z[i], is_periodic ? "more than a box length " : "",
                                   is_periodic ? "periodic" : "reflecting", gas.box.x, gas.box.y, gas.box.z));
    }
  }
}

std::vector<double> GasReader::read_masses() const {
  if (const std::string array = find({"Masses", "Mass"}); !array.empty()) {
    std::vector<double> masses = scalars(array, positive_mass);
    for_each_piece([&](const Piece& piece) {
      require_masses_of_table(header_, 0, piece.part, array, piece.first,
                              std::span(masses).subspan(piece.to, piece.count));
    });
    return masses;
  }
  if (header_.mass_table.empty()) fail(first_part(), "PartType0/Masses and Header: 'MassTable' are both missing");
  const double mass = header_.mass_table.front();
  if (!positive_mass.holds(mass)) {
    fail(first_part(), fmt::format("PartType0/Masses is missing and Header: 'MassTable' gives the gas mass {}; "
                                   "expected {}",
                                   mass, positive_mass.expected));
  }
  return std::vector<double>(size(), mass);
}

// u = A rho^(gamma - 1) / (gamma - 1) where a snapshot gives the entropic function A and the density.
std::vector<double> GasReader::read_energies() const {
  if (const std::string array = find({"InternalEnergy", "InternalEnergies"}); !array.empty()) {
    return scalars(array, valid_energy);
  }
  const std::string entropies = find({"Entropies", "Entropy"});
  const std::string densities = find({"Densities", "Density"});
  if (entropies.empty() || densities.empty()) {
    const bool has_temperature = !find({"Temperature", "Temperatures"}).empty();
    fail(first_part(), std::string("PartType0/InternalEnergy (in snapshots InternalEnergies) is missing") +
                           (has_temperature ? "; temperatures alone do not give it: write u = k T / ((gamma - 1) mu "
                                              "m_H) with the mean molecular weight mu of your gas"
                                            : ""));
  }
  std::vector<double> u = scalars(entropies, valid_entropy);
  const std::vector<double> rho = scalars(densities, positive_density);
  const double gamma = options_.gamma;
  for (std::size_t i = 0; i < u.size(); ++i) u[i] *= std::pow(rho[i], gamma - 1.0) / (gamma - 1.0);
  for_each_piece([&](const Piece& piece) {
    check(piece.part, entropies, piece.first, std::span(u).subspan(piece.to, piece.count), 1, valid_energy);
  });
  return u;
}

/// Powers of a length up to the fifth, in both directions, must be numbers of a double.
void GasReader::check_box(const base::Vec3& box) const {
  constexpr double shortest = 1e-50;
  constexpr double longest = 1e50;
  for (const double side : {box.x, box.y, box.z}) {
    if (side == 0.0 && options_.boundary == Boundary::open) continue;  // it says nothing
    if (side >= shortest && side <= longest) continue;
    fail(set_.parts().front(), fmt::format("Header: attribute 'BoxSize' is {} in the units of the run, expected {} to "
                                           "{}; choose other units",
                                           side, shortest, longest));
  }
}

void GasReader::convert_all(InitialConditions& gas) const {
  const auto convert = [this](std::vector<double>& values, const base::Dimension& of) {
    conversion_.convert_all(values, of, set_.first().path());
  };
  gas.box = conversion_.factor(dimension::length) * gas.box;
  check_box(gas.box);
  gas.time *= conversion_.factor(dimension::time);
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

double GasReader::bytes_of_others() const {
  double bytes = 0.0;
  for (const FilePart& part : set_.parts()) {
    for (std::size_t type = 1; type < particle_types; ++type) {
      const std::string group = fmt::format("PartType{}", type);
      if (part.counts[type] == 0 || !part.file.has(group)) continue;
      for (const std::string& name : part.file.list(group)) {
        if (!part.file.is_array(group + "/" + name)) continue;
        const io::ArrayInfo info = part.file.info(group + "/" + name);
        double numbers = 1.0;
        for (const std::uint64_t length : info.shape) numbers *= static_cast<double>(length);
        bytes += numbers * static_cast<double>(io::bytes_of(info.type));
      }
    }
  }
  return bytes;
}

GadgetOutline GasReader::outline() const {
  require_gas();
  for_each_part([&](const FilePart& part) { check_shape(part, "PartType0/Coordinates", 3); });
  const base::Vec3 box = conversion_.factor(dimension::length) * header_.box;
  check_box(box);
  return {.gas = set_.total(0),
          .carried_bytes = bytes_of_others(),
          .dimension = header_.dimension,
          .box = box,
          .time = conversion_.factor(dimension::time) * header_.time};
}

InitialConditions GasReader::read() {
  require_gas();
  InitialConditions gas;
  gas.dimension = header_.dimension;
  gas.box = header_.box;
  gas.time = header_.time;
  const std::string positions = "PartType0/Coordinates";
  const std::string velocities = "PartType0/Velocities";
  // Before anything is allocated for as many particles as the header claims.
  for_each_part([&](const FilePart& part) { check_shape(part, positions, 3); });
  gas.id = read_ids();
  if (const std::string array = find({"ParticleIDs"}); !array.empty()) {
    ids_ = gas.id;
    check_unique(array);
  }
  vectors(positions, finite_position, {&gas.x, &gas.y, &gas.z});
  settle_positions(gas, positions);
  vectors(velocities, finite_velocity, {&gas.vx, &gas.vy, &gas.vz});
  check_twins();
  gas.m = read_masses();
  gas.u = read_energies();
  if (const std::string h = find({"SmoothingLength", "SmoothingLengths"}); !h.empty()) {
    gas.h = scalars(h, positive_length);
  }
  convert_all(gas);
  gas.others = read_others(set_, header_, conversion_, options_.boundary == Boundary::periodic);
  gas.source = set_.source();
  if (share_.rank == 0) gas.checksum = set_.checksum();  // of all files, whose share others have
  return gas;
}

}  // namespace

std::optional<std::filesystem::path> first_of_set(const std::filesystem::path& path) { return first_part_of(path); }

GadgetOutline read_gadget_outline(const std::filesystem::path& path, const GadgetOptions& options) {
  const FileSet set(path);
  return GasReader(set, options, {}).outline();
}

InitialConditions read_gadget(const std::filesystem::path& path, const GadgetOptions& options, const Share& share) {
  const FileSet set(path);
  return GasReader(set, options, share).read();
}

}  // namespace tacit::sph

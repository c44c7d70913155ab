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
#include <utility>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/particles/domain.hpp"
#include "tacit/solvers/sph/cosmology/files.hpp"
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

/// Particles of one type of a set of files on their way to InitialConditions; values stay in the files' units until
/// `convert_all`.
class ParticleReader {
 public:
  ParticleReader(const FileSet& set, const GadgetOptions& options, const Share& share, std::size_t type)
      : set_(set),
        options_(options),
        type_(type),
        group_(fmt::format("PartType{}", type)),
        header_(read_gadget_header(set.first(), options)),
        conversion_(header_.units, options.units),
        share_(share),
        rows_(share.of(set.total(type))) {}

  /// All that there is of them.
  InitialConditions read();
  void require_group() const;
  void check_shapes() const;
  [[nodiscard]] const GadgetHeader& header() const noexcept { return header_; }
  [[nodiscard]] const Conversion& conversion() const noexcept { return conversion_; }
  void check_box(const base::Vec3& box) const;
  /// Datasets that are not read.
  [[nodiscard]] std::vector<std::string> left_out() const;

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

  [[nodiscard]] std::string describe_particle(const FilePart& part, std::uint64_t i) const;
  void check(const FilePart& part, const std::string& array, std::uint64_t first, std::span<const double> values,
             std::size_t width, const Rule& rule) const;
  void require_flat(const std::string& array, const Rule& rule, const Components& values) const;
  [[nodiscard]] std::string find(std::initializer_list<const char*> names) const;
  void check_shape(const FilePart& part, const std::string& array, std::size_t width) const;
  [[nodiscard]] std::vector<double> scalars(const std::string& array, const Rule& rule) const;
  void vectors(const std::string& array, const Rule& rule, const Components& out) const;
  void read_vectors(const Piece& piece, const std::string& array, const Rule& rule, const Components& out) const;
  [[nodiscard]] std::vector<std::uint64_t> read_ids() const;
  void check_unique(const std::string& array) const;
  void check_twins() const;
  void settle_positions(InitialConditions& gas, const std::string& array) const;
  void settle_in_box(const Piece& piece, InitialConditions& gas, const std::string& array) const;
  void convert_all(InitialConditions& gas) const;
  [[nodiscard]] std::vector<double> read_masses() const;
  [[nodiscard]] std::vector<double> read_energies() const;

  /// Calls f for each part that holds some.
  template <class F>
  void for_each_part(const F& f) const {
    for (const FilePart& part : set_.parts()) {
      if (part.counts[type_] > 0) f(part);
    }
  }
  /// Calls f for each file of which something is read.
  template <class F>
  void for_each_piece(const F& f) const {
    for_each_part([&](const FilePart& part) {
      const Rows held = rows_.among(part.firsts[type_], part.counts[type_]);
      if (held.size() > 0) f(Piece{part, held.first - part.firsts[type_], held.size(), held.first - rows_.first});
    });
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return rows_.size(); }
  [[nodiscard]] const FilePart& first_part() const {
    return *std::ranges::find_if(set_.parts(), [this](const FilePart& part) { return part.counts[type_] > 0; });
  }

  const FileSet& set_;
  GadgetOptions options_;
  std::size_t type_;
  std::string group_;
  GadgetHeader header_;
  Conversion conversion_;
  Share share_;
  Rows rows_;                           // of all of this type
  std::span<const std::uint64_t> ids_;  // empty if the files have none
};

void ParticleReader::require_group() const {
  for_each_part([this](const FilePart& part) {
    if (part.file.has(group_)) return;
    fail(part, fmt::format("group {} is missing, but Header says that it holds {} {} particles", group_,
                           part.counts[type_], type_names[type_]));
  });
}

std::string ParticleReader::describe_particle(const FilePart& part, std::uint64_t i) const {
  if (ids_.empty()) return fmt::format("particle {}", i);
  return fmt::format("particle {} (ID {})", i, ids_[part.firsts[type_] + i - rows_.first]);
}

void ParticleReader::check(const FilePart& part, const std::string& array, std::uint64_t first,
                           std::span<const double> values, std::size_t width, const Rule& rule) const {
  const auto bad = std::find_if_not(values.begin(), values.end(), rule.holds);
  if (bad == values.end()) return;
  const auto i = static_cast<std::size_t>(bad - values.begin());
  constexpr std::array<std::string_view, 3> axes{"x ", "y ", "z "};
  fail(part, fmt::format("{}: {} has {}{} {}; expected {}", array, describe_particle(part, first + i / width),
                         width == 3 ? axes[i % 3] : "", rule.quantity, *bad, rule.expected));
}

void ParticleReader::require_flat(const std::string& array, const Rule& rule, const Components& values) const {
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

// The first of `names` that the type has; "" if none. What one file of a set has, all must have.
std::string ParticleReader::find(std::initializer_list<const char*> names) const {
  for (const char* name : names) {
    if (std::string array = group_ + "/" + name; first_part().file.has(array)) return array;
  }
  return "";
}

void ParticleReader::check_shape(const FilePart& part, const std::string& array, std::size_t width) const {
  const std::uint64_t n = part.counts[type_];
  const Shape shape = part.file.info(array).shape;
  const bool is_list = width == 1 && (shape == Shape{n} || shape == Shape{n, 1});
  if (is_list || (width != 1 && shape == Shape{n, width})) return;
  fail(part,
       fmt::format("{} has shape ({}), expected ({}{}): Header says {} {} particles", array, fmt::join(shape, ", "), n,
                   width == 1 ? "" : fmt::format(", {}", width), n, type_names[type_]));
}

std::vector<double> ParticleReader::scalars(const std::string& array, const Rule& rule) const {
  std::vector<double> values(size());
  for_each_piece([&](const Piece& piece) {
    check_shape(piece.part, array, 1);
    const std::span own = std::span(values).subspan(piece.to, piece.count);
    piece.part.file.read_rows(array, piece.first, own);
    check(piece.part, array, piece.first, own, 1, rule);
  });
  return values;
}

void ParticleReader::vectors(const std::string& array, const Rule& rule, const Components& out) const {
  for (std::vector<double>* component : out) component->resize(size());
  for_each_piece([&](const Piece& piece) {
    check_shape(piece.part, array, 3);
    read_vectors(piece, array, rule, out);
  });
  require_flat(array, rule, out);
}

void ParticleReader::read_vectors(const Piece& piece, const std::string& array, const Rule& rule,
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

void ParticleReader::check_unique(const std::string& array) const {
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

std::vector<std::uint64_t> ParticleReader::read_ids() const {
  std::vector<std::uint64_t> ids(size());
  if (const std::string array = find({"ParticleIDs"}); !array.empty()) {
    for_each_piece([&](const Piece& piece) {
      check_shape(piece.part, array, 1);
      piece.part.file.read_rows(array, piece.first, std::span(ids).subspan(piece.to, piece.count));
    });
    return ids;
  }
  std::uint64_t before = 0;  // those of the types before this one
  for (std::size_t type = 0; type < type_; ++type) before += set_.total(type);
  std::iota(ids.begin(), ids.end(), before + rows_.first + 1);
  return ids;
}

/// What initial conditions and snapshots have under different names may be there under both, if it is the same.
void ParticleReader::check_twins() const {
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

void ParticleReader::settle_positions(InitialConditions& gas, const std::string& array) const {
  if (options_.boundary == Boundary::open) return;
  for_each_piece([&](const Piece& piece) { settle_in_box(piece, gas, array); });
}

// Positions must lie in a reflecting box, or a box length from a periodic one, which repeats them; the upper edge of
// the latter is its lower one. A float32 that was rounded up from just below the edge, or an edge that is no float32
// itself, counts as the edge.
void ParticleReader::settle_in_box(const Piece& piece, InitialConditions& gas, const std::string& array) const {
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

std::vector<double> ParticleReader::read_masses() const {
  if (const std::string array = find({"Masses", "Mass"}); !array.empty()) {
    std::vector<double> masses = scalars(array, positive_mass);
    for_each_piece([&](const Piece& piece) {
      require_masses_of_table(header_, type_, piece.part, array, piece.first,
                              std::span(masses).subspan(piece.to, piece.count));
    });
    return masses;
  }
  if (header_.mass_table.size() <= type_) {
    fail(first_part(), group_ + "/Masses and Header: 'MassTable' are both missing");
  }
  const double mass = header_.mass_table[type_];
  if (!positive_mass.holds(mass)) {
    fail(first_part(), fmt::format("{}/Masses is missing and Header: 'MassTable' gives the {} mass {}; expected {}",
                                   group_, type_names[type_], mass, positive_mass.expected));
  }
  return std::vector<double>(size(), mass);
}

// u = A rho^(gamma - 1) / (gamma - 1) where a snapshot gives the entropic function A and the density.
std::vector<double> ParticleReader::read_energies() const {
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
void ParticleReader::check_box(const base::Vec3& box) const {
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

void ParticleReader::convert_all(InitialConditions& gas) const {
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
  if (options_.cosmology) take_comoving(gas, set_.first(), group_, options_);
}

std::vector<std::string> ParticleReader::left_out() const {
  constexpr std::array<std::string_view, 8> known{"Coordinates", "Velocities", "Masses",     "Mass",
                                                  "ParticleIDs", "Potential",  "Potentials", "Softenings"};
  std::vector<std::string> names;
  for (const std::string& name : first_part().file.list(group_)) {
    if (std::ranges::find(known, name) == known.end()) names.push_back(group_ + "/" + name);
  }
  return names;
}

/// Before anything is allocated for as many particles as the header claims.
void ParticleReader::check_shapes() const {
  for_each_part([&](const FilePart& part) { check_shape(part, group_ + "/Coordinates", 3); });
}

InitialConditions ParticleReader::read() {
  require_group();
  InitialConditions gas;
  gas.dimension = header_.dimension;
  gas.box = header_.box;
  gas.time = header_.time;
  const std::string positions = group_ + "/Coordinates";
  const std::string velocities = group_ + "/Velocities";
  check_shapes();
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
  if (type_ == 0) {
    gas.u = read_energies();
    if (const std::string h = find({"SmoothingLength", "SmoothingLengths"}); !h.empty()) {
      gas.h = scalars(h, positive_length);
    }
  } else {
    gas.u.assign(gas.size(), 0.0);
    gas.left_out = left_out();
  }
  convert_all(gas);
  return gas;
}

/// Types that attract and move; the gas first, whether there is any or not.
std::vector<std::size_t> moving_types(const FileSet& set, const GadgetOptions& options) {
  std::vector<std::size_t> types;
  if (set.total(0) > 0) types.push_back(0);
  for (std::size_t type = 1; options.has_gravity && type < attracting_types; ++type) {
    if (set.total(type) > 0) types.push_back(type);
  }
  return types;
}

std::string describe_types(const FileSet& set, std::size_t first) {
  std::vector<std::string> texts;
  for (std::size_t type = first; type < particle_types; ++type) {
    if (set.total(type) == 0) continue;
    texts.push_back(fmt::format("{} of PartType{} ({})", set.total(type), type, type_names[type]));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// @throws base::FormatError where nothing moves, or something is there that attracts and is not known
void require_types(const FileSet& set, const GadgetOptions& options) {
  const std::string path = set.first().path().string();
  if (moving_types(set, options).empty()) {
    const std::string others = describe_types(set, 1);
    throw base::FormatError(
        path,
        fmt::format("has no gas (PartType0); it has {}{}", others.empty() ? "no particles at all" : others,
                    others.empty() || options.has_gravity ? "" : ", which move and attract with gravity.self = true"));
  }
  if (!options.has_gravity) return;
  const std::string unknown = describe_types(set, attracting_types);
  if (unknown.empty()) return;
  throw base::FormatError(
      path,
      fmt::format("has {}, whose attraction is not known here: gravity.self knows the types 0 to {}; give them one "
                  "of these, or remove them",
                  unknown, attracting_types - 1));
}

/// Particles of another type behind the others.
void append(InitialConditions& to, const InitialConditions& from, std::size_t type) {
  const bool has_h = !to.h.empty() || (to.size() == 0 && !from.h.empty());
  const auto join = [](auto& values, const auto& more) { values.insert(values.end(), more.begin(), more.end()); };
  join(to.id, from.id);
  join(to.x, from.x);
  join(to.y, from.y);
  join(to.z, from.z);
  join(to.vx, from.vx);
  join(to.vy, from.vy);
  join(to.vz, from.vz);
  join(to.m, from.m);
  join(to.u, from.u);
  to.type.resize(to.size(), static_cast<std::uint8_t>(type));
  if (has_h) to.h.resize(to.size(), 0.0);
  join(to.left_out, from.left_out);
}

/// Where two types have a particle of the same ID.
void check_unique_among_types(const InitialConditions& all) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return all.id[i]; });
  const auto twin =
      std::ranges::adjacent_find(order, [&](std::size_t i, std::size_t j) { return all.id[i] == all.id[j]; });
  if (twin == order.end()) return;
  const auto [a, b] = std::minmax(all.type[*twin], all.type[*(twin + 1)]);
  throw base::FormatError(all.source, fmt::format("particles of PartType{} ({}) and PartType{} ({}) have the same ID "
                                                  "{}; expected unique IDs among all types",
                                                  a, type_names[a], b, type_names[b], all.id[*twin]));
}

double bytes_of_others(const FileSet& set, std::size_t first_type) {
  double bytes = 0.0;
  for (const FilePart& part : set.parts()) {
    for (std::size_t type = first_type; type < particle_types; ++type) {
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

/// The first of the types that are carried along.
std::size_t first_carried(const GadgetOptions& options) { return options.has_gravity ? attracting_types : 1; }

}  // namespace

std::optional<std::filesystem::path> first_of_set(const std::filesystem::path& path) { return first_part_of(path); }

GadgetOutline read_gadget_outline(const std::filesystem::path& path, const GadgetOptions& options) {
  const FileSet set(path);
  require_types(set, options);
  GadgetOutline outline;
  outline.carried_bytes = bytes_of_others(set, first_carried(options));
  for (const std::size_t type : moving_types(set, options)) {
    const ParticleReader reader(set, options, {}, type);
    reader.require_group();
    reader.check_shapes();
    const GadgetHeader& header = reader.header();
    outline.particles += set.total(type);
    outline.dimension = header.dimension;
    outline.box = reader.conversion().factor(dimension::length) * header.box;
    outline.time = options.cosmology ? read_comoving(set.first(), fmt::format("PartType{}", type), options).a
                                     : reader.conversion().factor(dimension::time) * header.time;
    reader.check_box(outline.box);
  }
  return outline;
}

InitialConditions read_gadget(const std::filesystem::path& path, const GadgetOptions& options, const Share& share) {
  const FileSet set(path);
  require_types(set, options);
  InitialConditions all;
  const std::vector<std::size_t> types = moving_types(set, options);
  const bool is_gas_alone = types.size() == 1 && types.front() == 0;
  for (const std::size_t type : types) {
    InitialConditions some = ParticleReader(set, options, share, type).read();
    if (type == types.front()) {
      all = std::move(some);
      all.has_types = !is_gas_alone;
      if (all.has_types) all.type.assign(all.size(), static_cast<std::uint8_t>(type));
    } else {
      append(all, some, type);
    }
  }
  all.source = set.source();
  if (!is_gas_alone) check_unique_among_types(all);
  if (!options.has_gravity) {
    const GadgetHeader header = read_gadget_header(set.first(), options);
    all.others =
        read_others(set, header, Conversion(header.units, options.units), options.boundary == Boundary::periodic);
  }
  if (share.rank == 0) all.checksum = set.checksum();  // of all files, whose share others have
  return all;
}

}  // namespace tacit::sph

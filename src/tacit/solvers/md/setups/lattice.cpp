// Crystals: cubic cells with some atoms each.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <sstream>

#include "tacit/solvers/md/setups/setups.hpp"

namespace tacit::md {
namespace {

using config::Choice;
using config::Key;

enum class Structure : std::uint8_t { sc, bcc, fcc, diamond, zincblende };
constexpr std::array structure_choices{
    Choice{"sc", Structure::sc, "simple cubic, 1 atom in a cell"},
    Choice{"bcc", Structure::bcc, "body-centred cubic, 2 atoms"},
    Choice{"fcc", Structure::fcc, "face-centred cubic, 4 atoms"},
    Choice{"diamond", Structure::diamond, "diamond, 8 atoms"},
    Choice{"zincblende", Structure::zincblende, "diamond, 4 atoms of the first type and 4 of the second"},
};
constexpr std::array lattice_table{
    Key::choice("lattice.structure", structure_choices, Structure::fcc, "Kind of crystal."),
    Key::positive("lattice.constant", base::dimension::length, "Side of a cubic cell.").excludes("lattice.density"),
    Key::positive("lattice.density", {.length = -3}, "Number of atoms per volume, in place of lattice.constant."),
    Key::numbers("lattice.cells",
                 "Cubic cells along each edge of the box: three numbers, or "
                 "one for all.",
                 {1.0, 10000.0}),
    Key::quantities("lattice.vacuum", base::dimension::length,
                    "Empty space beside the crystal along each edge of the "
                    "box, half of it on either side: three "
                    "lengths. Without it the crystal fills the box.",
                    config::non_negative),
    Key::numbers("lattice.notch",
                 "Part of the crystal in which no atoms are: from and to along "
                 "each edge, as parts of its length. Six "
                 "numbers, as [0, 1, 0, 0.3, 0.49, 0.51]. Without it the "
                 "crystal is whole.",
                 {0.0, 1.0}),
};

/// Places in a cell in units of its side, and types.
struct Site {
  base::Vec3 at;
  std::uint32_t type = 0;
};

std::vector<Site> sites_of(Structure structure) {
  if (structure == Structure::sc) return {{{0.0, 0.0, 0.0}}};
  if (structure == Structure::bcc) return {{{0.0, 0.0, 0.0}}, {{0.5, 0.5, 0.5}}};
  std::vector<Site> sites{{{0.0, 0.0, 0.0}}, {{0.0, 0.5, 0.5}}, {{0.5, 0.0, 0.5}}, {{0.5, 0.5, 0.0}}};
  if (structure == Structure::fcc) return sites;
  const std::uint32_t second = structure == Structure::zincblende ? 1 : 0;
  for (std::size_t i = 0; i < 4; ++i) sites.push_back({sites[i].at + base::Vec3{0.25, 0.25, 0.25}, second});
  return sites;
}

std::array<std::size_t, 3> cells_of(const config::Parameters& p) {
  const auto refuse = [&p](const std::string& what) {
    throw config::Error(p.where("lattice.cells"), "lattice.cells", what, "for example [10, 10, 10]");
  };
  if (!p.has("lattice.cells")) refuse("is missing");
  std::vector<double> cells = p.vector("lattice.cells");
  if (cells.size() == 1) cells.resize(3, cells[0]);
  if (cells.size() != 3) refuse(fmt::format("has {} numbers, expected three, or one for all", cells.size()));
  std::array<std::size_t, 3> result{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (cells[axis] != std::floor(cells[axis])) refuse("expected whole numbers");
    result[axis] = static_cast<std::size_t>(cells[axis]);
  }
  return result;
}

base::Vec3 vacuum_of(const config::Parameters& p) {
  if (!p.has("lattice.vacuum")) return {};
  const std::vector<double> lengths = p.vector("lattice.vacuum");
  if (lengths.size() == 3) return {lengths[0], lengths[1], lengths[2]};
  throw config::Error(p.where("lattice.vacuum"), "lattice.vacuum",
                      fmt::format("has {} numbers, expected three", lengths.size()), "for example [0, 0, 20]");
}

/// What is left out, in cells.
struct Notch {
  base::Vec3 from, to;
  [[nodiscard]] bool has(const base::Vec3& at) const {
    const auto is_in = [&](std::size_t axis) { return at[axis] >= from[axis] && at[axis] < to[axis]; };
    return is_in(0) && is_in(1) && is_in(2);
  }
};

std::optional<Notch> notch_of(const config::Parameters& p, const std::array<std::size_t, 3>& cells) {
  if (!p.has("lattice.notch")) return std::nullopt;
  const std::vector<double> parts = p.vector("lattice.notch");
  const auto refuse = [&](const std::string& what) {
    throw config::Error(p.where("lattice.notch"), "lattice.notch", what,
                        "for example [0, 1, 0, 0.3, 0.49, 0.51]: from and to "
                        "along each edge, as parts of its length");
  };
  if (parts.size() != 6) refuse(fmt::format("has {} number(s), expected six", parts.size()));
  Notch result;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!(parts[2 * axis] < parts[2 * axis + 1])) refuse(fmt::format("has no room along {}", "xyz"[axis]));
    const auto length = static_cast<double>(cells[axis]);
    result.from[axis] = parts[2 * axis] * length;
    result.to[axis] = parts[2 * axis + 1] * length;
  }
  return result;
}

double constant_of(const config::Parameters& p, std::size_t sites) {
  if (p.has("lattice.constant")) return p.real("lattice.constant");
  if (p.has("lattice.density")) return std::cbrt(static_cast<double>(sites) / p.real("lattice.density"));
  throw config::Error(p.where("lattice.constant"), "lattice.constant", "is missing, and so is lattice.density",
                      "write one of the two in [lattice]");
}

}  // namespace

std::span<const config::Key> lattice_keys() { return lattice_table; }

std::vector<std::string> elements_or(const config::Parameters& p, std::vector<std::string> otherwise) {
  if (!p.has("md.elements")) return otherwise;
  std::vector<std::string> words;
  std::istringstream text(p.text("md.elements"));
  for (std::string word; text >> word;) words.push_back(word);
  if (words.empty()) throw config::Error(p.where("md.elements"), "md.elements", "has no names", "for example \"Ar\"");
  return words;
}

Initial make_lattice(const config::Parameters& p, const Share& share) {
  const Structure structure = p.choice("lattice.structure", structure_choices);
  const std::vector<Site> sites = sites_of(structure);
  const std::array<std::size_t, 3> cells = cells_of(p);
  const double a = constant_of(p, sites.size());
  const bool has_two = structure == Structure::zincblende;
  Initial result;
  result.elements = elements_or(p, has_two ? std::vector<std::string>{"X", "Y"} : std::vector<std::string>{"X"});
  if (result.elements.size() < (has_two ? 2 : 1)) {
    throw config::Error(p.where("md.elements"), "md.elements", "names one type, but zincblende has two",
                        "for example \"Si C\"");
  }
  Configuration& atoms = result.atoms;
  const base::Vec3 vacuum = vacuum_of(p);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    atoms.box.size[axis] = static_cast<double>(cells[axis]) * a + vacuum[axis];
  }
  result.count = std::uint64_t{cells[0]} * cells[1] * cells[2] * sites.size();
  const particles::Rows rows = share.of(result.count);
  /// In cells.
  const auto place_of = [&](std::uint64_t atom) {
    const std::uint64_t cell = atom / sites.size();  // the last index fastest
    const base::Vec3 corner{static_cast<double>(cell / (cells[2] * cells[1])),
                            static_cast<double>(cell / cells[2] % cells[1]), static_cast<double>(cell % cells[2])};
    return corner + sites[atom % sites.size()].at;
  };
  const std::optional<Notch> notch = notch_of(p, cells);
  for (std::uint64_t atom = rows.first; atom < rows.end; ++atom) {
    const base::Vec3 at = place_of(atom);
    if (notch && notch->has(at)) continue;
    atoms.id.push_back(atom + 1);
    atoms.type.push_back(sites[atom % sites.size()].type);
    atoms.x.push_back(a * at + 0.5 * vacuum);
  }
  if (notch) {
    const std::uint64_t all = result.count;
    for (std::uint64_t atom = 0; atom < all; ++atom) result.count -= notch->has(place_of(atom)) ? 1 : 0;
    if (result.count == 0) {
      throw config::Error(p.where("lattice.notch"), "lattice.notch", "leaves no atom", "make it smaller");
    }
  }
  result.from = fmt::format("set-up lattice: {} with the constant {}", p.text("lattice.structure"), a);
  return result;
}

}  // namespace tacit::md

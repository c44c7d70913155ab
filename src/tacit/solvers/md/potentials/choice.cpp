// Which potentials act, with the keys of Lennard-Jones and Tersoff.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/base/checksum.hpp"
#include "tacit/base/text.hpp"
#include "tacit/solvers/md/formats/tersoff_file.hpp"
#include "tacit/solvers/md/formats/words.hpp"
#include "tacit/solvers/md/potentials/keys.hpp"
#include "tacit/solvers/md/potentials/tersoff_zbl.hpp"
#include "tacit/solvers/md/setups/tersoff_sets.hpp"

namespace tacit::md {
namespace {

using config::Choice;
using config::Key;
using kernels::Truncation;
namespace dim = base::dimension;

constexpr Choice lennard_jones_choice{"lennard_jones", Potential::lennard_jones,
                                      "Lennard-Jones 12-6 (table [lennard_jones])"};
constexpr Choice morse_choice{"morse", Potential::morse, "that of Morse, of pairs (table [morse])"};
constexpr Choice buckingham_choice{"buckingham", Potential::buckingham,
                                   "that of Buckingham, of pairs (table [buckingham])"};
constexpr Choice coulomb_choice{"coulomb", Potential::coulomb,
                                "that of Coulomb, damped and shifted, of pairs (table [coulomb])"};
constexpr Choice zbl_choice{"zbl", Potential::zbl,
                            "the repulsion of nuclei by Ziegler, Biersack and Littmark, of pairs (table [zbl])"};
constexpr Choice table_choice{"table", Potential::table, "tables of pairs from a file (table [table])"};
constexpr std::array potential_choices{
    lennard_jones_choice,
    Choice{"tersoff", Potential::tersoff, "the bond-order potential of Tersoff (table [tersoff])"},
    Choice{"stillinger_weber", Potential::stillinger_weber,
           "the potential of Stillinger and Weber, of pairs and angles (table [stillinger_weber])"},
    Choice{"eam", Potential::eam, "embedded atoms, for metals (table [eam])"},
    morse_choice,
    buckingham_choice,
    coulomb_choice,
    zbl_choice,
    table_choice,
};
constexpr std::array overlay_choices{lennard_jones_choice, morse_choice, buckingham_choice,
                                     coulomb_choice,       zbl_choice,   table_choice};
constexpr std::array tersoff_choices{
    Choice{"si_1988", TersoffSet::si_1988, "silicon, Tersoff, Phys. Rev. B 37, 6991 (1988)"},
    Choice{"si_1989", TersoffSet::si_1989, "silicon, Tersoff, Phys. Rev. B 39, 5566 (1989)"},
    Choice{"sic_1989", TersoffSet::sic_1989, "silicon, carbon, and both together, from the same paper"},
};
constexpr std::array mixing_choices{
    Choice{"geometric", Mixing::geometric, "epsilon, sigma and cutoff are roots of products"},
    Choice{"arithmetic", Mixing::arithmetic,
           "epsilon is a root of a product, sigma and cutoff are means (Lorentz, Berthelot)"},
    Choice{"sixthpower", Mixing::sixthpower, "by sixth powers of sigma (Waldman, Hagler)"},
    Choice{"none", Mixing::none, "nothing acts between pairs that are not named, those of an element with itself too"},
};
constexpr std::array lennard_jones_truncations{
    Choice{"cut", Truncation::cut, "the energy of a pair jumps to 0 at the cutoff"},
    Choice{"shifted", Truncation::shifted, "shifted, so that the energy ends at 0; the same forces"},
    Choice{"force_shifted", Truncation::force_shifted, "energy and force end at 0"},
};
constexpr std::array lennard_jones_table{
    Key::positive("lennard_jones.epsilon", dim::energy, "Depth of the potential.", "1"),
    Key::positive("lennard_jones.sigma", dim::length, "Distance at which it is 0.", "1"),
    Key::positive("lennard_jones.cutoff", dim::length, "Distance beyond which no pair acts.", "2.5"),
    Key::text("lennard_jones.pairs",
              "Numbers of pairs of types, in code units, separated by commas: \"Ar Kr 1.1 1.05 2.5\" are two elements, "
              "epsilon, sigma and cutoff. An element that is not named with itself has the three keys above."),
    Key::choice("lennard_jones.mixing", mixing_choices, Mixing::geometric,
                "How the numbers of pairs that lennard_jones.pairs does not name follow from those of their elements."),
    Key::choice("lennard_jones.truncation", lennard_jones_truncations, Truncation::cut, "How it ends at the cutoff."),
    Key::flag("lennard_jones.tail", false,
              "Adds what pairs beyond the cutoff would give to energy and pressure, were atoms spread evenly there.")
        .needs("lennard_jones.truncation", "cut"),
};
constexpr std::array tersoff_table{
    Key::choice("tersoff.parameters", tersoff_choices, "A set of parameters that is built in."),
    Key::existing_file("tersoff.file", "Parameters in the format of LAMMPS, in eV and Angstrom, in place of a set.")
        .excludes("tersoff.parameters"),
    Key::existing_file(
        "tersoff.zbl_file",
        "Parameters in the format of LAMMPS' tersoff/zbl (*.tersoff.zbl), in eV and Angstrom: near nuclei "
        "the potential goes over into their repulsion.")
        .excludes("tersoff.file"),
    Key::text("tersoff.elements",
              "Elements that it acts on, as \"Si C\"; others need a potential of md.overlay. Without it all."),
};

LennardJonesParameters read_lennard_jones(const config::Parameters& p, const std::vector<std::string>& elements) {
  const LennardJonesTypes alike{.epsilon = p.real("lennard_jones.epsilon"),
                                .sigma = p.real("lennard_jones.sigma"),
                                .cutoff = p.real("lennard_jones.cutoff")};
  LennardJonesParameters result{.types = elements.size()};
  try {
    result.pairs = mixed_pairs(p.has("lennard_jones.pairs") ? p.text("lennard_jones.pairs") : "", elements, alike,
                               p.choice("lennard_jones.mixing", mixing_choices));
  } catch (const base::Error& error) {
    throw config::Error(p.where("lennard_jones.pairs"), "lennard_jones.pairs", error.what(),
                        "for example \"Ar Ar 1.0 1.0 2.5, Ar Kr 1.1 1.05 2.6\"");
  }
  result.truncation = p.choice("lennard_jones.truncation", lennard_jones_truncations);
  result.has_tail = p.flag("lennard_jones.tail");
  return result;
}

/// The types that it acts on.
std::vector<std::size_t> types_of_tersoff(const config::Parameters& p, std::span<const std::string> elements) {
  std::vector<std::size_t> types;
  const bool is_of_all = !p.has("tersoff.elements");
  const std::string text = is_of_all ? "" : p.text("tersoff.elements");
  const std::vector<std::string_view> words = words_of(text);
  for (std::size_t type = 0; type < elements.size(); ++type) {
    if (is_of_all || std::ranges::find(words, elements[type]) != words.end()) types.push_back(type);
  }
  for (const std::string_view word : words) {
    if (std::ranges::find(elements, word) != elements.end()) continue;
    throw config::Error(
        p.where("tersoff.elements"), "tersoff.elements",
        fmt::format("'{}' is none of the elements ({})", base::printable(word), fmt::join(elements, " ")),
        "name some of them, or remove the line");
  }
  if (!types.empty()) return types;
  throw config::Error(p.where("tersoff.elements"), "tersoff.elements", "names no element",
                      "name some of the types of atoms, or remove the line");
}

kernels::TersoffTable read_tersoff(const config::Parameters& p, const MdParameters& md,
                                   std::span<const std::string> elements) {
  const FileScale scale = file_scale(p, md.units, "Tersoff's potential");
  if (p.has("tersoff.file")) return read_tersoff_file(p.existing_file("tersoff.file"), elements, scale);
  if (p.has("tersoff.zbl_file") && p.has("tersoff.parameters")) {
    throw config::Error(p.where("tersoff.zbl_file"), "tersoff.zbl_file", "stands beside tersoff.parameters",
                        "remove one of the two lines: both are all parameters");
  }
  if (p.has("tersoff.zbl_file")) return read_tersoff_zbl_file(p.existing_file("tersoff.zbl_file"), elements, scale);
  if (!p.has("tersoff.parameters")) {
    throw config::Error(p.where("tersoff.parameters"), "tersoff.parameters", "is missing, and so is tersoff.file",
                        "write 'parameters = \"si_1988\"' in [tersoff], or name a file");
  }
  const TersoffSet set = p.choice("tersoff.parameters", tersoff_choices);
  return parse_tersoff(tersoff_text(set), "the set " + p.text("tersoff.parameters"), elements, scale);
}

void read_tersoff(const config::Parameters& p, MdParameters& md) {
  const std::vector<std::size_t> types = types_of_tersoff(p, md.initial.elements);
  std::vector<std::string> elements;
  for (const std::size_t type : types) elements.push_back(md.initial.elements[type]);
  md.tersoff = read_tersoff(p, md, elements);
  if (types.size() != md.initial.elements.size()) {
    md.tersoff = among_types(md.tersoff, types, md.initial.elements.size());
  }
  for (const char* key : {"tersoff.file", "tersoff.zbl_file"}) {
    if (p.has(key)) md.potential_checksum = base::file_checksum(p.existing_file(key));
  }
}

void read_lennard_jones(const config::Parameters& p, MdParameters& md) {
  md.lennard_jones = read_lennard_jones(p, md.initial.elements);
  if (!md.lennard_jones.has_tail || std::ranges::all_of(md.initial.atoms.box.periodic, std::identity{})) return;
  throw config::Error(p.where("lennard_jones.tail"), "lennard_jones.tail",
                      "is for atoms that fill space evenly, but a face of the box is open", "write false");
}

std::string_view name_of(Potential which) {
  return std::ranges::find_if(potential_choices, [which](const auto& choice) { return choice.value == which; })->name;
}

/// One of those that act.
void read_potential(const config::Parameters& p, Potential which, MdParameters& md) {
  const std::vector<std::string>& elements = md.initial.elements;
  const bool may_leave_out = !md.overlay.empty();
  switch (which) {
    case Potential::lennard_jones:
      return read_lennard_jones(p, md);
    case Potential::tersoff:
      return read_tersoff(p, md);
    case Potential::stillinger_weber:
      return read_stillinger_weber(p, md);
    case Potential::eam:
      return read_eam(p, md);
    case Potential::morse:
      md.morse = read_exponential(p, ExponentialKind::morse, elements, may_leave_out);
      return;
    case Potential::buckingham:
      md.buckingham = read_exponential(p, ExponentialKind::buckingham, elements, may_leave_out);
      return;
    case Potential::coulomb:
      md.coulomb = read_damped_coulomb(p, md.units, elements);
      return;
    case Potential::zbl:
      md.zbl = read_universal_repulsion(p, md.units, elements);
      return;
    case Potential::table:
      md.table = read_table(p, elements, may_leave_out);
      md.potential_checksum += (md.potential_checksum.empty() ? "" : " ") + md.table.checksum;
      return;
  }
}

}  // namespace

std::span<const Key> lennard_jones_keys() { return lennard_jones_table; }
std::span<const Key> tersoff_keys() { return tersoff_table; }
Key potential_key() {
  return Key::choice("md.potential", potential_choices, Potential::lennard_jones, "What acts between atoms.");
}
Key overlay_key() {
  return Key::choice_list(
      "md.overlay", overlay_choices,
      "Potentials of pairs that act beside md.potential, as in LAMMPS' hybrid/overlay. Then each acts "
      "on the pairs that it has numbers for, and any pair needs one.");
}

void read_potentials(const config::Parameters& p, MdParameters& md) {
  md.potential = p.choice("md.potential", potential_choices);
  if (p.has("md.overlay")) md.overlay = p.choices("md.overlay", overlay_choices);
  for (std::size_t k = 0; k < md.overlay.size(); ++k) {
    const auto before = md.overlay.begin() + static_cast<std::ptrdiff_t>(k);
    if (md.overlay[k] != md.potential && std::find(md.overlay.begin(), before, md.overlay[k]) == before) continue;
    throw config::Error(p.where("md.overlay"), "md.overlay",
                        fmt::format("has {} a second time", name_of(md.overlay[k])),
                        "each potential acts once: give it the numbers of all its pairs");
  }
  read_potential(p, md.potential, md);
  for (const Potential which : md.overlay) read_potential(p, which, md);
  const std::vector<std::string>& elements = md.initial.elements;
  const std::unique_ptr<Interaction> all = make_interaction(md);
  for (std::size_t a = 0; a < elements.size(); ++a) {
    for (std::size_t b = a; b < elements.size(); ++b) {
      if (all->acts(a, b)) continue;
      const char* key = p.has("md.overlay") ? "md.overlay" : "md.potential";
      throw config::Error(p.where(key), key,
                          fmt::format("no potential acts between {} and {}", elements[a], elements[b]),
                          "give the pair numbers in one of them, of depth 0 where nothing is to act");
    }
  }
}

}  // namespace tacit::md

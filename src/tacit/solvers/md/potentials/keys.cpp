// The keys of potentials of many bodies.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/potentials/keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "tacit/base/checksum.hpp"
#include "tacit/base/text.hpp"
#include "tacit/solvers/md/formats/eam_file.hpp"
#include "tacit/solvers/md/formats/stillinger_weber_file.hpp"
#include "tacit/solvers/md/formats/words.hpp"

namespace tacit::md {
namespace {

using config::Choice;
using config::Key;

enum class SwSet : std::uint8_t { si_1985 };
constexpr std::array sw_choices{
    Choice{"si_1985", SwSet::si_1985, "silicon, Stillinger and Weber, Phys. Rev. B 31, 5262 (1985)"},
};
/// @see Stillinger & Weber (1985), Phys. Rev. B 31, 5262, eqs. (2.7), (2.8) and section II: epsilon is 50 kcal/mol
constexpr std::string_view si_1985 =
    "Si Si Si  2.1683 2.0951 1.80  21.0 1.20 -0.333333333333  7.049556277 0.6022245584 4 0  0";
constexpr std::array sw_table{
    Key::choice("stillinger_weber.parameters", sw_choices, "A set of parameters that is built in."),
    Key::existing_file("stillinger_weber.file",
                       "Parameters in the format of LAMMPS (*.sw), in eV and Angstrom, in place of a set.")
        .excludes("stillinger_weber.parameters"),
};

constexpr std::array format_choices{
    Choice{"funcfl", EamFormat::funcfl, "one element, F, Z and rho (*.eam)"},
    Choice{"alloy", EamFormat::alloy, "several elements, F, rho and r u (*.eam.alloy)"},
    Choice{"fs", EamFormat::fs, "of Finnis and Sinclair: a rho for each element at which it adds to (*.eam.fs)"},
};
constexpr std::array eam_table{
    Key::existing_file("eam.file", "Functions in a format of LAMMPS, in eV and Angstrom."),
    Key::choice("eam.format", format_choices,
                "That of the file. Without it what the name says: *.alloy, *.fs, else funcfl."),
    Key::text("eam.other_files",
              "Of several types of atoms in the format funcfl: files of the second and further ones, in the folder of "
              "eam.file, as \"Ni.eam\".")
        .needs("eam.file"),
};

/// Of funcfl: a file for each type.
std::vector<std::filesystem::path> funcfl_files(const config::Parameters& p, const MdParameters& md) {
  std::vector<std::filesystem::path> files{p.existing_file("eam.file")};
  const std::string others = p.has("eam.other_files") ? p.text("eam.other_files") : "";
  for (const std::string_view word : words_of(others)) {
    files.push_back(files[0].parent_path() / word);
    std::error_code error;
    if (std::filesystem::is_regular_file(files.back(), error)) continue;
    throw config::Error(p.where("eam.other_files"), "eam.other_files",
                        fmt::format("there is no file '{}'", base::printable(files.back().string())),
                        "name files in the folder of eam.file");
  }
  if (files.size() == md.initial.elements.size()) return files;
  throw config::Error(p.where("eam.other_files"), "eam.other_files",
                      fmt::format("with eam.file there are {} file(s) for {} type(s) of atoms ({})", files.size(),
                                  md.initial.elements.size(), fmt::join(md.initial.elements, " ")),
                      "the format funcfl has one element in a file: name one for each type");
}

}  // namespace

std::span<const Key> stillinger_weber_keys() { return sw_table; }
std::span<const Key> eam_keys() { return eam_table; }

FileScale file_scale(const config::Parameters& p, const Units& units, std::string_view whose) {
  if (units.electronvolt != 0.0) return {.energy = units.electronvolt, .length = units.angstrom};
  throw config::Error(p.where("md.units"), "md.units",
                      fmt::format("is \"lj\", but the parameters of {} are in eV", whose),
                      "write 'units = \"metal\"' in [md]");
}

void read_stillinger_weber(const config::Parameters& p, MdParameters& md) {
  const FileScale scale = file_scale(p, md.units, "the potential of Stillinger and Weber");
  if (p.has("stillinger_weber.file")) {
    const std::filesystem::path path = p.existing_file("stillinger_weber.file");
    md.stillinger_weber = read_stillinger_weber_file(path, md.initial.elements, scale);
    md.potential_checksum = base::file_checksum(path);
    return;
  }
  if (!p.has("stillinger_weber.parameters")) {
    throw config::Error(p.where("stillinger_weber.parameters"), "stillinger_weber.parameters",
                        "is missing, and so is stillinger_weber.file",
                        "write 'parameters = \"si_1985\"' in [stillinger_weber], or name a file");
  }
  md.stillinger_weber =
      parse_stillinger_weber(si_1985, "the set " + p.text("stillinger_weber.parameters"), md.initial.elements, scale);
}

void read_eam(const config::Parameters& p, MdParameters& md) {
  const FileScale scale = file_scale(p, md.units, "embedded atoms");
  if (!p.has("eam.file")) {
    throw config::Error(p.where("eam.file"), "eam.file", "is missing: md.potential is \"eam\"",
                        "name a file as LAMMPS has them, for example file = \"Cu.eam.alloy\" in [eam]");
  }
  const std::filesystem::path path = p.existing_file("eam.file");
  const EamFormat format = p.has("eam.format") ? p.choice("eam.format", format_choices) : eam_format_of(path);
  std::vector<std::filesystem::path> files{path};
  EamFile file;
  if (format == EamFormat::funcfl) {
    files = funcfl_files(p, md);
    file = read_funcfl(files, scale);
  } else if (p.has("eam.other_files")) {
    throw config::Error(p.where("eam.other_files"), "eam.other_files",
                        "is for the format funcfl, but '" + path.string() + "' is of another one",
                        "remove it, or write 'format = \"funcfl\"'");
  } else {
    file = read_setfl(path, format, md.initial.elements, scale);
  }
  for (const std::filesystem::path& one : files) {
    if (!md.potential_checksum.empty()) md.potential_checksum += ' ';
    md.potential_checksum += base::file_checksum(one);
  }
  const std::string units = p.text("md.units");
  // Masses are in g/mol there.
  if (md.initial.masses.empty() && (units == "metal" || units == "real")) md.initial.masses = file.masses;
  md.embedded = kernels::EmbeddedAtoms(file.tables);
}

}  // namespace tacit::md

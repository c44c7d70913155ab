// Reads files of embedded atoms.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/formats/eam_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/base/read_text.hpp"
#include "tacit/base/text.hpp"
#include "tacit/solvers/md/formats/words.hpp"

namespace tacit::md {
namespace {

constexpr std::size_t largest_eam_file = std::size_t{1} << 28U;
constexpr double hartree_times_bohr = 27.2 * 0.529;  // eV A, as the format has it

/// Goes through the lines of a text.
class EamLines {
 public:
  EamLines(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw base::FormatError(fmt::format("{}:{}", name_, line_), what);
  }
  std::string_view next(std::string_view expected) {
    ++line_;
    if (at_ >= text_.size()) fail(fmt::format("the file ends, expected {}", expected));
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view result = text_.substr(at_, end - at_);
    at_ = end + 1;
    return result;
  }
  /// The words of a line, at least so many.
  std::vector<std::string_view> words(std::size_t least, std::string_view expected) {
    std::vector<std::string_view> result = words_of(next(expected));
    if (result.size() >= least) return result;
    fail(fmt::format("has {} words, expected {}", result.size(), expected));
  }
  [[nodiscard]] double number(std::string_view word, std::string_view what) const {
    const std::optional<double> value = number_of<double>(word);
    if (value && std::isfinite(*value)) return *value;
    fail(fmt::format("'{}' is no number, expected {}", base::printable(word), what));
  }
  [[nodiscard]] double positive(std::string_view word, std::string_view what) const {
    const double value = number(word, what);
    if (value > 0.0) return value;
    fail(fmt::format("{} is {}, expected more than 0", what, value));
  }
  [[nodiscard]] std::size_t count(std::string_view word, std::string_view what) const {
    constexpr std::size_t least = 8;
    constexpr std::size_t most = 10'000'000;
    const std::optional<std::size_t> value = number_of<std::size_t>(word);
    if (value && *value >= least && *value <= most) return *value;
    fail(fmt::format("{} is '{}', expected a whole number from {} to {}", what, base::printable(word), least, most));
  }
  /// A table: numbers on as many lines as they take.
  std::vector<double> table(std::size_t size, const std::string& what) {
    std::vector<double> values;
    const std::size_t first = line_ + 1;
    while (values.size() < size) {
      const std::string expected = fmt::format("{} numbers of {}, of which {} have come", size, what, values.size());
      for (const std::string_view word : words_of(next(expected))) {
        values.push_back(number(word, "a value of " + what));
      }
    }
    if (values.size() == size) return values;
    fail(fmt::format("the table of {}, which begins in line {}, has more than {} numbers: its last line holds others",
                     what, first, size));
  }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  std::string_view text_;
  std::string name_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;
};

/// The sizes of tables, as both formats have them.
struct Grid {
  std::size_t nrho = 0;
  double drho = 0.0;
  std::size_t nr = 0;
  double dr = 0.0;
  double cutoff = 0.0;
};

Grid read_grid(EamLines& lines) {
  const auto words = lines.words(5, "number of densities, their step, number of distances, their step, cutoff");
  return {.nrho = lines.count(words[0], "the number of densities"),
          .drho = lines.positive(words[1], "the step of densities"),
          .nr = lines.count(words[2], "the number of distances"),
          .dr = lines.positive(words[3], "the step of distances"),
          .cutoff = lines.positive(words[4], "the cutoff")};
}

double read_mass(EamLines& lines) {
  const auto words = lines.words(2, "atomic number, mass, lattice constant, lattice");
  static_cast<void>(lines.positive(words[0], "the atomic number"));
  return lines.positive(words[1], "the mass");
}

std::vector<double> scaled(std::vector<double> values, double by) {
  for (double& value : values) value *= by;
  return values;
}

/// What a setfl file has, by its elements.
struct Setfl {
  std::vector<std::string> elements;
  Grid grid;
  std::vector<double> masses;
  std::vector<std::vector<double>> embedding;
  std::vector<std::vector<double>> density;  ///< shape (elements, of elements): at the second, due to the first
  std::vector<std::vector<double>> pair;     ///< of (i, j) with j <= i, row by row
};

Setfl read_all(EamLines& lines, EamFormat format) {
  Setfl result;
  for (int k = 0; k < 3; ++k) lines.next("a line of comments");
  const auto names = lines.words(2, "number of elements, and their names");
  const std::optional<std::size_t> count = number_of<std::size_t>(names[0]);
  if (!count || *count == 0 || *count != names.size() - 1) {
    lines.fail(fmt::format("'{}' elements, but {} name(s): expected as many names as it says",
                           base::printable(names[0]), names.size() - 1));
  }
  for (std::size_t k = 1; k < names.size(); ++k) result.elements.emplace_back(names[k]);
  result.grid = read_grid(lines);
  for (const std::string& element : result.elements) {
    result.masses.push_back(read_mass(lines));
    result.embedding.push_back(lines.table(result.grid.nrho, "F of " + element));
    for (std::size_t k = 0; k < (format == EamFormat::fs ? *count : 1); ++k) {
      result.density.push_back(lines.table(result.grid.nr, format == EamFormat::fs
                                                               ? "rho of " + element + " at " + result.elements[k]
                                                               : "rho of " + element));
    }
    while (format == EamFormat::alloy && result.density.size() % *count != 0) {
      result.density.push_back(result.density.back());
    }
  }
  for (std::size_t i = 0; i < *count; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      result.pair.push_back(lines.table(result.grid.nr, "r u of " + result.elements[i] + " and " + result.elements[j]));
    }
  }
  return result;
}

/// A funcfl file.
struct Funcfl {
  Grid grid;
  double mass = 0.0;
  std::vector<double> embedding, charge, density;
};

Funcfl read_all(EamLines& lines) {
  Funcfl result;
  lines.next("a line of comments");
  result.mass = read_mass(lines);
  result.grid = read_grid(lines);
  result.embedding = lines.table(result.grid.nrho, "F");
  result.charge = lines.table(result.grid.nr, "Z");
  result.density = lines.table(result.grid.nr, "rho");
  return result;
}

/// The value of a table between four of its numbers, by the polynomial through them.
double interpolated(const std::vector<double>& f, double in_intervals) {
  const auto last = static_cast<double>(f.size() - 3);
  const double interval = std::clamp(std::floor(in_intervals), 1.0, last);
  const double p = std::min(in_intervals - interval, 2.0);
  const double* at = f.data() + static_cast<std::size_t>(interval);
  return -1.0 / 6.0 * p * (p - 1.0) * (p - 2.0) * at[-1] + 0.5 * (p * p - 1.0) * (p - 2.0) * at[0] -
         0.5 * p * (p + 1.0) * (p - 2.0) * at[1] + 1.0 / 6.0 * p * (p * p - 1.0) * at[2];
}

std::vector<double> resampled(const std::vector<double>& f, double step, double wanted_step, std::size_t count) {
  std::vector<double> result(count);
  for (std::size_t m = 0; m < count; ++m) {
    result[m] = interpolated(f, static_cast<double>(m) * wanted_step / step);
  }
  return result;
}

}  // namespace

EamFormat eam_format_of(const std::filesystem::path& path) {
  if (path.extension() == ".alloy") return EamFormat::alloy;
  return path.extension() == ".fs" ? EamFormat::fs : EamFormat::funcfl;
}

EamFile parse_setfl(std::string_view text, const std::string& name, EamFormat format,
                    std::span<const std::string> elements, const FileScale& scale) {
  EamLines lines(text, name);
  const Setfl all = read_all(lines, format);
  const std::size_t n = all.elements.size();
  std::vector<std::size_t> of_type;
  for (const std::string& element : elements) {
    const auto found = std::ranges::find(all.elements, element);
    if (found == all.elements.end()) {
      throw base::FormatError(name, fmt::format("has {}, but no {}, which md.elements names",
                                                fmt::join(all.elements, ", "), base::printable(element)));
    }
    of_type.push_back(static_cast<std::size_t>(found - all.elements.begin()));
  }
  EamFile result;
  kernels::EamTables& tables = result.tables;
  tables.dr = all.grid.dr * scale.length;
  tables.drho = all.grid.drho;
  tables.cutoff = all.grid.cutoff * scale.length;
  tables.highest_density = static_cast<double>(all.grid.nrho - 1) * all.grid.drho;
  for (const std::size_t i : of_type) {
    result.masses.push_back(all.masses[i]);
    tables.embedding.push_back(scaled(all.embedding[i], scale.energy));
    for (const std::size_t j : of_type) {
      tables.density.push_back(all.density[j * n + i]);
      const std::size_t row = std::max(i, j);
      tables.pair.push_back(scaled(all.pair[row * (row + 1) / 2 + std::min(i, j)], scale.energy * scale.length));
    }
  }
  return result;
}

EamFile read_setfl(const std::filesystem::path& path, EamFormat format, std::span<const std::string> elements,
                   const FileScale& scale) {
  return parse_setfl(base::read_text(path, largest_eam_file, "file of embedded atoms"), path.string(), format, elements,
                     scale);
}

EamFile parse_funcfl(std::span<const NamedText> texts, const FileScale& scale) {
  std::vector<Funcfl> files;
  for (const NamedText& one : texts) {
    EamLines lines(one.text, one.name);
    files.push_back(read_all(lines));
  }
  Grid grid;
  double highest_density = 0.0;
  double farthest = 0.0;
  for (const Funcfl& one : files) {
    grid.dr = std::max(grid.dr, one.grid.dr);
    grid.drho = std::max(grid.drho, one.grid.drho);
    grid.cutoff = std::max(grid.cutoff, one.grid.cutoff);
    highest_density = std::max(highest_density, static_cast<double>(one.grid.nrho - 1) * one.grid.drho);
    farthest = std::max(farthest, static_cast<double>(one.grid.nr - 1) * one.grid.dr);
  }
  // One number fewer than the file of that range has, as in LAMMPS.
  grid.nr = static_cast<std::size_t>(farthest / grid.dr + 0.5);
  grid.nrho = static_cast<std::size_t>(highest_density / grid.drho + 0.5);
  EamFile result;
  kernels::EamTables& tables = result.tables;
  tables.dr = grid.dr * scale.length;
  tables.drho = grid.drho;
  tables.cutoff = grid.cutoff * scale.length;
  tables.highest_density = highest_density;
  std::vector<std::vector<double>> charges;
  for (const Funcfl& one : files) charges.push_back(resampled(one.charge, one.grid.dr, grid.dr, grid.nr));
  for (std::size_t i = 0; i < files.size(); ++i) {
    result.masses.push_back(files[i].mass);
    tables.embedding.push_back(
        scaled(resampled(files[i].embedding, files[i].grid.drho, grid.drho, grid.nrho), scale.energy));
    for (std::size_t j = 0; j < files.size(); ++j) {
      tables.density.push_back(resampled(files[j].density, files[j].grid.dr, grid.dr, grid.nr));
      std::vector<double>& pair = tables.pair.emplace_back(charges[i]);
      for (std::size_t m = 0; m < grid.nr; ++m) pair[m] *= charges[j][m];
      pair = scaled(std::move(pair), hartree_times_bohr * scale.energy * scale.length);
    }
  }
  return result;
}

EamFile read_funcfl(std::span<const std::filesystem::path> paths, const FileScale& scale) {
  std::vector<NamedText> texts;
  for (const std::filesystem::path& path : paths) {
    texts.push_back({path.string(), base::read_text(path, largest_eam_file, "file of embedded atoms")});
  }
  return parse_funcfl(texts, scale);
}

}  // namespace tacit::md

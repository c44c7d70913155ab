// The keys of potentials of pairs that are tables.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "tacit/base/checksum.hpp"
#include "tacit/base/text.hpp"
#include "tacit/solvers/md/formats/words.hpp"
#include "tacit/solvers/md/potentials/table.hpp"

namespace tacit::md {
namespace {

using config::Choice;
using config::Key;

constexpr std::array interpolation_choices{
    Choice{"linear", Interpolation::linear, "straight lines of u and f / r, as LAMMPS' `linear`"},
    Choice{"spline", Interpolation::spline, "cubic splines of u and of f / r, as LAMMPS' `spline`"},
    Choice{"cubic", Interpolation::cubic, "a cubic spline of u, whose derivative is the force: it conserves energy"},
};
constexpr std::array table_table{
    Key::existing_file("table.file", "Tables in the format of LAMMPS (pair_style table), in code units."),
    Key::text("table.pairs",
              "Sections of the file for pairs of types, separated by commas: \"Ar Kr MIXED 8.5\" are two elements, the "
              "name of the section, and the cutoff; without that the table's last distance.")
        .needs("table.file"),
    Key::choice("table.interpolation", interpolation_choices, Interpolation::spline,
                "What stands between the values, which are taken at equal steps of r^2."),
    Key::integer("table.points", {2.0, 1e7}, "How many values each table has in steps of r^2.", "2000"),
};

/// "Ar Kr MIXED 8.5"
struct NamedTable {
  std::vector<std::size_t> i, j;
  std::string section;
  std::optional<double> cutoff;
};

NamedTable read_named_table(std::string_view text, std::span<const std::string> elements) {
  const std::vector<std::string_view> words = words_of(text);
  if (words.size() != 3 && words.size() != 4) {
    throw base::Error(
        fmt::format("'{}' has {} words, expected two elements, a section of table.file, and optionally a "
                    "cutoff",
                    base::printable(text), words.size()));
  }
  const auto types_of = [&](std::string_view word) {
    std::vector<std::size_t> result;
    for (std::size_t type = 0; type < elements.size(); ++type) {
      if (elements[type] == word) result.push_back(type);
    }
    if (!result.empty()) return result;
    throw base::Error(
        fmt::format("'{}' is none of the elements ({})", base::printable(word), fmt::join(elements, " ")));
  };
  NamedTable result{types_of(words[0]), types_of(words[1]), std::string(words[2]), std::nullopt};
  if (words.size() == 3) return result;
  result.cutoff = number_of<double>(words[3]);
  if (result.cutoff && std::isfinite(*result.cutoff) && *result.cutoff > 0.0) return result;
  throw base::Error(fmt::format("'{}' is no cutoff above 0", base::printable(words[3])));
}

std::vector<NamedTable> read_named_tables(std::string_view text, std::span<const std::string> elements) {
  std::vector<NamedTable> result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    result.push_back(read_named_table(text.substr(at, end - at), elements));
    at = end + 1;
  }
  return result;
}

}  // namespace

std::span<const Key> table_keys() { return table_table; }

TableParameters read_table(const config::Parameters& p, std::span<const std::string> elements, bool may_leave_out) {
  const auto refuse = [&](const std::string& what) {
    throw config::Error(p.where("table.pairs"), "table.pairs", what,
                        "for example \"Ar Kr MIXED 8.5\": two elements, a section of table.file, a cutoff");
  };
  if (!p.has("table.file")) {
    throw config::Error(p.where("table.file"), "table.file", "is missing: a potential is \"table\"",
                        "name a file as pair_style table of LAMMPS has it");
  }
  if (!p.has("table.pairs")) refuse("is missing: a potential is \"table\"");
  std::vector<NamedTable> named;
  try {
    named = read_named_tables(p.text("table.pairs"), elements);
  } catch (const base::Error& error) {
    refuse(error.what());
  }
  std::set<std::string> wanted;
  for (const NamedTable& one : named) wanted.insert(one.section);
  const std::filesystem::path path = p.existing_file("table.file");
  const std::map<std::string, PairTable> tables = read_pair_tables(path, wanted);
  const std::size_t n = elements.size();
  TableParameters result{.types = n, .points = p.count("table.points"), .checksum = base::file_checksum(path)};
  result.pairs.resize(n * n);
  const Interpolation interpolation = p.choice("table.interpolation", interpolation_choices);
  std::map<std::pair<std::string, double>, std::size_t> made;
  for (const NamedTable& one : named) {
    const PairTable& table = tables.at(one.section);
    const double cutoff = one.cutoff.value_or(table.r.back());
    if (!(cutoff > table.begin) || cutoff > table.r.back() * (1.0 + 1e-12)) {
      refuse(fmt::format(
          "the cutoff {} of {} {} is not within the section {} of {} (line {}), which goes from {} to {}", cutoff,
          elements[one.i[0]], elements[one.j[0]], one.section, path.string(), table.line, table.begin, table.r.back()));
    }
    const auto [entry, is_new] = made.try_emplace({one.section, cutoff}, result.intervals.size() / 8);
    if (is_new) {
      const std::vector<double> intervals = table_intervals(table, interpolation, result.points, cutoff);
      result.intervals.insert(result.intervals.end(), intervals.begin(), intervals.end());
    }
    if (result.pairs[one.i[0] * n + one.j[0]].cutoff > 0.0) {
      refuse(fmt::format("names {} {} twice", elements[one.i[0]], elements[one.j[0]]));
    }
    for (const std::size_t i : one.i) {
      for (const std::size_t j : one.j) {
        result.pairs[i * n + j] = result.pairs[j * n + i] = {table.begin, cutoff, entry->second};
      }
    }
  }
  for (std::size_t i = 0; i < n && !may_leave_out; ++i) {
    for (std::size_t j = i; j < n; ++j) {
      if (!(result.pairs[i * n + j].cutoff > 0.0)) refuse(fmt::format("does not name {} {}", elements[i], elements[j]));
    }
  }
  return result;
}

}  // namespace tacit::md

// Reads parameter files of the potential of Stillinger and Weber.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/formats/stillinger_weber_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/base/read_text.hpp"

namespace tacit::md {
namespace {

constexpr std::size_t largest_sw_file = std::size_t{1} << 24U;
constexpr std::array<std::string_view, 11> sw_names{"epsilon", "sigma", "a", "lambda", "gamma",    "costheta0",
                                                    "A",       "B",     "p", "q",      "tolerance"};

void check_sw(const TripleEntry& entry) {
  const std::vector<double>& x = entry.numbers;
  for (const std::size_t k : {0U, 3U, 4U, 6U, 7U, 8U, 9U, 10U}) {
    if (x[k] < 0.0) entry.refuse(k, "0 or more");
  }
  if (x[5] < -1.0 || x[5] > 1.0) entry.refuse(5, "-1 to 1");
  if (x[10] >= 1.0) entry.refuse(10, "less than 1");
  if (!entry.is_of_pair()) return;
  if (!(x[1] > 0.0)) entry.refuse(1, "more than 0, as the entry is that of a pair");
  if (!(x[2] > 0.0)) entry.refuse(2, "more than 0, as the entry is that of a pair");
}

/// What acts between i and j may not depend on which of the two is named first; files round.
void check_order(const std::vector<std::vector<double>>& triples, const std::string& name,
                 std::span<const std::string> elements) {
  constexpr double rounding = 1e-4;
  const std::size_t n = elements.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      const std::vector<double>& one = triples[(i * n + j) * n + j];
      const std::vector<double>& other = triples[(j * n + i) * n + i];
      for (const std::size_t k : {0U, 1U, 2U, 6U, 7U, 8U, 9U, 10U}) {
        if (std::abs(one[k] - other[k]) <= rounding * std::max(std::abs(one[k]), std::abs(other[k]))) continue;
        throw base::FormatError(
            name, fmt::format("{0} of the entry {1} {2} {2} is {3}, but {4} of {2} {1} {1}: both are the same pair; "
                              "give both entries one number",
                              sw_names[k], elements[i], elements[j], one[k], other[k]));
      }
    }
  }
}

}  // namespace

kernels::StillingerWeber read_stillinger_weber_file(const std::filesystem::path& path,
                                                    std::span<const std::string> elements, const FileScale& scale) {
  const std::string text =
      base::read_text(path, largest_sw_file, "parameter file of the potential of Stillinger and Weber");
  return parse_stillinger_weber(text, path.string(), elements, scale);
}

kernels::StillingerWeber parse_stillinger_weber(std::string_view text, const std::string& name,
                                                std::span<const std::string> elements, const FileScale& scale) {
  const std::vector<std::vector<double>> numbers = read_triples(text, name, elements, sw_names, check_sw);
  check_order(numbers, name, elements);
  std::vector<kernels::StillingerWeberTriple> triples;
  for (const std::vector<double>& x : numbers) {
    triples.push_back({.epsilon = x[0] * scale.energy,
                       .sigma = x[1] * scale.length,
                       .a = x[2],
                       .lambda = x[3],
                       .gamma = x[4],
                       .costheta = x[5],
                       .A = x[6],
                       .B = x[7],
                       .p = x[8],
                       .q = x[9],
                       .tolerance = x[10]});
  }
  return {elements.size(), triples};
}

}  // namespace tacit::md

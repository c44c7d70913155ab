// Reads parameter files of Tersoff's potential.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/formats/tersoff_file.hpp"

#include <array>
#include <utility>
#include <vector>

#include "tacit/base/read_text.hpp"

namespace tacit::md {
namespace {

constexpr std::size_t largest_tersoff_file = std::size_t{1} << 24U;
constexpr std::array<std::string_view, 14> tersoff_names{"m",    "gamma",   "lambda3", "c", "d", "costheta0", "n",
                                                         "beta", "lambda2", "B",       "R", "D", "lambda1",   "A"};

void check_tersoff(const TripleEntry& entry) {
  const std::vector<double>& x = entry.numbers;
  if (x[0] != 1.0 && x[0] != 3.0) entry.refuse(0, "1 or 3");
  for (const std::size_t k : {1U, 3U, 6U, 7U, 8U, 9U, 12U, 13U}) {
    if (x[k] < 0.0) entry.refuse(k, "0 or more");
  }
  if (x[4] == 0.0 && x[3] != 0.0) entry.refuse(4, "another number than 0, as c is not 0");
  if (!(x[10] > 0.0)) entry.refuse(10, "more than 0");
  if (x[11] < 0.0 || x[11] > x[10]) entry.refuse(11, "0 to R");
  if (entry.is_of_pair() && x[6] == 0.0 && x[7] != 0.0) entry.refuse(6, "more than 0");
}

}  // namespace

kernels::TersoffTable read_tersoff_file(const std::filesystem::path& path, std::span<const std::string> elements,
                                        const FileScale& scale) {
  const std::string text = base::read_text(path, largest_tersoff_file, "parameter file of Tersoff's potential");
  return parse_tersoff(text, path.string(), elements, scale);
}

kernels::TersoffTable parse_tersoff(std::string_view text, const std::string& name,
                                    std::span<const std::string> elements, const FileScale& scale) {
  const double inverse = 1.0 / scale.length;
  std::vector<kernels::TersoffTriple> triples;
  for (const std::vector<double>& x : read_triples(text, name, elements, tersoff_names, check_tersoff)) {
    triples.push_back({.m = x[0] == 1.0 ? 1 : 3,
                       .gamma = x[1],
                       .lambda3 = x[2] * inverse,
                       .c = x[3],
                       .d = x[4],
                       .h = x[5],
                       .n = x[6],
                       .beta = x[7],
                       .lambda2 = x[8] * inverse,
                       .B = x[9] * scale.energy,
                       .R = x[10] * scale.length,
                       .D = x[11] * scale.length,
                       .lambda1 = x[12] * inverse,
                       .A = x[13] * scale.energy});
  }
  return {elements.size(), std::move(triples)};
}

}  // namespace tacit::md

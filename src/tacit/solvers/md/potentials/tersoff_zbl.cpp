// Reads parameter files of Tersoff's potential joined to the repulsion of nuclei.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/potentials/tersoff_zbl.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/base/read_text.hpp"

namespace tacit::md {
namespace {

constexpr std::size_t largest_zbl_file = std::size_t{1} << 24U;
constexpr std::array<std::string_view, 18> tersoff_zbl_names{
    "m", "gamma", "lambda3", "c",       "d", "costheta0", "n",   "beta",   "lambda2",
    "B", "R",     "D",       "lambda1", "A", "Z_i",       "Z_j", "ZBLcut", "ZBLexpscale"};

void check_tersoff_zbl(const TripleEntry& entry) {
  const std::vector<double>& x = entry.numbers;
  if (x[0] != 1.0 && x[0] != 3.0) entry.refuse(0, "1 or 3");
  for (const std::size_t k : {1U, 3U, 6U, 7U, 8U, 9U, 12U, 13U, 16U}) {
    if (x[k] < 0.0) entry.refuse(k, "0 or more");
  }
  if (x[4] == 0.0 && x[3] != 0.0) entry.refuse(4, "another number than 0, as c is not 0");
  if (!(x[10] > 0.0)) entry.refuse(10, "more than 0");
  if (x[11] < 0.0 || x[11] > x[10]) entry.refuse(11, "0 to R");
  if (entry.is_of_pair() && x[6] == 0.0 && x[7] != 0.0) entry.refuse(6, "more than 0");
  for (const std::size_t k : {14U, 15U}) {
    if (!(x[k] >= 1.0)) entry.refuse(k, "1 or more");
  }
  if (!(x[17] > 0.0)) entry.refuse(17, "more than 0");
}

}  // namespace

kernels::TersoffTable parse_tersoff_zbl(std::string_view text, const std::string& name,
                                        std::span<const std::string> elements, const FileScale& scale) {
  // The constants of LAMMPS: eps0 in e^2 / (eV A), the first radius of Bohr in A.
  constexpr double eps0 = 0.00552635;
  constexpr double screen = 0.8854 * 0.529;
  const double inverse = 1.0 / scale.length;
  std::vector<kernels::TersoffTriple> triples;
  for (const std::vector<double>& x : read_triples(text, name, elements, tersoff_zbl_names, check_tersoff_zbl)) {
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
                       .A = x[13] * scale.energy,
                       .z = x[14] * x[15] / (4.0 * std::numbers::pi * eps0) * scale.energy * scale.length,
                       .inverse_a = (std::pow(x[14], 0.23) + std::pow(x[15], 0.23)) / screen * inverse,
                       .r_F = x[16] * scale.length,
                       .s_F = x[17] * inverse});
  }
  return {elements.size(), std::move(triples)};
}

kernels::TersoffTable read_tersoff_zbl_file(const std::filesystem::path& path, std::span<const std::string> elements,
                                            const FileScale& scale) {
  const std::string text = base::read_text(path, largest_zbl_file, "parameter file of Tersoff's potential");
  return parse_tersoff_zbl(text, path.string(), elements, scale);
}

kernels::TersoffTable among_types(const kernels::TersoffTable& some, std::span<const std::size_t> types,
                                  std::size_t all) {
  TACIT_EXPECT(types.size() == some.types());
  std::vector<kernels::TersoffTriple> triples(all * all * all);  // of R = D = 0: none is near
  for (std::size_t i = 0; i < types.size(); ++i) {
    for (std::size_t j = 0; j < types.size(); ++j) {
      for (std::size_t k = 0; k < types.size(); ++k) {
        triples[(types[i] * all + types[j]) * all + types[k]] = some.of(i, j, k);
      }
    }
  }
  return {all, std::move(triples)};
}

}  // namespace tacit::md

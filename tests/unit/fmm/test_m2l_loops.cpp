// The loops over multipoles of each instruction set against the operator.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "support/body_clouds.hpp"
#include "tacit/base/cpu_features.hpp"
#include "tacit/base/pack_memory.hpp"
#include "tacit/fmm/kernels/m2l_loops.hpp"
#include "tacit/fmm/operators.hpp"

namespace tacit::fmm {
namespace {

using base::Vec3;

/// Cells around one that has its centre at `sink`.
template <int p>
base::PackVector<Multipole<p>> cells_around(const Vec3& sink) {
  base::PackVector<Multipole<p>> cells;
  for (std::uint64_t k = 0; k < 12; ++k) {
    const auto u = [k](std::uint64_t draw) { return base::uniform(1, k, draw) - 0.5; };
    const Vec3 away{u(0), u(1), u(2)};
    const auto cloud = test::random_cloud(5, sink + (3.0 / norm(away)) * away, 0.5, k);
    cells.push_back(Operators<p>::multipole_of(cloud.all()));
  }
  return cells;
}

template <int p>
void expect_operator(base::InstructionSet set, double softening2) {
  const Vec3 sink{0.2, 0.1, -0.4};
  const auto cells = cells_around<p>(sink);
  for (const std::size_t count : {0U, 1U, 2U, 3U, 4U, 5U, 7U, 8U, 9U, 17U}) {
    std::vector<std::uint32_t> sources;
    for (std::uint32_t k = 0; k < count; ++k) sources.push_back(k * 5 % 12);  // some twice
    std::vector<double> L(terms(p), 1.0);
    kernels::m2l_loops(set).add[p]({.multipoles = &cells[0].x,
                                    .sources = sources.data(),
                                    .count = count,
                                    .x = sink.x,
                                    .y = sink.y,
                                    .z = sink.z,
                                    .softening2 = softening2,
                                    .L = L.data()});
    std::vector<double> expected(terms(p), 1.0);
    for (const std::uint32_t k : sources) {
      Operators<p>::m2l(terms_of(cells[k]), sink - centre_of(cells[k]), softening2, Terms<p>(expected));
    }
    // Sources have a mass of some 5 at a distance of 3: each adds at most 5 n! / 3^(n + 1), below 10 up to n = 5.
    for (std::size_t n = 0; n < terms(p); ++n) EXPECT_NEAR(L[n], expected[n], 1e-13) << "term " << n << " of " << count;
  }
}

TEST(FmmM2LLoops, AreTheOperator) {
  for (const base::InstructionSet set : base::usable_instruction_sets()) {
    for (int order = 0; order <= highest_order; ++order) {
      SCOPED_TRACE(std::string(base::name_of(set)) + ", order " + std::to_string(order));
      with_order(order, [&](auto p) {
        expect_operator<p>(set, 0.0);
        expect_operator<p>(set, 0.3);
      });
    }
  }
}

}  // namespace
}  // namespace tacit::fmm

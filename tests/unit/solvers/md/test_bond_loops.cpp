// The loops over angles of each instruction set against the scalar ones, which know all types.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "tacit/base/cpu_features.hpp"
#include "tacit/base/random.hpp"
#include "tacit/solvers/md/formats/tersoff_file.hpp"
#include "tacit/solvers/md/kernels/bond_loops.hpp"
#include "tacit/solvers/md/setups/tersoff_sets.hpp"

namespace tacit::md::kernels {
namespace {

BondLoops bonds_of(base::InstructionSet set) {
  return base::with_instruction_set(set, []<class Isa>(Isa) { return bond_loops_of<Isa>(); });
}

/// A centre and neighbours from 2.1 to 3.3 away, some of them where the cutoff goes to 0 and some beyond.
struct Centre {
  explicit Centre(std::size_t neighbours, std::uint64_t seed) {
    records.assign(4, 0.0);
    for (std::uint64_t k = 0; k < neighbours; ++k) {
      const auto u = [k, seed](std::uint64_t draw) { return 2.0 * base::uniform(seed, k, draw) - 1.0; };
      const double r = 2.1 + 1.2 * base::uniform(seed, k, 4);
      const double length = std::sqrt(u(0) * u(0) + u(1) * u(1) + u(2) * u(2));
      records.insert(records.end(), {r * u(0) / length, r * u(1) / length, r * u(2) / length, 0.0});
      list.push_back(static_cast<std::uint32_t>(k + 1));
    }
    begin = {0, static_cast<std::uint32_t>(neighbours)};
  }
  std::vector<double> records;
  std::vector<std::uint32_t> list;
  std::vector<std::uint32_t> begin;
};

struct Found {
  Bonds bonds;
  double energy = 0.0;
  std::array<double, 6> virial{};
};

Found found_by(const TersoffTable& table, const Centre& centre, const BondLoops* loops) {
  Found found;
  PairSums sums{.energy = &found.energy};
  for (std::size_t k = 0; k < 6; ++k) sums.virial[k] = &found.virial[k];
  const PairWork work{
      .records = centre.records.data(), .count = 1, .begin = centre.begin.data(), .lists = centre.list.data()};
  sum_tersoff(table, work, found.bonds, sums, loops);
  return found;
}

TEST(MdBondLoops, SumsAreThoseOfTheScalarLoop) {
  const std::vector<std::string> names{"Si"};
  TersoffTriple linear = parse_tersoff(tersoff_text(TersoffSet::si_1988), "the test", names, {}).of(0, 0, 0);
  linear.m = 1;
  linear.lambda3 = 1.9;
  TersoffTriple without = linear;
  without.lambda3 = 0.0;
  TersoffTriple steep = linear;  // beyond where the exponent is cut off
  steep.m = 3;
  steep.lambda3 = 6.0;
  TersoffTriple cubic = linear;
  cubic.m = 3;
  for (const TersoffTriple& triple : {linear, without, steep, cubic}) {
    const TersoffTable table(1, {triple});
    for (const base::InstructionSet set : base::usable_instruction_sets()) {
      const BondLoops loops = bonds_of(set);
      for (std::size_t n = 0; n < 45; ++n) {
        const Centre centre(n, 11 + n);
        const Found expected = found_by(table, centre, nullptr);
        const Found found = found_by(table, centre, &loops);
        ASSERT_EQ(found.bonds.atom, expected.bonds.atom);
        double scale = 1.0;
        for (const base::Vec3& f : expected.bonds.force) scale = std::max(scale, base::norm(f));
        // Some hundred terms with exponentials to 1e-12.
        EXPECT_NEAR(found.energy, expected.energy, 1e-11 * std::max(1.0, std::abs(expected.energy)));
        for (std::size_t k = 0; k < expected.bonds.force.size(); ++k) {
          EXPECT_LT(base::norm(found.bonds.force[k] - expected.bonds.force[k]), 1e-11 * scale)
              << name_of(set) << " " << n << " " << k;
        }
        for (std::size_t k = 0; k < 6; ++k) {
          EXPECT_NEAR(found.virial[k], expected.virial[k], 1e-10 * scale) << name_of(set) << " " << n;
        }
        EXPECT_EQ(found.bonds.force, found_by(table, centre, &loops).bonds.force);
      }
    }
  }
}

}  // namespace
}  // namespace tacit::md::kernels

// The loops over neighbours of each instruction set against the scalar ones.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "tacit/base/cpu_features.hpp"
#include "tacit/base/pack_memory.hpp"
#include "tacit/base/random.hpp"
#include "tacit/solvers/md/kernels/pair_loops.hpp"

namespace tacit::md::kernels {
namespace {

PairLoops loops_of(base::InstructionSet set) {
  return base::with_instruction_set(set, []<class Isa>(Isa) { return pair_loops_of<Isa>(); });
}

/// Two types with cutoffs of their own, in the order of LennardJonesPair.
const std::vector<double> two_types{6.25, 4.0, 4.0, 0.1, -0.2, 2.5, 4.0,  2.0, 1.5, 0.2, -0.1, 2.0,
                                    4.0,  2.0, 1.5, 0.2, -0.1, 2.0, 2.25, 1.0, 0.7, 0.3, -0.3, 1.5};

/// An atom in the middle and others around it, none too close; and a place that is far from all.
struct Sample {
  explicit Sample(std::size_t neighbours) {
    add(0.0, 0.0, 0.0, 1.0);
    for (std::uint64_t k = 0; k < neighbours; ++k) {
      const auto u = [k](std::uint64_t draw) { return 2.0 * base::uniform(3, k, draw) - 1.0; };
      const double r = 0.9 + 1.9 * base::uniform(3, k, 4);
      const double length = std::sqrt(u(0) * u(0) + u(1) * u(1) + u(2) * u(2));
      add(r * u(0) / length, r * u(1) / length, r * u(2) / length, k % 2 == 0 ? 0.0 : 1.0);
    }
    add(1e100, 1e100, 1e100, 0.0);
  }
  void add(double x, double y, double z, double type) {
    records.insert(records.end(), {x, y, z, type});
    atom.push_back(static_cast<std::uint32_t>(atom.size()));
  }
  [[nodiscard]] std::uint32_t nowhere() const { return atom.back(); }
  base::PackVector<double> records;
  std::vector<std::uint32_t> atom;
};

std::vector<std::uint32_t> found_by(const PairLoops& loops, const Sample& sample, double reach, std::size_t self = 0) {
  const std::size_t count = sample.atom.size() - 1;
  const std::size_t room = count + PairLoops::widest;
  std::vector<float> x(room);
  std::vector<float> y(room);
  std::vector<float> z(room);
  std::vector<std::uint32_t> atom(sample.atom);
  atom.resize(room);
  for (std::size_t k = 0; k < count; ++k) {
    x[k] = static_cast<float>(sample.records[4 * k]);
    y[k] = static_cast<float>(sample.records[4 * k + 1]);
    z[k] = static_cast<float>(sample.records[4 * k + 2]);
  }
  std::vector<std::uint32_t> list(room);
  list.resize(loops.find(self, {x.data(), y.data(), z.data(), atom.data(), count}, static_cast<float>(reach * reach),
                         sample.nowhere(), list.data()));
  return list;
}

using Loop = void (*PairLoops::*)(const PairWork&, const PairSums&);

/// A potential with numbers of two types.
struct Subject {
  Loop loop;
  std::vector<double> numbers;
  base::PackVector<double> intervals = {};
};

std::vector<Subject> subjects() {
  std::vector<Subject> result{{&PairLoops::lennard_jones, two_types}, {&PairLoops::force_shifted, two_types}};
  const auto rows = [](std::vector<double> row, std::vector<double> other, std::vector<double> third) {
    row.insert(row.end(), other.begin(), other.end());
    row.insert(row.end(), other.begin(), other.end());
    row.insert(row.end(), third.begin(), third.end());
    return row;
  };
  result.push_back({&PairLoops::morse, rows({6.25, 0.5, 1.4, 1.1, 0.1, 0.02, 2.5}, {4.0, 0.6, 1.5, 1.0, 0.0, 0.0, 2.0},
                                            {2.25, 0.3, 1.2, 1.2, 0.2, 0.1, 1.5})});
  result.push_back({&PairLoops::damped_coulomb,
                    rows({6.25, 1.0, 0.5, -0.2, 0.3}, {4.0, -2.0, 0.7, -0.1, 0.4}, {2.25, 4.0, 0.0, -0.3, 0.5})});
  result.push_back({&PairLoops::universal_repulsion,
                    rows({6.25, 9.0, 4.0, 1.5, 0.1, -0.2, 0.3}, {4.0, 6.0, 3.5, 1.2, 0.2, 0.1, -0.1},
                         {2.25, 4.0, 3.0, 1.0, 0.3, 0.2, 0.1})});
  Subject table{&PairLoops::tabulated,
                rows({6.25, 0.5, 8.0, 0.0, 45.0}, {4.0, 0.6, 10.0, 46.0, 33.0}, {2.25, 0.7, 8.0, 10.0, 12.0})};
  for (std::uint64_t k = 0; k < std::uint64_t{8} * 80; ++k) table.intervals.push_back(base::uniform(9, k, 0) - 0.5);
  result.push_back(std::move(table));
  return result;
}

struct Sums {
  std::vector<double> values = std::vector<double>(10);
  Sums(const PairLoops& loops, const Sample& sample, std::size_t types, const Subject& subject, bool with_sums = true,
       bool adds = false) {
    const std::vector<std::uint32_t> list = found_by(loops, sample, 3.0);
    const std::vector<std::uint32_t> begin{0, static_cast<std::uint32_t>(list.size())};
    PairWork work{.records = sample.records.data(),
                  .count = 1,
                  .begin = begin.data(),
                  .lists = list.data(),
                  .of_pairs = subject.numbers.data(),
                  .types = types,
                  .intervals = subject.intervals.data()};
    PairSums sums{.fx = &values[0], .fy = &values[1], .fz = &values[2]};
    if (with_sums) {
      sums.energy = &values[3];
      for (std::size_t k = 0; k < 6; ++k) sums.virial[k] = &values[4 + k];
    }
    if (adds) {
      sums.adds = true;
      std::ranges::fill(values, 1.0);
    }
    (loops.*subject.loop)(work, sums);
  }
};

TEST(MdPairLoops, ListsAreThoseOfTheScalarLoop) {
  const PairLoops scalar = loops_of(base::InstructionSet::scalar);
  for (const base::InstructionSet set : base::usable_instruction_sets()) {
    const PairLoops loops = loops_of(set);
    for (const std::size_t n : {0U, 1U, 3U, 4U, 5U, 7U, 8U, 9U, 100U}) {
      const Sample sample(n);
      for (const double reach : {0.5, 1.5, 3.0}) {
        for (const std::size_t self : {std::size_t{0}, n / 2, n}) {
          std::vector<std::uint32_t> list = found_by(loops, sample, reach, self);
          EXPECT_EQ(list.size() % loops.width, 0U);
          while (!list.empty() && list.back() == sample.nowhere()) list.pop_back();
          EXPECT_EQ(list, found_by(scalar, sample, reach, self)) << name_of(set) << " " << n;
          EXPECT_EQ(std::ranges::count(list, self), 0);
        }
      }
    }
  }
}

TEST(MdPairLoops, SumsAreThoseOfTheScalarLoop) {
  const std::vector<Subject> all = subjects();
  const PairLoops scalar = loops_of(base::InstructionSet::scalar);
  for (const base::InstructionSet set : base::usable_instruction_sets()) {
    for (const std::size_t n : {0U, 1U, 3U, 4U, 5U, 7U, 8U, 9U, 100U}) {
      for (const std::size_t types : {1U, 2U}) {
        for (const Subject& subject : all) {
          const Sample sample(n);
          const Sums expected(scalar, sample, types, subject);
          const Sums found(loops_of(set), sample, types, subject);
          const Sums forces(loops_of(set), sample, types, subject, false);
          const Sums more(loops_of(set), sample, types, subject, true, true);
          double scale = 1.0;
          for (const double value : expected.values) scale = std::max(scale, std::abs(value));
          // n terms in another order: each sum is rounded by n 1.1e-16 of the largest at most.
          for (std::size_t k = 0; k < 10; ++k) {
            EXPECT_NEAR(found.values[k], expected.values[k], 2.2e-16 * static_cast<double>(n + 1) * scale)
                << name_of(set) << " " << n << " " << k;
          }
          for (std::size_t k = 0; k < 10; ++k) EXPECT_EQ(more.values[k], 1.0 + found.values[k]);
          for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(found.values[k], forces.values[k]);  // sums change no force
        }
      }
    }
  }
}

}  // namespace
}  // namespace tacit::md::kernels

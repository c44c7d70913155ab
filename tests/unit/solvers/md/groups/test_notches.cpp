// Crystals with a part cut out.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "unit/solvers/md/running_md.hpp"

namespace tacit::md {
namespace {

const std::string whole_block = "structure = \"zincblende\"\nconstant = 2.0\ncells = [4, 5, 6]\nvacuum = [0, 3, 0]\n";
const std::string notch_of_block = "notch = [0.25, 0.5, 0, 0.4, 0, 1]\n";

TEST(MdNotches, AtomsAreThoseOfTheCrystalOutsideOfIt) {
  const MdParameters whole = testing::crystal(whole_block);
  const MdParameters cut = testing::crystal(whole_block + notch_of_block);
  // One cell along x, two along y, all six along z.
  EXPECT_EQ(cut.initial.count, whole.initial.count - 8 * 1 * 2 * 6);
  ASSERT_EQ(cut.initial.atoms.size(), cut.initial.count);
  std::set<std::uint64_t> left(cut.initial.atoms.id.begin(), cut.initial.atoms.id.end());
  for (std::size_t i = 0; i < whole.initial.atoms.size(); ++i) {
    const base::Vec3& x = whole.initial.atoms.x[i];
    const bool is_out = x.x >= 2.0 && x.x < 4.0 && x.y - 1.5 < 4.0;
    EXPECT_EQ(left.contains(whole.initial.atoms.id[i]), !is_out) << x.x << " " << x.y;
  }
}

TEST(MdNotches, WhatIsWrongIsNamed) {
  const auto expect = [](const std::string& key, const std::string& part) {
    try {
      static_cast<void>(testing::crystal(whole_block + key));
      ADD_FAILURE() << key << " was taken";
    } catch (const config::Error& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  expect("notch = [0, 1, 0, 1]\n", "lattice.notch: has 4 number(s), expected six");
  expect("notch = [0, 1, 0.5, 0.5, 0, 1]\n", "lattice.notch: has no room along y");
  expect("notch = [0, 1, 0, 1, 0, 1]\n", "lattice.notch: leaves no atom");
}

}  // namespace
}  // namespace tacit::md

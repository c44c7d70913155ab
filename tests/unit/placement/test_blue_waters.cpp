// The Blue Waters table: the documentation shows what the model says, and the choices of the study are its own.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "tacit/placement/network/blue_waters.hpp"

namespace tacit::placement::network {
namespace blue_waters_test {

std::string digits(double value) {
  std::array<char, 32> text{};
  static_cast<void>(std::snprintf(text.data(), text.size(), "%.2f", value));
  return text.data();
}

/// A line of the table as docs/ shows it.
std::string row_of(const Comparison& line) {
  const std::string runs =
      line.run_low && line.run_high ? digits(*line.run_low) + " to " + digits(*line.run_high) : std::string();
  return "| " + line.what + " | " + digits(line.model) + " | " + runs + (runs.empty() ? "| " : " | ") +
         (line.measured ? digits(*line.measured) : std::string()) + " |";
}

TEST(NetworkBlueWaters, TableIsThatOfTheDocumentation) {
  std::ifstream file(TACIT_SOURCE_DIR "/docs/guide/placement-model.md");
  ASSERT_TRUE(file);
  const std::string page{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::vector<Comparison> table = blue_waters_table();
  EXPECT_EQ(table.size(), 14U);
  for (const Comparison& line : table) EXPECT_NE(page.find(row_of(line)), std::string::npos) << row_of(line);
}

TEST(NetworkBlueWaters, IsTheMachineOfTheStudy) {
  const Network machine = blue_waters();
  EXPECT_EQ(router_count(machine), 13824U - 576U);
  EXPECT_EQ(node_count(machine), 26496U);
  const auto& torus = std::get<Torus>(machine.shape);
  EXPECT_EQ(torus.bandwidth[0], 2 * torus.bandwidth[1]);
  EXPECT_EQ(torus.bandwidth[0], torus.bandwidth[2]);
}

}  // namespace blue_waters_test
}  // namespace tacit::placement::network

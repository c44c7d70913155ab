// The name of the processors.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tacit/topology/cpu_model.hpp"

namespace tacit::topology::test_cpu_model {

TEST(TopologyCpuModel, IsWhatTheKernelNamesIt) {
  EXPECT_EQ(cpu_model("processor\t: 0\nmodel name\t: Model: X 9\n"), "Model: X 9");
  EXPECT_EQ(cpu_model("processor\t: 0\nCPU part\t: 0xd40\n"), "0xd40");
  EXPECT_EQ(cpu_model(std::string()), "unknown");
  EXPECT_FALSE(cpu_model().empty());
}

}  // namespace tacit::topology::test_cpu_model

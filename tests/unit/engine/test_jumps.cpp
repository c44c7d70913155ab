// What a run says of conserved quantities that jump.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sample_run.hpp"
#include "tacit/engine/simulation.hpp"

namespace tacit::engine::jumps_test {
namespace {

/// Two time units of the solver that counts, with snapshots each 0.75, to which steps are cut.
class EngineJumps : public ::testing::Test {
 protected:
  EngineJumps() { testing::reset_control(); }

  std::vector<std::string> warnings(const std::string& more = "", const RunOptions& options = {}) {
    const auto parameters =
        testing::read(scratch / "test.toml",
                      "run.threads = 2\ntime.end = 2\noutput.snapshot_every = 0.75\n"
                      "output.statistics_every = " +
                          statistics_every + "\noutput.directory = \"" + (scratch / "out").string() + "\"\n" + more);
    testing::Listener listener;
    return Simulation(parameters, testing::counting_entry, testing::alone(), options, listener).run().warnings;
  }

  test::Scratch scratch;
  std::string statistics_every = "0.5";
};

TEST_F(EngineJumps, WarnsAtOnceAndOnceOfAJump) {
  testing::control().dt = 1.0;  // cut to 0.75, in which x grows by 0.5625
  const auto text = [](const std::string& change) {
    return "warning: step 1, t = 0.75: the " + change + " of its scale: steps may be too long (cfl, time.dt_max)";
  };
  const std::vector<std::string> both{text("momentum has gone from (0, 0, 0) to (0.5625, 0, 0) in one step, by 0.0563"),
                                      text("energy has gone from 5 to 5.5625 in one step, by 0.141")};
  EXPECT_EQ(warnings(), both);
  statistics_every = "2";  // lines at the begin and the end alone
  EXPECT_EQ(warnings(), both);
}

TEST_F(EngineJumps, WarnsOfWhatAddsUpBetweenLines) {
  statistics_every = "2";
  const std::vector<std::string> said = warnings();
  ASSERT_EQ(said.size(), 1U);  // 0.125 of the energy in 8 steps, and 0.05 of the momentum, which is allowed
  // It depends on the time that steps take which states between the lines are looked at.
  EXPECT_NE(said[0].find(": the energy has gone from 5"), std::string::npos) << said[0];
  EXPECT_NE(said[0].find(" since step "), std::string::npos) << said[0];
}

// The first step after a restart is compared with the state of the checkpoint, which no line may have.
TEST_F(EngineJumps, WarnsOfAJumpAfterARestart) {
  statistics_every = "2";
  warnings("time.max_steps = 3\n");
  testing::control().dt = 1.0;  // cut to 0.75
  const std::vector<std::string> said = warnings("", {.restart = Restart::always});
  ASSERT_EQ(said.size(), 2U);
  EXPECT_EQ(
      said[0],
      "warning: step 4, t = 1.5: the momentum has gone from (0.1875, 0, 0) to (0.75, 0, 0) in one step, by 0.0563 "
      "of its scale: steps may be too long (cfl, time.dt_max)");
}

}  // namespace
}  // namespace tacit::engine::jumps_test

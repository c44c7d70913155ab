// The checks of the collectives between threads of one process, where a thread sanitizer sees all ranks.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "mpi/collectives.hpp"
#include "support/under_sanitizer.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::comm::testing {
namespace collectives {

using Case = std::tuple<conformance::NamedCheck, std::size_t, const char*>;

class CommCollectives : public ::testing::TestWithParam<Case> {};

TEST_P(CommCollectives, BetweenThreads) {
  const auto& [check, ranks, nodes] = GetParam();
  conformance::Setting setting{.exchanges = 100, .longest = std::size_t{1} << 22U};
  // Sanitized code is 10 to 50 times slower.
  if (tasks::testing::under_tsan) setting = {.exchanges = 20, .longest = 70'000};
  const auto run = check.check;
  const auto emulated = conformance::nodes_of(nodes, ranks);
  Options options = patient;
  options.nodes = emulated;
  EXPECT_NO_THROW(on_ranks(
      ranks, [&](Communicator& world) { run(world, setting); }, options));
}

std::string name_of_case(const ::testing::TestParamInfo<Case>& info) {
  return std::string(std::get<0>(info.param).name) + "_" + std::to_string(std::get<1>(info.param)) + "_" +
         std::get<2>(info.param);
}

INSTANTIATE_TEST_SUITE_P(OneNode, CommCollectives,
                         ::testing::Combine(::testing::ValuesIn(conformance::collective_checks()),
                                            ::testing::Values(1, 2, 4), ::testing::Values("found")),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Nodes, CommCollectives,
                         ::testing::Combine(::testing::ValuesIn(conformance::collective_checks()), ::testing::Values(4),
                                            ::testing::Values("0011", "0101", "0001", "0123")),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(TwoNodes, CommCollectives,
                         ::testing::Combine(::testing::ValuesIn(conformance::collective_checks()), ::testing::Values(2),
                                            ::testing::Values("01")),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Uneven, CommCollectives,
                         ::testing::Combine(::testing::ValuesIn(conformance::collective_checks()), ::testing::Values(7),
                                            ::testing::Values("0012221")),
                         name_of_case);

}  // namespace collectives
}  // namespace tacit::comm::testing

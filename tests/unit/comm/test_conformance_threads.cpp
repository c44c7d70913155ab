// The conformance suite between threads of one process, where a thread sanitizer sees both ends.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "mpi/conformance.hpp"
#include "support/under_sanitizer.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::comm::testing {
namespace {

using Case = std::tuple<conformance::NamedCheck, ProviderId, std::size_t>;

class CommConformance : public ::testing::TestWithParam<Case> {};

conformance::Setting setting_of(ProviderId provider) {
  conformance::Setting setting{.via = provider};
  // Sanitized code is 10 to 50 times slower.
  if (tasks::testing::under_tsan) {
    setting.exchanges = 200;
    setting.longest = 70'000;
  }
  return setting;
}

TEST_P(CommConformance, BetweenThreads) {
  const auto& [check, provider, ranks] = GetParam();
  const conformance::Setting setting = setting_of(provider);
  const auto run = check.check;
  EXPECT_NO_THROW(on_ranks(ranks, [&](Communicator& world) { run(world, setting); }));
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  return std::string(std::get<0>(info.param).name) + "_" + std::string(name(std::get<1>(info.param))) + "_" +
         std::to_string(std::get<2>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Self, CommConformance,
                         ::testing::Combine(::testing::ValuesIn(conformance::checks()),
                                            ::testing::Values(ProviderId::self), ::testing::Values(1)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Shm, CommConformance,
                         ::testing::Combine(::testing::ValuesIn(conformance::checks()),
                                            ::testing::Values(ProviderId::shm), ::testing::Values(1, 2, 4)),
                         name_of);

}  // namespace
}  // namespace tacit::comm::testing

// Provenance: every part is there and has its form.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "tacit/base/provenance.hpp"

namespace provenance_test {
namespace {

using tacit::base::provenance;

TEST(Provenance, EveryPartHasItsForm) {
  const auto facts = provenance();
  EXPECT_TRUE(std::regex_match(facts.version, std::regex(R"(\d+\.\d+\.\d+)"))) << facts.version;
  EXPECT_TRUE(std::regex_match(facts.commit, std::regex("unknown|[0-9a-f]{12}(-modified)?"))) << facts.commit;
  EXPECT_TRUE(std::regex_match(facts.date, std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)"))) << facts.date;
  EXPECT_TRUE(facts.compiler.starts_with("g++ ") || facts.compiler.starts_with("clang ")) << facts.compiler;
  EXPECT_FALSE(facts.flags.empty());
  EXPECT_FALSE(facts.host.empty());
  EXPECT_FALSE(facts.user.empty());
}

}  // namespace
}  // namespace provenance_test

// Hostlist expressions: what they stand for, back again, and what is refused.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tacit/placement/machine/hostlist.hpp"

namespace tacit::placement::test_hostlist {

using Names = std::vector<std::string>;

TEST(Hostlist, ExpandsAsSlurmDoes) {
  EXPECT_EQ(expand_hostlist("a[1-4,7],b3"), (Names{"a1", "a2", "a3", "a4", "a7", "b3"}));
  EXPECT_EQ(expand_hostlist("n[008-011]"), (Names{"n008", "n009", "n010", "n011"}));
  EXPECT_EQ(expand_hostlist("r[0-1]n[0-1]-ib"), (Names{"r0n0-ib", "r0n1-ib", "r1n0-ib", "r1n1-ib"}));
  EXPECT_EQ(expand_hostlist(" a\nb\tc,,d "), (Names{"a", "b", "c", "d"}));
  EXPECT_EQ(expand_hostlist("n[2,2]"), (Names{"n2", "n2"}));
  EXPECT_TRUE(expand_hostlist("").empty());
}

TEST(Hostlist, CompressesToRanges) {
  EXPECT_EQ(compress_hostlist(Names{"a1", "a2", "a3", "a7", "b3"}), "a[1-3,7],b3");
  EXPECT_EQ(compress_hostlist(Names{"n008", "n009", "n010"}), "n[008-010]");
  EXPECT_EQ(compress_hostlist(Names{"n9", "n10", "login"}), "n[9-10],login");
  EXPECT_EQ(compress_hostlist(Names{}), "");
}

TEST(Hostlist, CompressedExpandsToTheSame) {
  const std::vector<Names> lists{{"n9", "n10", "n11", "n100"},
                                 {"n010", "n11", "n12"},
                                 {"n1-a", "n2-a", "n2-b"},
                                 {"x", "1", "2", "3"},
                                 {"n3", "n2", "n1"},
                                 {"n99", "n100", "n099"},
                                 {"a1", "a1"},
                                 {"n1234567890123456"}};
  for (const Names& names : lists) EXPECT_EQ(expand_hostlist(compress_hostlist(names)), names);
}

TEST(Hostlist, RefusesWithThePlace) {
  const auto refusal = [](const char* text) {
    try {
      static_cast<void>(expand_hostlist(text));
    } catch (const HostlistError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_EQ(refusal("a[1-"), "'a[1-': expected a number in brackets, as in a[1-4,7]");
  EXPECT_EQ(refusal("a[1;2]"), "'a[1;': expected ',', '-' or ']' after a number");
  EXPECT_EQ(refusal("a[4-1]"), "'a[4-1]': a range must not go down");
  EXPECT_EQ(refusal("a]b"), "'a]': expected a name of letters, digits, '.', '_' and '-', or '[' with its numbers");
  EXPECT_EQ(refusal("a[1-999999999]"), "'a[1-999999999]': stands for more than 1000000 nodes");
  EXPECT_EQ(refusal("a[1-2000]b[1-2000]"), "'a[1-2000]b[1-2000]': stands for more than 1000000 nodes");
  EXPECT_EQ(refusal("a[1234567890123]"), "'a[1234567890123]': a number has too many digits");
}

}  // namespace tacit::placement::test_hostlist

// Which instruction sets are usable, and how one is forced.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

#include "tacit/base/cpu_features.hpp"
#include "tacit/base/error.hpp"

namespace tacit::base::cpu_features_test {
namespace {

/// Sets TACIT_INSTRUCTION_SET until the end of the scope.
class Forced {
 public:
  explicit Forced(const char* name) { ::setenv("TACIT_INSTRUCTION_SET", name, 1); }
  ~Forced() { ::unsetenv("TACIT_INSTRUCTION_SET"); }
  Forced(const Forced&) = delete;
  Forced& operator=(const Forced&) = delete;
};

std::string message_of(const char* name) {
  const Forced forced(name);
  try {
    static_cast<void>(chosen_instruction_set());
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// Whether the system says that the processor has the feature.
bool has_flag(const std::string& flag) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("flags")) return (line + ' ').find(' ' + flag + ' ') != std::string::npos;
  }
  return false;
}

bool is_usable(InstructionSet set) {
  const auto usable = usable_instruction_sets();
  return std::find(usable.begin(), usable.end(), set) != usable.end();
}

}  // namespace

TEST(CpuFeatures, ScalarIsAlwaysThereAndTheBestComesLast) {
  EXPECT_EQ(usable_instruction_sets().front(), InstructionSet::scalar);
  EXPECT_EQ(usable_instruction_sets().back(), best_instruction_set());
  EXPECT_TRUE(std::is_sorted(usable_instruction_sets().begin(), usable_instruction_sets().end()));
}

#if defined(__x86_64__)
TEST(CpuFeatures, AgreeWithTheSystem) {
  EXPECT_EQ(is_usable(InstructionSet::v2), has_flag("sse4_2") && has_flag("popcnt"));
  const bool has_v3 = has_wide_sets && has_flag("avx2") && has_flag("fma") && has_flag("bmi1") && has_flag("bmi2");
  EXPECT_EQ(is_usable(InstructionSet::v3), has_v3);
  const bool has_v4 = has_flag("avx512f") && has_flag("avx512bw") && has_flag("avx512dq") && has_flag("avx512vl");
  EXPECT_EQ(is_usable(InstructionSet::v4), has_v3 && has_v4);
  EXPECT_FALSE(is_usable(InstructionSet::neon64));
}
#endif

TEST(CpuFeatures, EverySetCanBeForcedByItsName) {
  for (const InstructionSet set : usable_instruction_sets()) {
    const Forced forced(std::string(name_of(set)).c_str());
    EXPECT_EQ(chosen_instruction_set(), set);
  }
  EXPECT_EQ(chosen_instruction_set(), best_instruction_set());
  EXPECT_EQ(instruction_set_of(""), best_instruction_set());
}

TEST(CpuFeatures, NamesWhatIsUsableWhenTheNameIsNot) {
  const std::string message = message_of("v9");
  EXPECT_TRUE(message.starts_with("instruction set 'v9': this machine can run scalar")) << message;
  EXPECT_TRUE(message.ends_with("\n  as the environment variable TACIT_INSTRUCTION_SET demands")) << message;
}

}  // namespace tacit::base::cpu_features_test

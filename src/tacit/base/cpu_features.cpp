// Asks the processor for its instruction sets.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/base/cpu_features.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "tacit/base/error.hpp"

namespace tacit::base {
namespace {

using enum InstructionSet;

#if defined(__x86_64__)
// Exactly the features that cmake/TacitInstructionSets.cmake lets the compiler use. The builtin also asks whether the
// operating system saves the wide registers.
bool is_usable(InstructionSet set) noexcept {
  switch (set) {
    case scalar:
      return true;
    case v2:
      return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
    case v3:
      return has_wide_sets && is_usable(v2) && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
             __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    case v4:
      return is_usable(v3) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    case neon64:
      break;
  }
  return false;
}
#elif defined(__aarch64__)
bool is_usable(InstructionSet set) noexcept { return set == scalar || set == neon64; }  // part of every AArch64
#else
bool is_usable(InstructionSet set) noexcept { return set == scalar; }
#endif

constexpr std::array all_sets{scalar, v2, v3, v4, neon64};

struct UsableSets {
  std::array<InstructionSet, all_sets.size()> sets{};
  std::size_t count = 0;
  UsableSets() noexcept {
    for (const InstructionSet set : all_sets) {
      if (is_usable(set)) sets[count++] = set;
    }
  }
};

}  // namespace

std::string_view name_of(InstructionSet set) noexcept {
  constexpr std::array<std::string_view, all_sets.size()> names{"scalar", "v2", "v3", "v4", "neon64"};
  return names[static_cast<std::size_t>(set)];
}

std::span<const InstructionSet> usable_instruction_sets() noexcept {
  static const UsableSets usable;
  return {usable.sets.data(), usable.count};
}

InstructionSet best_instruction_set() noexcept { return usable_instruction_sets().back(); }

InstructionSet instruction_set_of(std::string_view name) {
  if (name.empty()) return best_instruction_set();
  std::vector<std::string_view> usable;
  for (const InstructionSet set : usable_instruction_sets()) {
    if (name_of(set) == name) return set;
    usable.push_back(name_of(set));
  }
  throw Error(fmt::format("instruction set '{}': this machine can run {}", name, fmt::join(usable, ", ")));
}

InstructionSet chosen_instruction_set() {
  const char* name = std::getenv("TACIT_INSTRUCTION_SET");
  try {
    return instruction_set_of(name == nullptr ? "" : name);
  } catch (Error& error) {
    error.add_context("as the environment variable TACIT_INSTRUCTION_SET demands");
    throw;
  }
}

}  // namespace tacit::base

// The instruction sets that hot loops are compiled for, and which of them this processor has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tacit::base {

/// One per build of the hot loops. The x86-64 names are those of the psABI's micro-architecture levels.
enum class InstructionSet : std::uint8_t {
  scalar,  ///< whatever the compiler makes of plain C++ for the oldest processor of this kind
  v2,      ///< SSE4.2: 4 floats
  v3,      ///< AVX2, FMA: 8 floats
  v4,      ///< AVX-512 F, BW, DQ, VL: 16 floats
  neon64   ///< AArch64's Advanced SIMD: 4 floats
};

/// The same as types, for templates; a function that mentions one cannot be confused with that of another.
namespace isa {
struct scalar {
  static constexpr InstructionSet set = InstructionSet::scalar;
};
struct v2 {
  static constexpr InstructionSet set = InstructionSet::v2;
};
struct v3 {
  static constexpr InstructionSet set = InstructionSet::v3;
};
struct v4 {
  static constexpr InstructionSet set = InstructionSet::v4;
};
struct neon64 {
  static constexpr InstructionSet set = InstructionSet::neon64;
};
}  // namespace isa

/// Builds with sanitizers leave out v3 and v4 (cmake/TacitInstructionSets.cmake): the same source, twice the build.
#if defined(TACIT_NARROW_SETS_ONLY)
inline constexpr bool has_wide_sets = false;
#else
inline constexpr bool has_wide_sets = true;
#endif

/// function(isa::v3{}) for InstructionSet::v3, and so on. @pre the set is usable
template <class Function>
auto with_instruction_set(InstructionSet set, const Function& function) {
  switch (set) {
#if defined(__x86_64__)
    case InstructionSet::v2:
      return function(isa::v2{});
    case InstructionSet::v3:
      if constexpr (has_wide_sets) return function(isa::v3{});
      break;
    case InstructionSet::v4:
      if constexpr (has_wide_sets) return function(isa::v4{});
      break;
#elif defined(__aarch64__)
    case InstructionSet::neon64:
      return function(isa::neon64{});
#endif
    default:
      break;
  }
  return function(isa::scalar{});
}

[[nodiscard]] std::string_view name_of(InstructionSet set) noexcept;

/// Those that this program was compiled for and this processor and operating system can run; narrow ones first. The
/// first is always scalar.
[[nodiscard]] std::span<const InstructionSet> usable_instruction_sets() noexcept;

/// The widest usable one.
[[nodiscard]] InstructionSet best_instruction_set() noexcept;

/// The set of that name; for an empty name the best one.
///
/// @throws Error  if there is no such set, or it is not usable here
[[nodiscard]] InstructionSet instruction_set_of(std::string_view name);

/// The one that the environment variable TACIT_INSTRUCTION_SET names, else the best.
///
/// @throws Error  as instruction_set_of
[[nodiscard]] InstructionSet chosen_instruction_set();

}  // namespace tacit::base

// Hashes the state in a checkpoint.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/fingerprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <span>

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "tacit/base/checksum.hpp"
#include "tacit/base/cpu_features.hpp"
#include "tacit/engine/checkpoint.hpp"
#include "tacit/io/fingerprint.hpp"

namespace tacit::engine {
namespace {

constexpr std::size_t digit_count = 16;

/// The engine's own part (when and where, parameters, counters, drifts: what of it belongs to the state is added
/// apart), and what the file says of itself, as by how many writers.
bool says_how_it_came(const std::string& name) {
  constexpr std::array<std::string_view, 3> groups{"Engine", "Provenance", "Parts"};
  return name.front() == '@' || std::ranges::find(groups, name) != groups.end();
}

}  // namespace

Fingerprint fingerprint_of(const io::FileReader& checkpoint) {
  require_checkpoint(checkpoint);
  const EngineState state = load_engine(checkpoint);
  base::Hash hash;
  hash.add(std::as_bytes(std::span(state.solver)));
  hash.add(std::as_bytes(std::span(&state.step, 1)));
  hash.add(std::as_bytes(std::span(&state.time, 1)));
  io::add_contents(hash, checkpoint, says_how_it_came);
  return {.digits = fmt::format("{:016x}", hash.value()), .solver = state.solver, .step = state.step};
}

std::optional<std::string> as_fingerprint(std::string_view text) {
  const auto is_digit = [](unsigned char c) { return std::isxdigit(c) != 0; };
  if (text.size() != digit_count || !std::ranges::all_of(text, is_digit)) return std::nullopt;
  std::string digits(text);
  std::ranges::transform(digits, digits.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return digits;
}

std::string fingerprint_depends_on() {
  const base::InstructionSet set = base::chosen_instruction_set();
  std::string text = fmt::format("{} loops", base::name_of(set));
#ifdef __GLIBC__
  text += fmt::format(", glibc {}", gnu_get_libc_version());
#endif
  return text;
}

}  // namespace tacit::engine

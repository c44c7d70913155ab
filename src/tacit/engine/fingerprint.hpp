// One number for a result, which others can compare with theirs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "tacit/io/file.hpp"

namespace tacit::engine {

/// Of a state. The state is all that the solver needs to go on from it, as its checkpoint holds it: the order of its
/// elements depends on none of ranks, threads, writers and restarts, and so neither does this.
struct Fingerprint {
  std::string digits;  ///< 16 hexadecimal ones
  std::string solver;
  std::uint64_t step = 0;
};

/// That of the state in a checkpoint: XXH3 of the solver's name, step, time, and contents (io::add_contents). What says
/// when, where and how the run was made does not count, nor what it counted and measured on its way.
/// @throws base::SystemError, base::FormatError if it cannot be read, or is no checkpoint
[[nodiscard]] Fingerprint fingerprint_of(const io::FileReader& checkpoint);

/// The digits of what is written like a fingerprint, as lower-case letters; nothing if it is not.
[[nodiscard]] std::optional<std::string> as_fingerprint(std::string_view text);

/// What results of this process may depend on beside program and input: "loops for x86-64-v3, glibc 2.36".
[[nodiscard]] std::string fingerprint_depends_on();

}  // namespace tacit::engine

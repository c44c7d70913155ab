// The command line of the benchmarks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "framework/benchmark.hpp"
#include "tacit/base/error.hpp"

namespace tacit::bench {

/// The user typed what cannot be meant; what() is the whole message.
class UsageError : public base::Error {
 public:
  using base::Error::Error;
};

/// What the words after `tacit bench` say.
struct Command {
  std::string_view name;  ///< of the benchmark; empty: list them
  bool as_json = false;
  bool wants_help = false;
  Effort effort = Effort::full;
};

/// @throws UsageError that says which word is wrong, with the closest known one
[[nodiscard]] Command parse_command(std::span<const std::string_view> words, std::span<const Benchmark> benchmarks);

/// Lists, describes or runs what the command names. Results go to `out`, progress to `progress`.
/// @throws what the benchmark throws
void execute(const Command& command, std::span<const Benchmark> benchmarks, std::ostream& out, std::ostream& progress);

}  // namespace tacit::bench

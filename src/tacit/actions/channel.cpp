// What is said of values of channels.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/actions/channel.hpp"

#include <fmt/format.h>

namespace tacit::actions::detail {

std::string describe_value(std::uint64_t generation, std::uint64_t channel, const std::string& name) {
  return fmt::format("generation {} of channel {}, '{}'", generation, channel, name);
}

void throw_twice(const std::string& value, const char* what) {
  throw base::PreconditionError(fmt::format("{}, is {} twice", value, what));
}

void throw_closed(const std::string& value) { throw ObjectError(fmt::format("{}, is set, but it is gone", value)); }

}  // namespace tacit::actions::detail

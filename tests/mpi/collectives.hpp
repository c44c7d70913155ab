// What every collective must do, as tests that any number of ranks run together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "mpi/conformance.hpp"

namespace tacit::comm::conformance {

/// All of them. Of the setting, `exchanges` is how often a collective of few bytes is called, `longest` the bytes of
/// the longest message.
[[nodiscard]] const std::vector<NamedCheck>& collective_checks();

/// Nodes to emulate, a digit for each rank: "0011"; "found": none.
[[nodiscard]] std::vector<std::uint32_t> nodes_of(std::string_view digits, std::size_t ranks);

}  // namespace tacit::comm::conformance

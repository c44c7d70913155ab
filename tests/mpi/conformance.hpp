// What every transport must do, as tests that any number of ranks run together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tacit/comm/communicator.hpp"
#include "tacit/comm/window.hpp"

namespace tacit::comm::conformance {

/// The providers that a run may name; which of them a build has, tests/mpi/CMakeLists.txt says.
inline constexpr std::array providers{ProviderId::self, ProviderId::shm, ProviderId::ofi, ProviderId::mpi};

/// What differs from run to run.
struct Setting {
  std::optional<ProviderId> via = {};  ///< nothing: what locality suggests
  std::size_t exchanges = 2000;        ///< of the random ones
  std::uint64_t seed = 1;
  std::size_t longest = std::size_t{1} << 24U;  ///< bytes of the longest message
};

/// Every check ends with all ranks at the same point, and throws where something is wrong: what() says what.
using Check = void (*)(Communicator&, const Setting&);

struct NamedCheck {
  const char* name;
  Check check;
};

/// All of them.
[[nodiscard]] const std::vector<NamedCheck>& checks();

}  // namespace tacit::comm::conformance

// The transports between ranks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "tacit/comm/rank.hpp"

namespace tacit::comm {

/// By which a rank may reach another one; by ProviderId::self it reaches itself.
inline constexpr std::array transports{ProviderId::shm, ProviderId::ofi, ProviderId::mpi};

}  // namespace tacit::comm

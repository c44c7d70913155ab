// Options of collectives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace tacit::comm {

/// Whether the ranks of a node combine their data in shared memory before it goes to other nodes.
enum class Pattern : std::uint8_t {
  node_aware,  ///< a node sends each other node one message
  flat,        ///< a rank sends each other rank one message, also on its node
};

/// Whether a collective measures its fastest algorithm.
enum class Tuning : std::uint8_t {
  none,      ///< as the other options say
  measured,  ///< once per communicator, kind and size; the other options stay unless another algorithm is faster
};

/// The same on all ranks.
struct CollectiveOptions {
  Pattern pattern = Pattern::node_aware;
  std::uint32_t leaders = 1;  ///< ranks of a node among which the other nodes are divided, >= 1
  Tuning tuning = Tuning::none;
};

/// Which of two ranks of a node copies a block of an all-to-all.
enum class Copying : std::uint8_t {
  by_size,      ///< the receiver copies short blocks, the sender long ones
  by_receiver,  ///< from where the sender has written it
  by_sender,    ///< to where the receiver reads it; only where all ranks share memory, else by the receiver
};

/// How the blocks of an all-to-all get from one rank of a node to another.
struct Pull {
  static constexpr std::size_t default_chunk = 512;
  std::size_t chunk = 0;  ///< [byte]; 0: each peer's block at once; else the receiver copies a chunk of each in turn
  Copying copying = Copying::by_size;  ///< the same on all ranks
};

}  // namespace tacit::comm

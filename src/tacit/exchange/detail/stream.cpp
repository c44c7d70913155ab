// Makes windows and replaces them by larger ones.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/exchange/detail/stream.hpp"

#include <algorithm>

namespace tacit::exchange::detail {
namespace {

/// So that a pattern that grows a little at each rebuild needs few connections.
Room grown(const Room& present, const Room& needed) {
  if (present.holds(needed)) return present;
  const std::size_t bytes = needed.bytes > present.bytes ? std::max(needed.bytes, 2 * present.bytes) : present.bytes;
  return {.slots = std::max(present.slots, needed.slots), .bytes = bytes};
}

}  // namespace

bool Stream::make_room(comm::Communicator& world, comm::RankId peer, std::uint32_t key, const Room& out,
                       const Room& in) {
  if (connection_ && room_out_.holds(out) && room_in_.holds(in)) return false;
  const Room grown_out = grown(room_out_, out);
  const Room grown_in = grown(room_in_, in);
  is_open_ = false;
  room_out_ = room_in_ = {};  // until all windows are there
  out_.clear();
  in_.clear();
  connection_.emplace(world, comm::Target{.rank = peer, .key = key});
  for (std::uint32_t slot = 0; slot < grown_out.slots; ++slot) {
    out_.emplace_back(*connection_, grown_out.bytes, comm::WindowOptions{.depth = depth});
  }
  for (std::uint32_t slot = 0; slot < grown_in.slots; ++slot) {
    in_.emplace_back(*connection_, grown_in.bytes, comm::WindowOptions{.depth = depth});
  }
  room_out_ = grown_out;
  room_in_ = grown_in;
  return true;
}

void Stream::open() {
  if (is_open_) return;
  connection_->open();
  for (auto& window : in_) {
    for (std::uint32_t i = 0; i < depth; ++i) window.init();
  }
  is_open_ = true;
}

std::size_t Stream::memory_bytes() const noexcept {
  return room_out_.slots * room_out_.bytes + std::size_t{depth} * room_in_.slots * room_in_.bytes;
}

}  // namespace tacit::exchange::detail

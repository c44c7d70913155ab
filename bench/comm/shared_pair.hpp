// Memory of each of two ranks that the other one has mapped.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tacit/comm/communicator.hpp"
#include "tacit/comm/detail/arena.hpp"

namespace tacit::bench {

/// What a program would use that knew nothing but shared memory: the bounds are measured on it.
class SharedPair {
 public:
  /// Both ranks make it. @param bytes  of each; zero at first
  SharedPair(comm::Communicator& world, std::size_t bytes);
  [[nodiscard]] std::byte* mine() const noexcept { return mine_.data(); }
  [[nodiscard]] std::byte* theirs() const noexcept { return theirs_.data(); }

 private:
  comm::shm::Segment mine_;
  comm::shm::Segment theirs_;
};

}  // namespace tacit::bench

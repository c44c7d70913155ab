// The halo that ours and MPI exchange, and the computation beside it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace tacit::bench {

/// Who the eight neighbours in four dimensions are.
enum class Faces : std::uint8_t {
  grid,  ///< of 2 x 1 x 1 x 1 ranks, periodic: two faces go to the other rank, six to oneself
  peer,  ///< all eight go to the other rank, as if it were eight
};

struct HaloSpec {
  static constexpr std::size_t dimensions = 4;
  static constexpr std::size_t faces = 2 * dimensions;
  std::size_t bytes = 0;  ///< of a face
  Faces who = Faces::grid;
  std::size_t work = 0;  ///< loops of `compute` between the sends and the waits
};

/// Takes a time that depends on no memory and no other process.
/// @return  a number that depends on all that was computed
[[nodiscard]] double compute(std::size_t loops) noexcept;

}  // namespace tacit::bench

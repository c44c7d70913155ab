// The smoother: red-black Schwarz on blocks of 2^4 sites.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tacit/solvers/qcd/dirac_operator.hpp"
#include "tacit/solvers/qcd/multigrid/aggregates.hpp"
#include "tacit/solvers/qcd/multigrid/block_loops.hpp"

namespace tacit::qcd::multigrid {

/// The multiplicative Schwarz alternating procedure: D e = r is solved in all red blocks, to some steps of minimal
/// residual, then in the black ones with the residual that is left. It takes away what is local of an error. Along an
/// axis of an odd number of blocks two of one colour meet: these two are then solved at once, too.
/// @see Luscher (2004), Comput. Phys. Commun. 156, 209
class Schwarz {
 public:
  /// @param D, aggregates  outlive this; the latter know the colours of blocks   @param steps  in a block
  Schwarz(const DiracOperator<float>& D, const Aggregates& aggregates, const BlockLoops& loops, std::size_t steps);

  /// D inside of blocks.
  [[nodiscard]] const BlockOperator& inside() const noexcept { return inside_; }
  enum class Residual : std::uint8_t { kept, left };  ///< left: r is of no use afterwards
  /// x <- x + M r once over both colours. All ranks call it. @param r  b - D x, and afterwards that of the new x
  void smooth(Field<float>& x, Field<float>& r, Residual residual);

 private:
  struct Colour {
    std::vector<std::uint32_t> blocks;
    std::vector<std::uint32_t> lanes;
    Field<float> e;  // 0 in the blocks of the other one
  };

  const DiracOperator<float>& D_;
  BlockLoops loops_;
  std::size_t steps_;
  BlockOperator inside_;
  std::array<Colour, 2> colours_;
  Field<float> image_;
};

}  // namespace tacit::qcd::multigrid

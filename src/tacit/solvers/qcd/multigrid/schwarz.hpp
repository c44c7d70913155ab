// The smoother: red-black Schwarz on blocks of 2^4 sites.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tacit/solvers/qcd/at_once/dirac_at_once.hpp"
#include "tacit/solvers/qcd/multigrid/aggregates.hpp"
#include "tacit/solvers/qcd/multigrid/block_loops.hpp"

namespace tacit::qcd::multigrid {

/// The multiplicative Schwarz alternating procedure: D e = r is solved in all red blocks, to some steps of minimal
/// residual, then in the black ones with the residual that is left. It takes away what is local of an error. Along an
/// axis of an odd number of blocks two of one colour meet: these two are then solved at once, too. Several fields at
/// once share links and messages.
/// @see Luscher (2004), Comput. Phys. Commun. 156, 209
class Schwarz {
 public:
  /// @param D, aggregates  outlive this; the latter know the colours of blocks   @param steps  in a block
  /// @param most  fields at once at most, as DiracAtOnce has it
  Schwarz(const DiracOperator<float>& D, const Aggregates& aggregates, const BlockLoops& loops, std::size_t steps,
          std::size_t most = 1);

  /// D inside of blocks.
  [[nodiscard]] const BlockOperator& inside() const noexcept { return inside_; }
  enum class Residual : std::uint8_t { kept, left };  ///< left: r is of no use afterwards
  /// x <- x + M r once over both colours, of each. All ranks call it with as many.
  /// @param r  b - D x, and afterwards that of the new x
  void smooth(OutFields<float> x, OutFields<float> r, Residual residual);
  /// The same of one.
  void smooth(Field<float>& x, Field<float>& r, Residual residual);
  /// D itself, for as many.
  [[nodiscard]] DiracAtOnce<float>& dirac() noexcept { return D_; }

 private:
  struct Colour {
    std::vector<std::uint32_t> blocks;
    std::vector<std::uint32_t> lanes;
    std::vector<Field<float>> e;  // of each field, 0 in the blocks of the other colour
  };

  DiracAtOnce<float> D_;
  BlockLoops loops_;
  std::size_t steps_;
  BlockOperator inside_;
  std::array<Colour, 2> colours_;
  std::vector<Field<float>> images_;
  // Of the present call, here so that it allocates nothing.
  std::vector<const Field<float>*> in_;
  std::vector<Field<float>*> out_;
};

}  // namespace tacit::qcd::multigrid

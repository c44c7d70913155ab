// What the ranks of a flow do together: sums and maxima, and modes whose conjugate partner is on another rank.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>

#include "tacit/base/exact_sum.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/fft/pencils.hpp"
#include "tacit/fft/process_grid.hpp"
#include "tacit/solvers/dns/modes.hpp"

namespace tacit::dns {

/// Reductions that are made when they are first asked for, and kept. All ranks ask for the same ones in the same order,
/// from one thread, outside of passes. One rank alone communicates nothing.
class RankReductions {
 public:
  /// @param ranks  must outlive this
  explicit RankReductions(comm::Communicator& ranks);
  ~RankReductions();
  RankReductions(const RankReductions&) = delete;
  RankReductions& operator=(const RankReductions&) = delete;

  /// Each sum becomes that of all ranks, exactly: bitwise identical however terms are divided among ranks.
  void add(std::span<base::ExactSum> sums);
  /// The largest of all ranks; NaN if any is.
  [[nodiscard]] double largest(double mine);

 private:
  struct Sums;
  struct Largest;
  comm::Communicator& ranks_;
  std::map<std::size_t, std::unique_ptr<Sums>> sums_;  // by count
  std::unique_ptr<Largest> largest_;
};

/// The larger of two numbers; NaN if either is.
[[nodiscard]] inline double larger(double a, double b) noexcept { return a >= b || a != a ? a : b; }

/// Makes modes those of a real field where both of a conjugate pair are stored, kx = 0: u(-k) = conj u(k). Of a pair,
/// the mode that stands first (by kz, then ky) is kept. Partners may be modes of different ranks, which all call this.
/// @param fields  modes in the order of fft::Pencils::spectral_place
void pair_conjugates(const fft::Pencils& pencils, std::span<const std::span<Complex>> fields,
                     fft::GridCommunicators& ranks);

}  // namespace tacit::dns

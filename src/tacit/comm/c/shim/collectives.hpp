// Collectives of MPI that are made persistent when they are met for the first time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tacit/comm/c/shim/datatype.hpp"
#include "tacit/comm/collectives/detail/exchange.hpp"
#include "tacit/comm/collectives/detail/reduction.hpp"
#include "tacit/comm/communicator.hpp"

namespace tacit::comm::shim {

/// The collectives of one communicator.
///
/// No declaration is needed: all ranks call the same collectives with the same lengths, types and operations in the
/// same order, so that each of them meets a new one when the others do.
class Collectives {
 public:
  /// Waits for the end of a collective that was started, and carries everything else on meanwhile.
  using Finish = std::function<void(detail::Collective&)>;
  Collectives(Communicator& world, MPI_Comm ranks, Finish finish)
      : world_(&world), ranks_(ranks), finish_(std::move(finish)) {}
  void clear() noexcept {
    exchanges_.clear();
    sums_.clear();
  }

  /// @param out, in  the first block of what a rank sends and gets; `out.data` may be MPI_IN_PLACE
  /// @return  false: it is left to MPI
  [[nodiscard]] bool all_to_all(Buffer out, Buffer in);
  /// @return  false: it is left to MPI
  [[nodiscard]] bool all_reduce(const void* out, void* in, int count, MPI_Datatype type, MPI_Op operation);
  [[nodiscard]] std::uint64_t calls() const noexcept { return calls_; }

 private:
  struct KnownExchange {
    std::size_t bytes;  // of a block
    std::unique_ptr<detail::Exchange> exchange;
  };
  struct KnownSum {
    MPI_Datatype type;
    MPI_Op operation;
    std::size_t count;    // elements, a power of two
    std::size_t element;  // [byte]
    std::unique_ptr<std::byte[]> memory;
    std::unique_ptr<detail::Reduction> reduction;
  };
  [[nodiscard]] detail::Exchange* exchange_for(std::size_t block);
  [[nodiscard]] KnownSum* sum_for(std::size_t count, MPI_Datatype type, MPI_Op operation);

  void carry_out(detail::Collective& collective);
  void meet() const;

  Communicator* world_;
  MPI_Comm ranks_;
  Finish finish_;
  std::vector<KnownExchange> exchanges_;
  std::vector<KnownSum> sums_;
  std::uint64_t calls_ = 0;
};

}  // namespace tacit::comm::shim

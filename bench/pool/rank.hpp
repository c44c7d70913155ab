// What each of the ranks does that `tacit bench work_pool` starts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <string_view>

#include "comm/rank.hpp"
#include "product.hpp"

namespace tacit::bench {

/// The first word that makes the program one of the ranks; not for users.
inline constexpr std::string_view pool_rank = "--pool-rank";
/// The figure that two ranks measure last.
inline constexpr std::string_view last_pool_figure = "fetch_add_shared_flags";
/// The figure that three ranks measure.
inline constexpr std::string_view beside_figure = "pool_vs_master_beside";

/// Measures all figures on two ranks. Rank 0 hands them to `sink`.
void measure_pool(comm::Communicator& world, Effort effort, const Sink& sink);
/// On three ranks: a master beside two slaves, on as many processors as the pool's two ranks.
void measure_master_beside(comm::Communicator& world, Effort effort, const Sink& sink);

/// A rank that mpirun started; rank 0 writes each figure as a line.
/// @param words  after pool_rank: "full" or "quick"
void serve_pool(std::span<const std::string_view> words, std::ostream& out);

/// The products in plain MPI, and tickets by MPI_Fetch_and_op; null where this build has no MPI or the ranks are
/// threads.
[[nodiscard]] std::unique_ptr<product::Method> mpi_master(const product::Problem& problem);
[[nodiscard]] std::unique_ptr<product::Method> mpi_division(const product::Problem& problem);

/// Draws from a counter of rank 0.
class Tickets {
 public:
  Tickets() = default;
  Tickets(const Tickets&) = delete;
  Tickets& operator=(const Tickets&) = delete;
  virtual ~Tickets() = default;
  virtual void draw(std::size_t count) = 0;
};
[[nodiscard]] std::unique_ptr<Tickets> mpi_tickets();

}  // namespace tacit::bench

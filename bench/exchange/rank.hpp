// What each of the ranks does that `tacit bench exchange` starts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <string_view>

#include "comm/rank.hpp"
#include "exchange/rim.hpp"

namespace tacit::bench {

/// The first word that makes the program one of the ranks; not for users.
inline constexpr std::string_view exchange_rank = "--exchange-rank";
/// The figures that two ranks of one node, and those of two emulated nodes, measure last.
inline constexpr std::string_view last_on_node = "heat_2r_exposed_share_256";
inline constexpr std::string_view last_on_nodes = "heat_2n_hidden_of_possible";

/// Measures all figures of two ranks on one node; rank 0 hands them to `sink`.
void measure_exchange(comm::Communicator& world, Effort effort, const Sink& sink);

/// A rank that was started; rank 0 writes each figure as a line.
/// @param words  after exchange_rank: "full" or "quick", and "node" or "nodes"
void serve_exchange(std::span<const std::string_view> words, std::ostream& out);

// Its sections.

/// A message each way per step: tasks, bare windows, MPI.
void measure_halo_tasks(const Plan& plan);
/// Many short messages each way per step.
void measure_many(const Plan& plan);
/// What a poll costs while many messages are to come.
void measure_open_receives(const Plan& plan);
/// Steps of the heat solver on two ranks of one node beside those of one rank.
void measure_heat(const Plan& plan);
/// Steps of the heat solver on two emulated nodes.
void measure_heat_nodes(const Plan& plan);

/// A key of connections that nothing else in this benchmark uses.
[[nodiscard]] std::uint32_t next_exchange_key();

/// The same messages by persistent requests of MPI; null where this build has no MPI or the ranks are threads.
[[nodiscard]] std::unique_ptr<PingPong> mpi_rim(comm::Communicator& world, std::size_t bytes);
[[nodiscard]] std::unique_ptr<PingPong> mpi_cells(comm::Communicator& world, std::size_t count);

}  // namespace tacit::bench

// `tacit bench sph_ranks`: the gas on ranks of one node and of emulated nodes beside one rank.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "comm/crew.hpp"
#include "comm/launch.hpp"
#include "comm/rank.hpp"
#include "framework/benchmark.hpp"

namespace tacit::bench {

/// The first word that makes the program one of its ranks; not for users.
inline constexpr std::string_view sph_rank = "--sph-rank";

/// A rank that was started; rank 0 writes each figure as a line.
/// @param words  after sph_rank: "full" or "quick", "node" or "nodes", and what joins these: Mbit/s and us of delay
void serve_sph_ranks(std::span<const std::string_view> words, std::ostream& out);

[[nodiscard]] Benchmark sph_ranks_benchmark();

// Its sections.

/// Full steps in turns with one rank of one thread and of two (ranks_steps.cpp).
void measure_full_steps(const Plan& plan, Crew& crew, comm::Communicator& self);
/// Steps that a hundredth of the particles end, in turns with one rank (ranks_steps.cpp).
void measure_sparse_steps(const Plan& plan, Crew& crew, comm::Communicator& self);
/// What ten thousand messages in a step cost (ranks_messages.cpp).
void measure_many_messages(const Plan& plan, Crew& crew);
/// What steps of an explosion send, by how many particles end them (ranks_blast.cpp).
void measure_blast(const Plan& plan, Crew& crew);
inline constexpr std::string_view last_gas_on_node = "sedov_steps_without_messages_share";

/// Full steps on two emulated nodes (ranks_nodes.cpp).
void measure_gas_nodes(const Plan& plan, const Wire& wire);
/// How the names of their figures begin; nothing is added to the wire by itself.
[[nodiscard]] std::string figures_on(const Wire& wire);
[[nodiscard]] std::string last_figure_on(const Wire& wire);

/// Memory of real runs on one rank and on four (ranks_memory.cpp).
void add_memory_of_ranks(Session& session);

}  // namespace tacit::bench

// A job's communication: which ranks send how many bytes to which, as transposes, halos or a list.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace tacit::placement::network {

/// Transposes on a process grid: rank = place in its row + row_ranks * number of the row. Every rank sends `row_bytes`
/// to each other rank of its row, then `column_bytes` to each other rank of its column.
struct Transposes {
  std::uint32_t row_ranks = 1;     // ranks of one row
  std::uint32_t column_ranks = 1;  // ranks of one column, that is, rows
  double row_bytes = 0.0;          // from each rank to each other one of its row [byte]
  double column_bytes = 0.0;       // from each rank to each other one of its column [byte]
};

/// Faces exchanged on a grid of ranks; rank = x + X (y + Y z).
struct Halos {
  std::array<std::uint32_t, 3> ranks{1, 1, 1};
  std::array<double, 3> bytes{0, 0, 0};  // of one face normal to x, y, z [byte]
  std::array<bool, 3> is_periodic{true, true, true};
};

/// Bytes that a rank sends to another.
struct Message {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  double bytes = 0.0;
};

/// Any messages, for example from a trace.
struct Messages {
  std::uint32_t ranks = 0;
  std::vector<Message> list;
};

/// What a job does between its ranks, and how many ranks share a node. Ranks of one node talk through memory.
struct Job {
  std::variant<Transposes, Halos, Messages> pattern;
  std::uint32_t ranks_per_node = 1;
};

/// The transposes of one field of a pseudo-spectral code.
///
///     row_bytes    = word points / (row_ranks^2 column_ranks)
///     column_bytes = word points / (row_ranks column_ranks^2)
///
/// @param points        grid points of the field in all (of real values, or twice the complex ones), for example
/// 12288^3
/// @param word          bytes of one value
/// @param row_ranks     ranks of one row, > 0
/// @param column_ranks  ranks of one column, > 0
[[nodiscard]] Transposes transposes(double points, double word, std::uint32_t row_ranks, std::uint32_t column_ranks);

/// How many ranks the job has.
[[nodiscard]] std::size_t rank_count(const Job& job);
/// How many nodes the job fills, the last one perhaps in part.
[[nodiscard]] std::size_t nodes_needed(const Job& job);

/// Checks the job: ranks above 0, bytes finite and not negative, messages between ranks that exist.
/// @throws base::Error that names the quantity, its value and what is allowed
void check(const Job& job);

}  // namespace tacit::placement::network

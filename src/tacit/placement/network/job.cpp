// A job's communication: counts, the volumes of transposes, and the check of what a description says.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/placement/network/job.hpp"

#include <cmath>
#include <string>

#include "tacit/base/error.hpp"

namespace tacit::placement::network {
namespace {

/// Most ranks of a job: lists of ranks are held in memory.
constexpr double most_ranks = 1U << 28U;

struct RankCount {
  std::size_t operator()(const Transposes& job) const { return std::size_t{job.row_ranks} * job.column_ranks; }
  std::size_t operator()(const Halos& job) const { return std::size_t{job.ranks[0]} * job.ranks[1] * job.ranks[2]; }
  std::size_t operator()(const Messages& job) const { return job.ranks; }
};

void check_bytes(const std::string& what, double bytes) {
  if (bytes >= 0.0 && std::isfinite(bytes)) return;
  throw base::Error("job: " + what + " is " + std::to_string(bytes) + "; a finite number of at least 0 is needed");
}

void check_ranks(const std::string& what, double ranks) {
  if (ranks < 1.0) throw base::Error("job: " + what + " is 0; at least 1 is needed");
  if (ranks > most_ranks) throw base::Error("job: " + what + " is above 2^28; the model holds lists of ranks");
}

struct Check {
  void operator()(const Transposes& job) const {
    check_ranks("row_ranks", job.row_ranks);
    check_ranks("column_ranks", job.column_ranks);
    check_ranks("row_ranks * column_ranks", 1.0 * job.row_ranks * job.column_ranks);
    check_bytes("row_bytes", job.row_bytes);
    check_bytes("column_bytes", job.column_bytes);
  }
  void operator()(const Halos& job) const {
    double ranks = 1.0;
    for (std::size_t d = 0; d < 3; ++d) {
      const std::string axis(1, "xyz"[d]);
      check_ranks("ranks in " + axis, job.ranks[d]);
      check_bytes("bytes of a face normal to " + axis, job.bytes[d]);
      ranks *= job.ranks[d];
    }
    check_ranks("the number of ranks", ranks);
  }
  void operator()(const Messages& job) const {
    check_ranks("ranks", job.ranks);
    for (const Message& message : job.list) {
      const std::string ends = std::to_string(message.from) + " to rank " + std::to_string(message.to);
      if (message.from >= job.ranks || message.to >= job.ranks) {
        throw base::Error("job: a message goes from rank " + ends + "; there are " + std::to_string(job.ranks) +
                          " ranks");
      }
      check_bytes("a message from rank " + ends, message.bytes);
    }
  }
};

}  // namespace

Transposes transposes(double points, double word, std::uint32_t row_ranks, std::uint32_t column_ranks) {
  TACIT_EXPECT(row_ranks > 0 && column_ranks > 0);
  const double mine = word * points / (1.0 * row_ranks * column_ranks);  // bytes of one rank
  return {row_ranks, column_ranks, mine / row_ranks, mine / column_ranks};
}

std::size_t rank_count(const Job& job) { return std::visit(RankCount{}, job.pattern); }

std::size_t nodes_needed(const Job& job) {
  TACIT_EXPECT(job.ranks_per_node > 0);
  return (rank_count(job) + job.ranks_per_node - 1) / job.ranks_per_node;
}

void check(const Job& job) {
  if (job.ranks_per_node == 0) throw base::Error("job: ranks_per_node is 0; at least 1 is needed");
  std::visit(Check{}, job.pattern);
}

}  // namespace tacit::placement::network

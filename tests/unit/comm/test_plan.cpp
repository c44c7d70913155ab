// What collectives send from node to node: both ends divide messages alike, and all that is sent is read.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "tacit/base/random.hpp"
#include "tacit/comm/collectives/detail/plan.hpp"

namespace tacit::comm {
namespace plan_test {

using detail::BufferPiece;
using detail::Passage;
using detail::Plan;
using detail::Routes;
using detail::Team;

using Bytes = std::vector<std::byte>;

constexpr std::uint32_t per_node = 3;
constexpr std::uint32_t ranks = 3 * per_node;

Team team_of(std::uint32_t rank, std::uint32_t leaders) {
  std::vector<RankInfo> all(ranks);
  for (std::uint32_t i = 0; i < ranks; ++i) {
    all[i].rank = RankId{i};
    all[i].domain = i / per_node;
  }
  return detail::make_team(all, RankId{rank}, {.leaders = leaders});
}

std::vector<Plan> plans(const Routes& routes, std::uint32_t leaders) {
  std::vector<Plan> made;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    made.push_back(make_plan(team_of(rank, leaders), RankId{rank}, routes));
  }
  return made;
}

/// The parts that a rank exchanges with each other, in order.
std::map<RankId, std::vector<const Passage*>> by_peer(const Plan& plan) {
  std::map<RankId, std::vector<const Passage*>> parts;
  for (const Passage& passage : plan.passages) parts[passage.peer].push_back(&passage);
  return parts;
}

/// What every rank gets when all do what their plans say.
class Exchanged {
 public:
  Exchanged(const std::vector<Plan>& plans, const std::vector<Bytes>& brought) : plans_(plans) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      shared_.emplace_back(plans[rank].half);
      std::ranges::copy(brought[rank], shared_[rank].begin());
    }
    for (std::uint32_t rank = 0; rank < ranks; ++rank) send(rank);
  }
  [[nodiscard]] Bytes got(std::uint32_t rank, std::size_t bytes) const {
    Bytes out(bytes);
    for (const auto* pieces : {&plans_[rank].near, &plans_[rank].far}) {
      for (const BufferPiece& piece : *pieces) copy(rank, piece, out);
    }
    return out;
  }

 private:
  void copy(std::uint32_t rank, const BufferPiece& piece, Bytes& to) const {
    const Bytes& from = shared_[rank / per_node * per_node + piece.member];
    ASSERT_LE(piece.from + piece.bytes, from.size());
    ASSERT_LE(piece.to + piece.bytes, to.size());
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(piece.from), piece.bytes,
                to.begin() + static_cast<std::ptrdiff_t>(piece.to));
  }
  void send(std::uint32_t rank) {
    for (const auto& [peer, parts] : by_peer(plans_[rank])) {
      const auto theirs = by_peer(plans_[number(peer)]);
      const auto& ends = theirs.at(RankId{rank});
      ASSERT_EQ(parts.size(), ends.size());
      for (std::size_t i = 0; i < parts.size(); ++i) {
        ASSERT_EQ(parts[i]->sends, ends[i]->receives) << "both ends make windows of one length";
        if (!parts[i]->sends) continue;
        Bytes message(*parts[i]->sends);
        for (const BufferPiece& piece : parts[i]->pack) copy(rank, piece, message);
        ASSERT_LE(ends[i]->lands + message.size(), shared_[number(peer)].size());
        std::ranges::copy(message, shared_[number(peer)].begin() + static_cast<std::ptrdiff_t>(ends[i]->lands));
      }
    }
  }

  const std::vector<Plan>& plans_;
  std::vector<Bytes> shared_;
};

std::byte byte_of(std::uint32_t from, std::uint32_t to, std::size_t i) {
  return static_cast<std::byte>((31 * from + 7 * to + i * (1 + from)) % 251);
}

void expect_all_to_all(const std::vector<std::vector<std::size_t>>& bytes, std::uint32_t leaders) {
  const auto made = plans(detail::routes_all_to_all("all-to-all-v", bytes), leaders);
  std::vector<Bytes> brought(ranks);
  std::vector<Bytes> expected(ranks);
  for (std::uint32_t from = 0; from < ranks; ++from) {
    for (std::uint32_t to = 0; to < ranks; ++to) {
      for (std::size_t i = 0; i < bytes[from][to]; ++i) {
        brought[from].push_back(byte_of(from, to, i));
        expected[to].push_back(byte_of(from, to, i));
      }
    }
  }
  const Exchanged exchanged(made, brought);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    EXPECT_EQ(exchanged.got(rank, expected[rank].size()), expected[rank]) << "rank " << rank;
  }
}

std::vector<std::vector<std::size_t>> all_of(std::size_t bytes) {
  return std::vector(ranks, std::vector<std::size_t>(ranks, bytes));
}

TEST(CommPlan, AllToAllsOfAnyLength) {
  for (const std::uint32_t leaders : {1U, 2U, 3U}) {
    for (const std::size_t bytes : {0U, 1U, 500U, 7281U, 7282U, 20'000U}) expect_all_to_all(all_of(bytes), leaders);
  }
}

/// Lengths that differ, some of them nothing: parts of different numbers in the two directions.
TEST(CommPlan, BlocksOfAllSizes) {
  constexpr std::uint64_t seed = 5;
  for (std::uint64_t round = 0; round < 10; ++round) {
    auto bytes = all_of(0);
    for (std::uint32_t from = 0; from < ranks; ++from) {
      for (std::uint32_t to = 0; to < ranks; ++to) {
        const double draw = base::uniform(seed + round, from, to);
        const double scale = from / per_node == round % 3 ? 60'000.0 : 6000.0;
        bytes[from][to] = draw < 0.2 ? 0 : static_cast<std::size_t>(scale * draw);
      }
    }
    expect_all_to_all(bytes, 1 + round % 2);
  }
}

/// What takes long on a wire goes as soon as one rank has brought its share; what is short, all at once.
TEST(CommPlan, LongMessagesGoInParts) {
  const auto parts_of = [](std::size_t block) {
    std::vector<std::size_t> parts;
    const auto made = plans(detail::routes_all_to_all(ranks, block), 1);
    for (const auto& [peer, passages] : by_peer(made.front())) parts.push_back(passages.size());
    return parts;
  };
  constexpr std::size_t pairs = std::size_t{per_node} * per_node;
  constexpr std::size_t whole = std::size_t{64} << 10U;
  EXPECT_EQ(parts_of(whole / pairs), (std::vector<std::size_t>{1, 1}));
  EXPECT_EQ(parts_of(whole / pairs + 1), (std::vector<std::size_t>{per_node, per_node}));
  const auto one = plans(detail::routes_scatter(RankId{0}, ranks, whole), 1);
  EXPECT_EQ(one.front().passages.size(), 2U) << "who has all need not wait for anybody";
}

}  // namespace plan_test
}  // namespace tacit::comm

// Ranks that are processes of one test, without a launcher that would end them all when one dies.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

#include "tacit/comm/bootstrap/mailbox.hpp"

namespace tacit::comm::testing {

/// Carries messages of the set-up over a socket to each other rank. What goes to a dead rank is lost, silently: that it
/// is dead others must notice.
class SocketBootstrap final : public Bootstrap {
 public:
  /// @param sockets  by rank, connected to those ranks and closed by the destructor; our own is not used
  SocketBootstrap(RankId rank, std::vector<int> sockets);
  ~SocketBootstrap() override;

  [[nodiscard]] RankId rank() const noexcept override { return rank_; }
  [[nodiscard]] std::size_t size() const noexcept override { return sockets_.size(); }
  [[nodiscard]] std::string_view name() const noexcept override { return "sockets"; }
  void send(RankId to, const SetupKey& key, std::span<const std::byte> message) override;
  std::optional<Bytes> try_receive(RankId from, const SetupKey& key) override;
  std::vector<Bytes> all_gather(std::span<const std::byte> mine, double deadline_s) override;

 private:
  void flush();
  void take_all();
  [[nodiscard]] Bytes receive(RankId from, const SetupKey& key, double deadline_s);

  RankId rank_;
  std::vector<int> sockets_;
  Mailbox mailbox_;
  std::deque<std::pair<RankId, Bytes>> unsent_;  // a stopped rank reads nothing
  std::uint64_t gathers_ = 0;
};

/// Sockets between all ranks: [i][j] is what rank i uses for rank j.
[[nodiscard]] std::vector<std::vector<int>> connect_all(std::size_t size);

}  // namespace tacit::comm::testing

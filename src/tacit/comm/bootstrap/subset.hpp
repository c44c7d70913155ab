// Some ranks of another bootstrap, renumbered.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tacit/comm/bootstrap/bootstrap.hpp"

namespace tacit::comm {

/// Carries its messages through those of the whole, under a group of their own.
class SubsetBootstrap final : public Bootstrap {
 public:
  /// @param whole  outlives this; not itself a part
  /// @param ranks  numbers in `whole`, by numbers here; its own rank is among them
  /// @param group  other than 0; no two parts that share two ranks have the same
  SubsetBootstrap(Bootstrap& whole, std::vector<RankId> ranks, std::uint64_t group);

  [[nodiscard]] RankId rank() const noexcept override { return rank_; }
  [[nodiscard]] std::size_t size() const noexcept override { return ranks_.size(); }
  [[nodiscard]] std::string_view name() const noexcept override { return whole_->name(); }
  void send(RankId to, const SetupKey& key, std::span<const std::byte> message) override;
  std::optional<Bytes> try_receive(RankId from, const SetupKey& key) override;
  /// A message from each rank to each.
  std::vector<Bytes> all_gather(std::span<const std::byte> mine, double deadline_s) override;

 private:
  [[nodiscard]] Bytes receive(RankId from, const SetupKey& key, double deadline_s);

  Bootstrap* whole_;
  std::vector<RankId> ranks_;
  std::uint64_t group_;
  RankId rank_{};
  std::uint64_t gathers_ = 0;
};

}  // namespace tacit::comm

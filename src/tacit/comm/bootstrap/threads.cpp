// Ranks that reach each other through mailboxes in common memory.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/bootstrap/threads.hpp"

#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <utility>

#include "tacit/comm/backoff.hpp"
#include "tacit/comm/bootstrap/mailbox.hpp"
#include "tacit/comm/detail/peer_watch.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::comm {
namespace {

/// What the ranks have in common; the last of them ends it.
struct Room {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  explicit Room(std::size_t size) : boxes(size) {}
  std::vector<Mailbox> boxes;
  std::atomic<std::uint32_t> failed{none};  // the first rank that gave up
  std::mutex mutex;
  std::vector<std::shared_ptr<void>> kept;  // the mutex guards it
};

class ThreadBootstrap final : public Bootstrap {
 public:
  ThreadBootstrap(std::shared_ptr<Room> room, RankId rank) : room_(std::move(room)), rank_(rank) {}

  [[nodiscard]] RankId rank() const noexcept override { return rank_; }
  [[nodiscard]] std::size_t size() const noexcept override { return room_->boxes.size(); }
  [[nodiscard]] std::string_view name() const noexcept override { return size() == 1 ? "alone" : "threads"; }

  void send(RankId to, const SetupKey& key, std::span<const std::byte> message) override {
    room_->boxes[number(to)].put(rank_, key, Bytes(message.begin(), message.end()));
  }
  std::optional<Bytes> try_receive(RankId from, const SetupKey& key) override {
    return room_->boxes[number(rank_)].take(from, key);
  }
  std::vector<Bytes> all_gather(std::span<const std::byte> mine, double deadline_s) override {
    const SetupKey key{gathering, gathers_++};
    std::vector<Bytes> all;
    for (std::uint32_t rank = 0; rank < size(); ++rank) send(RankId{rank}, key, mine);
    for (std::uint32_t rank = 0; rank < size(); ++rank) all.push_back(receive(RankId{rank}, key, deadline_s));
    return all;
  }
  void keep(std::shared_ptr<void> memory) override {
    const std::lock_guard guard(room_->mutex);
    room_->kept.push_back(std::move(memory));
  }
  void abandon() noexcept override {
    Bootstrap::abandon();
    std::uint32_t none = Room::none;
    room_->failed.compare_exchange_strong(none, number(rank_), std::memory_order_acq_rel);
  }
  [[nodiscard]] std::optional<RankId> find_failed_thread() const noexcept override {
    const std::uint32_t failed = room_->failed.load(std::memory_order_acquire);
    return failed == Room::none ? std::nullopt : std::optional(RankId{failed});
  }

 private:
  static constexpr std::uint64_t gathering = ~std::uint64_t{0};  // no connection has this number

  Bytes receive(RankId from, const SetupKey& key, double deadline_s) {
    Backoff backoff(Processors::shared, deadline_s, watch_);
    for (;;) {
      if (auto message = try_receive(from, key)) return std::move(*message);
      carry_on();
      if (!backoff.pause()) {
        if (watch_ != nullptr && watch_->is_lost()) {
          watch_->throw_lost(fmt::format("rank {} to take part in the set-up", number(from)));
        }
        throw DeadlineError(fmt::format("rank {}: waited {} s for rank {} to take part in the set-up", number(rank_),
                                        deadline_s, number(from)));
      }
    }
  }

  std::shared_ptr<Room> room_;
  RankId rank_;
  std::uint64_t gathers_ = 0;
};

}  // namespace

std::vector<std::unique_ptr<Bootstrap>> bootstrap_threads(std::size_t size) {
  const auto room = std::make_shared<Room>(size);
  std::vector<std::unique_ptr<Bootstrap>> all;
  for (std::uint32_t rank = 0; rank < size; ++rank)
    all.push_back(std::make_unique<ThreadBootstrap>(room, RankId{rank}));
  return all;
}

std::unique_ptr<Bootstrap> bootstrap_alone() { return std::move(bootstrap_threads(1).front()); }

}  // namespace tacit::comm

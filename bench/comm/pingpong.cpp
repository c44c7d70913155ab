// Flags and windows, back and forth.
// SPDX-License-Identifier: Apache-2.0
#include "comm/pingpong.hpp"

#include <cstring>
#include <new>

#include "comm/shared_pair.hpp"
#include "tacit/base/error.hpp"
#include "tacit/comm/layout.hpp"

namespace tacit::bench {
namespace {

using comm::number;
using comm::RankId;

RankId other(const comm::Communicator& world) { return RankId{1 - number(world.rank())}; }

/// The two flags, on cache lines that share nothing with each other.
struct Flags {
  alignas(128) std::atomic<std::uint64_t> ping{0};
  alignas(128) std::atomic<std::uint64_t> pong{0};
};

class FlagPingPong final : public PingPong {
 public:
  explicit FlagPingPong(comm::Communicator& world) : begins_(number(world.rank()) == 0), memory_(world, sizeof(Flags)) {
    std::byte* memory = begins_ ? memory_.mine() : memory_.theirs();
    flags_ = begins_ ? new (memory) Flags : std::launder(reinterpret_cast<Flags*>(memory));
    world.synchronise();
  }
  void run(std::size_t round_trips) override {
    for (std::size_t i = 0; i < round_trips; ++i) {
      ++turn_;
      if (begins_) flags_->ping.store(turn_, std::memory_order_release);
      const auto& awaited = begins_ ? flags_->pong : flags_->ping;
      while (awaited.load(std::memory_order_acquire) != turn_) {
      }
      if (!begins_) flags_->pong.store(turn_, std::memory_order_release);
    }
  }

 private:
  bool begins_;
  SharedPair memory_;
  Flags* flags_ = nullptr;
  std::uint64_t turn_ = 0;
};

class DirectPingPong final : public PingPong {
 public:
  DirectPingPong(comm::Communicator& world, ByHand by, std::size_t bytes, Source source)
      : begins_(number(world.rank()) == 0),
        by_(by),
        source_(source),
        bytes_(bytes),
        memory_(world, sizeof(Line) + 2 * bytes) {
    mine_ = new (memory_.mine()) Line;
    world.synchronise();
    theirs_ = std::launder(reinterpret_cast<Line*>(memory_.theirs()));
    world.synchronise();
  }
  void run(std::size_t round_trips) override {
    for (std::size_t i = 0; i < round_trips; ++i) {
      ++turn_;
      if (begins_) send();
      receive();
      if (!begins_) send();
    }
  }

 private:
  struct alignas(128) Line {
    std::atomic<std::uint64_t> turn{0};
  };
  static std::byte* message_in(std::byte* memory) { return memory + sizeof(Line); }
  [[nodiscard]] std::byte* source_in(std::byte* memory) const { return message_in(memory) + bytes_; }

  void send() {
    std::byte* const from = source_in(memory_.mine());
    std::byte* const to = message_in(memory_.theirs());
    if (source_ == Source::written) touch({from, bytes_}, turn_);
    if (by_ == ByHand::stored) std::memcpy(to, from, bytes_);
    if (by_ == ByHand::past_caches) comm::gather_past_caches(comm::Layout::contiguous(from, bytes_), bytes_, to);
    theirs_->turn.store(turn_, std::memory_order_release);
  }
  void receive() {
    while (mine_->turn.load(std::memory_order_acquire) != turn_) {
    }
    const std::span<std::byte> message(message_in(memory_.mine()), bytes_);
    // As windows do for messages of this size, else a bound would not be one.
    constexpr std::size_t longest_fetched = 65536;
    if (by_ == ByHand::fetched) {
      std::memcpy(message.data(), source_in(memory_.theirs()), bytes_);
    } else if (bytes_ <= longest_fetched) {
      for (std::size_t i = 0; i < bytes_; i += 64) __builtin_prefetch(message.data() + i);
    }
    sum_ = sum_ + read_all(message);
  }

  bool begins_;
  ByHand by_;
  Source source_;
  std::size_t bytes_;
  SharedPair memory_;
  Line* mine_ = nullptr;
  Line* theirs_ = nullptr;
  std::uint64_t turn_ = 0;
  volatile std::uint64_t sum_ = 0;
};

class WindowPingPong final : public PingPong {
 public:
  WindowPingPong(comm::Communicator& world, comm::ProviderId via, std::size_t bytes, Source source)
      : begins_(number(world.rank()) == 0),
        source_(source),
        connection_(world, {.rank = other(world), .via = via}),
        send_(connection_, bytes),
        receive_(connection_, bytes) {
    connection_.open();
    receive_.init();
    world.synchronise();
  }
  void run(std::size_t round_trips) override {
    for (std::size_t i = 0; i < round_trips; ++i) {
      ++turn_;
      if (begins_) send();
      const auto message = receive_.wait();
      sum_ = sum_ + read_all(message);
      receive_.init();
      if (!begins_) send();
      send_.wait();
    }
  }

 private:
  void send() {
    if (source_ == Source::written) touch(send_.data(), turn_);
    send_.post();
  }

  bool begins_;
  Source source_;
  comm::Connection connection_;
  comm::SendWindow<std::byte> send_;
  comm::RecvWindow<std::byte> receive_;
  std::uint64_t turn_ = 0;
  volatile std::uint64_t sum_ = 0;
};

class WindowStream final : public PingPong {
 public:
  WindowStream(comm::Communicator& world, comm::ProviderId via, std::size_t bytes)
      : sends_(number(world.rank()) == 0),
        connection_(world, {.rank = other(world), .via = via}),
        send_(connection_, bytes, {.depth = stream_depth}),
        receive_(connection_, bytes, {.depth = stream_depth}) {
    connection_.open();
    if (!sends_) {
      for (std::uint32_t i = 0; i < stream_depth; ++i) receive_.init();
    }
    world.synchronise();
  }
  void run(std::size_t messages) override {
    for (std::size_t i = 0; i < messages; ++i) {
      if (sends_) {
        send_.post();
        send_.wait();
      } else {
        sum_ = sum_ + read_all(receive_.wait());
        receive_.init();
      }
    }
  }

 private:
  bool sends_;
  comm::Connection connection_;
  comm::SendWindow<std::byte> send_;
  comm::RecvWindow<std::byte> receive_;
  volatile std::uint64_t sum_ = 0;
};

}  // namespace

std::uint64_t read_all(std::span<const std::byte> bytes) noexcept {
  // Eight sums, so that the loop is bound by the loads.
  std::uint64_t sums[8] = {};
  std::size_t i = 0;
  for (; i + 64 <= bytes.size(); i += 64) {
    for (std::size_t k = 0; k < 8; ++k) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + i + 8 * k, 8);
      sums[k] += word;
    }
  }
  std::uint64_t sum = 0;
  for (; i < bytes.size(); ++i) sum += static_cast<std::uint64_t>(bytes[i]);
  for (const std::uint64_t part : sums) sum += part;
  return sum;
}

std::uint64_t read_touched(std::span<const std::byte> bytes, std::uint64_t turn) {
  std::uint64_t first = turn;
  if (bytes.size() >= sizeof(first)) std::memcpy(&first, bytes.data(), sizeof(first));
  if (first != turn) throw base::Error("a rank got what belongs to another call");
  return read_all(bytes);
}

std::unique_ptr<PingPong> flag_ping_pong(comm::Communicator& world) { return std::make_unique<FlagPingPong>(world); }

std::unique_ptr<PingPong> direct_ping_pong(comm::Communicator& world, ByHand by, std::size_t bytes, Source source) {
  return std::make_unique<DirectPingPong>(world, by, bytes, source);
}

std::unique_ptr<PingPong> window_ping_pong(comm::Communicator& world, comm::ProviderId via, std::size_t bytes,
                                           Source source) {
  return std::make_unique<WindowPingPong>(world, via, bytes, source);
}

std::unique_ptr<PingPong> window_stream(comm::Communicator& world, comm::ProviderId via, std::size_t bytes) {
  return std::make_unique<WindowStream>(world, via, bytes);
}

}  // namespace tacit::bench

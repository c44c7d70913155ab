// Two bound threads that pass a flag back and forth.
// SPDX-License-Identifier: Apache-2.0
#include "framework/flag_latency.hpp"

#include <atomic>
#include <cstdint>
#include <thread>

#include "tacit/base/clock.hpp"

namespace tacit::bench {
namespace {

constexpr std::uint32_t batches = 21;
constexpr std::uint32_t round_trips = 500;  // about 0.1 ms a batch: short beside the scheduler's time slices

/// The two flags, on cache lines that share nothing with each other or anything else.
struct Table {
  alignas(128) std::atomic<std::uint32_t> ping{0};
  alignas(128) std::atomic<std::uint32_t> pong{0};
};

void await(const std::atomic<std::uint32_t>& flag, std::uint32_t value) noexcept {
  while (flag.load(std::memory_order_acquire) != value) {
  }
}

void answer(Table& table, std::uint32_t count) noexcept {
  for (std::uint32_t i = 1; i <= count; ++i) {
    await(table.ping, i);
    table.pong.store(i, std::memory_order_release);
  }
}

/// Mean one-way time of the round trips `first` to `first + round_trips - 1` [ns].
double time_batch(Table& table, std::uint32_t first) noexcept {
  const std::int64_t begin = base::now_ns();
  for (std::uint32_t i = first; i < first + round_trips; ++i) {
    table.ping.store(i, std::memory_order_release);
    await(table.pong, i);
  }
  return static_cast<double>(base::now_ns() - begin) / (2.0 * round_trips);
}

}  // namespace

std::optional<Summary> measure_flag_latency(std::span<const topology::CpuId> processors) {
  if (processors.size() < 2) return std::nullopt;
  Table table;
  std::vector<double> samples;
  std::jthread there([&] {
    const topology::Binding binding(processors[1]);
    answer(table, (batches + 1) * round_trips);
  });
  std::jthread here([&] {
    const topology::Binding binding(processors[0]);
    time_batch(table, 1);  // the first batch waits for the other thread to start
    for (std::uint32_t batch = 1; batch <= batches; ++batch) {
      samples.push_back(time_batch(table, 1 + batch * round_trips));
    }
  });
  here.join();
  there.join();
  return summarise(std::move(samples));
}

}  // namespace tacit::bench

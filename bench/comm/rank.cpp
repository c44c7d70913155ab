// Measures windows beside flags, copies and MPI, all in turns, on two ranks.
// SPDX-License-Identifier: Apache-2.0
#include "comm/rank.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "comm/pingpong.hpp"
#include "comm/turns.hpp"
#include "tacit/base/clock.hpp"
#include "tacit/topology/cpus.hpp"

namespace tacit::bench {
namespace {

using comm::ProviderId;

/// What a message costs without a second rank: a copy, and a read of the copy.
class LocalCopy final : public PingPong {
 public:
  LocalCopy(const comm::Communicator& world, std::size_t bytes)
      : works_(comm::number(world.rank()) == 0), from_(bytes), to_(bytes) {}
  void run(std::size_t round_trips) override {
    for (std::size_t i = 0; works_ && i < 2 * round_trips; ++i) {
      std::memcpy(to_.data(), from_.data(), to_.size());
      sum_ = sum_ + read_all(to_);
    }
  }

 private:
  bool works_;
  std::vector<std::byte> from_;
  std::vector<std::byte> to_;
  volatile std::uint64_t sum_ = 0;
};

enum Index : std::size_t { window, flag, local, fresh, persistent, through_mpi, by_hand };

Contestants contestants_for(const Plan& plan, std::size_t bytes) {
  comm::Communicator& world = *plan.world;
  Contestants all;
  all.emplace_back("window", window_ping_pong(world, ProviderId::shm, bytes));
  all.emplace_back("flag", flag_ping_pong(world));
  all.emplace_back("local", std::make_unique<LocalCopy>(world, bytes));
  all.emplace_back("MPI_Isend", mpi_ping_pong(world, MpiRequests::fresh, bytes));
  all.emplace_back("MPI_Start", mpi_ping_pong(world, MpiRequests::persistent, bytes));
  all.emplace_back("window through mpi",
                   all.back().second == nullptr ? nullptr : window_ping_pong(world, ProviderId::mpi, bytes));
  all.emplace_back("shared memory", direct_ping_pong(world, ByHand::stored, bytes));
  return all;
}

/// The best of what a program could do by hand, batch by batch.
std::vector<double> best_of(const Times& seconds, std::size_t first) {
  std::vector<double> best = seconds[first];
  for (std::size_t way = first + 1; way < seconds.size(); ++way) {
    for (std::size_t i = 0; i < best.size(); ++i) best[i] = std::min(best[i], seconds[way][i]);
  }
  return best;
}

/// MPI's messages without persistent requests beside ours, which are persistent.
void add_vs_mpi(const Plan& plan, const std::string& name, const Times& seconds, double limit, double flag_ns) {
  if (seconds[fresh].empty()) return;
  add_ratio(plan, name + "_vs_mpi", ratios(seconds[fresh], seconds[window]), Better::higher, limit, flag_ns);
}

/// MPI's persistent requests under a window beside MPI's fresh ones.
void add_persistent(const Plan& plan, const std::string& size, const Times& seconds, double flag_ns) {
  if (seconds[fresh].empty()) return;
  add_ratio(plan, "window_" + size + "_mpi_vs_isend", ratios(seconds[through_mpi], seconds[fresh]), Better::lower, 1.0,
            flag_ns);
}

void measure_short(const Plan& plan, std::size_t bytes, const std::string& size) {
  const Contestants contestants = contestants_for(plan, bytes);
  const auto seconds = take_turns(plan, contestants, plan.size(2000, 20));
  const double flag_ns = median_of(seconds[flag], 1e9);
  Result time = figure(contestants, seconds, "put_" + size + "_ns", "ns", 1e9);
  time.flag_ns = flag_ns;
  plan.add(time);
  add_ratio(plan, "put_" + size + "_flags", ratios(seconds[window], seconds[flag]), Better::lower, 1.25, flag_ns);
  add_vs_mpi(plan, "put_" + size, seconds, 1.0, flag_ns);
  add_persistent(plan, size, seconds, flag_ns);
}

void measure_long(const Plan& plan, std::size_t bytes, const std::string& size, std::size_t trips) {
  Contestants contestants = contestants_for(plan, bytes);
  contestants.emplace_back("past the caches", direct_ping_pong(*plan.world, ByHand::past_caches, bytes));
  contestants.emplace_back("fetched", direct_ping_pong(*plan.world, ByHand::fetched, bytes));
  const auto seconds = take_turns(plan, contestants, plan.size(trips, 3));
  const double flag_ns = median_of(seconds[flag], 1e9);
  Result time = figure(contestants, seconds, "window_" + size + "_us", "us", 1e6);
  for (std::size_t way = by_hand; way < contestants.size(); ++way) {
    time.peers.emplace_back(contestants[way].first, median_of(seconds[way], 1e6));
  }
  time.flag_ns = flag_ns;
  plan.add(time);
  std::vector<double> least;
  for (std::size_t i = 0; i < seconds[flag].size(); ++i) least.push_back(seconds[flag][i] + seconds[local][i]);
  add_ratio(plan, "window_" + size + "_memcpy_ratio", ratios(seconds[window], least), Better::lower, 1.45, flag_ns);
  add_ratio(plan, "window_" + size + "_vs_best_way", ratios(seconds[window], best_of(seconds, by_hand)), Better::lower,
            1.15, flag_ns);
  add_vs_mpi(plan, "window_" + size, seconds, 2.0, flag_ns);
  add_persistent(plan, size, seconds, flag_ns);
}

/// The same where each message is written before it is sent.
void measure_written(const Plan& plan, std::size_t bytes, const std::string& size, std::size_t trips) {
  comm::Communicator& world = *plan.world;
  constexpr Source source = Source::written;
  Contestants contestants;
  contestants.emplace_back("window", window_ping_pong(world, ProviderId::shm, bytes, source));
  contestants.emplace_back("MPI_Isend", mpi_ping_pong(world, MpiRequests::fresh, bytes, source));
  const std::size_t first = contestants.size();
  contestants.emplace_back("shared memory", direct_ping_pong(world, ByHand::stored, bytes, source));
  contestants.emplace_back("past the caches", direct_ping_pong(world, ByHand::past_caches, bytes, source));
  contestants.emplace_back("fetched", direct_ping_pong(world, ByHand::fetched, bytes, source));
  const auto seconds = take_turns(plan, contestants, plan.size(trips, 3));
  Result time = figure(contestants, seconds, "window_" + size + "_written_us", "us", 1e6);
  for (std::size_t way = first; way < contestants.size(); ++way) {
    time.peers.emplace_back(contestants[way].first, median_of(seconds[way], 1e6));
  }
  plan.add(time);
  add_ratio(plan, "window_" + size + "_written_vs_best_way", ratios(seconds[0], best_of(seconds, first)), Better::lower,
            1.15, 0.0);
  if (seconds[1].empty()) return;
  add_ratio(plan, "window_" + size + "_written_vs_mpi", ratios(seconds[1], seconds[0]), Better::higher, 1.0, 0.0);
}

void measure_rate(const Plan& plan, std::size_t bytes, const std::string& size) {
  Contestants contestants;
  contestants.emplace_back("window", window_stream(*plan.world, ProviderId::shm, bytes));
  contestants.emplace_back("MPI_Isend", mpi_stream(*plan.world, bytes));
  // A run is twice as many one-way times as it has messages.
  const auto seconds = take_turns(plan, contestants, plan.size(64'000, 640));
  Result result{.name = "message_rate_" + size, .unit = "1e6/s", .better = Better::higher};
  const auto rates = [](const std::vector<double>& one_way) {
    std::vector<double> values;
    for (const double s : one_way) values.push_back(1e-6 / (2.0 * s));
    return summarise(std::move(values));
  };
  result.ours = rates(seconds[0]);
  if (!seconds[1].empty()) result.peers.emplace_back("MPI_Isend", rates(seconds[1]).median);
  plan.add(result);
}

/// What it costs to find the transport: asking a window for a message that has not come, beside asking the slot itself.
void measure_dispatch(const Plan& plan) {
  comm::Communicator& world = *plan.world;
  comm::Connection connection(world, {.rank = world.rank()});
  comm::SendWindow<std::byte> send(connection, 8);
  comm::RecvWindow<std::byte> receive(connection, 8);
  receive.init();
  auto head = std::make_unique<comm::detail::SlotHead>();
  // On the heap, as a window's is: else its members would stay in registers.
  const auto slot = std::make_unique<comm::detail::SlotReceiver>(
      std::vector<comm::detail::Slot>{{head.get(), head->payload}}, comm::Layout{});
  const auto asked = static_cast<double>(plan.size(1'000'000, 1000));
  const auto time = [asked](auto& end) {
    const base::Stopwatch watch;
    bool has_come = false;
    for (double i = 0.0; i < asked; i += 1.0) has_come = has_come || end.test();
    return has_come ? 0.0 : watch.seconds() / asked * 1e9;
  };
  std::vector<double> ns;
  for (std::size_t sample = 0; sample < plan.size(11, 3); ++sample) ns.push_back(time(receive) - time(*slot));
  send.post();
  receive.wait();
  send.wait();
  plan.add({.name = "dispatch_ns", .unit = "ns", .ours = summarise(std::move(ns)), .limit = 2.0});
}

}  // namespace

void measure_comm(comm::Communicator& world, Effort effort, const Sink& sink) {
  const Plan plan{&world, effort, &sink};
  std::optional<topology::Binding> binding;
  const auto cpus = topology::allowed_cpus();
  if (cpus.size() >= world.size()) binding.emplace(cpus[comm::number(world.rank())]);
  measure_short(plan, 8, "8B");
  measure_short(plan, 64, "64B");
  measure_long(plan, std::size_t{8} << 10U, "8KB", 500);
  measure_long(plan, std::size_t{64} << 10U, "64KB", 200);
  measure_long(plan, std::size_t{1} << 20U, "1MB", 30);
  measure_written(plan, std::size_t{64} << 10U, "64KB", 200);
  measure_written(plan, std::size_t{1} << 20U, "1MB", 30);
  measure_rate(plan, 8, "8B");
  measure_rate(plan, 1024, "1KB");
  measure_buffered(plan);
  measure_all_to_all(plan);
  measure_other_collectives(plan);
  measure_halo(plan);
  measure_dispatch(plan);
}

void serve_comm(std::span<const std::string_view> words, std::ostream& out) {
  const Effort effort = !words.empty() && words.front() == "quick" ? Effort::quick : Effort::full;
  comm::Communicator world;
  measure_comm(world, effort, [&out](const Result& result) { out << to_line(result) << '\n' << std::flush; });
}

std::string to_line(const Result& result) {
  nlohmann::json json{{"name", result.name},
                      {"unit", result.unit},
                      {"higher", result.better == Better::higher},
                      {"ours", {result.ours.median, result.ours.min, result.ours.max, result.ours.samples}},
                      {"peers", result.peers}};
  if (result.limit) json["limit"] = *result.limit;
  if (result.flag_ns) json["flag_ns"] = *result.flag_ns;
  return json.dump();
}

Result from_line(const std::string& line) {
  try {
    const auto json = nlohmann::json::parse(line);
    const auto& ours = json.at("ours");
    Result result{.name = json.at("name"),
                  .unit = json.at("unit"),
                  .better = json.at("higher").get<bool>() ? Better::higher : Better::lower,
                  .ours = {ours.at(0), ours.at(1), ours.at(2), ours.at(3)},
                  .peers = json.at("peers").get<std::vector<std::pair<std::string, double>>>()};
    if (json.contains("limit")) result.limit = json.at("limit").get<double>();
    if (json.contains("flag_ns")) result.flag_ns = json.at("flag_ns").get<double>();
    return result;
  } catch (const nlohmann::json::exception& error) {
    throw base::FormatError("the output of a rank", fmt::format("'{}': {}", line, error.what()));
  }
}

}  // namespace tacit::bench

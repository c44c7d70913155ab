// The sections that two ranks measure.
// SPDX-License-Identifier: Apache-2.0
#include "actions/rank.hpp"

#include <cstring>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "actions/caller.hpp"
#include "comm/crew.hpp"
#include "comm/launch.hpp"
#include "tacit/base/clock.hpp"
#include "tacit/base/error.hpp"
#include "tacit/base/memory.hpp"

namespace tacit::bench {

void Callee::count_slowly(std::uint64_t value) {
  count(value);
  if (count_ % 1000 != 0) return;
  constexpr double work_s = 200e-6;
  const base::Stopwatch watch;
  while (watch.seconds() < work_s) ++sum_;
}

actions::Table Caller::table() {
  actions::Table table;
  table.add<&Callee::count>("count");
  table.add<&Callee::count_slowly>("count slowly");
  table.add<&Callee::answer>("answer");
  table.add<&Callee::give_back>("give back");
  table.add<&MovableCallee::count>("count, movable");
  table.add_object<MovableCallee>("callee");
  table.add_channel<std::uint64_t>("numbers");
  return table;
}

Caller::Caller(comm::Communicator& world)
    : begins_(comm::number(world.rank()) == 0), actions_(world, scheduler_, table()) {
  callee_ = actions_.local(actions_.make<Callee>());
  movable_ = actions_.local(actions_.make<MovableCallee>());
  actions_.quiet();  // those of the other rank are there
}

namespace {

/// One rank calls, the other one runs what is called: each counts on its own how many there must have been.
template <class Call>
class Calls final : public PingPong {
 public:
  /// @param call  of a number; awaits the answer
  Calls(Caller& caller, double times, Call call) : caller_(caller), times_(times), call_(std::move(call)) {}
  void run(std::size_t calls) override {
    if (caller_.begins()) {
      for (std::size_t i = 0; i < calls; ++i) call_(i);
      return;
    }
    const std::uint64_t expected = caller_.callee().counted() + calls;
    caller_.serve_until([&] { return caller_.callee().counted() >= expected; });
  }
  [[nodiscard]] double times_per_trip() const override { return times_; }

 private:
  Caller& caller_;
  double times_;
  Call call_;
};
template <class Call>
[[nodiscard]] std::unique_ptr<PingPong> calls(Caller& caller, double times, Call call) {
  return std::make_unique<Calls<Call>>(caller, times, std::move(call));
}

/// Actions without answer to the other rank, which then sends one back.
template <auto function>
class Stream final : public PingPong {
 public:
  explicit Stream(Caller& caller) : caller_(caller) {}
  void run(std::size_t sends) override {
    if (caller_.begins()) {
      const std::uint64_t before = caller_.callee().counted();
      caller_.run(send(sends));
      return caller_.serve_until([&] { return caller_.callee().counted() > before; });
    }
    const std::uint64_t expected = counted() + sends;
    caller_.serve_until([&] { return counted() >= expected; });
    caller_.actions().send<&Callee::count>(caller_.others(), 1U).wait();
    caller_.serve_until([] { return true; });
  }
  [[nodiscard]] double times_per_trip() const override { return 1.0; }

 private:
  static constexpr bool is_movable = actions::CanMove<typename actions::detail::Signature<function>::Object>;
  [[nodiscard]] std::uint64_t counted() {
    if constexpr (is_movable) {
      return caller_.movable().counted();
    } else {
      return caller_.callee().counted();
    }
  }
  tasks::Task<> send(std::size_t sends) {
    for (std::uint64_t i = 0; i < sends; ++i) {
      if constexpr (is_movable) {
        co_await caller_.actions().send<function>(caller_.others_movable(), i);
      } else {
        co_await caller_.actions().send<function>(caller_.others(), i);
      }
    }
  }
  Caller& caller_;
};

/// A memcpy and a read of the copy, on each rank alone.
class Copy final : public PingPong {
 public:
  explicit Copy(std::size_t bytes) : from_(bytes), to_(bytes) {}
  void run(std::size_t copies) override {
    for (std::size_t i = 0; i < copies; ++i) {
      touch(from_, i);
      std::memcpy(to_.data(), from_.data(), from_.size());
      sum_ = sum_ + read_all(to_);
    }
  }
  [[nodiscard]] double times_per_trip() const override { return 1.0; }

 private:
  std::vector<std::byte> from_;
  std::vector<std::byte> to_;
  volatile std::uint64_t sum_ = 0;
};

/// A value to the other rank and back, through a channel on each.
class ChannelPingPong final : public PingPong {
 public:
  explicit ChannelPingPong(Caller& caller)
      : caller_(caller), in_(caller.actions()), out_(caller.actions(), {caller.other(), in_.handle().id}) {
    caller.actions().quiet();
  }
  void run(std::size_t trips) override {
    caller_.run(pass(trips));
    caller_.serve_until([] { return true; });
  }

 private:
  tasks::Task<> pass(std::size_t trips) {
    for (std::uint64_t i = 0; i < trips; ++i) {
      if (caller_.begins()) co_await out_.set(i);
      if (co_await in_.get() != i) throw base::Error("a channel has given another value");
      if (!caller_.begins()) co_await out_.set(i);
    }
  }
  Caller& caller_;
  actions::Channel<std::uint64_t> in_;
  actions::ChannelSetter<std::uint64_t> out_;
};

void measure_flood(const Plan& plan, Caller& caller) {
  Crew crew(caller.world());
  const std::size_t count = plan.size(1'000'000, 10'000);
  const auto flood = [&]() -> tasks::Task<> {
    for (std::uint64_t i = 0; i < count; ++i) co_await caller.actions().send<&Callee::count_slowly>(caller.others(), i);
  };
  const double before = static_cast<double>(base::peak_memory().value_or(0));
  caller.run(flood());
  caller.actions().quiet();
  if (caller.callee().counted() != count) throw base::Error("actions of the flood are missing");
  const double peak = crew.largest(static_cast<double>(base::peak_memory().value_or(0)) - before);
  plan.add({.name = "flood_peak_bytes", .unit = "B", .ours = summarise({peak}), .limit = 64.0 * 1024 * 1024});
}

void measure_round_trips(const Plan& plan, Caller& caller) {
  enum Index : std::size_t { ours, mpi, flag };
  Contestants all;
  all.emplace_back("actions", calls(caller, 1.0, [&](std::uint64_t i) {
                     if (caller.actions().call<&Callee::answer>(caller.others(), i).get() != i + 1)
                       throw base::Error("a call has another one's answer");
                   }));
  all.emplace_back("MPI", mpi_ping_pong(caller.world(), MpiRequests::fresh, 8));
  all.emplace_back("flag", flag_ping_pong(caller.world()));
  const Times seconds = take_turns(plan, all, plan.size(2000, 20));
  const double flag_ns = median_of(seconds[flag], 1e9);
  Result time{.name = "action_round_trip_ns", .unit = "ns", .ours = summarise(scaled(seconds[ours], 1e9))};
  if (!seconds[mpi].empty()) time.peers.emplace_back("MPI", median_of(seconds[mpi], 2e9));
  time.flag_ns = flag_ns;
  plan.add(time);
  add_ratio(plan, "action_round_trip_flags", ratios(seconds[ours], seconds[flag]), Better::lower, 10.0, flag_ns);
}

void measure_rates(const Plan& plan, Caller& caller) {
  enum Index : std::size_t { ours, movable, mpi, flag };
  Contestants all;
  all.emplace_back("actions", std::make_unique<Stream<&Callee::count>>(caller));
  all.emplace_back("movable", std::make_unique<Stream<&MovableCallee::count>>(caller));
  all.emplace_back("MPI", mpi_stream(caller.world(), 8));
  all.emplace_back("flag", flag_ping_pong(caller.world()));
  const Times seconds = take_turns(plan, all, plan.size(20'000, 200));
  const auto add = [&](const char* name, Index which, double limit) {
    const auto per_s = [](std::vector<double> times) {
      for (double& one : times) one = 1.0 / one;
      return times;
    };
    Result rate{.name = name, .unit = "1/s", .better = Better::higher, .ours = summarise(per_s(seconds[which]))};
    // A run of MPI's is twice as many one-way times as it has messages.
    if (!seconds[mpi].empty()) rate.peers.emplace_back("MPI", summarise(per_s(scaled(seconds[mpi], 2.0))).median);
    if (limit > 0.0) rate.limit = limit;
    rate.flag_ns = median_of(seconds[flag], 1e9);
    plan.add(rate);
  };
  add("actions_per_s_2r", ours, 5e6);
  add("movable_actions_per_s_2r", movable, 0.0);
}

void measure_long(const Plan& plan, Caller& caller) {
  constexpr std::size_t bytes = 65536;
  enum Index : std::size_t { ours, mpi, copy, flag };
  Contestants all;
  all.emplace_back("actions",
                   calls(caller, 2.0, [&, values = std::vector<std::uint64_t>(bytes / 8)](std::uint64_t i) mutable {
                     touch(std::as_writable_bytes(std::span(values)), i);
                     values = caller.actions().call<&Callee::give_back>(caller.others(), values).take();
                     read_touched(std::as_bytes(std::span(values)), i);
                   }));
  all.emplace_back("MPI", mpi_ping_pong(caller.world(), MpiRequests::fresh, bytes, Source::written));
  all.emplace_back("copy", std::make_unique<Copy>(bytes));
  all.emplace_back("flag", flag_ping_pong(caller.world()));
  const Times seconds = take_turns(plan, all, plan.size(300, 3));
  const double flag_ns = median_of(seconds[flag], 1e9);
  Result time{.name = "action_64KB_us", .unit = "us", .ours = summarise(scaled(seconds[ours], 1e6))};
  if (!seconds[mpi].empty()) time.peers.emplace_back("MPI", median_of(seconds[mpi], 1e6));
  time.flag_ns = flag_ns;
  plan.add(time);
  std::vector<double> least;
  for (std::size_t i = 0; i < seconds[flag].size(); ++i) least.push_back(seconds[flag][i] + seconds[copy][i]);
  add_ratio(plan, "action_64KB_memcpy_ratio", ratios(seconds[ours], least), Better::lower, 1.6, flag_ns);
}

void measure_channels(const Plan& plan, Caller& caller) {
  actions::Channel<std::uint64_t> local(caller.actions());
  actions::ChannelSetter<std::uint64_t> setter(caller.actions(), local.handle());
  enum Index : std::size_t { here, there, mpi, flag };
  Contestants all;
  all.emplace_back("local", repeated([&](std::uint64_t turn) {
                     setter.set(turn).ignore();
                     if (local.get().get() != turn) throw base::Error("a channel has given another value");
                   }));
  all.emplace_back("channels", std::make_unique<ChannelPingPong>(caller));
  all.emplace_back("MPI", mpi_ping_pong(caller.world(), MpiRequests::fresh, 8));
  all.emplace_back("flag", flag_ping_pong(caller.world()));
  const Times seconds = take_turns(plan, all, plan.size(2000, 20));
  const double flag_ns = median_of(seconds[flag], 1e9);
  plan.add({.name = "channel_local_ns", .unit = "ns", .ours = summarise(scaled(seconds[here], 1e9)), .limit = 120.0});
  Result far{.name = "channel_2r_ns", .unit = "ns", .ours = summarise(scaled(seconds[there], 1e9))};
  if (!seconds[mpi].empty()) far.peers.emplace_back("MPI", median_of(seconds[mpi], 1e9));
  far.flag_ns = flag_ns;
  plan.add(far);
}

void measure_wire(const Plan& plan, Caller& caller) {
  Crew crew(caller.world());
  constexpr std::size_t count = 1000;
  std::vector<double> messages;
  for (std::size_t sample = 0; sample < plan.size(31, 3); ++sample) {
    const std::uint64_t before = caller.actions().messages();
    if (caller.begins()) {
      std::vector<tasks::Future<std::uint64_t>> answers;
      for (std::uint64_t i = 0; i < count; ++i)
        answers.push_back(caller.actions().call<&Callee::answer>(caller.others(), i));
      for (auto& answer : answers) static_cast<void>(answer.get());
    }
    caller.actions().quiet();
    messages.push_back(crew.sum(static_cast<double>(caller.actions().messages() - before)));
  }
  plan.add({.name = std::string(last_actions_on_nodes), .unit = "1", .ours = summarise(messages), .limit = 20.0});
}

}  // namespace

void measure_actions(comm::Communicator& world, Effort effort, const Sink& sink) {
  const Plan plan{&world, effort, &sink};
  const BoundRank bound(world);
  Caller caller(world);
  measure_flood(plan, caller);
  measure_round_trips(plan, caller);
  measure_rates(plan, caller);
  measure_long(plan, caller);
  measure_channels(plan, caller);
  caller.actions().quiet();
}

void serve_actions(std::span<const std::string_view> words, std::ostream& out) {
  if (words.size() != 2) throw base::Error("a rank of the benchmark 'actions' takes two words");
  const Effort effort = words[0] == "quick" ? Effort::quick : Effort::full;
  const bool is_on_nodes = words[1] == "nodes";
  const std::string routes = is_on_nodes ? write_routes("mpi") : "";
  comm::Communicator world({.routes = routes});
  const Sink sink = [&out](const Result& result) { out << to_line(result) << '\n' << std::flush; };
  if (!is_on_nodes) return measure_actions(world, effort, sink);
  const BoundRank bound(world);
  Caller caller(world);
  measure_wire({&world, effort, &sink}, caller);
  caller.actions().quiet();
}

}  // namespace tacit::bench

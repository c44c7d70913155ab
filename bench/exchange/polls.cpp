// What a poll costs while messages are to come: few, many, and many that are awaited one by one.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <deque>
#include <optional>
#include <utility>

#include "exchange/rank.hpp"
#include "exchange/worker.hpp"
#include "tacit/base/clock.hpp"
#include "tacit/base/error.hpp"
#include "tacit/comm/window.hpp"
#include "tacit/exchange/exchange.hpp"

namespace tacit::bench {
namespace {

constexpr comm::RankId waiting_rank{0};
constexpr comm::RankId sending_rank{1};

/// The time of a poll while nothing has come [ns]. @throws base::Error if something has
double time_polls(base::CompletionSource& source, std::size_t polls) {
  std::array<base::Completion, 8> completions;
  std::size_t got = 0;
  const base::Stopwatch watch;
  for (std::size_t i = 0; i < polls; ++i) got += source.poll(completions);
  const double ns = watch.seconds() * 1e9 / static_cast<double>(polls);
  if (got != 0) throw base::Error("a message has come before it was sent");
  return ns;
}

/// Rank 1 sends when rank 0 says so.
class Starter {
 public:
  explicit Starter(comm::Communicator& world)
      : is_waiting_(world.rank() == waiting_rank),
        connection_(world, {.rank = is_waiting_ ? sending_rank : waiting_rank, .key = next_exchange_key()}) {
    if (is_waiting_) {
      out_.emplace(connection_, 1);
    } else {
      in_.emplace(connection_, 1);
      in_->init();
    }
    world.synchronise();
  }
  void start() {
    out_->post();
    out_->wait();
  }
  void wait() {
    in_->wait();
    in_->init();
  }
  [[nodiscard]] bool is_waiting() const noexcept { return is_waiting_; }

 private:
  bool is_waiting_;
  comm::Connection connection_;
  std::optional<comm::SendWindow<std::byte>> out_;
  std::optional<comm::RecvWindow<std::byte>> in_;
};

/// So many messages of a phase are to come to rank 0, whose tasks wait for them while one polls.
class OpenPhase {
 public:
  OpenPhase(comm::Communicator& world, Worker& worker, std::size_t receives, std::size_t polls)
      : worker_(worker), starter_(world), exchange_(world, {.key = next_exchange_key()}) {
    exchange::Messages messages;
    for (std::size_t i = 0; i < receives; ++i) add(messages, static_cast<std::uint32_t>(i));
    exchange_.add(graph_, "open", std::move(messages));
    if (starter_.is_waiting()) {
      // The least urgent: it runs when all that can be posted is.
      graph_.add("poll", tasks::writes(graph_.add_datum()),
                 [this, polls, &source = world.completions()](tasks::StepContext& /*step*/) {
                   ns_ = time_polls(source, polls);
                   starter_.start();
                 },
                 {.cost = 0.0});
    }
    exchange_.connect();
    all_ = graph_.activate_all();
  }
  /// @return  the time of a poll [ns], on rank 0
  double run() {
    taken_ = 0;
    if (!starter_.is_waiting()) starter_.wait();
    worker_.run(graph_, all_, 0);
    return ns_;
  }
  [[nodiscard]] std::size_t taken() const noexcept { return taken_; }

 private:
  void add(exchange::Messages& messages, std::uint32_t key) {
    exchange::Message message{.peer = sending_rank, .key = key, .count = Cells::bytes};
    if (starter_.is_waiting()) {
      messages.receive<std::byte>(
          message, tasks::writes(graph_.add_datum()),
          [this](tasks::StepContext& /*step*/, std::span<const std::byte> /*from*/) { ++taken_; });
      return;
    }
    message.peer = waiting_rank;
    messages.send<std::byte>(message, tasks::reads(graph_.add_datum()),
                             [](tasks::StepContext& /*step*/, std::span<std::byte> to) { touch(to, 1); });
  }

  Worker& worker_;
  Starter starter_;
  tasks::Graph graph_;
  exchange::Exchange exchange_;
  tasks::Activation all_;
  double ns_ = 0.0;
  std::size_t taken_ = 0;
};

/// Each message has a window of its own, and all are awaited at once.
class OpenWindows {
 public:
  OpenWindows(comm::Communicator& world, std::size_t receives)
      : world_(world),
        starter_(world),
        connection_(world, {.rank = starter_.is_waiting() ? sending_rank : waiting_rank, .key = next_exchange_key()}) {
    for (std::size_t i = 0; i < receives; ++i) {
      if (starter_.is_waiting()) {
        in_.emplace_back(connection_, Cells::bytes);
      } else {
        out_.emplace_back(connection_, Cells::bytes);
      }
    }
    connection_.open();
    for (auto& window : in_) window.init();
    world.synchronise();
  }
  double run(std::size_t polls) {
    if (!starter_.is_waiting()) {
      starter_.wait();
      for (auto& window : out_) window.post();
      for (auto& window : out_) window.wait();
      return 0.0;
    }
    for (std::size_t i = 0; i < in_.size(); ++i) in_[i].await(base::Token{1 + i});
    const double ns = time_polls(world_.completions(), polls);
    starter_.start();
    std::array<base::Completion, 64> completions;
    for (std::size_t left = in_.size(); left > 0;) left -= world_.completions().poll(completions);
    for (auto& window : in_) window.init();
    return ns;
  }

 private:
  comm::Communicator& world_;
  Starter starter_;
  comm::Connection connection_;
  std::deque<comm::RecvWindow<std::byte>> in_;
  std::deque<comm::SendWindow<std::byte>> out_;
};

struct Polls {
  std::vector<double> few;
  std::vector<double> many;
  std::vector<double> windows;
};

Polls time_in_turns(const Plan& plan, Worker& worker) {
  const std::size_t polls = plan.size(10'000, 100);
  const std::size_t count = plan.size(10'000, 300);
  OpenPhase few(*plan.world, worker, 100, polls);
  OpenPhase many(*plan.world, worker, count, polls);
  OpenWindows windows(*plan.world, count);
  Polls ns;
  for (std::size_t sample = 0; sample <= plan.size(31, 3); ++sample) {
    const std::array<double, 3> one{few.run(), many.run(), windows.run(plan.size(50, 5))};
    const bool is_waiting = plan.world->rank() == waiting_rank;
    if (is_waiting && many.taken() != count) throw base::Error("messages are missing");
    if (sample == 0) continue;
    ns.few.push_back(one[0]);
    ns.many.push_back(one[1]);
    ns.windows.push_back(one[2]);
  }
  return ns;
}

}  // namespace

void measure_open_receives(const Plan& plan) {
  Worker worker(*plan.world);
  const auto flags = flag_ping_pong(*plan.world);
  const double flag_ns = 1e9 * time_of(*flags, plan.size(2000, 20));
  const Polls ns = time_in_turns(plan, worker);
  if (plan.world->rank() != waiting_rank) return;
  plan.add({.name = "exchange_poll_100_ns", .unit = "ns", .ours = summarise(ns.few), .flag_ns = flag_ns});
  plan.add({.name = "exchange_poll_10000_ns",
            .unit = "ns",
            .ours = summarise(ns.many),
            .peers = {{"windows", summarise(ns.windows).median}},
            .flag_ns = flag_ns});
  add_ratio(plan, "exchange_poll_10000_over_100", ratios(ns.many, ns.few), Better::lower, 2.0, flag_ns);
}

}  // namespace tacit::bench

// Measures the products in turns, and what a draw costs.
// SPDX-License-Identifier: Apache-2.0
#include "pool/rank.hpp"

#include <chrono>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "comm/pingpong.hpp"
#include "pool.hpp"
#include "tacit/base/clock.hpp"
#include "tacit/comm/collectives/reduce.hpp"
#include "tacit/comm/one_sided/one_sided.hpp"
#include "tacit/comm/one_sided/shared_counter.hpp"
#include "tacit/topology/cpus.hpp"

namespace tacit::bench {
namespace {

using product::Method;
using product::Problem;
using product::Timing;

/// How often, and where the figures go.
struct PoolPlan {
  comm::Communicator* world;
  Effort effort;
  const Sink* sink;
  comm::OneSidedWindow<std::byte>* gate;  ///< where ranks sleep that have nothing to do

  [[nodiscard]] std::size_t size(std::size_t full, std::size_t quick) const {
    return effort == Effort::full ? full : quick;
  }
  [[nodiscard]] bool is_first() const { return comm::number(world->rank()) == 0; }
  void add(const Result& result) const {
    if (is_first()) (*sink)(result);
  }
};

/// What the runs of one method took, by sample.
struct Runs {
  std::vector<double> seconds;
  std::vector<double> idle_shares;
};

void must_be_right(const Problem& problem, const Method& method) {
  if (!problem.is_product(method.c())) throw std::runtime_error("a product of the benchmark is wrong");
}

/// The share of the workers' time that they were not computing, on all ranks.
double idle_share(comm::AllReduce<double>& sum, std::span<double> values, const Timing& timing, std::size_t workers) {
  values[0] = timing.busy_s;
  values[1] = timing.seconds * static_cast<double>(workers);
  sum.run();
  return 1.0 - values[0] / values[1];
}

/// The methods take turns; those that are not there have no samples. Each runs once first, which touches its memory.
std::vector<Runs> take_turns(const PoolPlan& plan, comm::Communicator& world, const Problem& problem,
                             std::span<const std::unique_ptr<Method>> methods, std::size_t workers) {
  std::vector<double> values(2);
  comm::AllReduce<double> sum(world, std::span(values), std::plus<>());
  std::vector<Runs> runs(methods.size());
  const std::size_t samples = plan.size(7, 1);
  for (std::size_t sample = 0; sample <= samples; ++sample) {
    for (std::size_t i = 0; i < methods.size(); ++i) {
      if (methods[i] == nullptr) continue;
      const Timing timing = methods[i]->run();
      const double idle = idle_share(sum, values, timing, workers);
      if (sample == 0) continue;
      runs[i].seconds.push_back(timing.seconds);
      runs[i].idle_shares.push_back(idle);
    }
  }
  for (const auto& method : methods) {
    if (method != nullptr && comm::number(world.rank()) == 0) must_be_right(problem, *method);
  }
  return runs;
}

void add_ratio(const PoolPlan& plan, std::string name, const std::vector<double>& theirs,
               const std::vector<double>& ours, std::optional<double> limit) {
  if (theirs.empty()) return;
  plan.add({.name = std::move(name),
            .unit = "1",
            .better = Better::higher,
            .ours = summarise(ratios(theirs, ours)),
            .limit = limit});
}

std::size_t order_of(const PoolPlan& plan) { return plan.size(2048, 128); }

constexpr double idle_limit = 0.05;

void measure_products(const PoolPlan& plan) {
  const Problem problem(order_of(plan));
  std::vector<std::unique_ptr<Method>> methods;
  methods.push_back(product::by_pool(*plan.world, problem, 1));
  methods.push_back(mpi_master(problem));
  methods.push_back(mpi_division(problem));
  const auto runs = take_turns(plan, *plan.world, problem, methods, 1);
  Result time{.name = "pool_s", .unit = "s", .ours = summarise(runs[0].seconds)};
  if (!runs[1].seconds.empty()) time.peers.emplace_back("master and slave", summarise(runs[1].seconds).median);
  if (!runs[2].seconds.empty()) time.peers.emplace_back("fixed division", summarise(runs[2].seconds).median);
  plan.add(time);
  plan.add({.name = "pool_idle_share", .unit = "1", .ours = summarise(runs[0].idle_shares), .limit = idle_limit});
  if (!runs[1].idle_shares.empty()) {
    plan.add({.name = "master_idle_share", .unit = "1", .ours = summarise(runs[1].idle_shares)});
    plan.add({.name = "division_idle_share", .unit = "1", .ours = summarise(runs[2].idle_shares)});
  }
  add_ratio(plan, "pool_vs_master", runs[1].seconds, runs[0].seconds, 1.0);
  add_ratio(plan, "pool_vs_division", runs[2].seconds, runs[0].seconds, std::nullopt);
}

/// Rank 0 alone, with a thread for each processor that the ranks have; the other one sleeps until it is over.
void measure_threads(const PoolPlan& plan) {
  comm::Communicator alone = plan.world->split(comm::number(plan.world->rank()), 0);
  if (!plan.is_first()) {
    while (plan.gate->signal(0) == 0) std::this_thread::sleep_for(std::chrono::microseconds(500));
    return;
  }
  const std::size_t threads = plan.world->size();
  const Problem problem(order_of(plan));
  std::vector<std::unique_ptr<Method>> methods;
  methods.push_back(product::by_pool(alone, problem, threads));
  const auto runs = take_turns(plan, alone, problem, methods, threads);
  plan.add({.name = "pool_threads_s", .unit = "s", .ours = summarise(runs[0].seconds)});
  plan.add(
      {.name = "pool_threads_idle_share", .unit = "1", .ours = summarise(runs[0].idle_shares), .limit = idle_limit});
  plan.gate->put(comm::RankId{1}, 0, {}, {.signal = 0});
}

class OurTickets final : public Tickets {
 public:
  explicit OurTickets(comm::Communicator& world) : counter_(world) { counter_.open(); }
  void draw(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) sum_ = sum_ + counter_.fetch_add();
  }

 private:
  comm::SharedCounter counter_;
  volatile std::uint64_t sum_ = 0;
};

enum class Drawing : std::uint8_t { alone, all };

/// Seconds of a draw, by sample. Alone: by rank 1, while rank 0, which keeps the counter, waits for it.
std::vector<double> draw_times(const PoolPlan& plan, Tickets& tickets, Drawing drawing, comm::Barrier& barrier) {
  const std::size_t draws = plan.size(20'000, 100);
  const bool draws_here = drawing == Drawing::all || !plan.is_first();
  barrier.run();
  std::vector<double> seconds(1);
  const base::Stopwatch watch;
  if (draws_here) tickets.draw(draws);
  if (drawing == Drawing::alone) barrier.run();
  seconds[0] = watch.seconds() / static_cast<double>(draws);
  barrier.run();
  return seconds;
}

/// Seconds one way.
double one_way(const PoolPlan& plan, PingPong& flag, comm::Barrier& barrier) {
  const std::size_t trips = plan.size(5'000, 20);
  barrier.run();
  const base::Stopwatch watch;
  flag.run(trips);
  return watch.seconds() / (2.0 * static_cast<double>(trips));
}

/// A notice without data there, another one back.
class NoticePingPong final : public PingPong {
 public:
  explicit NoticePingPong(comm::Communicator& world)
      : other_(comm::RankId{1 - comm::number(world.rank())}), begins_(comm::number(other_) == 1), window_(world, 0) {
    window_.fence();
  }
  void run(std::size_t round_trips) override {
    for (std::size_t i = 0; i < round_trips; ++i) {
      if (begins_) window_.put(other_, 0, {}, {.signal = 0});
      window_.wait_signal(0, ++turn_);
      if (!begins_) window_.put(other_, 0, {}, {.signal = 0});
    }
  }

 private:
  comm::RankId other_;
  bool begins_;
  comm::OneSidedWindow<std::byte> window_;
  std::uint64_t turn_ = 0;
};

struct Draws {
  std::vector<double> alone;
  std::vector<double> all;
};

void measure_draws(const PoolPlan& plan) {
  comm::Barrier barrier(*plan.world);
  OurTickets ours(*plan.world);
  const auto theirs = mpi_tickets();
  const auto flag = flag_ping_pong(*plan.world);
  NoticePingPong notice(*plan.world);
  Draws by_us;
  Draws by_mpi;
  std::vector<double> flags;
  std::vector<double> notices;
  const auto add = [&](Draws& draws, Tickets& tickets) {
    draws.alone.push_back(draw_times(plan, tickets, Drawing::alone, barrier)[0]);
    draws.all.push_back(draw_times(plan, tickets, Drawing::all, barrier)[0]);
  };
  for (std::size_t sample = 0; sample < plan.size(31, 2); ++sample) {
    add(by_us, ours);
    if (theirs != nullptr) add(by_mpi, *theirs);
    flags.push_back(one_way(plan, *flag, barrier));
    notices.push_back(one_way(plan, notice, barrier));
  }
  const double flag_ns = summarise(scaled(flags, 1e9)).median;
  const auto report = [&](std::string name, const std::vector<double>& mine, const std::vector<double>& peer) {
    Result result{.name = std::move(name), .unit = "ns", .ours = summarise(scaled(mine, 1e9)), .flag_ns = flag_ns};
    if (!peer.empty()) result.peers.emplace_back("MPI_Fetch_and_op", summarise(scaled(peer, 1e9)).median);
    plan.add(result);
  };
  report("notice_ns", notices, {});
  plan.add({.name = "notice_flags", .unit = "1", .ours = summarise(ratios(notices, flags)), .flag_ns = flag_ns});
  report("fetch_add_ns", by_us.alone, by_mpi.alone);
  report("fetch_add_shared_ns", by_us.all, by_mpi.all);
  add_ratio(plan, "fetch_add_vs_mpi", by_mpi.all, by_us.all, 1.0);
  plan.add({.name = std::string(last_pool_figure),
            .unit = "1",
            .ours = summarise(ratios(by_us.all, flags)),
            .flag_ns = flag_ns});
}

}  // namespace

void measure_pool(comm::Communicator& world, Effort effort, const Sink& sink) {
  comm::OneSidedWindow<std::byte> gate(world, 0);
  gate.open();
  const PoolPlan plan{&world, effort, &sink, &gate};
  measure_threads(plan);
  std::optional<topology::Binding> binding;
  const auto cpus = topology::allowed_cpus();
  if (cpus.size() >= world.size()) binding.emplace(cpus[comm::number(world.rank())]);
  measure_products(plan);
  measure_draws(plan);
}

void measure_master_beside(comm::Communicator& world, Effort effort, const Sink& sink) {
  comm::OneSidedWindow<std::byte> gate(world, 0);
  gate.open();
  const PoolPlan plan{&world, effort, &sink, &gate};
  const Problem problem(order_of(plan));
  const bool is_in_pool = comm::number(world.rank()) < 2;
  comm::Communicator two = world.split(is_in_pool ? 0 : 1, 0);
  const auto pool = is_in_pool ? product::by_pool(two, problem, 1) : nullptr;
  const auto master = mpi_master(problem);
  Runs by_pool;
  Runs by_master;
  for (std::size_t sample = 0; sample <= plan.size(5, 1); ++sample) {
    const double master_s = master->run().seconds;
    double pool_s = 0.0;
    if (is_in_pool) {
      pool_s = pool->run().seconds;
      if (plan.is_first()) gate.put(comm::RankId{2}, 0, {}, {.signal = 0});
    }
    while (!is_in_pool && gate.signal(0) <= sample) std::this_thread::sleep_for(std::chrono::microseconds(500));
    if (sample == 0) continue;
    by_master.seconds.push_back(master_s);
    by_pool.seconds.push_back(pool_s);
  }
  if (plan.is_first()) must_be_right(problem, *master);
  if (plan.is_first()) add_ratio(plan, std::string(beside_figure), by_master.seconds, by_pool.seconds, 1.0);
  gate.fence();
}

void serve_pool(std::span<const std::string_view> words, std::ostream& out) {
  const Effort effort = !words.empty() && words.front() == "quick" ? Effort::quick : Effort::full;
  comm::Communicator world;
  const Sink sink = [&out](const Result& result) { out << to_line(result) << '\n' << std::flush; };
  if (world.size() == 3) return measure_master_beside(world, effort, sink);
  measure_pool(world, effort, sink);
}

}  // namespace tacit::bench

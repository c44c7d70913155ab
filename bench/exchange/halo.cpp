// A message each way per step: as tasks, by bare windows and by MPI.
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <utility>

#include "comm/halo_spec.hpp"
#include "exchange/rank.hpp"
#include "exchange/worker.hpp"
#include "tacit/comm/window.hpp"
#include "tacit/exchange/exchange.hpp"

namespace tacit::bench {
namespace {

comm::RankId other_rank(const comm::Communicator& world) { return comm::RankId{1 - comm::number(world.rank())}; }

/// Pack, post, arrive and unpack as tasks, beside computation if there is any: pieces that nothing depends on.
class HaloByTasks final : public PingPong {
 public:
  HaloByTasks(comm::Communicator& world, Worker& worker, std::size_t bytes, std::size_t pieces, std::size_t loops)
      : worker_(worker), rim_(bytes), exchange_(world, {.key = next_exchange_key()}) {
    exchange::Messages halo;
    const exchange::Message message{.peer = other_rank(world), .key = 0, .count = bytes};
    halo.send<std::byte>(message, tasks::reads(graph_.add_datum()),
                         [this](tasks::StepContext& step, std::span<std::byte> to) { rim_.pack(step.step, to); });
    halo.receive<std::byte>(
        message, tasks::writes(graph_.add_datum()),
        [this](tasks::StepContext& step, std::span<const std::byte> from) { rim_.unpack(step.step, from); });
    exchange_.add(graph_, "halo", std::move(halo));
    for (std::size_t i = 0; i < pieces; ++i) {
      graph_.add("compute", tasks::writes(graph_.add_datum()),
                 [this, loops](tasks::StepContext& /*step*/) { result_ += compute(loops); }, {.cost = 0.01});
    }
    exchange_.connect();
    all_ = graph_.activate_all();
  }
  void run(std::size_t steps) override {
    for (std::size_t i = 0; i < steps; ++i) worker_.run(graph_, all_, ++turn_);
  }
  [[nodiscard]] double times_per_trip() const override { return 1.0; }

 private:
  Worker& worker_;
  Rim rim_;
  tasks::Graph graph_;
  exchange::Exchange exchange_;
  tasks::Activation all_;
  std::uint64_t turn_ = 0;
  double result_ = 0.0;
};

/// The least that the same messages take.
class HaloByWindows {
 public:
  HaloByWindows(comm::Communicator& world, std::size_t bytes)
      : rim_(bytes),
        connection_(world, {.rank = other_rank(world), .key = next_exchange_key()}),
        send_(connection_, bytes),
        receive_(connection_, bytes) {
    receive_.init();
    world.synchronise();
  }
  void operator()(std::uint64_t turn) {
    rim_.pack(turn, send_.data());
    send_.post();
    rim_.unpack(turn, receive_.wait());
    receive_.init();
    send_.wait();
  }

 private:
  Rim rim_;
  comm::Connection connection_;
  comm::SendWindow<std::byte> send_;
  comm::RecvWindow<std::byte> receive_;
};

enum Index : std::size_t { by_tasks, by_windows, by_mpi, flag };

std::vector<double> differences(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> values;
  for (std::size_t i = 0; i < a.size(); ++i) values.push_back(1e6 * (a[i] - b[i]));
  return values;
}

void measure(const Plan& plan, Worker& worker, std::size_t bytes, const std::string& size, std::size_t steps) {
  comm::Communicator& world = *plan.world;
  Contestants all;
  all.emplace_back("tasks", std::make_unique<HaloByTasks>(world, worker, bytes, 0, 0));
  all.emplace_back("windows", repeated([halo = std::make_unique<HaloByWindows>(world, bytes)](std::uint64_t turn) {
                     (*halo)(turn);
                   }));
  all.emplace_back("MPI_Startall", mpi_rim(world, bytes));
  all.emplace_back("flag", flag_ping_pong(world));
  const Times seconds = take_turns(plan, all, plan.size(steps, 5));
  const double flag_ns = median_of(seconds[flag], 1e9);
  const std::string name = "exchange_halo_" + size;
  Result time = figure(all, seconds, name + "_us", "us", 1e6);
  time.peers.emplace_back("windows", median_of(seconds[by_windows], 1e6));
  time.flag_ns = flag_ns;
  plan.add(time);
  plan.add({.name = name + "_over_windows_us",
            .unit = "us",
            .ours = summarise(differences(seconds[by_tasks], seconds[by_windows])),
            .limit = 0.5,
            .flag_ns = flag_ns});
  if (seconds[by_mpi].empty()) return;
  add_ratio(plan, name + "_vs_mpi", ratios(seconds[by_mpi], seconds[by_tasks]), Better::higher, 1.0, flag_ns);
}

/// The share of polls between tasks in a step that computes for much longer than its messages take.
void measure_beside(const Plan& plan, Worker& worker) {
  constexpr std::size_t bytes = std::size_t{8} << 10U;
  constexpr std::size_t pieces = 100;
  constexpr std::size_t loops = 5'000;  // some 10 us
  comm::Communicator& world = *plan.world;
  HaloByTasks halo(world, worker, bytes, pieces, loops);
  const auto flags = flag_ping_pong(world);
  std::vector<double> shares;
  std::vector<double> flag_s;
  for (std::size_t sample = 0; sample <= plan.size(31, 3); ++sample) {
    flag_s.push_back(time_of(*flags, plan.size(500, 5)));
    halo.run(1);  // both are there
    const double share = worker.shares_of([&] { halo.run(plan.size(20, 2)); }).polling;
    if (sample > 0) shares.push_back(share);
  }
  plan.add({.name = "exchange_halo_8KB_poll_share",
            .unit = "1",
            .ours = summarise(std::move(shares)),
            .limit = 0.02,
            .flag_ns = median_of(flag_s, 1e9)});
}

}  // namespace

void measure_halo_tasks(const Plan& plan) {
  Worker worker(*plan.world);
  measure(plan, worker, 64, "64B", 2000);
  measure(plan, worker, std::size_t{8} << 10U, "8KB", 500);
  measure_beside(plan, worker);
}

}  // namespace tacit::bench

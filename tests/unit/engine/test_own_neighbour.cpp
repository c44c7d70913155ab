// A solver that sends messages around the ring of ranks, in which one rank is its own neighbour.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "sample_run.hpp"
#include "tacit/exchange/exchange.hpp"
#include "tacit/tasks/graph.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::engine::own_neighbour_test {
namespace {

/// Each rank has a number, and in every step takes that of the rank before it.
class RingSolver final : public Solver {
 public:
  explicit RingSolver(const Resources& resources)
      : scheduler_(resources.scheduler), exchange_(resources.ranks), x_(mine(resources.ranks)) {
    const auto size = static_cast<std::uint32_t>(resources.ranks.size());
    const std::uint32_t rank = number(resources.ranks.rank());
    const tasks::DatumId now = graph_.add_datum();
    const tasks::DatumId taken = graph_.add_datum();
    exchange::Messages ring;
    ring.send<double>({.peer = comm::RankId{(rank + 1) % size}, .count = 1}, tasks::reads(now),
                      [this](tasks::StepContext&, std::span<double> to) { to[0] = x_; });
    ring.receive<double>({.peer = comm::RankId{(rank + size - 1) % size}, .count = 1}, tasks::writes(taken),
                         [this](tasks::StepContext&, std::span<const double> from) { taken_ = from[0]; });
    exchange_.add(graph_, "ring", std::move(ring));
    graph_.add("take", tasks::reads(taken), tasks::writes(now), [this](tasks::StepContext&) { x_ = taken_; });
    exchange_.connect();
    all_ = graph_.activate_all();
  }
  [[nodiscard]] double time_step() const override { return 0.25; }
  void step(const tasks::StepContext& step) override { scheduler_.run(graph_, all_, step); }
  [[nodiscard]] Conserved conserved() const override { return {}; }
  [[nodiscard]] std::uint64_t elements() const override { return 1; }
  std::uint64_t write_snapshot(const std::filesystem::path& /*path*/, const FileContext& /*context*/) const override {
    return 0;
  }
  void save(io::FileWriter& /*checkpoint*/) const override {}
  ~RingSolver() override { last = x_; }

  static thread_local double last;  ///< of the solver that this thread had

 private:
  static double mine(const comm::Communicator& ranks) { return 10.0 + number(ranks.rank()); }

  tasks::Scheduler& scheduler_;
  tasks::Graph graph_;
  exchange::Exchange exchange_;
  tasks::Activation all_;
  double x_;
  double taken_ = 0.0;
};
thread_local double RingSolver::last = 0.0;

const SolverEntry entry{
    "ring", "passes on", [] { return std::span<const config::KeyTable>{}; },
    [](const config::Parameters&, const Resources& resources, const io::FileReader*) -> std::unique_ptr<Solver> {
      return std::make_unique<RingSolver>(resources);
    },
    [](const config::Parameters&, std::size_t) { return Prediction{}; }};

/// A run whose messages nobody polls for would stall.
TEST(OwnNeighbour, GetsItsMessages) {
  const test::Scratch scratch;
  for (const std::size_t size : {1U, 2U, 3U}) {
    for (const char* const threads : {"1", "2"}) {
      const auto parameters = testing::read(scratch / "run.toml", std::string("run.pin = false\nrun.name = \"ring\"\n"
                                                                              "run.stall_timeout = 20\ntime.end = 1\n"
                                                                              "output.checkpoint_every = 0\n") +
                                                                      "run.threads = " + threads + "\n");
      comm::testing::on_ranks(size, [&](comm::Communicator& ranks) {
        const std::uint32_t rank = number(ranks.rank());
        {
          testing::Listener listener;
          Simulation simulation(parameters, entry, ranks, {}, listener);
          EXPECT_EQ(simulation.run().steps, 4U);
        }
        const auto from = (rank + 4 * size - 4) % size;
        EXPECT_EQ(RingSolver::last, 10.0 + static_cast<double>(from)) << size << " ranks, " << threads << " threads";
      });
    }
  }
}

}  // namespace
}  // namespace tacit::engine::own_neighbour_test

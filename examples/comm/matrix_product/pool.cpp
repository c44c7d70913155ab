// The pool: no master; A and C lie in a one-sided window of rank 0, where workers of its node use them in place.
// SPDX-License-Identifier: Apache-2.0
#include "pool.hpp"

#include <chrono>
#include <exception>
#include <thread>

#include "tacit/comm/one_sided/one_sided.hpp"
#include "tacit/comm/one_sided/work_pool.hpp"

namespace product {
namespace {

namespace comm = tacit::comm;

class Pool final : public Method {
 public:
  Pool(comm::Communicator& world, const Problem& problem, std::size_t threads)
      : problem_(problem),
        rank_(comm::number(world.rank())),
        a_(world, rank_ == 0 ? problem.n * problem.n : 0),
        c_(world, rank_ == 0 ? problem.n * problem.n : 0),
        pool_(world, problem.tiles.size()),
        b_(problem.n * problem.n),
        workers_(threads) {
    if (rank_ == 0) problem_.fill_a(a_.data());
    problem_.fill_b(b_);
    const bool is_here = !a_.view(home).empty();
    for (Worker& worker : workers_) {
      if (is_here) continue;
      worker.panel.resize(problem.most_rows * problem.n);
      worker.tile.resize(problem.most_elements);
    }
  }

  Timing run() override {
    pool_.restart();
    const auto begin = Clock::now();
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 1; i < workers_.size(); ++i) threads.emplace_back([&, i] { work(workers_[i]); });
      work(workers_[0]);
    }
    c_.fence();  // every tile is in C
    Timing timing{.seconds = std::chrono::duration<double>(Clock::now() - begin).count()};
    for (const Worker& worker : workers_) {
      if (worker.error) std::rethrow_exception(worker.error);
      timing.busy_s += worker.busy_s;
      timing.tiles += worker.tiles;
    }
    return timing;
  }
  [[nodiscard]] std::span<const double> c() const override { return c_.data(); }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr comm::RankId home{0};

  struct alignas(128) Worker {
    std::vector<double> panel = {};  // elsewhere than on rank 0's node
    std::vector<double> tile = {};
    std::size_t panel_row = ~std::size_t{0};
    double busy_s = 0.0;
    std::size_t tiles = 0;
    std::exception_ptr error = {};
  };

  void work(Worker& worker) noexcept {
    worker.busy_s = 0.0;
    worker.tiles = 0;
    try {
      while (const auto range = pool_.next()) {
        for (std::size_t i = range->begin; i < range->end; ++i) compute(problem_.tiles[i], worker);
      }
    } catch (...) {
      worker.error = std::current_exception();
    }
  }

  void compute(const Tile& tile, Worker& worker) {
    const std::size_t n = problem_.n;
    const auto a = a_.view(home);
    if (!a.empty()) {
      return multiply_timed(tile, &a[tile.row * n], &c_.view(home)[tile.row * n + tile.column], n, worker);
    }
    if (worker.panel_row != tile.row) {
      a_.get(home, tile.row * n, std::span(worker.panel).first(tile.rows * n));
      a_.wait();
      worker.panel_row = tile.row;
    }
    multiply_timed(tile, worker.panel.data(), worker.tile.data(), tile.columns, worker);
    for (std::size_t i = 0; i < tile.rows; ++i) {
      c_.put(home, (tile.row + i) * n + tile.column,
             std::span<const double>(worker.tile).subspan(i * tile.columns, tile.columns));
    }
    c_.wait();
  }

  void multiply_timed(const Tile& tile, const double* panel, double* c, std::size_t stride, Worker& worker) {
    const auto begin = Clock::now();
    multiply(problem_, tile, panel, b_.data(), c, stride);
    worker.busy_s += std::chrono::duration<double>(Clock::now() - begin).count();
    ++worker.tiles;
  }

  const Problem& problem_;
  std::uint32_t rank_;
  comm::OneSidedWindow<double> a_;
  mutable comm::OneSidedWindow<double> c_;
  comm::WorkPool pool_;
  std::vector<double> b_;
  std::vector<Worker> workers_;
};

}  // namespace

std::unique_ptr<Method> by_pool(comm::Communicator& world, const Problem& problem, std::size_t threads) {
  return std::make_unique<Pool>(world, problem, threads);
}

}  // namespace product

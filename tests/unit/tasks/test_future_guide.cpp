// The code of docs/guide/futures.md: each block stands here, word for word, and runs.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "support/source_folder.hpp"
#include "tacit/tasks/coroutine.hpp"
#include "tacit/tasks/parallel_for.hpp"
#include "tacit/tasks/task_group.hpp"
#include "tacit/tasks/when.hpp"

namespace tacit::tasks::future_guide {

namespace {

double total(const std::vector<double>& rho) { return std::accumulate(rho.begin(), rho.end(), 0.0); }
double limited(double value) { return value > 1.0 ? 1.0 : value; }

// clang-format off
Task<double> energy_of(Scheduler& scheduler, Future<double> potential) {
  Future<double> kinetic = spawn(scheduler, [] { return 1.5; });
  const double both = co_await kinetic + co_await potential;
  co_return both;
}

TEST(FutureGuide, Futures) {
  trace::Recorder recorder(2);
  Scheduler scheduler(2, recorder);
  const std::vector<double> rho(10, 2.0);
  const double volume = 10.0;

Future<double> mass = spawn(scheduler, [&] { return total(rho); });
Future<double> mean = mass.then([&](double m) { return m / volume; });
Future<bool> dense = dataflow(scheduler, [](double m, double average) { return m > 2.0 * average; }, mass, mean);
const bool answer = dense.get();

  EXPECT_TRUE(answer);
  EXPECT_EQ(mean.get(), 2.0);
}

TEST(FutureGuide, Coroutines) {
  trace::Recorder recorder(2);
  Scheduler scheduler(2, recorder);
  EXPECT_EQ(spawn(scheduler, energy_of(scheduler, make_ready(scheduler, -3.0))).get(), -1.5);
}

TEST(FutureGuide, ManySmallJobs) {
  trace::Recorder recorder(2);
  Scheduler scheduler(2, recorder);
  std::vector<double> rho(10, 2.0);

TaskGroup group(scheduler);
for (double& value : rho) group.run([&value] { value = limited(value); });
group.wait();

  EXPECT_EQ(total(rho), 10.0);
}

TEST(FutureGuide, ParallelLoops) {
  trace::Recorder recorder(2);
  Scheduler scheduler(2, recorder);
  std::vector<double> rho(1000, 1.0);
  const auto scale_range = [&rho](std::size_t first, std::size_t last) {
    for (; first < last; ++first) rho[first] *= 3.0;
  };
  const auto sum_of_range = [&rho](std::size_t first, std::size_t last) {
    double sum_of_part = 0.0;
    for (; first < last; ++first) sum_of_part += rho[first];
    return sum_of_part;
  };

parallel_for(scheduler, 0, rho.size(), [&](std::size_t i) { rho[i] *= 2.0; });
parallel_for(scheduler, 0, rho.size(), scale_range, {.schedule = Schedule::fixed, .chunk = 64});
const double sum = parallel_reduce(scheduler, 0, rho.size(), 256, 0.0, sum_of_range, std::plus<>());

  EXPECT_EQ(sum, 6000.0);
}
// clang-format on

std::string text_of(const std::string& path) {
  std::ifstream file(test::source_folder() + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(FutureGuide, EveryBlockStandsInThisFile) {
  const std::string guide = text_of("/docs/guide/futures.md");
  const std::string here = text_of("/tests/unit/tasks/test_future_guide.cpp");
  const std::string open = "```cpp\n";
  int blocks = 0;
  for (std::size_t at = guide.find(open); at != std::string::npos; at = guide.find(open, at + 1)) {
    const std::size_t begin = at + open.size();
    const std::string block = guide.substr(begin, guide.find("```", begin) - begin);
    EXPECT_NE(here.find(block), std::string::npos) << "not in the test:\n" << block;
    ++blocks;
  }
  EXPECT_EQ(blocks, 4);
}

}  // namespace

}  // namespace tacit::tasks::future_guide

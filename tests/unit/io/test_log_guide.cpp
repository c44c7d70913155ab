// The code of docs/guide/log.md: a cell that writes into a log, and a reader that asks for a state.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "scratch.hpp"
#include "tacit/io/log/policy.hpp"
#include "tacit/io/log/reader.hpp"
#include "tacit/io/log/writer.hpp"

namespace tacit::log_guide {
namespace {

struct Fields {  // laid out as the schema says
  std::array<double, 3> x;
  std::array<float, 3> v;
};

const io::LogSchema schema{{{"x", io::Number::float64, 3, "length", "v"}, {"v", io::Number::float32, 3, "velocity"}}};

/// Of a solver; what it keeps for the log begins at `last_record`.
struct Particle {
  std::uint64_t id = 0;
  std::array<double, 3> x{};
  std::array<double, 3> v{};
  std::uint64_t last_record = 0;
  std::uint32_t steps = 1000;  // the first record is due at once
  double logged_time = 0.0;
  Fields logged{};

  [[nodiscard]] std::array<double, 3> logged_v() const { return {logged.v[0], logged.v[1], logged.v[2]}; }
  void note(double time) {
    logged = {x, {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])}};
    logged_time = time;
    steps = 0;
  }
};

/// What a task does for its cell at the end of a step.
void log_cell(io::LogWriter& log, std::span<Particle> cell, double time, const io::LogPolicy& policy) {
  std::vector<Particle*> due;
  for (Particle& p : cell) {
    if (policy.is_due(++p.steps, io::deviation(p.logged.x, p.logged_v(), p.x, time - p.logged_time))) due.push_back(&p);
  }
  io::LogBatch batch = log.reserve(due.size());  // one atomic operation
  for (Particle* p : due) {
    p->note(time);
    p->last_record = batch.write(p->id, p->last_record, time, p->logged);
  }
}

double radius_at(const std::filesystem::path& path, double time, std::uint64_t id) {
  const io::LogReader log(path);
  const io::LogTable state = log.state(time);
  const auto x = state.column<double>("x");  // shape (N, 3)
  const auto found = std::ranges::find(state.id, id);
  if (found == state.id.end()) return 0.0;  // it does not exist then
  const auto i = static_cast<std::size_t>(found - state.id.begin());
  return std::hypot(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
}

}  // namespace

TEST(LogGuide, ACircleStaysACircle) {
  const test::Scratch scratch;
  std::vector<Particle> cell(2);
  cell[1].id = 1;
  const auto move_to = [&](double t) {
    for (Particle& p : cell) {
      const double r = 1.0 + static_cast<double>(p.id);
      p.x = {r * std::cos(t), r * std::sin(t), 0.0};
      p.v = {-r * std::sin(t), r * std::cos(t), 0.0};
    }
  };
  io::LogWriter log(scratch / "output.log", schema);
  for (int step = 0; step <= 600; ++step) {
    move_to(0.01 * step);
    log.ensure_room(cell.size());
    log_cell(log, cell, 0.01 * step, {100, 1e-3});
  }
  log.close(6.0, cell.size());
  const double error = 1e-3 + 2.0 * 1e-4 / 8.0;  // the tolerance, and what a step of 0.01 curves at radius 2
  for (const double t : {0.0, 0.123, 1.7, 3.1415, 5.99}) {
    EXPECT_NEAR(radius_at(scratch / "output.log", t, 0), 1.0, error);
    EXPECT_NEAR(radius_at(scratch / "output.log", t, 1), 2.0, error);
  }
  EXPECT_EQ(radius_at(scratch / "output.log", 1.0, 2), 0.0);
  EXPECT_LT(io::LogReader(scratch / "output.log").trajectory(1).size(), 600U / 2);
}

}  // namespace tacit::log_guide

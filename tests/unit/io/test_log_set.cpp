// Logs of several ranks read as one, and those of a run that went on with other ranks.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "scratch.hpp"
#include "tacit/base/error.hpp"
#include "tacit/io/log/set.hpp"
#include "tacit/io/log/writer.hpp"

namespace tacit::io::log_set_test {
namespace {

struct Point {
  double x;
  double v;
};
const LogSchema schema{{{.name = "x", .type = Number::float64, .rate = "v"}, {.name = "v", .type = Number::float64}}};

/// The log of one rank, whose elements move with x = id + t^2.
class Rank {
 public:
  Rank(const std::filesystem::path& folder, const LogName& name, double begin) : log_(folder / name.text(), schema) {
    log_.note(begin, 0);
    log_.ensure_room(100);
  }
  void write(std::uint64_t id, double t, std::uint64_t previous = 0) {
    const double at = static_cast<double>(id) + t * t;
    last_ = log_.reserve(1).write(id, previous, t, Point{at, 2.0 * t});
  }
  [[nodiscard]] std::uint64_t last() const { return last_; }
  void close(double t) { log_.close(t, 1); }

 private:
  LogWriter log_;
  std::uint64_t last_ = 0;
};

TEST(LogNames, SayStepAndRanks) {
  EXPECT_EQ(LogName{}.text(), "output.log");
  EXPECT_EQ((LogName{.step = 120, .rank = 1, .ranks = 4}).text(), "output_000120.1of4.log");
  for (const char* name : {"output.log", "output.3of4.log", "output_000007.log", "output_1234567.0of2.log"}) {
    const auto read = LogName::of(std::string("run/") + name);
    ASSERT_TRUE(read.has_value()) << name;
    EXPECT_EQ(read->text(), name);
  }
  for (const char* name : {"output.txt", "output", "outputs.log", "output.log.index", "output_7.log", "output.1.log",
                           "output_.log", "my_output.log", ".log", "output.og"}) {
    EXPECT_FALSE(LogName::of(name).has_value()) << name;
  }
}

TEST(LogSets, JoinRanksByElement) {
  const test::Scratch scratch;
  Rank first(scratch.path(), {.rank = 0, .ranks = 2}, 0.0);
  Rank second(scratch.path(), {.rank = 1, .ranks = 2}, 0.0);
  first.write(7, 0.0);
  second.write(3, 0.0);
  second.write(7, 1.0);               // has come from the first rank,
  first.write(7, 2.0, first.last());  // and goes back
  first.close(3.0);
  second.close(2.5);
  const LogSet logs(scratch.path());
  EXPECT_EQ(logs.logs().size(), 2U);
  EXPECT_EQ(logs.complete(), 2.5);
  for (const double t : {0.0, 0.4, 1.0, 1.5, 2.0}) {
    const LogTable state = logs.state(t);
    ASSERT_EQ(state.id, (std::vector<std::uint64_t>{3, 7})) << t;
    // A cubic is exact where x'' is constant, if its ends are the nearest records: those of both ranks.
    EXPECT_NEAR(state.column<double>("x")[1], 7.0 + t * t, 1e-14) << t;
  }
  const LogTable path = logs.trajectory(7);
  EXPECT_EQ(path.time, (std::vector<double>{0.0, 1.0, 2.0}));
  EXPECT_EQ(logs.trajectory(8).size(), 0U);
  EXPECT_THROW(static_cast<void>(logs.state(2.75)), base::Error);
}

TEST(LogSets, GoOnWithOtherRanks) {
  const test::Scratch scratch;
  {
    Rank alone(scratch.path(), {}, 0.0);
    alone.write(1, 0.0);
    alone.write(2, 0.0);
    alone.close(1.0);
    Rank first(scratch.path(), {.step = 10, .rank = 0, .ranks = 2}, 1.0);
    Rank second(scratch.path(), {.step = 10, .rank = 1, .ranks = 2}, 1.0);
    first.write(1, 1.0);
    second.write(2, 1.0);
    first.close(2.0);
    second.close(2.0);
  }
  const LogSet logs(scratch.path());
  EXPECT_EQ(logs.state(0.5).size(), 2U);
  EXPECT_EQ(logs.state(1.0).size(), 2U);
  EXPECT_DOUBLE_EQ(logs.state(1.0).column<double>("x")[1], 3.0);
  EXPECT_EQ(logs.trajectory(2).time, (std::vector<double>{0.0, 1.0}));
  EXPECT_EQ(LogSet(scratch / "output.log").complete(), 1.0);
}

TEST(LogSets, MissOneOfTheRanks) {
  const test::Scratch scratch;
  EXPECT_EQ(test::message_of<base::FormatError>([&] { LogSet logs(scratch.path()); }),
            scratch.path().string() + ": has no continuous log (output.log)");
  Rank(scratch.path(), {.rank = 0, .ranks = 3}, 0.0).close(1.0);
  EXPECT_EQ(test::message_of<base::FormatError>([&] { LogSet logs(scratch.path()); }),
            scratch.path().string() + ": a log of the run is missing: output.1of3.log");
  Rank(scratch.path(), {.rank = 2, .ranks = 3}, 0.0).close(1.0);
  EXPECT_EQ(test::message_of<base::FormatError>([&] { LogSet logs(scratch.path()); }),
            scratch.path().string() + ": has output.2of3.log, but not output.1of3.log");
}

}  // namespace
}  // namespace tacit::io::log_set_test

// A continuous log gives back what was written: at any time, for each element, from any number of threads.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdlib>
#include <numeric>
#include <random>
#include <set>

#include "log_case.hpp"
#include "scratch.hpp"
#include "tacit/io/log/interpolate.hpp"

namespace tacit::io::log_test {
namespace {

namespace fs = std::filesystem;
using test::message_of;

constexpr std::uint64_t elements = 200;

/// How far a state may be from the wave. Between two records the Hermite polynomial is much nearer than the tolerance
/// (see LogPolicy). Behind the last record, the extrapolation was within the tolerance at the end of every own step,
/// and between two of them it differs from a straight line by dt^2 max|x''| / 8 at most, with dt = 2^-7 and
/// max|x''| = 16.
constexpr double x_allowed = wave_policy.tolerance + 16.0 / (8.0 * 16384.0);
/// rho is linear in time, so between records only its rounding shows; behind the last one it is constant, for 64 steps
/// of 2^-7 at most.
constexpr double rho_allowed = Wave::slope * 0.5 + 1e-6;

void expect_state(const LogTable& state, double t) {
  const auto x = state.column<double>("x");
  const auto rho = state.column<float>("rho");
  const auto step = state.column<std::uint32_t>("step");
  ASSERT_EQ(state.size(), count_waves(elements, t)) << t;
  for (std::size_t i = 0; i < state.size(); ++i) {
    const Wave wave{state.id[i]};
    EXPECT_TRUE(wave.exists(t)) << wave.id << " at " << t;
    EXPECT_NEAR(x[i], wave.x(t), x_allowed) << wave.id << " at " << t;
    EXPECT_NEAR(rho[i], 1.0 + Wave::slope * t, rho_allowed);
    EXPECT_LE(step[i] * wave.dt(), t);
    EXPECT_LT(t - step[i] * wave.dt(), 65 * wave.dt());
  }
}

/// The structs of fields below are what callers would declare.
struct Position {
  std::array<double, 3> x{};
  std::array<float, 3> v{};
};

const LogSchema position_schema{
    {{"x", Number::float64, 3, "length", "v", {1.0, 2.0, 0.0}}, {"v", Number::float32, 3}}, Number::int64, 0.25, 10.0};

}  // namespace

class LogThreads : public testing::TestWithParam<unsigned> {};

TEST_P(LogThreads, GiveTheStateAtAnyTime) {
  const test::Scratch scratch;
  make_wave_log(scratch / "output.log", elements, GetParam());
  const LogReader log(scratch / "output.log");
  EXPECT_TRUE(log.is_closed());
  EXPECT_EQ(log.schema(), wave_schema());
  EXPECT_EQ(log.elements(), elements);
  ASSERT_TRUE(log.complete());
  EXPECT_EQ(log.complete()->time, Wave::end_time);
  EXPECT_EQ(log.complete()->elements, count_waves(elements, Wave::end_time));
  EXPECT_EQ(log.bytes(), fs::file_size(scratch / "output.log"));
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> times(0.0, Wave::end_time);
  for (int k = 0; k < 100; ++k) {
    const double t = times(random);
    expect_state(log.state(t), t);
  }
  expect_state(log.state(Wave::end_time), Wave::end_time);
  EXPECT_EQ(log.state(-1.0).size(), 0U);
}

TEST_P(LogThreads, GiveTrajectoriesInFull) {
  const test::Scratch scratch;
  make_wave_log(scratch / "output.log", elements, GetParam());
  const LogReader log(scratch / "output.log");
  std::uint64_t records = 0;
  for (std::uint64_t id = 0; id < elements; ++id) {
    const Wave wave{id};
    const LogTable path = log.trajectory(id);
    records += path.size();
    ASSERT_GE(path.size(), 2U);
    EXPECT_EQ(path.time.front(), wave.first_step() * wave.dt());
    EXPECT_TRUE(std::ranges::is_sorted(path.time));
    for (std::size_t k = 0; k < path.size(); ++k) {
      const WaveFields expected = wave.fields(path.column<std::uint32_t>("step")[k]);
      EXPECT_EQ(path.time[k], expected.step * wave.dt());
      EXPECT_EQ(path.column<double>("x")[k], expected.x);  // as written, bit by bit
      EXPECT_EQ(path.column<double>("v")[k], expected.v);
      EXPECT_EQ(path.column<float>("rho")[k], expected.rho);
      EXPECT_EQ(path.removed[k], wave.is_removed() && k + 1 == path.size() ? 1 : 0);
    }
  }
  EXPECT_EQ(log.trajectory(elements).size(), 0U);
  // Each record belongs to one trajectory: the file is these, the header and the last mark.
  EXPECT_EQ(log.bytes(), layout_of(wave_schema()).header_bytes + (records + 1) * layout_of(wave_schema()).record_bytes);
  // What it is for: dumps at the end of every own step would hold all of these states.
  std::uint64_t states = 0;
  for (std::uint64_t id = 0; id < elements; ++id) states += Wave{id}.last_step() - Wave{id}.first_step() + 1;
  EXPECT_LT(4 * records, states);
}

// The file grows, and its window moves, every few rounds.
TEST_P(LogThreads, WriteWhileTheLogGrowsBetweenSteps) {
  constexpr std::uint64_t each = 40;
  constexpr std::uint64_t cell = 8;
  constexpr std::uint64_t rounds = 60;
  const test::Scratch scratch;
  LogWriter log(scratch / "a", wave_schema(), LogWriter::Options{4096});
  std::vector<std::uint64_t> last(GetParam() * each);
  const auto write_cell = [&](std::uint64_t begin, std::uint64_t round) {
    LogBatch batch = log.reserve(cell + round % 2);  // sometimes more than it needs
    for (std::uint64_t id = begin; id < begin + cell; ++id) {
      last[id] =
          batch.write(id, last[id], static_cast<double>(round), WaveFields{0.5 * static_cast<double>(id), 0, 0, 0});
    }
  };
  for (std::uint64_t round = 0; round < rounds; ++round) {
    log.ensure_room(GetParam() * each / cell * (cell + 1));
    std::vector<std::jthread> threads;
    for (unsigned k = 0; k < GetParam(); ++k) {
      threads.emplace_back([&, k] {
        for (std::uint64_t begin = k * each; begin < (k + 1) * each; begin += cell) write_cell(begin, round);
      });
    }
    threads.clear();
    if (round % 16 == 0) log.sync(static_cast<double>(round), last.size());
  }
  log.close(static_cast<double>(rounds), last.size());
  const LogReader reader(scratch / "a");
  for (std::uint64_t id = 0; id < last.size(); ++id) {
    const LogTable path = reader.trajectory(id);
    ASSERT_EQ(path.size(), rounds);
    for (std::uint64_t round = 0; round < rounds; ++round) {
      EXPECT_EQ(path.time[round], static_cast<double>(round));
      EXPECT_EQ(path.column<double>("x")[round], 0.5 * static_cast<double>(id));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, LogThreads, testing::Values(1U, 2U, 4U));

TEST(Log, TheChecksumIsXxh64) {
  std::array<std::byte, 60> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
  const auto sum = [&](std::size_t count) { return detail::xxh64(std::span(bytes).first(count), 5); };
  EXPECT_EQ(detail::xxh64({}, 0), 0xEF46DB3751D8E999U);  // of the specification; the others by the xxHash library
  EXPECT_EQ(sum(0), 0x4be1d406981cfd3bU);
  EXPECT_EQ(sum(4), 0xb1b1767ce9ace05aU);
  EXPECT_EQ(sum(8), 0x8f9fa96fb44dd3afU);
  EXPECT_EQ(sum(32), 0x41b3c5f0583fb5b8U);
  EXPECT_EQ(sum(60), 0x58ad78122a417baeU);
}

TEST(Log, TicksPeriodsAndVectors) {
  const test::Scratch scratch;
  LogWriter writer(scratch / "a", position_schema);
  writer.ensure_room(3);
  {
    LogBatch batch = writer.reserve(3);
    // From 10 to 11 (4 ticks of 0.25) it goes by 0.5 in each direction, through the edges of the box in x and y.
    const auto first = batch.write(7, 0, std::int64_t{0}, Position{{0.75, 1.75, 5.0}, {0.5F, 0.5F, 0.5F}});
    batch.write(7, first, std::int64_t{4}, Position{{0.25, 0.25, 5.5}, {0.5F, 0.5F, 0.5F}});
    EXPECT_EQ(batch.room(), 1U);
  }
  writer.close(std::int64_t{8}, 1);
  const LogReader log(scratch / "a");
  EXPECT_EQ(log.schema(), position_schema);
  EXPECT_EQ(log.complete()->time, 12.0);
  const auto at = [&](double t) {
    const LogTable state = log.state(t);
    const auto x = state.column<double>("x");
    return std::vector<double>(x.begin(), x.end());
  };
  EXPECT_EQ(at(10.5), (std::vector{1.0, 2.0, 5.25}));
  EXPECT_EQ(at(11.0), (std::vector{0.25, 0.25, 5.5}));
  EXPECT_EQ(at(12.0), (std::vector{0.75, 0.75, 6.0}));  // behind the last record: along its rate
}

TEST(Log, HermiteIsExactForCubicPolynomials) {
  const auto x = [](double t) { return 2.0 - t + 3.0 * t * t - 0.5 * t * t * t; };
  const auto r = [](double t) { return -1.0 + 6.0 * t - 1.5 * t * t; };
  for (double t = 0.0; t <= 3.0; t += 0.125) {
    // Some ten operations on numbers of up to 20.
    EXPECT_NEAR(detail::hermite(x(0.0), r(0.0), x(3.0), r(3.0), 3.0, t, 0.0), x(t), 20 * 10 * 2.3e-16);
  }
  EXPECT_EQ(detail::straight(1.0, 3.0, 4.0, 1.0, 0.0), 1.5);
  EXPECT_EQ(detail::straight(0.875, 0.125, 1.0, 0.5, 1.0), 1.0);
}

TEST(Log, APolicyAsksForRecordsByStepsAndByDeviation) {
  const std::array<double, 2> last{1.0, 2.0};
  const std::array<double, 2> rate{0.5, -1.0};
  const std::array<double, 2> now{2.0, 0.25};
  EXPECT_EQ(deviation(last, rate, now, 2.0), 0.25);
  EXPECT_EQ(deviation(last, {}, now, 2.0), 1.75);
  EXPECT_TRUE(std::isnan(deviation(last, rate, std::array{std::nan(""), 0.25}, 2.0)));
  const LogPolicy policy{10, 0.25};
  EXPECT_FALSE(policy.is_due(9, 0.25));
  EXPECT_TRUE(policy.is_due(10, 0.0));
  EXPECT_TRUE(policy.is_due(1, 0.26));
  EXPECT_TRUE(policy.is_due(1, std::nan("")));
  EXPECT_FALSE((LogPolicy{10, 0.0}.is_due(9, 1e30)));
}

TEST(Log, RoomThatIsNotThereIsRefusedAndNothingHappens) {
  const test::Scratch scratch;
  LogWriter log(scratch / "a", wave_schema(), LogWriter::Options{4096});
  std::uint64_t written = 0;
  std::uint64_t previous = 0;
  EXPECT_FALSE(log.reserve(1000000));
  EXPECT_FALSE(log.reserve(std::numeric_limits<std::size_t>::max()));
  while (LogBatch batch = log.reserve(1))
    previous = batch.write(5, previous, 0.5 * static_cast<double>(++written), WaveFields{1.0, 0.0, 1.0F, 1});
  const LogLayout layout = layout_of(wave_schema());
  EXPECT_EQ(written, (4096 - layout.header_bytes) / layout.record_bytes - 2);  // a mark and the end have their room
  log.ensure_room(10);
  LogBatch batch = log.reserve(1);
  batch.write(5, previous, 0.5 * static_cast<double>(++written), WaveFields{});
  const std::string refused = "a record of a log has no room, or other fields or times than the schema says";
  EXPECT_EQ(message_of<base::PreconditionError>([&] { batch.write(5, 0, 0.0, WaveFields{}); }), refused);
  LogBatch other = log.reserve(1);
  EXPECT_EQ(message_of<base::PreconditionError>([&] { other.write(5, 0, 0.0, 1.0); }), refused);
  EXPECT_EQ(message_of<base::PreconditionError>([&] { other.write(5, 0, std::int64_t{0}, WaveFields{}); }), refused);
  other.write(6, 0, 0.0, WaveFields{});
  batch.finish();
  other.finish();
  EXPECT_FALSE(other);
  EXPECT_EQ(message_of<base::PreconditionError>([&] { log.sync(std::int64_t{1}, 2); }),
            "the time of a mark is of another type than those of the records");
  log.close(0.5 * static_cast<double>(written), 2);
  const LogReader reader(scratch / "a");
  EXPECT_EQ(reader.trajectory(5).size(), written);
  EXPECT_EQ(reader.elements(), 2U);
}

TEST(Log, SaysWhatIsWrongWithASchema) {
  const auto problem = [](std::vector<LogField> fields) { return problem_of({std::move(fields)}); };
  EXPECT_EQ(problem({{"a"}, {"a"}}), "two fields are named 'a'");
  EXPECT_EQ(problem({{""}}), "a name of a field has 0 bytes, allowed are 1 to 55");
  EXPECT_EQ(problem({{"a", Number::text}}), "field 'a' is of no type of number");
  EXPECT_EQ(problem({{"a", Number::float64, 0}}), "field 'a' has 0 numbers");
  EXPECT_EQ(problem({{"a", Number::float64, 1, "", "b"}}), "field 'a' has the rate 'b', which is no field");
  EXPECT_EQ(problem({{"a", Number::float64, 1, "", "b"}, {"b", Number::int32}}),
            "field 'a' and its rate 'b' are not of floating point and of one length");
  EXPECT_EQ(problem({{"a", Number::float64, 1, std::string(32, 'm')}}),
            "the unit of field 'a' is longer than 31 bytes");
  EXPECT_EQ(problem({{"a", Number::int32, 1, "", "", {1.0}}}),
            "field 'a' has a period, and is not of 1 to 3 numbers of floating point");
  EXPECT_EQ(problem({{"a", Number::float64, 8190}}), "a record is longer than 65536 bytes");
  EXPECT_EQ(problem_of({{}, Number::float32}), "times are neither float64 nor int64");
  EXPECT_EQ(problem_of({{}, Number::float64, 0.0}), "the unit of time is 0");
  EXPECT_EQ(problem({}), "");
  const test::Scratch scratch;
  EXPECT_EQ(message_of<base::PreconditionError>([&] { const LogWriter log(scratch / "a", {{{""}}}); }),
            "a name of a field has 0 bytes, allowed are 1 to 55");
  EXPECT_EQ(test::entries(scratch.path()), 0U);
}

TEST(Log, NoStateWhereTheLogIsNotComplete) {
  const test::Scratch scratch;
  const std::string path = (scratch / "a").string();
  LogWriter log(path, wave_schema());
  EXPECT_EQ(message_of<base::Error>([&] { static_cast<void>(LogReader(path).state(0.0)); }),
            path + ": the log is not complete up to any time, so there is no state at 0");
  log.sync(1.5, 0);
  EXPECT_EQ(LogReader(path).state(1.5).size(), 0U);  // while it is being written
  EXPECT_EQ(message_of<base::Error>([&] { static_cast<void>(LogReader(path).state(2.0)); }),
            path + ": the log is complete up to the time 1.5, so there is no state at 2");
  EXPECT_EQ(message_of<base::SystemError>([&] { const LogWriter again(path, wave_schema()); }),
            path + ": exists: a new log replaces no file; move it away");
}

TEST(Log, AnIndexGivesWhatAScanGives) {
  const test::Scratch scratch;
  const fs::path path = scratch / "output.log";
  make_wave_log(path, elements, 2);
  const LogReader scanned(path);
  EXPECT_EQ(scanned.scanned_from(), layout_of(wave_schema()).header_bytes);
  scanned.write_index();
  const LogReader indexed(path);
  EXPECT_EQ(indexed.scanned_from(), scanned.bytes());
  EXPECT_TRUE(indexed.is_closed());
  const auto same = [&](double t) { return indexed.state(t).columns[0].bytes == scanned.state(t).columns[0].bytes; };
  EXPECT_TRUE(same(0.7));
  EXPECT_TRUE(same(2.0));
  EXPECT_EQ(indexed.trajectory(42).time, scanned.trajectory(42).time);
  // A damaged index, or that of another log, is as none.
  std::string index = test::content(path.string() + ".index");
  for (std::size_t at = 0; at < index.size(); at += 211) {
    std::string damaged = index;
    damaged[at] = static_cast<char>(damaged[at] ^ 16);
    test::put(path.string() + ".index", damaged);
    EXPECT_EQ(LogReader(path).scanned_from(), scanned.scanned_from()) << at;
  }
  test::put(path.string() + ".index", index);
  make_wave_log(scratch / "other.log", elements, 1);
  fs::rename(scratch / "other.log", path);
  EXPECT_EQ(LogReader(path).scanned_from(), scanned.scanned_from());
}

TEST(Log, ContinuesWhereTheCheckpointWas) {
  const test::Scratch scratch;
  const fs::path path = scratch / "output.log";
  LogPosition position;
  std::uint64_t last = 0;
  {
    LogWriter log(path, wave_schema());
    log.ensure_room(2);
    last = log.reserve(1).write(1, 0, 0.0, Wave{1}.fields(0));
    position = log.sync(1.0, 1);
    log.reserve(1).write(1, last, 1.5, Wave{1}.fields(9));  // lost with the restart
    LogReader(path).write_index();
  }
  for (int restart = 0; restart < 2; ++restart) {
    LogWriter log(path, wave_schema(), position);
    EXPECT_FALSE(fs::exists(path.string() + ".index"));
    log.ensure_room(1);
    log.reserve(1).write(1, last, 1.25, Wave{1}.fields(5));
    log.close(2.0, 1);
    EXPECT_EQ(LogReader(path).trajectory(1).time, (std::vector{0.0, 1.25}));
  }
  const auto refusal = [&](const LogSchema& schema, LogPosition at) {
    return message_of<base::FormatError>([&] { const LogWriter log(path, schema, at); });
  };
  const std::string name = path.string();
  EXPECT_EQ(refusal(wave_schema(), {position.log + 1, position.offset}),
            name + ": is the log of another run: no record is added");
  EXPECT_EQ(refusal({}, position), name + ": has other fields than this run logs: continue with the same, or move it");
  EXPECT_EQ(refusal(wave_schema(), {position.log, 100000}),
            fmt::format("{}: ends at byte {}, before byte 100000 where the run continues: it was cut off", name,
                        fs::file_size(path)));
  EXPECT_EQ(refusal(wave_schema(), {position.log, position.offset - 56}),
            fmt::format("{}: has no whole mark before byte {}, where the run continues", name, position.offset - 56));
  EXPECT_EQ(LogReader(path).trajectory(1).size(), 2U) << "a refusal changes nothing";
}

// With TACIT_LOG_SAMPLE, log and states are left in that folder, for the tests of the reader in Python.
TEST(Log, ASampleForOtherReaders) {
  const test::Scratch scratch;
  const char* asked = std::getenv("TACIT_LOG_SAMPLE");
  const fs::path folder = asked != nullptr ? fs::path(asked) : scratch.path();
  make_wave_log(folder / "waves.log", elements, 2);
  const LogReader log(folder / "waves.log");
  std::ofstream states(folder / "states.csv");
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> times(0.0, Wave::end_time);
  std::size_t rows = 0;
  for (int k = 0; k < 20; ++k) {
    const double t = times(random);
    const LogTable state = log.state(t);
    for (std::size_t i = 0; i < state.size(); ++i) {
      states << fmt::format("{:a},{},{:a},{:a},{:a},{}\n", t, state.id[i], state.column<double>("x")[i],
                            state.column<double>("v")[i], static_cast<double>(state.column<float>("rho")[i]),
                            state.column<std::uint32_t>("step")[i]);
      ++rows;
    }
  }
  std::ofstream trajectories(folder / "trajectories.csv");
  for (std::uint64_t id = 0; id < elements; ++id) {
    const LogTable path = log.trajectory(id);
    for (std::size_t k = 0; k < path.size(); ++k) {
      trajectories << fmt::format("{},{:a},{:a},{}\n", id, path.time[k], path.column<double>("x")[k], path.removed[k]);
    }
  }
  {
    LogWriter writer(folder / "ticks.log", position_schema);
    writer.ensure_room(2);
    LogBatch batch = writer.reserve(2);
    const auto first = batch.write(7, 0, std::int64_t{0}, Position{{0.75, 1.75, 5.0}, {0.5F, 0.5F, 0.5F}});
    batch.write(7, first, std::int64_t{4}, Position{{0.25, 0.25, 5.5}, {0.5F, 0.5F, 0.5F}});
    batch.finish();
    writer.close(std::int64_t{8}, 1);
  }
  EXPECT_GT(rows, 20 * elements / 2);
  EXPECT_TRUE(states.flush() && trajectories.flush());
}

}  // namespace tacit::io::log_test

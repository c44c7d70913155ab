// The general keys: what they become, and what contradictions say.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sample_run.hpp"
#include "tacit/engine/keys.hpp"

namespace tacit::engine::keys_test {
namespace {

/// What read_time_parameters says to that [time] and [output], with the path cut off the message.
std::string time_error(std::string_view text) {
  const test::Scratch scratch;
  const auto file = scratch / "run.toml";
  const auto parameters = testing::read(file, text);
  const std::string message =
      test::message_of<config::Error>([&] { static_cast<void>(read_time_parameters(parameters, 0.5)); });
  return message.starts_with(file.string()) ? "run.toml" + message.substr(file.string().size()) : message;
}

}  // namespace

TEST(EngineKeys, DefaultsOfARun) {
  const test::Scratch scratch;
  const RunParameters run = read_run_parameters(testing::read(scratch / "blast.toml", "time.end = 2\n"));
  EXPECT_EQ(run.name, "blast");
  EXPECT_EQ(run.directory, "output/blast");
  EXPECT_EQ(run.checkpoint_every_s, 600.0);
  EXPECT_EQ(run.compression, 1);
  EXPECT_EQ(run.staging_memory, std::nullopt);
  EXPECT_EQ(run.writers.kind, io::Writers::Kind::automatic);
  EXPECT_FALSE(run.double_precision);
  EXPECT_TRUE(run.picture);
  EXPECT_EQ(run.threads, 0U);
  EXPECT_FALSE(run.deterministic);
  EXPECT_TRUE(run.pin);
  EXPECT_EQ(run.polling, tasks::Polling::idle_workers);
  EXPECT_EQ(run.poll_interval_s, 50e-6);
  EXPECT_EQ(run.stall_timeout_s, 300.0);
}

TEST(EngineKeys, WritersAreAWordOrANumberWithQuotesOrWithout) {
  const test::Scratch scratch;
  const auto writers = [&](const std::string& value) {
    const std::string text = "time.end = 2\noutput.writers = " + value + "\n";
    return read_run_parameters(testing::read(scratch / "blast.toml", text)).writers;
  };
  EXPECT_EQ(writers("\"all\"").kind, io::Writers::Kind::all);
  for (const char* const four : {"4", "\"4\""}) {
    EXPECT_EQ(writers(four).kind, io::Writers::Kind::count) << four;
    EXPECT_EQ(writers(four).count, 4U) << four;
  }
  const auto refusal = [&](const std::string& value) {
    return test::message_of<config::Error>([&] { static_cast<void>(writers(value)); });
  };
  const std::string place = (scratch / "blast.toml").string() + ":2:18: output.writers: ";
  const std::string hint =
      "\n  hint: take \"auto\", \"one\", \"nodes\", \"all\", \"shared\", or a number of ranks such as 4";
  EXPECT_EQ(refusal("0"), place + "'0' does not say who writes" + hint);
  EXPECT_EQ(refusal("-4"), place + "'-4' does not say who writes" + hint);
  EXPECT_EQ(refusal("4.0"), place + "expected a text or an integer, found a number\n  hint: put it in quotes");
}

TEST(EngineKeys, AFileCalledRunIsNamedAfterItsFolder) {
  const test::Scratch scratch;
  std::filesystem::create_directory(scratch / "sod");
  EXPECT_EQ(read_run_parameters(testing::read(scratch / "sod/run.toml", "time.end = 2\n")).name, "sod");
  EXPECT_EQ(read_run_parameters(testing::read(scratch / "sod/../sod/run.toml", "time.end = 2\n")).name, "sod");
}

TEST(EngineKeys, ANameIsThatOfOneFolder) {
  const test::Scratch scratch;
  const auto refusal = [&](const std::string& name, const std::string& file = "blast.toml") {
    const std::string text = "time.end = 2\n" + (name.empty() ? "" : "run.name = " + name + "\n");
    return test::message_of<config::Error>(
        [&] { static_cast<void>(read_run_parameters(testing::read(scratch / file, text))); });
  };
  const std::string place = (scratch / "blast.toml").string() + ":2:12: run.name: ";
  const std::string end =
      "; the name is that of a folder below output/\n"
      "  hint: write 'name = \"blast\"' in [run]; where results go is for output.directory to say";
  EXPECT_EQ(refusal("'..'"), place + "'..' stands for another folder" + end);
  EXPECT_EQ(refusal("'.'"), place + "'.' stands for another folder" + end);
  EXPECT_EQ(refusal("'../x'"), place + "'../x' holds a '/'" + end);
  EXPECT_EQ(refusal("'/tmp/x'"), place + "'/tmp/x' holds a '/'" + end);
  EXPECT_EQ(refusal("''"), place + "is empty" + end);
  EXPECT_EQ(refusal("'-r'"), place + "'-r' begins with '-', as options do" + end);
  EXPECT_EQ(refusal("\"a\\nb\""), place + "'a\\x0ab' holds a control character" + end);
  EXPECT_EQ(refusal("'" + std::string(201, 'a') + "'"), place + "has 201 bytes, at most 200 are taken" + end);
  EXPECT_EQ(refusal("", "...toml"), (scratch / "...toml").string() +
                                        ": run.name: is not given, and the name of the file or of its folder will not "
                                        "do: '..' stands for another folder" +
                                        end);
  for (const char* good : {"'a b'", "'..a'", "'sod-2'", "'Größe'"}) {
    EXPECT_NO_THROW(static_cast<void>(
        read_run_parameters(testing::read(scratch / "blast.toml", std::string("time.end = 2\nrun.name = ") + good))));
  }
}

TEST(EngineKeys, AllValuesOfARunArrive) {
  const test::Scratch scratch;
  const RunParameters run =
      read_run_parameters(testing::read(scratch / "a.toml",
                                        "[run]\nname = \"n\"\nthreads = 3\ndeterministic = true\n"
                                        "pin = false\npolling = \"thread\"\npoll_interval = 0.25\nstall_timeout = 0\n"
                                        "[time]\nend = 1\n"
                                        "[output]\ndirectory = \"d/e\"\ncheckpoint_every = 5\n"
                                        "compression = 0\ndouble_precision = true\npicture = false\n"));
  EXPECT_EQ(run.name, "n");
  EXPECT_EQ(run.directory, "d/e");
  EXPECT_EQ(run.checkpoint_every_s, 5.0);
  EXPECT_EQ(run.compression, 0);
  EXPECT_TRUE(run.double_precision);
  EXPECT_FALSE(run.picture);
  EXPECT_EQ(run.threads, 3U);
  EXPECT_TRUE(run.deterministic);
  EXPECT_FALSE(run.pin);
  EXPECT_EQ(run.polling, tasks::Polling::thread);
  EXPECT_EQ(run.poll_interval_s, 0.25);
  EXPECT_EQ(run.stall_timeout_s, 0.0);
}

TEST(EngineKeys, EachPollingChoiceIsItsValue) {
  const test::Scratch scratch;
  const auto polling = [&](const std::string& name) {
    const std::string text = "run.polling = \"" + name + "\"\ntime.end = 1\n";
    return read_run_parameters(testing::read(scratch / "a.toml", text)).polling;
  };
  EXPECT_EQ(polling("idle_workers"), tasks::Polling::idle_workers);
  EXPECT_EQ(polling("one_worker"), tasks::Polling::one_worker);
  EXPECT_EQ(polling("thread"), tasks::Polling::thread);
}

TEST(EngineKeys, DefaultsOfTime) {
  const test::Scratch scratch;
  const TimeParameters time = read_time_parameters(testing::read(scratch / "a.toml", "time.end = 2.5\n"), 0.5);
  EXPECT_EQ(time.begin, 0.5);
  EXPECT_EQ(time.end, 2.5);
  EXPECT_EQ(time.dt_max, std::numeric_limits<double>::infinity());
  EXPECT_EQ(time.dt_min, 0.0);
  EXPECT_EQ(time.max_steps, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(time.snapshot_every, 2.0);
  EXPECT_EQ(time.statistics_every, 0.02);
}

TEST(EngineKeys, QuantitiesOfTimeAreInCodeUnits) {
  const test::Scratch scratch;
  const TimeParameters time =
      read_time_parameters(testing::read(scratch / "a.toml",
                                         "[units]\nlength = \"1 km\"\nvelocity = \"1 m/s\"\n"
                                         "[time]\nbegin = \"1000 s\"\nend = \"5000 s\"\ndt_max = \"500 s\"\n"
                                         "dt_min = 0.25\nmax_steps = 7\n"
                                         "[output]\nsnapshot_every = \"2000 s\"\nstatistics_every = 0.5\n"),
                           0.5);
  // The code unit of time is 1e5 cm / (100 cm/s) = 1000 s; each conversion rounds a few times.
  EXPECT_DOUBLE_EQ(time.begin, 1.0);
  EXPECT_DOUBLE_EQ(time.end, 5.0);
  EXPECT_DOUBLE_EQ(time.dt_max, 0.5);
  EXPECT_EQ(time.dt_min, 0.25);
  EXPECT_EQ(time.max_steps, 7U);
  EXPECT_DOUBLE_EQ(time.snapshot_every, 2.0);
  EXPECT_EQ(time.statistics_every, 0.5);
}

TEST(EngineKeys, ListedTimesOfSnapshotsAreThoseInsideTheRun) {
  const test::Scratch scratch;
  const auto listed = [&](const std::string& output) {
    const std::string text = "[units]\nlength = \"1 km\"\nvelocity = \"1 m/s\"\n[time]\nend = 3\n[output]\n" + output;
    return read_time_parameters(testing::read(scratch / "a.toml", text), 0.0).snapshot_times;
  };
  EXPECT_EQ(listed(""), std::vector<double>());
  EXPECT_EQ(listed("snapshot_times = [-1, 0, 0.25, \"2000 s\", 3, 4]\n"), (std::vector{0.25, 2.0}));
  // Of one that is due anyway, but for rounding, no second one.
  EXPECT_EQ(listed("snapshot_every = 0.1\nsnapshot_times = [0.3, 0.35, 0.7]\n"), std::vector{0.35});
}

TEST(EngineKeys, ContradictionsSayWhereAndWhat) {
  EXPECT_EQ(time_error("[time]\nend = 2\n[output]\nsnapshot_times = [1, 1.5, 1.2]\n"),
            "run.toml:4:18: output.snapshot_times: must rise, but 1.5 is followed by 1.2");
  EXPECT_EQ(time_error("[time]\nend = 2\n[output]\nsnapshot_times = [0.2, 30]\n"),
            "run.toml:4:18: output.snapshot_times: lists no time of this run, which begins at 0.5 and ends at 2 (code "
            "units)\n  hint: is the unit what you meant?");
  EXPECT_EQ(time_error("[time]\nend = 0.5\n"),
            "run.toml:2:7: time.end: must be later than time.begin\n"
            "  hint: in code units the run would begin at 0.5 and end at 0.5");
  EXPECT_EQ(time_error("[time]\nbegin = 3\nend = 2\n"),
            "run.toml:3:7: time.end: must be later than time.begin\n"
            "  hint: in code units the run would begin at 3 and end at 2");
  EXPECT_EQ(time_error("[time]\nend = 2\ndt_min = 0.2\ndt_max = 0.1\n"),
            "run.toml:3:10: time.dt_min: is larger than time.dt_max\n  hint: swap the two");
  EXPECT_EQ(time_error("[time]\nend = 2\ndt_min = 0.1\ndt_max = 0.1\n"), "nothing");
  EXPECT_EQ(time_error("[time]\nend = 2\n[output]\nsnapshot_every = 1e-9\n"),
            "run.toml:4:18: output.snapshot_every: asks for 1.5e+09 outputs in this run; at most 1e+06 make sense\n"
            "  hint: is the unit what you meant?");
  EXPECT_EQ(time_error("[time]\nend = 2\n[output]\nstatistics_every = 1e-12\n"),
            "run.toml:4:20: output.statistics_every: asks for 1.5e+12 outputs in this run; at most 1e+09 make sense\n"
            "  hint: is the unit what you meant?");
}

}  // namespace tacit::engine::keys_test

// How near a run came to the limits of its machine: from counts and times, and in the summary of a run.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <string>
#include <vector>

#include "sample_run.hpp"
#include "tacit/engine/peak_share.hpp"
#include "tacit/engine/summary.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::engine::peak_share_test {
namespace {

namespace fs = std::filesystem;
using testing::CountingSolver, testing::Listener, testing::control;
constexpr SpeedLimits machine{.flops = 100.0, .single_flops = 200.0, .bandwidth = 50.0};
constexpr SpeedLimits fast{.flops = 1e30, .single_flops = 2e30, .bandwidth = 1e12};

/// $TACIT_CACHE for as long as it lives.
class Cache {
 public:
  explicit Cache(const fs::path& folder) { ::setenv("TACIT_CACHE", folder.c_str(), 1); }
  ~Cache() { ::unsetenv("TACIT_CACHE"); }
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;
};

/// summary.json of a short run of ten elements on one thread.
nlohmann::json run(const fs::path& folder, const std::string& kind) {
  const fs::path out = folder / ("out_" + kind);
  const config::Parameters parameters =
      testing::read(folder / "run.toml", "[run]\nthreads = 1\npin = false\npeak_share = \"" + kind +
                                             "\"\n[time]\nend = 1.0\n[output]\ndirectory = \"" + out.string() + "\"\n");
  Listener listener;
  Simulation(parameters, testing::counting_entry, testing::alone(), {}, listener).run();
  return nlohmann::json::parse(test::content(out / "summary.json"));
}

}  // namespace

struct Shared {
  UpdateCost cost;
  double updates_per_s;
  double least_s;
  PeakShare share;
};

TEST(PeakShare, IsOfWhatTakesLonger) {
  using Limit = PeakShare::Limit;
  const std::vector<Shared> table{
      // 6 / 100 + 8 / 200 = 0.1 s for the arithmetic of an update, 4 / 50 = 0.08 s for its bytes.
      {{.flops = 6.0, .single_flops = 8.0, .bytes = 4.0}, 5.0, 0.1, {0.5, Limit::arithmetic, 70.0, 140.0, 20.0, 50.0}},
      {{.flops = 6.0, .single_flops = 8.0, .bytes = 10.0}, 2.0, 0.2, {0.4, Limit::memory, 28.0, 140.0, 20.0, 50.0}},
      {{.bytes = 10.0}, 2.0, 0.2, {0.4, Limit::memory, 0.0, 100.0, 20.0, 50.0}}};
  for (const Shared& row : table) {
    EXPECT_DOUBLE_EQ(least_time(row.cost, machine), row.least_s);
    const PeakShare share = peak_share_of(row.cost, row.updates_per_s, machine);
    EXPECT_DOUBLE_EQ(share.share, row.share.share);
    EXPECT_EQ(share.limit, row.share.limit);
    EXPECT_DOUBLE_EQ(share.flops_per_s, row.share.flops_per_s);
    EXPECT_DOUBLE_EQ(share.flops_limit, row.share.flops_limit);
    EXPECT_DOUBLE_EQ(share.bytes_per_s, row.share.bytes_per_s);
    EXPECT_DOUBLE_EQ(share.bytes_limit, row.share.bytes_limit);
  }
}

TEST(PeakShare, IsALineOfTheHeadlineAndAnEntryOfTheSummary) {
  Summary summary;
  EXPECT_EQ(headline(summary).find("speed: "), std::string::npos);
  EXPECT_TRUE(nlohmann::json::parse(to_json(summary)).at("peak_share").is_null());
  EXPECT_FALSE(nlohmann::json::parse(to_json(summary)).contains("peak"));
  const SpeedLimits limits{.flops = 100e9, .single_flops = 200e9, .bandwidth = 50e9};
  summary.peak = peak_share_of({.flops = 10.0, .bytes = 40.0}, 0.5e9, limits);
  EXPECT_NE(headline(summary).find("\nspeed: 40.0 % of the memory's 50.0 GB/s, 5.0 % of 100.0 Gflop/s"),
            std::string::npos)
      << headline(summary);
  const auto json = nlohmann::json::parse(to_json(summary));
  EXPECT_DOUBLE_EQ(json.at("peak_share"), 0.4);
  EXPECT_EQ(json.at("peak").at("limit"), "memory");
  EXPECT_DOUBLE_EQ(json.at("peak").at("flops_per_s"), 5e9);
  EXPECT_DOUBLE_EQ(json.at("peak").at("flops_limit"), 100e9);
  EXPECT_DOUBLE_EQ(json.at("peak").at("bytes_per_s"), 20e9);
  EXPECT_DOUBLE_EQ(json.at("peak").at("bytes_limit"), 50e9);
  summary.peak = peak_share_of({.flops = 10.0, .bytes = 40.0}, 5e9, limits);
  EXPECT_NE(headline(summary).find(
                "\nspeed: data in caches, 4.0 times as fast as the memory's 50.0 GB/s, 50.0 % of 100.0 Gflop/s"),
            std::string::npos)
      << headline(summary);
  summary.peak = peak_share_of({.single_flops = 10.0}, 5e9, limits);
  EXPECT_NE(headline(summary).find("\nspeed: 25.0 % of the processors' 200.0 Gflop/s, 0.0 % of 50.0 GB/s"),
            std::string::npos)
      << headline(summary);
  EXPECT_EQ(nlohmann::json::parse(to_json(summary)).at("peak").at("limit"), "arithmetic");
}

TEST(PeakShare, OfARunUsesKeptLimits) {
  const test::Scratch scratch;
  const Cache cache(scratch.path());
  testing::reset_control();
  keep_limits(limits_file(), key_of_limits(1, 1), fast);
  EXPECT_TRUE(run(scratch.path(), "auto").at("peak_share").is_null());  // the solver says nothing
  control().cost = UpdateCost{.flops = 1.0, .bytes = 1e3};
  EXPECT_TRUE(run(scratch.path(), "never").at("peak_share").is_null());
  for (const char* kind : {"auto", "always"}) {
    const nlohmann::json json = run(scratch.path(), kind);
    EXPECT_EQ(json.at("peak").at("limit"), "memory");
    EXPECT_EQ(json.at("peak").at("bytes_limit"), fast.bandwidth);
    const double updates_per_s = json.at("updates_per_core_s");
    EXPECT_NEAR(json.at("peak_share"), updates_per_s * 1e-9, 1e-12 * updates_per_s * 1e-9) << kind;
  }
}

TEST(PeakShare, OfAShortRunIsMeasuredOnlyWhereThatIsAskedFor) {
  const test::Scratch scratch;
  const Cache cache(scratch.path());
  testing::reset_control();
  control().cost = UpdateCost{.flops = 1.0, .bytes = 1.0};
  EXPECT_TRUE(run(scratch.path(), "auto").at("peak_share").is_null());
  EXPECT_FALSE(fs::exists(limits_file()));
  EXPECT_GT(run(scratch.path(), "always").at("peak_share"), 0.0);
  EXPECT_TRUE(find_limits(limits_file(), key_of_limits(1, 1)));
}

TEST(MachineLimits, AreAlikeOnAllRanksAsTheFirstOneHasThem) {
  const test::Scratch scratch;
  keep_limits(scratch.path() / "limits", key_of_limits(4, 1), machine);
  comm::testing::on_ranks(2, [&](comm::Communicator& ranks) {
    RunParameters run;
    // Of threads of one process, which share all of its processors, the second finds no file: it hears of it.
    const fs::path file = is_first(ranks) ? scratch.path() / "limits" : fs::path();
    const bool is_shared = do_workers_share_processors(ranks, 2);
    MachineLimits limits(run, ranks, 2, file);
    const auto found = limits.find(false);
    EXPECT_EQ(found.has_value(), !is_shared);
    if (found) {
      EXPECT_EQ(found->bandwidth, machine.bandwidth);
    }
    run.peak_share = PeakShareKind::never;
    EXPECT_FALSE(MachineLimits(run, ranks, 2, file).find(true));
    run.peak_share = PeakShareKind::always;
    const auto measured = MachineLimits(run, ranks, 1, file).find(false);
    ASSERT_TRUE(measured);
    EXPECT_TRUE(measured->are_known());
  });
}

TEST(MachineLimits, OfOneRankAreMadeWithoutTheOthers) {
  comm::testing::on_ranks(2, [&](comm::Communicator& ranks) {
    // Ranks that made collectives in different numbers would disagree in the next one.
    std::vector<MachineLimits> limits;
    for (std::uint32_t i = 0; i <= number(ranks.rank()); ++i) limits.emplace_back(RunParameters(), ranks, 2);
    EXPECT_EQ(all_workers(ranks, processor_use(ranks, 1 + number(ranks.rank()))).count, 3U);
  });
}

}  // namespace tacit::engine::peak_share_test

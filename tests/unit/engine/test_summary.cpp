// summary.json, statistics.csv and the last lines: the fields that tools read.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

#include "sample_run.hpp"
#include "tacit/engine/summary.hpp"

namespace tacit::engine::summary_test {
namespace {

MechanicalSums sample() {
  MechanicalSums state;
  state.mass = 2.0;
  state.momentum = {1.0, 2.0, 3.0};
  state.momentum_scale = 4.0;
  state.kinetic_energy = 0.5;
  state.internal_energy = 0.1;
  state.potential_energy = -0.25;
  return state;
}

Summary finished() {
  Summary summary;
  summary.solver = "sph";
  summary.version = "1.2.3";
  summary.threads = 2;
  summary.steps = 40;
  summary.wall_s = 2.0;
  summary.updates = 4000;
  summary.updates_per_core_s = 1234.5;
  summary.output_s = 0.5;
  summary.output_exposed_s = 0.5;
  summary.output_share = 0.25;
  summary.output_bytes = 2'500'000;
  summary.peak_memory_bytes = 3'000'000;
  summary.idle_share = 0.125;
  summary.coordinate = 0.75;
  summary.finished = true;
  summary.conservation.add(sample().conserved().quantities);
  return summary;
}

}  // namespace

TEST(Summary, SaysWhatOtherRanksWouldSendWhereThatIsCounted) {
  Summary summary = finished();
  EXPECT_FALSE(nlohmann::json::parse(to_json(summary)).contains("traffic"));
  summary.elements = 100;
  summary.traffic = {
      {.ranks = 2, .messages = 8, .bytes = 900, .most_messages = 5, .most_bytes = 500, .largest_share = 0.5},
      {.ranks = 4, .row_ranks = 2, .row_bytes = 300}};
  const auto json = nlohmann::json::parse(to_json(summary));
  EXPECT_EQ(json.at("elements"), 100);
  EXPECT_EQ(json.at("traffic").at(0),
            nlohmann::json::parse(R"({"ranks": 2, "messages": 8, "bytes": 900, "most_messages": 5, "most_bytes": 500,
                                      "largest_share": 0.5, "row_ranks": 0, "row_bytes": 0})"));
  EXPECT_EQ(json.at("traffic").at(1).at("row_bytes"), 300);
}

TEST(Summary, HoldsTheFieldsThatToolsRead) {
  const auto json = nlohmann::json::parse(to_json(finished()));
  EXPECT_EQ(json.at("solver"), "sph");
  EXPECT_EQ(json.at("version"), "1.2.3");
  EXPECT_EQ(json.at("ranks"), 1);
  EXPECT_EQ(json.at("threads"), 2);
  for (const char* name : {"ranks", "threads", "steps", "updates", "output_bytes", "peak_memory_bytes"}) {
    EXPECT_TRUE(json.at(name).is_number_unsigned()) << name;
  }
  for (const char* name : {"wall_s", "updates_per_core_s", "exposed_s", "exposed_share", "output_s", "output_share",
                           "idle_share", "time", "output_exposed_s"}) {
    EXPECT_TRUE(json.at(name).is_number_float()) << name;
  }
  EXPECT_EQ(json.at("steps"), 40);
  EXPECT_EQ(json.at("updates"), 4000);
  EXPECT_TRUE(json.at("hidden_fraction").is_null());
  EXPECT_TRUE(json.at("output_hidden_fraction").is_null());
  EXPECT_EQ(json.at("finished"), true);
  EXPECT_EQ(json.at("conserved").size(), 3U);  // no angular momentum in a periodic box
  EXPECT_EQ(json.at("conserved").at("mass"), nlohmann::json::parse(R"({"start": 2, "end": 2, "max_drift": 0})"));
  EXPECT_EQ(json.at("conserved").at("momentum").at("end"), nlohmann::json::parse("[1, 2, 3]"));
  EXPECT_EQ(json.at("conserved").at("energy").at("start"), sample().energy());
}

TEST(Summary, HoldsWhatTheTraceTells) {
  Summary summary = finished();
  EXPECT_TRUE(nlohmann::json::parse(to_json(summary)).at("parallelism").is_null());
  summary.exposed_s = 0.125;
  summary.exposed_share = 0.0625;
  summary.hidden_fraction = 0.875;
  summary.parallelism = 12.5;
  const auto json = nlohmann::json::parse(to_json(summary));
  EXPECT_EQ(json.at("exposed_s"), 0.125);
  EXPECT_EQ(json.at("exposed_share"), 0.0625);
  EXPECT_EQ(json.at("hidden_fraction"), 0.875);
  EXPECT_EQ(json.at("parallelism"), 12.5);
}

TEST(Summary, HoldsAngularMomentumWhereItIsConserved) {
  Summary summary;
  MechanicalSums state = sample();
  state.angular_momentum = base::Vec3{0.0, 0.0, 5.0};
  state.angular_momentum_scale = 5.0;
  summary.conservation.add(state.conserved().quantities);
  const auto json = nlohmann::json::parse(to_json(summary));
  EXPECT_EQ(json.at("conserved").at("angular_momentum").at("start"), nlohmann::json::parse("[0, 0, 5]"));
}

TEST(Summary, OfNoStepsIsStillJson) {
  const auto json = nlohmann::json::parse(to_json(Summary{}));
  EXPECT_TRUE(json.at("conserved").empty());
  EXPECT_EQ(json.at("finished"), false);
}

TEST(Summary, HeadlineSaysWhatOutputCost) {
  EXPECT_EQ(headline(finished()),
            "done at t = 0.75 after 40 steps in 2.00 s: 1.23e+03 updates/s per core on 2 threads, workers idle 12.5 %\n"
            "communication: none, on one rank; output: 2.5 MB, 0.50 s exposed, 25.0 % of the run, nothing "
            "hidden\n"
            "energy drift 0.00e+00, momentum drift 0.00e+00");
}

TEST(Summary, HeadlineSaysWhatCommunicationCost) {
  Summary summary = finished();
  summary.exposed_s = 0.12;
  summary.exposed_share = 0.06;
  summary.hidden_fraction = 0.875;
  summary.parallelism = 12.5;
  summary.output_exposed_s = 0.12;
  summary.output_share = 0.06;
  summary.output_hidden_fraction = 0.76;
  EXPECT_EQ(headline(summary),
            "done at t = 0.75 after 40 steps in 2.00 s: 1.23e+03 updates/s per core on 2 threads, workers idle 12.5 %, "
            "parallelism 12.5\n"
            "communication: 0.12 s exposed, 6.0 % of the run, 87.5 % hidden; output: 2.5 MB, 0.12 s exposed, 6.0 % "
            "of the run, 76.0 % hidden\n"
            "energy drift 0.00e+00, momentum drift 0.00e+00");
}

TEST(Summary, SaysWhereTheTimeOfStepsWent) {
  Summary summary = finished();
  EXPECT_FALSE(nlohmann::json::parse(to_json(summary)).contains("parts_s"));
  summary.parts = {{"gravity", 0.0}, {"hydrodynamics", 0.0}};
  const RankCost first{.wall_s = 2.0, .workers = 2, .part_s = {1.0, 0.5}};
  const RankCost second{.wall_s = 2.5, .workers = 2, .part_s = {1.5, 0.25}};
  add_costs(summary, std::array{first, second});
  const auto json = nlohmann::json::parse(to_json(summary)).at("parts_s");
  EXPECT_EQ(json, nlohmann::json::parse(R"({"gravity": 1.25, "hydrodynamics": 0.375, "other": 0.375})"));
  EXPECT_NE(
      headline(summary).find("\ntime: gravity 1.25 s (62.5 %), hydrodynamics 0.38 s (18.8 %), other 0.38 s (18.8 %)\n"),
      std::string::npos)
      << headline(summary);
}

TEST(Summary, SaysWhatBecameOfLaunches) {
  Summary summary = finished();
  EXPECT_FALSE(nlohmann::json::parse(to_json(summary)).contains("launches"));
  const RankCost first{.wall_s = 2.0,
                       .workers = 2,
                       .has_slots = 1,
                       .launched = 150,
                       .launched_on_cpu = 40,
                       .launches_waited = 7,
                       .launches_failed = 12,
                       .launches_rescued = 10};
  const RankCost second{.wall_s = 2.0, .workers = 2, .has_slots = 1, .launched = 10};
  add_costs(summary, std::array{first, second});
  const auto json = nlohmann::json::parse(to_json(summary)).at("launches");
  EXPECT_EQ(json, nlohmann::json::parse(R"({"all": 200, "on_device": 150, "on_cpu": 40, "failed": 12, "rescued": 10,
                                            "waited": 7, "device_share": 0.75, "fallback_share": 0.2})"));
  EXPECT_NE(headline(summary).find("\nlaunches: 200, 75.0 % on the device, 20.0 % by workers for want of a slot, 10 "
                                   "that failed there, too\n"),
            std::string::npos)
      << headline(summary);
  summary.launches.emplace();
  EXPECT_NE(headline(summary).find("\nlaunches: none\n"), std::string::npos) << headline(summary);
}

TEST(Summary, OfACountedAxisSpeaksOfItsCount) {
  Summary summary;
  summary.axis = {.name = "trajectory", .kind = Axis::Kind::counted};
  summary.coordinate = 12.0;
  summary.finished = true;
  summary.conservation.add(std::vector<Quantity>{{"charge", {1.0}, 1.0}});
  const auto json = nlohmann::json::parse(to_json(summary));
  EXPECT_EQ(json.at("trajectory"), 12);
  EXPECT_FALSE(json.contains("time"));
  EXPECT_TRUE(headline(summary).starts_with("done at trajectory 12 after 0 steps")) << headline(summary);
  EXPECT_TRUE(headline(summary).ends_with("\ncharge drift 0.00e+00")) << headline(summary);
}

TEST(Statistics, LinesFitTheHeader) {
  StatisticsRow row{.step = 3, .coordinate = 0.1, .dt = 0.25, .wall_s = 1.23456, .conserved = sample().conserved()};
  const std::string header = statistics_header(row);
  EXPECT_EQ(header,
            "step,time,dt,mass,kinetic_energy,internal_energy,potential_energy,total_energy,momentum_x,momentum_y,"
            "momentum_z,angular_momentum_x,angular_momentum_y,angular_momentum_z,wall_s");
  EXPECT_EQ(statistics_line(row), "3,0.1,0.25,2,0.5,0.1,-0.25,0.35,1,2,3,,,,1.235");
  MechanicalSums state = sample();
  state.angular_momentum = base::Vec3{7.0, 8.0, 9.0};
  row.conserved = state.conserved();
  EXPECT_EQ(statistics_line(row), "3,0.1,0.25,2,0.5,0.1,-0.25,0.35,1,2,3,7,8,9,1.235");
  row.coordinate = 0.1 + 0.2;  // needs 17 digits to come back
  EXPECT_TRUE(statistics_line(row).starts_with("3,0.30000000000000004,"));
}

TEST(Statistics, NameTheirColumnsByQuantityWhereTheSolverDoesNot) {
  const Axis trajectories{.name = "trajectory", .kind = Axis::Kind::counted};
  const StatisticsRow row{.step = 2,
                          .coordinate = 7.0,
                          .conserved = {.quantities = {{"charge", {0.5}}, {"spin", {1.0, 2.0, 3.0}}}},
                          .more = {{"plaquette", 0.25}}};
  EXPECT_EQ(statistics_header(row, trajectories), "step,trajectory,charge,spin_x,spin_y,spin_z,wall_s,plaquette");
  EXPECT_EQ(statistics_line(row, trajectories), "2,7,0.5,1,2,3,0.000,0.25");
}

TEST(Provenance, NamesVersionBuildAndInput) {
  const auto rows = provenance_of({.input = "ics.hdf5", .checksum = "abc"});
  for (const char* name : {"version", "commit", "compiler", "build", "host", "date", "input", "input checksum"}) {
    const auto row = std::ranges::find(rows, name, [](const auto& r) { return r.first; });
    ASSERT_NE(row, rows.end()) << name;
    EXPECT_FALSE(row->second.empty()) << name;
  }
}

}  // namespace tacit::engine::summary_test

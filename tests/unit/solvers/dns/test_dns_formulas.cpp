// Velocity and scalars by formulas, beside a set-up that is the same.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <vector>

#include "flows_on_ranks.hpp"
#include "support/test_folder.hpp"
#include "tacit/engine/axis.hpp"
#include "tacit/engine/keys.hpp"
#include "tacit/solvers/dns/dns_solver.hpp"
#include "tacit/solvers/dns/parameters.hpp"
#include "unit/comm/polling.hpp"

namespace tacit::dns::formulas_test {

using testing::all_modes;

/// Of a parameter file without the key `solver`; time.end is added.
DnsParameters read(const std::string& text) {
  const auto path =
      test::test_folder() / (::testing::UnitTest::GetInstance()->current_test_info()->name() + std::string(".toml"));
  std::ofstream(path) << "time.end = 1.0\n" << text;
  std::vector<config::KeyTable> tables = engine::key_tables(engine::Axis{});
  const auto own = dns::key_tables();
  tables.insert(tables.end(), own.begin(), own.end());
  DnsParameters result = read_parameters(config::Document(path, {}).read(tables));
  result.flow.rigor = fft::Rigor::estimate;
  return result;
}

const std::string flow = "[dns]\npoints = 12\npoints_y = 16\nviscosity = 0.01\nbox = [1, 2, 1]\ntuning = \"none\"\n";
const std::string vortices =
    "initial.setup = \"formulas\"\n" + flow +
    "[initial.constants]\nV = 1.5\n[initial.fields]\nu = \"V*sin(2*pi*x)*cos(pi*y)*cos(2*pi*z)\"\n"
    "v = \"-2*V*cos(2*pi*x)*sin(pi*y)*cos(2*pi*z)\"\nw = 0\n";

std::vector<Complex> modes_of(const DnsParameters& parameters, std::size_t workers = 1) {
  testing::RunningFlow run(parameters.flow, workers);
  EXPECT_EQ(make(parameters.setup, run.flow), "");
  return all_modes(run.flow);
}

double largest_difference(const std::vector<Complex>& a, const std::vector<Complex>& b) {
  double largest = a.size() == b.size() ? 0.0 : 1e300;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

TEST(DnsFormulas, MakeTheVorticesOfTaylorAndGreen) {
  // In a box of sides 1, 1, 1 these are those of the set-up.
  const std::string cube = "[dns]\npoints = 12\nviscosity = 0.01\nbox = [1, 1, 1]\ntuning = \"none\"\n";
  const auto built_in = modes_of(read("initial.setup = \"taylor_green\"\ntaylor_green.speed = 1.5\n" + cube));
  const std::string formulas = "initial.setup = \"formulas\"\n" + cube +
                               "[initial.constants]\nV = 1.5\n[initial.fields]\n"
                               "u = \"V*sin(2*pi*x)*cos(2*pi*y)*cos(2*pi*z)\"\n"
                               "v = \"-V*cos(2*pi*x)*sin(2*pi*y)*cos(2*pi*z)\"\nw = 0\n";
  const auto by_formulas = modes_of(read(formulas));
  EXPECT_LT(largest_difference(built_in, by_formulas), 1e-16);  // of modes of 0.19
  EXPECT_TRUE(modes_of(read(formulas), 2) == by_formulas);
  EXPECT_EQ(modes_of(read(vortices)).size(), modes_of(read(vortices), 2).size());
}

TEST(DnsFormulas, LoseTheirDivergenceAndSaySo) {
  std::string text = vortices;
  text.replace(text.find("w = 0"), 5, "w = \"sin(2*pi*z)\"");
  const DnsParameters parameters = read(text);
  testing::RunningFlow run(parameters.flow);
  EXPECT_NE(make(parameters.setup, run.flow).find("had divergence, which was taken out"), std::string::npos);
  EXPECT_LT(run.flow.energetics().divergence, 1e-15);
  EXPECT_LT(largest_difference(all_modes(run.flow), modes_of(read(vortices))), 1e-16);  // nothing else is left of it
}

TEST(DnsFormulas, GiveScalarsAndBuoyancy) {
  std::string text = vortices;
  text.replace(text.find("[dns]\n"), 6, "[dns]\nstratification = 2\n");
  const DnsParameters parameters = read(text +
                                        "scalar2 = \"sqrt(2)*sin(pi*y)\"\nbuoyancy = \"0.5*cos(2*pi*x)\"\n"
                                        "[scalars]\nschmidt = [1, 0.7]\ninitial = [\"wave_x\", \"zero\"]\n");
  testing::RunningFlow run(parameters.flow);
  make_scalars(parameters.scalars, run.flow);
  EXPECT_EQ(make(parameters.setup, run.flow), "");
  EXPECT_NEAR(testing::half_square(run.flow, run.flow.scalar(0)), 0.5, 1e-14);       // wave_x stays
  EXPECT_NEAR(testing::half_square(run.flow, run.flow.scalar(1)), 0.5, 1e-14);       // a mean square of 1
  EXPECT_NEAR(testing::half_square(run.flow, run.flow.scalar(2)), 0.015625, 1e-15);  // theta = b/N: (1/4)^2 / 4
}

TEST(DnsFormulas, SayAtWhichPointThereIsNoNumber) {
  std::string text = vortices;
  text.replace(text.find("w = 0"), 5, "w = \"0*sqrt(0.9 - z)\"");
  const DnsParameters parameters = read(text);
  for (const std::size_t ranks : {1U, 2U, 4U}) {
    std::mutex mutex;
    std::vector<std::string> texts;
    comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
      trace::Recorder recorder(1);
      tasks::Scheduler scheduler(1, recorder);
      const comm::testing::Polling polling(scheduler, world);
      try {
        const DnsSolver solver(parameters, {.scheduler = scheduler, .ranks = world});
      } catch (const base::Error& error) {
        const std::lock_guard lock(mutex);
        texts.emplace_back(error.what());
      }
    });
    ASSERT_EQ(texts.size(), ranks);
    for (const std::string& one : texts) {
      EXPECT_NE(one.find("initial.fields.w: is"), std::string::npos) << one;
      EXPECT_NE(one.find(", 11), at x = 0, y = "), std::string::npos) << one;
    }
  }
}

TEST(DnsFormulas, AreRefusedOfScalarsThatThereAreNot) {
  const auto message = [](const std::string& more) -> std::string {
    try {
      static_cast<void>(read(vortices + more));
    } catch (const config::Error& error) {
      return error.what();
    }
    return "read";
  };
  EXPECT_NE(message("scalar1 = 1\n").find("initial.fields.scalar1: the flow has no such scalar"), std::string::npos);
  EXPECT_NE(message("buoyancy = 1\n").find("hint: dns.stratification > 0"), std::string::npos);
}

}  // namespace tacit::dns::formulas_test

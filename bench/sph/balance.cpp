// Makes the ball, has it divided in several ways, and compares what ranks do.
// SPDX-License-Identifier: Apache-2.0
#include "sph/balance.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "comm/crew.hpp"
#include "comm/launch.hpp"
#include "comm/rank.hpp"
#include "framework/command.hpp"
#include "sph/child.hpp"
#include "sph/ranked_gas.hpp"
#include "tacit/base/error.hpp"
#include "tacit/base/random.hpp"
#include "tacit/topology/partition.hpp"

namespace tacit::bench {
namespace {

constexpr int ranks_of_balance = 4;
constexpr double radius = 0.003;
constexpr double share_in_ball = 0.8;
constexpr std::size_t repartitions = 3;
constexpr std::string_view last_figure = "balance_4r_particles";

/// Places at random; the ball is as much colder as its kernels are shorter, so that all steps are about as long.
sph::InitialConditions ball_of_gas(std::uint64_t particles, const sph::Share& share) {
  constexpr base::Vec3 centre{0.31, 0.37, 0.43};
  const double density = share_in_ball / (4.0 / 3.0 * std::numbers::pi * radius * radius * radius);
  const double cold = std::pow(density / (1.0 - share_in_ball), -2.0 / 3.0);
  const auto spacing = [particles](double part_of_mass) {
    return std::cbrt(1.0 / (part_of_mass * static_cast<double>(particles)));
  };
  const auto in_ball = static_cast<std::uint64_t>(share_in_ball * static_cast<double>(particles));
  sph::InitialConditions gas;
  gas.box = {1.0, 1.0, 1.0};
  gas.source = "ball";
  const sph::Rows rows = share.of(particles);
  for (std::uint64_t i = rows.first; i < rows.end; ++i) {
    const auto random = [i](std::uint64_t kind) { return base::uniform(1, i, kind); };
    base::Vec3 at{random(0), random(1), random(2)};
    if (i < in_ball) {
      const double cosine = 2.0 * random(0) - 1.0;
      const double angle = 2.0 * std::numbers::pi * random(1);
      const double r = radius * std::cbrt(random(2));
      const double across = r * std::sqrt(1.0 - cosine * cosine);
      at = centre + base::Vec3{across * std::cos(angle), across * std::sin(angle), r * cosine};
    }
    gas.id.push_back(i + 1);
    gas.x.push_back(at.x);
    gas.y.push_back(at.y);
    gas.z.push_back(at.z);
    gas.u.push_back(i < in_ball ? cold : 1.0);
    gas.h.push_back(i < in_ball ? spacing(density) : spacing(1.0 - share_in_ball));
  }
  gas.vx = gas.vy = gas.vz = std::vector<double>(rows.size(), 0.0);
  gas.m.assign(rows.size(), 1.0 / static_cast<double>(particles));
  return gas;
}

/// @param method  nothing: as particles were divided before anything was measured
/// @return        of the time in tasks, the largest of a rank over the mean
double imbalance(const Plan& plan, Crew& crew, std::optional<topology::Method> method) {
  const std::size_t steps = plan.size(3, 1);
  RankedGas gas(crew.world(), 1, parameters_of({.steps = Steps::common}),
                ball_of_gas(plan.size(1'000'000, 20'000), share_of(crew.world())), 1);
  for (std::size_t k = 0; method && k < repartitions; ++k) {
    gas.run(steps);
    gas.solver().cut_next(*method);
    gas.run(1);
  }
  const std::int64_t before = gas.solver().ticks_in_tasks();
  gas.run(steps);
  const auto mine = static_cast<double>(gas.solver().ticks_in_tasks() - before);
  return crew.largest(mine) / (crew.sum(mine) / static_cast<double>(crew.world().size()));
}

void measure_balance(comm::Communicator& world, Effort effort, const Sink& sink) {
  using topology::Method;
  const Plan plan{&world, effort, &sink};
  Crew crew(world);
  const auto add = [&](std::string_view name, std::optional<Method> method, std::optional<double> limit = {}) {
    plan.add(
        {.name = std::string(name), .unit = "1", .ours = summarise({imbalance(plan, crew, method)}), .limit = limit});
  };
  add("balance_4r_largest_over_mean", Method::best, 1.10);
  if (topology::has_metis()) add("balance_4r_metis", Method::metis);
  add("balance_4r_curve", Method::curve);
  add(last_figure, std::nullopt);
}

}  // namespace

void add_balance(Session& session) {
  run_processes(session,
                launched(ranks_of_balance, {own_program().string(), std::string(sph_balance_rank),
                                            session.effort() == Effort::full ? "full" : "quick"}),
                last_figure);
}

void serve_sph_balance(std::span<const std::string_view> words, std::ostream& out) {
  if (words.size() != 1) throw base::Error("a rank of the balance in 'sph_ranks' takes one word");
  comm::Communicator world;
  const Sink sink = [&out](const Result& result) { out << to_line(result) << '\n' << std::flush; };
  measure_balance(world, words[0] == "quick" ? Effort::quick : Effort::full, sink);
}

}  // namespace tacit::bench

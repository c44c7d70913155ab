// Steps of gas on sub-grids on one core, beside Athena++ where it is, and on two ranks; regrids, memory.
// SPDX-License-Identifier: Apache-2.0
#include "amr/amr.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "amr/athena.hpp"
#include "comm/crew.hpp"
#include "comm/rank.hpp"
#include "comm/turns.hpp"
#include "sph/child.hpp"
#include "support/temporary_folder.hpp"
#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/solvers/amr/amr_solver.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::bench {
namespace {

constexpr std::string_view amr_help =
    R"(Whole steps in double precision on one core: piecewise linear with monotonised slopes, HLLC, two stages (Heun). A
step of a cell is one update, of both stages. Beside it, in turns, Athena++ on one core, if TACIT_ATHENA names its
program: the same cells and blocks, piecewise linear, HLLC, two stages (van Leer's), its own "zone-cycles/cpu_second".
Configure it by

  python3 configure.py --prob=linear_wave --flux=hllc --nghost=2

  hydro_8_plm_cells_per_core_s    64^3 cells of one level in sub-grids of 8^3, an oblique sound wave [1/s]
  hydro_16_plm_cells_per_core_s   the same in sub-grids of 16^3 [1/s]
  hydro_N_plm_vs_athena           over Athena++, sample by sample
  regrid_share                    of an explosion in space on three levels with a regrid every 5 steps: time of regrids
                                  over that of all
  regrid_cells_per_core_s         cells that are looked at, and moved where the tree changes, in a second of regrids
  amr_2r_exposed_share            of a step of that explosion on two ranks, a core each: the part in which a rank does
                                  nothing but communicate (pack, poll, wait), without regrids
  amr_2r_speedup                  over one rank, in turns
  futures_step_ratio              a step of that explosion by the graph over one by futures (amr.step), one core
  futures_2r_step_ratio           the same on two ranks, a core each
  bytes_per_cell                  by which the largest memory of `tacit run` grows per cell from 64^3 to 128^3 cells of
                                  one level, sub-grids of 8^3; blocking output
)";

amr::AmrParameters wave_in_a_cube(std::size_t side, std::size_t block) {
  amr::AmrParameters parameters;
  parameters.domain.block = block;
  const auto roots = static_cast<std::int64_t>(side / block);
  parameters.domain.roots = {roots, roots, roots};
  parameters.cfl = 0.8;
  parameters.initial.state = [](const amr::Point& x) {
    const double s = 1e-6 * std::sin(2.0 * std::numbers::pi * (x[0] + x[1] + x[2]));
    const double v = s * std::sqrt(1.4 * 0.6 / 3.0);
    return amr::GasState{1.0 + s, {v, v, v}, 0.6 * (1.0 + 1.4 * s)};
  };
  return parameters;
}

/// A ball of high pressure in the middle of a cube of 32^3 of the coarsest cells, in sub-grids of 8^3.
amr::AmrParameters explosion(std::uint32_t finest) {
  amr::AmrParameters parameters;
  parameters.domain.roots = {4, 4, 4};
  parameters.domain.deepest = finest;
  parameters.is_adaptive = true;
  parameters.finest = finest;
  parameters.regrid_every = 1U << 30U;  // regrids are timed apart from steps
  parameters.jumps = {.finest = finest, .refine_above = 0.1, .coarsen_below = 0.05};
  parameters.initial.state = [](const amr::Point& x) {
    const double r = std::hypot(x[0] - 0.5, x[1] - 0.5, x[2] - 0.5);
    return amr::GasState{1.0, {}, r < 0.1 ? 100.0 : 1.0};
  };
  return parameters;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Our solver with one worker on each of some ranks; without any, alone.
class OneCore {
 public:
  explicit OneCore(const amr::AmrParameters& parameters)
      : alone_(std::in_place, comm::bootstrap_alone()),
        ranks_(*alone_),
        solver_((scheduler_.attach(ranks_.completions()), parameters), {.scheduler = scheduler_, .ranks = ranks_},
                nullptr) {}
  OneCore(const amr::AmrParameters& parameters, comm::Communicator& ranks)
      : ranks_(ranks),
        solver_((scheduler_.attach(ranks_.completions()), parameters), {.scheduler = scheduler_, .ranks = ranks_},
                nullptr) {}
  ~OneCore() { scheduler_.detach(ranks_.completions()); }
  OneCore(const OneCore&) = delete;
  OneCore& operator=(const OneCore&) = delete;

  [[nodiscard]] amr::AmrSolver& solver() noexcept { return solver_; }
  [[nodiscard]] double exposed_s() {
    scheduler_.settle();
    return recorder_.exposure().exposed_s;
  }
  /// @return seconds
  double steps(std::size_t count) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t k = 0; k < count; ++k) {
      step_.dt = solver_.time_step();
      solver_.step(step_);
      step_.time += step_.dt;
      ++step_.step;
    }
    return seconds_since(begin);
  }

 private:
  std::optional<comm::Communicator> alone_;
  comm::Communicator& ranks_;
  trace::Recorder recorder_{1, 1024};
  tasks::Scheduler scheduler_{1, recorder_};
  amr::AmrSolver solver_;
  tasks::StepContext step_;
};

void measure_steps(Session& session, std::size_t block, const Athena& athena) {
  const std::size_t side = session.size(64, 16);
  const std::size_t steps = session.size(16, 2);
  OneCore ours(wave_in_a_cube(side, block));
  ours.steps(2);
  std::vector<double> speeds;
  std::vector<double> theirs;
  for (std::size_t sample = 0; sample < session.size(7, 1); ++sample) {
    const double seconds = ours.steps(steps);
    speeds.push_back(static_cast<double>(ours.solver().elements() * steps) / seconds);
    if (athena.is_there()) theirs.push_back(athena.run(side, block, steps));
  }
  Result result{.name = fmt::format("hydro_{}_plm_cells_per_core_s", block),
                .unit = "1/s",
                .better = Better::higher,
                .ours = summarise(speeds)};
  if (!theirs.empty()) result.peers.emplace_back("Athena++", summarise(theirs).median);
  session.add(result);
  if (theirs.empty()) return;
  session.add({.name = fmt::format("hydro_{}_plm_vs_athena", block),
               .unit = "",
               .better = Better::higher,
               .ours = summarise(ratios(speeds, theirs)),
               .limit = 1.0});
}

void measure_regrids(Session& session) {
  OneCore run(explosion(static_cast<std::uint32_t>(session.size(2, 1))));
  std::vector<double> shares;
  std::vector<double> speeds;
  for (std::size_t sample = 0; sample < session.size(5, 1); ++sample) {
    double in_steps = 0.0;
    double in_regrids = 0.0;
    double cells = 0.0;
    for (std::size_t regrid = 0; regrid < session.size(4, 1); ++regrid) {
      in_steps += run.steps(5);
      const auto begin = std::chrono::steady_clock::now();
      run.solver().adapt();
      in_regrids += seconds_since(begin);
      cells += static_cast<double>(run.solver().elements());
    }
    shares.push_back(in_regrids / (in_steps + in_regrids));
    speeds.push_back(cells / in_regrids);
  }
  session.add({.name = "regrid_share", .unit = "", .ours = summarise(shares)});
  session.add({.name = "regrid_cells_per_core_s", .unit = "1/s", .better = Better::higher, .ours = summarise(speeds)});
}

/// In turns with one rank.
void measure_two_ranks(comm::Communicator& world, Effort effort, const Sink& sink) {
  const Plan plan{&world, effort, &sink};
  Crew crew(world);
  const BoundRank binding(crew.world());
  comm::Communicator self = world.split(comm::number(world.rank()), 0);
  const amr::AmrParameters parameters = explosion(static_cast<std::uint32_t>(plan.size(2, 1)));
  std::optional<OneCore> alone;
  if (crew.is_first()) alone.emplace(parameters, self);
  OneCore both(parameters, crew.world());
  const std::size_t steps = plan.size(20, 2);
  std::vector<double> speedups;
  std::vector<double> shares;
  for (std::size_t sample = 0; sample <= plan.size(7, 1); ++sample) {
    const double one = crew.time(Takes::first_rank, [&] { alone->steps(steps); });
    const double before = both.exposed_s();
    const double two = crew.time(Takes::all_ranks, [&] { both.steps(steps); });
    const double exposed = crew.sum(both.exposed_s() - before) / static_cast<double>(crew.world().size());
    if (sample == 0) continue;
    speedups.push_back(one / two);
    shares.push_back(exposed / two);
  }
  plan.add({.name = "amr_2r_exposed_share", .unit = "1", .ours = summarise(shares)});
  plan.add({.name = "amr_2r_speedup", .unit = "1", .better = Better::higher, .ours = summarise(speedups)});
}

amr::AmrParameters by_futures(amr::AmrParameters parameters) {
  parameters.order = amr::StepOrder::futures;
  return parameters;
}

/// In turns on one core.
void measure_futures(Session& session) {
  const amr::AmrParameters parameters = explosion(static_cast<std::uint32_t>(session.size(2, 1)));
  OneCore graph(parameters);
  OneCore futures(by_futures(parameters));
  const std::size_t steps = session.size(20, 2);
  std::vector<double> samples;
  for (std::size_t sample = 0; sample <= session.size(7, 1); ++sample) {
    const double by_graph = graph.steps(steps);
    const double by_others = futures.steps(steps);
    if (sample > 0) samples.push_back(by_graph / by_others);
  }
  session.add({.name = "futures_step_ratio", .unit = "1", .better = Better::higher, .ours = summarise(samples)});
}

/// The same on two ranks.
void measure_futures_of_two(comm::Communicator& world, Effort effort, const Sink& sink) {
  const Plan plan{&world, effort, &sink};
  Crew crew(world);
  const BoundRank binding(crew.world());
  const amr::AmrParameters parameters = explosion(static_cast<std::uint32_t>(plan.size(2, 1)));
  OneCore graph(parameters, crew.world());
  OneCore futures(by_futures(parameters), crew.world());
  const std::size_t steps = plan.size(20, 2);
  std::vector<double> samples;
  for (std::size_t sample = 0; sample <= plan.size(7, 1); ++sample) {
    const double by_graph = crew.time(Takes::all_ranks, [&] { graph.steps(steps); });
    const double by_others = crew.time(Takes::all_ranks, [&] { futures.steps(steps); });
    if (sample > 0) samples.push_back(by_graph / by_others);
  }
  plan.add({.name = "futures_2r_step_ratio", .unit = "1", .better = Better::higher, .ours = summarise(samples)});
}

/// Largest memory of a run of `tacit` on a cube [byte].
double peak_of_run(const std::filesystem::path& folder, std::size_t side) {
  const auto file = folder / "run.toml";
  std::ofstream(file) << fmt::format(
      "solver = \"amr\"\n[run]\nthreads = 1\n[initial]\nsetup = \"wave\"\n[amr]\nroot = [{0}, {0}, {0}]\n[time]\n"
      "end = 1\nmax_steps = 2\n[output]\npicture = false\nstaging_memory = 0\n",
      side / 8);
  const auto output = folder / fmt::format("out{}", side);
  Child run({(own_program().parent_path() / "tacit").string(), "run", file.string(), "--output", output.string()},
            Output::nowhere, folder);
  run.wait_for_end();
  std::ifstream summary(output / "summary.json");
  return nlohmann::json::parse(summary).at("peak_memory_bytes").get<double>();
}

void measure_memory(Session& session) {
  const test::TemporaryFolder folder;
  const std::size_t few = session.size(64, 32);
  const std::size_t many = session.size(128, 64);
  const double difference = peak_of_run(folder.path(), many) - peak_of_run(folder.path(), few);
  const auto cube = [](std::size_t side) { return static_cast<double>(side * side * side); };
  session.add({.name = "bytes_per_cell",
               .unit = "B",
               .ours = summarise(std::vector<double>{difference / (cube(many) - cube(few))})});
}

void run_amr(Session& session) {
  const Athena athena;
  if (athena.is_there()) session.add_peer("Athena++", "TACIT_ATHENA");
  measure_steps(session, 8, athena);
  measure_steps(session, 16, athena);
  measure_regrids(session);
  run_threads(session, measure_two_ranks);
  measure_futures(session);
  run_threads(session, measure_futures_of_two);
  measure_memory(session);
}

}  // namespace

Benchmark amr_benchmark() {
  return {.name = "amr", .summary = "steps of gas on an octree, beside Athena++", .help = amr_help, .run = run_amr};
}

}  // namespace tacit::bench

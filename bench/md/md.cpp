// Steps of molecular dynamics on one core, beside LAMMPS where it is, and on ranks.
// SPDX-License-Identifier: Apache-2.0
#include "md/md.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "comm/crew.hpp"
#include "comm/rank.hpp"
#include "md/nodes.hpp"
#include "md/on_ranks.hpp"
#include "md/workload.hpp"
#include "sph/child.hpp"
#include "tacit/base/error.hpp"
#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/solvers/md/md_solver.hpp"
#include "tacit/solvers/md/setups/tersoff_sets.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::bench {
namespace {

constexpr std::string_view md_help =
    R"(Whole steps at constant energy on one core, neighbour lists included, in double precision: the mean of some
hundred steps (with --quick of few, of small crystals, under the same names), after as many that are not timed, so that
the crystals have melted or are warm. Beside it, in turns, LAMMPS on one core, if the program lmp is in the PATH: its
own "Loop time" of the same crystal, potential, step, skin and number of steps.

  lj_melt_32k_double      32 000 Lennard-Jones atoms, density 0.8442, first at T = 1.44, cutoff 2.5, skin 0.3, dt 0.005
                          (the melt of LAMMPS' own benchmarks, which make lists every 20 steps) [million atom-steps/s]
  tersoff_si_4k_double    4 096 atoms of silicon, Tersoff, first at 2000 K, skin 1.0, dt 1 fs; lists when an atom has
                          moved by half of the skin
  tersoff_si_32k_double   32 768 of them
  NAME_vs_lammps          over LAMMPS, sample by sample

Two ranks of one worker each, threads of this process, bound to a processor of their own where there are two:

  md_2r_exposed_share     the melt of 32 000 atoms; of a step: the part in which a rank does nothing but communicate
                          (pack, poll, unpack, decide together), or wait for that; lists included
  md_2r_speedup           the time of the same steps on one rank over that on two, sample by sample
  tersoff_2r_exposed_share, tersoff_2r_speedup   the same of 32 768 atoms of silicon

Four emulated nodes of four cores (tools/nodes/nodes.py; needs root and Open MPI), 4 000 atoms of hot silicon, 1 000 on
each node: copies of atoms that a node has, with one rank of four threads on each ("flat": with four ranks of one). No
time is measured:

  md_4n_wire_ghosts       atoms whose positions come from other nodes in each step: once for each rank that sees them
  md_4n_near_ghosts       from ranks of the same node
  md_4n_image_ghosts      copies that are made where they are seen, through periodic faces
  md_4n_ghosts            all of these
  md_4n_ghosts_vs_flat    one rank over four, all copies; md_4n_wire_ghosts_vs_flat: those from other nodes
)";

std::array<int, 3> cubic(std::size_t cells) {
  const auto n = static_cast<int>(cells);
  return {n, n, n};
}

/// Our solver with one worker.
class Ours {
 public:
  explicit Ours(const md::MdParameters& parameters)
      : dt_(parameters.dt), solver_(parameters, {.scheduler = scheduler_, .ranks = ranks_}, nullptr) {}
  /// @return million atom-steps in a second
  double run(std::size_t steps) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t k = 0; k < steps; ++k) {
      step_.dt = dt_;
      solver_.step(step_);
      step_.time += dt_;
      ++step_.step;
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    return 1e-6 * static_cast<double>(solver_.elements() * steps) / taken.count();
  }

 private:
  comm::Communicator ranks_{comm::bootstrap_alone()};
  trace::Recorder recorder_{1, 64};
  tasks::Scheduler scheduler_{1, recorder_};
  double dt_;
  md::MdSolver solver_;
  tasks::StepContext step_;
};

/// In turns with one rank.
void measure_ranks(const Plan& plan, const std::string& name, const Workload& workload) {
  Crew crew(*plan.world);
  const BoundRank binding(crew.world());
  comm::Communicator self = plan.world->split(comm::number(plan.world->rank()), 0);
  const md::MdParameters parameters = parameters_of(workload);
  std::optional<OnRanks> alone;
  if (crew.is_first()) alone.emplace(parameters, self);
  OnRanks both(parameters, crew.world());
  std::vector<double> speedups;
  std::vector<double> shares;
  for (std::size_t sample = 0; sample <= plan.size(7, 1); ++sample) {
    const double one = crew.time(Takes::first_rank, [&] { alone->run(workload.steps); });
    const double before = both.exposed_s();
    const double two = crew.time(Takes::all_ranks, [&] { both.run(workload.steps); });
    const double exposed = crew.sum(both.exposed_s() - before) / static_cast<double>(crew.world().size());
    if (sample == 0) continue;  // it melts
    speedups.push_back(one / two);
    shares.push_back(exposed / two);
  }
  plan.add({.name = name + "_2r_exposed_share", .unit = "1", .ours = summarise(shares), .limit = 0.05});
  plan.add({.name = name + "_2r_speedup", .unit = "1", .better = Better::higher, .ours = summarise(speedups)});
}

void measure_two_ranks(comm::Communicator& world, Effort effort, const Sink& sink) {
  const Plan plan{&world, effort, &sink};
  const auto cells = [&](std::size_t full) { return cubic(plan.size(full, 5)); };
  measure_ranks(plan, "md", {"melt", false, cells(20), plan.size(100, 2)});
  measure_ranks(plan, "tersoff", {"silicon", true, cells(16), plan.size(40, 2)});
}

std::string lammps_input(const Workload& workload) {
  const std::string box =
      fmt::format("region box block 0 {0} 0 {0} 0 {0}\ncreate_box 1 box\ncreate_atoms 1 box\n", workload.cells[0]);
  const std::string runs = fmt::format("fix 1 all nve\nthermo 1000000\nrun {0}\nrun {0}\n", workload.steps);
  if (!workload.is_silicon) {
    return "units lj\natom_style atomic\nlattice fcc 0.8442\n" + box +
           "mass 1 1.0\nvelocity all create 1.44 87287 loop geom\npair_style lj/cut 2.5\npair_coeff 1 1 1 1 2.5\n"
           "neighbor 0.3 bin\nneigh_modify delay 0 every 20 check no\ntimestep 0.005\n" +
           runs;
  }
  return "units metal\natom_style atomic\nlattice diamond 5.432\n" + box +
         "mass 1 28.0855\nvelocity all create 2000 87287 loop geom\npair_style tersoff\n"
         "pair_coeff * * Si.tersoff Si\nneighbor 1.0 bin\nneigh_modify delay 0 every 1 check yes\ntimestep 0.001\n" +
         runs;
}

/// The program lmp, on one core, in a folder of its own.
class Lammps {
 public:
  Lammps() : folder_(std::filesystem::temp_directory_path() / fmt::format("tacit-bench-md-{}", ::getpid())) {
    Child which({"/bin/sh", "-c", "command -v lmp || echo none"});
    is_there_ = which.read_line() != "none";
    which.wait_for_end();
    if (!is_there_) return;
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "Si.tersoff") << md::tersoff_text(md::TersoffSet::si_1988) << '\n';
  }
  ~Lammps() {
    std::error_code ignored;
    if (is_there_) std::filesystem::remove_all(folder_, ignored);
  }
  Lammps(const Lammps&) = delete;
  Lammps& operator=(const Lammps&) = delete;

  [[nodiscard]] bool is_there() const noexcept { return is_there_; }
  /// @return million atom-steps in a second, of the second run
  double run(const Workload& workload) {
    std::ofstream(folder_ / "in.md") << lammps_input(workload);
    Child child({"/bin/sh", "-c", "OMP_NUM_THREADS=1 lmp -in in.md -log none | grep '^Loop time'"}, Output::to_us,
                folder_);
    static_cast<void>(child.read_line());
    std::istringstream line(child.read_line());  // Loop time of SECONDS on 1 procs for STEPS steps with ATOMS atoms
    child.wait_for_end();
    std::string word;
    double seconds = 0.0;
    double steps = 0.0;
    double atoms = 0.0;
    line >> word >> word >> word >> seconds >> word >> word >> word >> word >> steps >> word >> word >> atoms;
    if (!line) throw base::Error("lmp has not said how long its loop took");
    return 1e-6 * steps * atoms / seconds;
  }

 private:
  std::filesystem::path folder_;
  bool is_there_ = false;
};

void measure(Session& session, const Workload& workload, Lammps& lammps) {
  Ours ours(parameters_of(workload));
  ours.run(workload.steps);
  std::vector<double> speeds;
  std::vector<double> theirs;
  for (std::size_t sample = 0; sample < session.size(5, 1); ++sample) {
    speeds.push_back(ours.run(workload.steps));
    if (lammps.is_there()) theirs.push_back(lammps.run(workload));
  }
  Result result{.name = workload.name, .unit = "M atom-steps/s", .better = Better::higher, .ours = summarise(speeds)};
  if (!theirs.empty()) result.peers.emplace_back("LAMMPS", summarise(theirs).median);
  session.add(result);
  if (theirs.empty()) return;
  session.add({.name = workload.name.substr(0, workload.name.rfind("_double")) + "_vs_lammps",
               .unit = "",
               .better = Better::higher,
               .ours = summarise(ratios(speeds, theirs)),
               .limit = 1.0});
}

void run_md(Session& session) {
  Lammps lammps;
  if (lammps.is_there()) session.add_peer("LAMMPS", "lmp");
  const auto cells = [&](std::size_t full) { return cubic(session.size(full, 4)); };
  measure(session, {"lj_melt_32k_double", false, cells(20), session.size(100, 2)}, lammps);
  measure(session, {"tersoff_si_4k_double", true, cells(8), session.size(200, 2)}, lammps);
  measure(session, {"tersoff_si_32k_double", true, cells(16), session.size(50, 2)}, lammps);
  run_threads(session, measure_two_ranks);
  add_ghosts_of_nodes(session);
}

}  // namespace

Benchmark md_benchmark() {
  return {.name = "md",
          .summary = "steps of molecular dynamics, beside LAMMPS, and on two ranks",
          .help = md_help,
          .run = run_md};
}

}  // namespace tacit::bench

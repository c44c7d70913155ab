// How much of the time of output real runs do not feel.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <fstream>
#include <iterator>
#include <vector>

#include "comm/pingpong.hpp"
#include "io/program_runs.hpp"
#include "io/sections.hpp"
#include "tacit/topology/cpus.hpp"

namespace tacit::bench {
namespace {

/// A solver's run with steps of one length, and snapshots after every few of them.
struct Solver {
  std::string_view name;
  std::string (*setup)(const Session& session, const std::filesystem::path& folder);
  double dt;
  std::size_t steps;
  std::size_t steps_between;
  bool has_ranks;
};

/// From a file, as real runs begin: built-in set-ups also write the exact solution beside what they compute.
std::string heat_setup(const Session& session, const std::filesystem::path& folder) {
  const std::size_t side = session.size(256, 16);
  const std::string domain =
      fmt::format("solver = \"heat\"\n[heat]\ncells = [{0}, {0}, {0}]\ndiffusivity = 1.0\n", side);
  const auto file = folder / "heat.hdf5";
  if (!std::filesystem::exists(file)) {
    const Case first{.folder = folder,
                     .parameters = domain +
                                   "[initial]\nsetup = \"gaussian\"\n[gaussian]\nwidth = 0.08\namplitude = 1.0\n"
                                   "[time]\nend = 1e-9\n[output]\ncompression = 0\npicture = false\n"};
    run_program(first);
    std::filesystem::rename(folder / "out" / "snapshot_0000.hdf5", file);
  }
  return domain + fmt::format("[initial]\nsetup = \"file\"\nfile = \"{}\"\n", file.string());
}

std::string dns_setup(const Session& session, const std::filesystem::path& /*folder*/) {
  return fmt::format(
      "solver = \"dns\"\n[dns]\npoints = {}\nviscosity = 0.0025\nscheme = \"rk4\"\ncfl = 1.0\n"
      "[initial]\nsetup = \"taylor_green\"\n",
      session.size(128, 16));
}

std::string sph_setup(const Session& session, const std::filesystem::path& /*folder*/) {
  return fmt::format("solver = \"sph\"\n[initial]\nsetup = \"kelvin_helmholtz\"\n[kelvin_helmholtz]\nresolution = {}\n",
                     session.size(64, 16));
}

constexpr std::array solvers{
    Solver{"heat", heat_setup, 1e-6, 31, 5, true},
    Solver{"dns", dns_setup, 1e-3, 11, 2, true},
    Solver{"sph", sph_setup, 1e-3, 11, 2, false},
};

struct Layout {
  int ranks;
  int threads;
};

/// Runs in turns.
struct Compared {
  std::vector<double> fractions;
  std::vector<double> wall_fractions;
  std::vector<double> beside_s;
  std::vector<double> blocking_s;
  std::vector<double> ends_s;
};

/// @param every  between snapshots [code time]
std::string parameters_of(const std::string& setup, const Solver& solver, double every) {
  const double end = 100.0 * solver.dt * static_cast<double>(solver.steps);  // later than it comes
  return setup + fmt::format(
                     "[time]\nend = {}\ndt_max = {}\nmax_steps = {}\n[output]\nsnapshot_every = {}\n"
                     "statistics_every = {}\ncompression = 0\ncheckpoint_every = 0\npicture = false\n",
                     end, solver.dt, solver.steps, every > 0.0 ? every : end, end);
}

Compared compare(const Session& session, const std::filesystem::path& folder, const Solver& solver, Layout layout) {
  const std::string setup = solver.setup(session, folder);
  const double every = solver.dt * static_cast<double>(solver.steps_between);
  const Case with{folder, parameters_of(setup, solver, every), layout.ranks, layout.threads};
  const Case without{folder, parameters_of(setup, solver, 0.0), layout.ranks, layout.threads};
  Compared all;
  for (std::size_t sample = 0; sample < session.size(7, 2); ++sample) {
    const RunCost ends = run_program(without);
    const RunCost blocking = run_program(with, {"output.staging_memory=0"});
    const RunCost beside = run_program(with);
    const auto fraction = [](double ends_of, double blocking_of, double beside_of) {
      return 1.0 - (beside_of - ends_of) / std::max(blocking_of - ends_of, 1e-9);
    };
    all.fractions.push_back(fraction(ends.output_exposed_s, blocking.output_exposed_s, beside.output_exposed_s));
    all.wall_fractions.push_back(fraction(ends.wall_s, blocking.wall_s, beside.wall_s));
    all.beside_s.push_back(beside.output_exposed_s);
    all.blocking_s.push_back(blocking.output_exposed_s);
    all.ends_s.push_back(ends.output_exposed_s);
  }
  return all;
}

void add(Session& session, const Compared& compared, const std::string& of) {
  session.add({.name = "output_hidden_fraction_" + of,
               .unit = "1",
               .better = Better::higher,
               .ours = summarise(compared.fractions),
               .limit = 0.8});
  session.add({.name = "output_hidden_of_wall_" + of,
               .unit = "1",
               .better = Better::higher,
               .ours = summarise(compared.wall_fractions)});
  session.add(
      {.name = "output_exposed_s_" + of,
       .unit = "s",
       .ours = summarise(compared.beside_s),
       .peers = {{"blocking", summarise(compared.blocking_s).median}, {"without", summarise(compared.ends_s).median}}});
}

}  // namespace

void add_hidden_fractions(Session& session, const std::filesystem::path& folder) {
  const bool has_two = topology::allowed_cpus().size() > 1;
  for (const Solver& solver : solvers) {
    for (const Layout layout : {Layout{1, 2}, Layout{2, 1}}) {
      if (layout.ranks > 1 && (!solver.has_ranks || mpi_version().empty())) continue;
      if (!has_two) continue;
      add(session, compare(session, folder, solver, layout),
          fmt::format("{}_{}x{}", solver.name, layout.ranks, layout.threads));
    }
  }
}

void add_share_of_sedov(Session& session, const std::filesystem::path& folder) {
  std::ifstream example(TACIT_SEDOV_EXAMPLE);
  std::string text(std::istreambuf_iterator<char>(example), {});
  Case sedov{folder, text, 1, static_cast<int>(std::min<std::size_t>(topology::allowed_cpus().size(), 2))};
  std::vector<std::string> shorter{"output.picture=false"};
  if (session.effort() == Effort::quick) shorter.emplace_back("sedov.resolution=8");
  std::vector<std::string> uncompressed(shorter);
  uncompressed.emplace_back("output.compression=0");
  std::vector<double> compressed_share;
  std::vector<double> plain_share;
  for (std::size_t sample = 0; sample < session.size(7, 2); ++sample) {
    compressed_share.push_back(run_program(sedov, shorter).output_share);
    plain_share.push_back(run_program(sedov, uncompressed).output_share);
  }
  session.add({.name = "output_share_sedov", .unit = "1", .ours = summarise(compressed_share), .limit = 0.10});
  session.add({.name = "output_share_sedov_uncompressed", .unit = "1", .ours = summarise(plain_share), .limit = 0.03});
}

}  // namespace tacit::bench

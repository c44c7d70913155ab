// The state that a run of md ends with, on ranks and threads, restarted or not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "running_md.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::md::testing {

/// Positions and velocities by ID; and what else is asked for, as of an atom 0.
using State = std::map<std::uint64_t, std::vector<double>>;

struct StatePlan {
  std::size_t ranks = 1;
  std::size_t workers = 1;
  std::size_t until_restart = 0;  ///< steps on another number of ranks before; 0: there is no restart
  std::size_t steps = 0;          ///< in all
};

/// @param more  what else is compared
inline State state_of(const MdParameters& parameters, const StatePlan& plan,
                      const std::function<std::vector<double>(const MdSolver&)>& more) {
  State result;
  std::mutex mutex;
  const auto path = scratch_path(".hdf5");
  const auto run_part = [&](std::size_t ranks, std::size_t from, std::size_t to) {
    comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
      std::optional<io::FileReader> checkpoint;
      if (from > 0) checkpoint.emplace(path);
      RunningMd run(parameters, plan.workers, world, checkpoint ? &*checkpoint : nullptr);
      run.go_to(from, parameters.dt);
      for (std::size_t step = from; step < to; ++step) run.steps(1, run.solver().time_step());
      const std::vector<double> asked = more(run.solver());
      if (to < plan.steps) {
        io::FileWriter file(path, 1, world);
        run.solver().save(file);
        file.commit();
        return;
      }
      const std::lock_guard lock(mutex);
      const Atoms& atoms = run.solver().atoms();
      result[0] = asked;
      for (std::size_t i = 0; i < atoms.count(); ++i) {
        const base::Vec3 x = atoms.position(i);
        result[atoms.id[i]] = {x.x, x.y, x.z, atoms.v[0][i], atoms.v[1][i], atoms.v[2][i]};
      }
    });
  };
  if (plan.until_restart > 0) run_part(3 - plan.ranks % 2, 0, plan.until_restart);
  run_part(plan.ranks, plan.until_restart, plan.steps);
  return result;
}

}  // namespace tacit::md::testing

// How the log of a run begins: with the initial conditions or from a checkpoint.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>

#include "tacit/base/error.hpp"
#include "tacit/solvers/sph/sph_solver.hpp"

namespace tacit::sph {

namespace {

std::array<double, 3> as_array(const base::Vec3& v) { return {v.x, v.y, v.z}; }

}  // namespace

std::optional<io::LogSchema> SphSolver::log_schema() const {
  return log_schema_of_particles(as_array(periods(physics_, box_)));
}

void SphSolver::begin_log(double time, std::uint64_t /*step*/, const io::LogReader* before) {
  last_records_.period = as_array(periods(physics_, box_));
  last_records_.of_workers.resize(resources_.scheduler.workers());
  last_records_.resize(gas_.size());
  last_records_.are_there = true;
  if (before == nullptr) {
    log_all(time);
  } else {
    find_in_log(*before);
  }
}

void SphSolver::log_all(double time) {
  io::LogBatch batch = resources_.log->writer->reserve(gas_.size());
  const std::vector<Present> all = all_present();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Present& now = all[i];
    const auto single = [](double value) { return static_cast<float>(value); };
    const LoggedFields logged{.x = {now.x.x, now.x.y, now.x.z},
                              .v = {single(now.v.x), single(now.v.y), single(now.v.z)},
                              .u = single(now.u),
                              .rho = single(now.rho),
                              .h = single(now.h)};
    last_records_.note(i, batch.write(gas_.id[i], 0, time, logged), time, logged);
  }
}

/// How many steps ago that was, the checkpoint has said, and of several ranks what it was: this one's log has where it
/// stands, if it is there at all.
void SphSolver::find_in_log(const io::LogReader& log) {
  if (resources_.ranks.size() > 1) {
    for (const std::uint64_t id : log.ids()) last_records_.of_gone[id] = log.last_record(id).value().offset;
    last_records_.find_offsets(gas_.id, 0);
    return;
  }
  for (std::size_t i = 0; i < gas_.size(); ++i) {
    const auto record = log.last_record(gas_.id[i]);
    if (!record) throw base::Error("the log has no record of a particle of the checkpoint that it belongs to");
    LoggedFields logged;
    std::memcpy(&logged, record->fields, sizeof logged);
    const std::uint32_t steps = last_records_.steps[i];
    last_records_.note(i, record->offset, record->time, logged);
    last_records_.steps[i] = steps;
  }
}

}  // namespace tacit::sph

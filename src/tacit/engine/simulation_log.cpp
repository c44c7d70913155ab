// How a run cares for its continuous log: what all ranks agree on before it is written, and when it ends.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tacit/engine/simulation.hpp"

namespace tacit::engine {

/// Opens the log where there is one, and ends those that the checkpoint knows and that do not go on.
void Simulation::open_log(const config::Parameters& parameters, const std::vector<StoredLog>& stored) {
  if (!log_.is_on() && stored.empty()) return;
  if (log_.is_on() && !solver_->log_schema()) {
    throw config::Error(parameters.where("output.log"), "output.log",
                        fmt::format("there is nothing that {} logs in this run", entry_.name),
                        "docs/guide/log.md says what each solver logs");
  }
  count_output(kinds_.log_care, [&] {
    if (directory_ && !found_.path.empty()) log_.clear(stored, step_);
    exchange({});  // what is there no longer can be made again
    log_.open(*solver_, stored, step_, time_);
    exchange({});
    log_.begin(*solver_, step_, time_);
  });
}

void Simulation::make_room_in_log() {
  if (!log_.lacks_room(*solver_)) return;
  count_output(kinds_.log_care, [&] { log_.make_room(*solver_); });
}

void Simulation::close_log() {
  if (!log_.is_on()) return;
  count_output(kinds_.log_care, [&] {
    log_.make_room(*solver_);
    exchange({});
    log_.finish(*solver_, time_);
    log_.close(*solver_, time_);
    exchange({});
  });
}

}  // namespace tacit::engine

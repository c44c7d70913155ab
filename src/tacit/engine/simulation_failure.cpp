// How a run ends that cannot go on: what is kept, and what is said of it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <string>

#include "tacit/base/error.hpp"
#include "tacit/comm/collectives/barrier.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/engine/checkpoint.hpp"
#include "tacit/engine/simulation.hpp"

namespace tacit::engine {
namespace {

constexpr const char* failed_name = "failed.hdf5";

/// Who throws gives up, which ends the waits of all: not before the others have done their part of what is written.
void await_others(comm::Communicator& ranks) {
  if (ranks.size() == 1) return;
  try {
    comm::Barrier(ranks).run();
  } catch (const base::Error&) {
    // One of them is lost, too: there is worse to tell.
  }
}

}  // namespace

/// A solve that ends before it has converged is no success, though all that it found is kept.
void Simulation::require_end_of_solve() const {
  if (const auto lack = solver_->unfinished()) {
    throw NumericsError(
        fmt::format("{} has ended the run: {}\n  What there is is kept; raise {} and go on with --restart.", end_key(),
                    *lack, end_key()));
  }
}

/// There is no next step: the present state is the last good one and is written.
void Simulation::end_without_step(Flaw flaw) {
  flaw.text = fmt::format("at {}: {}", place(), flaw.text);
  try {
    write_snapshot();
    write_checkpoint();
  } catch (const NumericsError& error) {  // then the state cannot be written, which is worth knowing beside the reason
    flaw.text += fmt::format("\n{}", error.what());
  }
  throw NumericsError(flaw);
}

/// Says what failed, where the failed state is, and where to go on from. The last valid checkpoint stays as it is.
void Simulation::fail(const NumericsError& error) {
  std::string unwritten;
  try {
    // Files of several ranks cannot be completed without those that do not know of the failure.
    if (ranks_.size() == 1 || error.flaw().is_known_to_all) {
      write_planned_snapshot();  // the last good state
      finish_output();
    }
  } catch (const base::Error& problem) {
    unwritten = fmt::format("\n  {}", problem.what());
  }
  const std::string state = is_saved_ ? "" : "\n  " + write_failed(error);
  if (error.flaw().is_known_to_all) await_others(ranks_);
  throw NumericsError(error, step_,
                      fmt::format("{}{}{}\n  {}", error.what(), state, unwritten,
                                  checkpointed_at_ ? "The last valid checkpoint is " + *checkpointed_at_
                                                   : "There is no checkpoint to continue from."));
}

/// Of a flaw that one rank knows of, the others hear only when it gives up: they would not take part.
std::string Simulation::write_failed(const NumericsError& error) {
  if (ranks_.size() > 1 && !error.flaw().is_known_to_all)
    return "The failed state is not written: only one rank knows of it.";
  const std::filesystem::path path = directory() / failed_name;
  try {
    write_failed_state(path, *solver_, error, file_context(), ranks_);
  } catch (const std::exception& problem) {  // of any kind: a failed state may break what a good one keeps
    return fmt::format("The failed state cannot be written: {}", problem.what());
  }
  return fmt::format("The failed state is in {}.", path.string());
}

}  // namespace tacit::engine

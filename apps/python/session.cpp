// Makes, steps and ends a run in the engine's thread.
// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include <fmt/format.h>

#include <utility>

#include "input.hpp"
#include "launch_environment.hpp"
#include "tacit/base/clock.hpp"
#include "tacit/base/error.hpp"
#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/comm/error.hpp"
#include "tacit/engine/simulation.hpp"
#include "tacit/engine/summary.hpp"

namespace tacit::apps::python {
namespace {

/// Keeps what the engine says.
class Notebook final : public engine::Reporter {
 public:
  explicit Notebook(std::vector<std::string>& notes) : notes_(notes) {}
  void note(const std::string& line) override { notes_.push_back(line); }
  void progress(const engine::Progress& /*progress*/) override {}

 private:
  std::vector<std::string>& notes_;
};

void require_one_rank() {
  if (const std::size_t ranks = ranks_started(); ranks > 1) {
    throw comm::LaunchError(
        fmt::format("a launcher has started {} ranks, but from Python a run has one: start Python without it, and give "
                    "the run threads (run.threads), or run the program on ranks: mpirun -n {} tacit run FILE",
                    ranks, ranks));
  }
}

}  // namespace

namespace {

Input input_of(const Request& request) {
  Input input = read_input(request.arguments, request.text);
  require_built(*input.solver, {});
  return input;
}

}  // namespace

struct Session::Run {
  Input input;
  comm::Communicator ranks{comm::bootstrap_alone()};
  engine::Requests requests = {};
  Notebook notebook;
  engine::Simulation simulation;

  Run(const Request& request, std::vector<std::string>& notes)
      : input(input_of(request)),
        notebook(notes),
        simulation(input.parameters, *input.solver, ranks,
                   {.restart = request.arguments.restart, .requests = &requests}, notebook) {}

  /// @return the phase of a run that has begun
  [[nodiscard]] tacit_phase phase_after(bool has_stepped) const {
    if (simulation.is_over()) return TACIT_OVER;
    return has_stepped ? TACIT_GOES_ON : TACIT_STOPPED;
  }

  void read(tacit_state& state) const {
    state.step = simulation.steps();
    state.time = simulation.time();
    state.dt = simulation.last_step();
  }
};

Session::Session(const Request& request) {
  require_one_rank();
  try {
    thread_.call([&] {
      run_ = std::make_unique<Run>(request, notes_);
      const engine::Simulation& simulation = run_->simulation;
      about_ = {.solver = std::string(run_->input.solver->name),
                .axis = std::string(run_->input.solver->axis.name),
                .directory = simulation.directory(),
                .parameters = run_->input.parameters.as_used()};
      run_->read(state_);
      state_.phase = simulation.has_nothing_to_do() ? TACIT_NOTHING_TO_DO : TACIT_MADE;
      if (simulation.has_nothing_to_do()) return;
      state_.begin = simulation.times().begin;
      state_.end = simulation.times().end;
    });
  } catch (...) {
    thread_.call([&] { run_.reset(); });
    throw;
  }
}

Session::~Session() {
  thread_.call([&] { run_.reset(); });
}

void Session::require_run() const {
  switch (state_.phase) {
    case TACIT_ENDED:
      throw base::Error("the run has ended: make another Simulation, with restart=True to go on with a longer one");
    case TACIT_NOTHING_TO_DO:
      throw base::Error(
          fmt::format("the run in {} has already ended: there is nothing to do", about_.directory.string()));
    case TACIT_FAILED:
      throw base::Error(
          "the run has failed before: make another Simulation, with restart=True to go on from the last "
          "checkpoint");
    default:
      return;
  }
}

/// Ends the workers, and frees the folder.
void Session::let_go() {
  if (!is_looked_at_) run_.reset();
}

template <class Work>
void Session::keep_if_it_succeeds(const Work& work) {
  try {
    work();
    run_->read(state_);
  } catch (...) {
    run_->read(state_);
    state_.phase = TACIT_FAILED;
    let_go();
    throw;
  }
}

tacit_state Session::advance(const Bounds& bounds) {
  tacit_state state{};
  thread_.call([&] {
    require_run();
    const base::Stopwatch watch;
    engine::Simulation& simulation = run_->simulation;
    keep_if_it_succeeds([&] {
      if (state_.phase == TACIT_MADE) {
        simulation.begin();
        state_.phase = run_->phase_after(true);
      }
      for (std::uint64_t taken = 0; taken < bounds.steps && state_.phase == TACIT_GOES_ON; ++taken) {
        if (simulation.time() >= bounds.until || watch.seconds() >= bounds.wall_s) break;
        const bool has_stepped = simulation.step();
        state_.phase = run_->phase_after(has_stepped);
      }
    });
    state = state_;
  });
  return state;
}

std::string Session::end() {
  std::string summary;
  thread_.call([&] {
    require_run();
    keep_if_it_succeeds([&] {
      if (state_.phase == TACIT_MADE) run_->simulation.begin();
      run_->requests.stop = true;
      while (run_->simulation.step()) {
      }
      summary = engine::to_json(run_->simulation.end());
      state_.phase = TACIT_ENDED;
    });
    let_go();
  });
  return summary;
}

void Session::write_snapshot(const std::filesystem::path& path) {
  thread_.call([&] {
    require_run();
    run_->simulation.write_snapshot_to(path);
  });
}

std::vector<engine::FieldTable::View> Session::fields() {
  std::vector<engine::FieldTable::View> views;
  thread_.call([&] {
    require_run();
    const engine::FieldTable* const table = run_->simulation.solver().table_of_fields();
    if (table == nullptr) return;
    views = table->views();
    is_looked_at_ = true;
  });
  return views;
}

tacit_state Session::state() {
  tacit_state state{};
  thread_.call([&] { state = state_; });
  return state;
}

std::vector<std::string> Session::take_notes() {
  std::vector<std::string> notes;
  thread_.call([&] { notes = std::exchange(notes_, {}); });
  return notes;
}

}  // namespace tacit::apps::python

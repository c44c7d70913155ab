// Parameter files on disk and a solver that only counts, for the tests of this layer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../io/scratch.hpp"
#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/config/parameters.hpp"
#include "tacit/engine/keys.hpp"
#include "tacit/engine/simulation.hpp"

namespace tacit::engine::testing {

/// The general keys as read from a file of that text.
inline config::Parameters read(const std::filesystem::path& file, std::string_view text) {
  test::put(file, text);
  return config::Document(file, {}).read(key_tables());
}

/// What the counting solver shall do next; set by each test before it makes a Simulation.
struct Control {
  double dt = 0.25;                        ///< the stable step it reports
  double series_every = -1.0;              ///< between files of its series; 0: at the begin and the end, below: none
  std::uint64_t fail_at_step = ~0ULL;      ///< throws NumericsError in this step
  std::uint64_t stop_after_step = ~0ULL;   ///< asks to stop in this step
  std::uint64_t spoil_after_step = ~0ULL;  ///< its state is no number after this step
  bool is_spoiled_at_start = false;
  bool cannot_save_failed = false;
  bool looks_while_writing = false;     ///< snapshots are looked at by who writes them
  std::uint64_t looks = 0;              ///< how often not_finite was asked
  bool plans_snapshots = false;         ///< steps take them along
  std::vector<std::string> calls = {};  ///< of plans and of what follows
  OutputBytes bytes = {};               ///< that it says its files take
  std::optional<UpdateCost> cost = {};  ///< that it says an update has
  Requests requests;
};
inline Control& control() {
  static Control one;
  return one;
}
inline void reset_control() {
  control().dt = 0.25;
  control().series_every = -1.0;
  control().fail_at_step = control().stop_after_step = ~0ULL;
  control().spoil_after_step = ~0ULL;
  control().is_spoiled_at_start = control().cannot_save_failed = false;
  control().bytes = {};
  control().cost.reset();
  control().looks_while_writing = control().plans_snapshots = false;
  control().looks = 0;
  control().calls.clear();
  control().requests.stop = false;
  control().requests.checkpoint = false;
}

/// Ten elements whose common state x grows by dt^2 in every step.
class CountingSolver final : public Solver {
 public:
  explicit CountingSolver(const io::FileReader* restart) {
    if (restart != nullptr) restart->read("Counting/x", std::span(&x_, 1));
    if (control().is_spoiled_at_start) x_ = std::numeric_limits<double>::quiet_NaN();
  }
  [[nodiscard]] double start_time() const override { return 0.0; }
  [[nodiscard]] double time_step() const override { return control().dt; }
  void step(const tasks::StepContext& step) override {
    if (step.step == control().fail_at_step)
      throw NumericsError("step " + std::to_string(step.step) + ": x is not finite");
    if (step.step == control().stop_after_step) control().requests.stop = true;
    if (control().plans_snapshots) control().calls.push_back("step " + std::to_string(step.step));
    x_ += step.dt * step.dt;
    if (step.step == control().spoil_after_step) x_ = std::numeric_limits<double>::infinity();
  }
  [[nodiscard]] Conserved conserved() const override {
    MechanicalSums state;
    state.mass = 2.0;
    state.momentum = {x_, 0.0, 0.0};
    state.momentum_scale = 10.0;
    state.kinetic_energy = 4.0;
    state.internal_energy = 1.0 + x_;
    return state.conserved();
  }
  [[nodiscard]] std::uint64_t elements() const override { return 10; }
  [[nodiscard]] Origin origin() const override { return {.input = "nothing"}; }
  [[nodiscard]] StepLimit step_limit() const override { return {.element = "x", .id = 3, .advice = ": is it good?"}; }
  [[nodiscard]] std::optional<Flaw> not_finite() const override {
    ++control().looks;
    return Solver::not_finite();
  }
  [[nodiscard]] bool looks_while_writing() const override { return control().looks_while_writing; }
  std::uint64_t write_snapshot(const std::filesystem::path& path, const FileContext& context) const override {
    if (control().looks_while_writing && !std::isfinite(x_)) throw NumericsError("x is not finite");
    const std::string text =
        context.run_name + " " + std::to_string(context.step) + " " + std::to_string(context.coordinate);
    io::write_atomically(path, text);
    return text.size();
  }
  bool plan_snapshot(const std::filesystem::path& path, const FileContext& /*context*/) override {
    if (control().plans_snapshots) control().calls.push_back("plan " + path.filename().string());
    return control().plans_snapshots;
  }
  std::uint64_t write_planned_snapshot(const std::filesystem::path& path, const FileContext& context) override {
    control().calls.push_back("write " + path.filename().string());
    return write_snapshot(path, context);
  }
  [[nodiscard]] std::vector<Series> series() const override {
    const double every = control().series_every;
    if (every < 0.0) return {};
    return {{.name = "spectra", .every = every > 0.0 ? std::optional(every) : std::nullopt},
            {.name = "slice", .suffix = ".txt"}};
  }
  std::uint64_t write_series(const Series& /*series*/, const std::filesystem::path& path,
                             const FileContext& context) const override {
    return write_snapshot(path, context);
  }
  [[nodiscard]] OutputBytes output_bytes(const FileContext& /*context*/) const override { return control().bytes; }
  [[nodiscard]] std::optional<UpdateCost> update_cost() const override { return control().cost; }
  void save(io::FileWriter& checkpoint) const override {
    const std::array<std::uint64_t, 1> shape{1};
    if (control().plans_snapshots) control().calls.emplace_back("save");
    checkpoint.group("Counting");
    checkpoint.array("Counting/x", std::span(&x_, 1), shape, io::Number::float64);
  }
  void save_failed(io::FileWriter& file) const override {
    if (control().cannot_save_failed) throw base::Error("half of it is gone");
    save(file);
  }

 private:
  double x_ = 0.0;
};

template <class S>
std::unique_ptr<Solver> make(const config::Parameters& /*parameters*/, const Resources& /*resources*/,
                             const io::FileReader* restart) {
  return std::make_unique<S>(restart);
}
inline Prediction predict_nothing(const config::Parameters& /*parameters*/, std::size_t /*ranks*/) { return {}; }

inline const SolverEntry counting_entry{"counting", "counts", [] { return std::span<const config::KeyTable>{}; },
                                        &make<CountingSolver>, &predict_nothing};

/// The only rank of these tests.
inline comm::Communicator& alone() {
  static comm::Communicator ranks(comm::bootstrap_alone());
  return ranks;
}

/// Keeps what a Simulation says.
class Listener final : public Reporter {
 public:
  void note(const std::string& line) override { notes.push_back(line); }
  void progress(const Progress& progress) override { last = progress; }
  std::vector<std::string> notes;
  Progress last;
};

}  // namespace tacit::engine::testing

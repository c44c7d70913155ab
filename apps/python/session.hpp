// A run that Python drives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "interface.h"
#include "tacit/engine/field_table.hpp"
#include "tacit/tasks/host_thread.hpp"

namespace tacit::apps::python {

/// What Python asks for.
struct Request {
  RunArguments arguments;
  std::optional<std::string> text;  ///< of the parameters, if they are in no file
};

/// How far a call may go: until the first of these is reached.
struct Bounds {
  std::uint64_t steps = 0;
  double until = 0.0;   ///< on the axis [code time]; the step that reaches it is the last one
  double wall_s = 0.0;  ///< so that Python can look for signals now and then
};

/// What does not change while a run goes on.
struct About {
  std::string solver;
  std::string axis;  ///< "time"
  std::filesystem::path directory;
  std::string parameters;  ///< as used
};

/// A run on one rank, made and stepped in a thread of its own. It prints nothing: what there is to say is kept.
class Session {
 public:
  /// @throws what apps::run would report; comm::LaunchError if a launcher has started several ranks
  explicit Session(const Request& request);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  /// Begins, where that has not been done, and takes steps. @throws what engine::Simulation::run throws
  tacit_state advance(const Bounds& bounds);
  /// Ends the run, with a checkpoint. @return its summary, in JSON
  std::string end();
  /// @throws what engine::Simulation::write_snapshot_to throws
  void write_snapshot(const std::filesystem::path& path);

  /// Those in memory, if the solver has a table of them. From then on the memory stays until the session goes.
  [[nodiscard]] std::vector<engine::FieldTable::View> fields();

  [[nodiscard]] tacit_state state();
  [[nodiscard]] const About& about() const noexcept { return about_; }
  /// What has been said since the last call.
  [[nodiscard]] std::vector<std::string> take_notes();

 private:
  struct Run;
  void require_run() const;
  void let_go();
  /// Of the thread: a run that has failed is there no more.
  template <class Work>
  void keep_if_it_succeeds(const Work& work);

  tasks::HostThread thread_{tasks::HostThread::Signals::blocked};
  std::unique_ptr<Run> run_;  // made, used and destroyed in the thread
  std::vector<std::string> notes_;
  About about_;
  tacit_state state_{};
  bool is_looked_at_ = false;  // Python may have views of the memory
};

}  // namespace tacit::apps::python

// The stages of a step by coroutines, channels and futures, in place of a task graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "tacit/actions/actions.hpp"
#include "tacit/actions/channel.hpp"
#include "tacit/base/completion.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/gpu/slots.hpp"
#include "tacit/solvers/amr/futures/moving_sub_grids.hpp"
#include "tacit/solvers/amr/kernels/gas.hpp"
#include "tacit/tasks/coroutine.hpp"
#include "tacit/tasks/future.hpp"

namespace tacit::amr {

class Step;

/// Each sub-grid is a coroutine: it shows its cells to other ranks through channels, awaits the sub-grids that it sees,
/// computes what a task of the graph would, and is awaited by others. So the bits are those of the graph.
///
///     sub-grid: cells -> channels .. await those seen .. stage -> `advanced` .. await finer ones .. correction ->
///     `complete` copy:     await channel .. await those who read it before -> `arrived`
///
/// All ranks make it, and call all of it at the same points.
class StepByFutures {
 public:
  /// @param step  whose work this orders; outlives it
  StepByFutures(Step& step, const engine::Resources& resources);
  StepByFutures(const StepByFutures&) = delete;
  StepByFutures& operator=(const StepByFutures&) = delete;

  /// Makes channels to the ranks that have neighbours in the present tree.
  void rebuild();
  /// @throws what a sub-grid threw; comm::PeerError if a rank is lost
  void run(std::span<const kernels::Stage> stages, double dt);
  /// Brings the copies of sub-grids of other ranks up to the present state.
  void refresh();
  /// Takes sub-grids to other ranks.
  [[nodiscard]] MovingSubGrids& moves() noexcept { return moves_; }

 private:
  using Cells = std::vector<double>;  ///< what travels: cells or fluxes, field by field
  using Setter = actions::ChannelSetter<Cells>;
  /// A channel of another rank, and what it is for.
  struct Door {
    std::uint64_t key = 0;
    actions::ChannelHandle<Cells> channel;
  };
  /// Where other ranks leave the channels that they have made for this one.
  class Doors {
   public:
    void open(std::vector<Door> doors) {
      const std::lock_guard lock(mutex_);
      doors_.insert(doors_.end(), doors.begin(), doors.end());
    }
    [[nodiscard]] std::vector<Door> take() {
      const std::lock_guard lock(mutex_);
      return std::exchange(doors_, {});
    }

   private:
    std::mutex mutex_;
    std::vector<Door> doors_;
  };
  /// One future for each sub-grid, or copy: that it has come so far in a stage.
  class Signals {
   public:
    Signals(tasks::Scheduler& scheduler, std::size_t count);
    void set(std::size_t at) { promises_[at].set_value(); }
    void fail(std::size_t at, const std::exception_ptr& error) { promises_[at].set_error(error); }
    [[nodiscard]] const tasks::Future<void>& operator[](std::size_t at) const { return futures_[at]; }

   private:
    std::vector<tasks::Promise<void>> promises_;
    std::vector<tasks::Future<void>> futures_;
  };
  struct OfStage {
    kernels::Stage stage;
    Signals advanced;  ///< by own leaf: the stage has read what it sees, and fluxes stand
    Signals complete;  ///< by own leaf: corrected, too
    Signals arrived;   ///< by copy
  };
  struct Run {
    std::vector<OfStage> stages;
    double dt = 0.0;
  };
  /// The end of a channel, and the place of what goes through it in a list of Step's.
  struct Shown {
    std::size_t place;
    Setter channel;
  };
  struct Taken {
    std::size_t place;
    actions::Channel<Cells>* channel;
  };
  /// What a sub-grid has to do with others.
  struct Ties {
    std::vector<std::size_t> seen;     ///< leaves, own ones and copies
    std::vector<std::size_t> readers;  ///< own leaves that see it and that it does not see
    std::vector<std::size_t> finer;    ///< own leaves beside it whose fluxes it takes
    std::vector<Shown> shown;          ///< to ranks that see it: places in OctreeHalo::send
    std::vector<Shown> passed;         ///< fluxes to ranks with coarser ones beside it: places in Step::to_pass_
    std::vector<Taken> taken;          ///< fluxes of finer ones of other ranks: places in Step::to_take_
    bool is_corrected = false;
  };
  struct Copy {
    std::size_t place = 0;                       ///< in OctreeHalo::receive
    actions::Channel<Cells>* channel = nullptr;  ///< null: no cells of it are seen
    std::vector<std::size_t> readers;            ///< own leaves that see it
  };

  struct PostLaunch {
    Step* step;
    gpu::Launch* launch;
    kernels::Stage stage;
    std::size_t leaf;
    double dt;
    void operator()(base::Token token) const;
  };

  [[nodiscard]] static actions::Table table();
  void meet();
  void tie(std::size_t leaf);
  [[nodiscard]] Setter setter_to(comm::RankId rank, std::uint64_t key);
  [[nodiscard]] tasks::Task<> advance(std::size_t leaf, Run& run);
  [[nodiscard]] tasks::Task<> stage(std::size_t leaf, Run& run, std::size_t at);
  [[nodiscard]] tasks::Task<> compute(std::size_t leaf, kernels::Stage stage, double dt);
  [[nodiscard]] tasks::Task<> correct(std::size_t leaf, Run& run, std::size_t at);
  [[nodiscard]] tasks::Task<> receive(std::size_t copy, Run& run);
  [[nodiscard]] Cells cells_of(kernels::Stage stage, std::size_t place) const;

  Step& step_;
  tasks::Scheduler& scheduler_;
  actions::Actions actions_;
  MovingSubGrids moves_;
  actions::Handle<Doors> doors_;
  std::vector<std::uint64_t> doors_of_;  // by rank: numbers of these objects
  tasks::JobOptions of_sub_grid_;
  tasks::JobOptions of_copy_;
  std::vector<std::unique_ptr<actions::Channel<Cells>>> channels_;
  std::map<std::pair<comm::RankId, std::uint64_t>, actions::ChannelHandle<Cells>> open_;  // while neighbours meet
  std::vector<Ties> ties_;                                                                // by own leaf
  std::vector<Copy> copies_;                                                              // by copy
};

}  // namespace tacit::amr

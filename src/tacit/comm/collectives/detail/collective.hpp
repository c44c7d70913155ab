// What all collectives are: operations in stages that are set up once and started many times.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "tacit/base/error.hpp"
#include "tacit/comm/collectives/detail/shared_buffers.hpp"
#include "tacit/comm/collectives/detail/stream.hpp"
#include "tacit/comm/collectives/detail/team.hpp"

namespace tacit::comm::detail {

/// One collective on one rank: its shared buffers on the node, its streams to other nodes, and the stage that a call
/// has reached.
///
/// A derived class implements a stage in `step`. One thread at a time uses it; while a call is under
/// way the engine carries it on, from any thread. Nothing is allocated, looked up or locked per call.
class Collective : public Operation {
 public:
  /// @param root      of the collective, if it has one
  /// @param function  see name_of_function; empty: nothing is combined
  Collective(CommunicatorCore& communicator, std::string_view kind, const Elements& elements,
             const CollectiveOptions& options, std::optional<RankId> root, std::string_view function);
  Collective(const Collective&) = delete;
  Collective& operator=(const Collective&) = delete;
  ~Collective() override;

  /// @param turns  how often it is tried at once to end the call, before waits and polls progress it
  /// @pre no call is under way
  void start(std::uint32_t turns = 1);
  [[nodiscard]] bool test();
  void wait(double deadline_s);
  /// start and wait, without the detour through the engine.
  void run(double deadline_s);
  void await(base::Token token);
  /// Messages to other nodes that this rank sends in one call.
  [[nodiscard]] std::size_t messages() const noexcept;
  [[nodiscard]] const CollectiveOptions& options() const noexcept { return options_; }

  [[nodiscard]] bool advance() noexcept final;
  [[nodiscard]] std::string describe() const final;
  [[nodiscard]] int error() const noexcept final;
  [[nodiscard]] std::string explain() const final;
  [[nodiscard]] bool cannot_complete() const noexcept final;

 protected:
  /// Progresses the stage. @return  whether it has completed
  [[nodiscard]] virtual bool step(std::uint32_t stage) noexcept = 0;
  /// Called first by the destructor of the class that is made: from then on nothing calls `step`.
  void leave() noexcept;
  /// Called by the constructor of the class that is made, when the streams are there.
  /// @param half  bytes of a half of our shared buffer
  /// @param copying  whether sender or receiver copies between shared buffers
  void make_shared_buffers(std::size_t half, Copying copying = Copying::by_receiver);
  void open();
  [[nodiscard]] bool are_messages_gone() noexcept;
  /// Waits until `is_over()`; carries other operations on meanwhile.
  template <class Question>
  void wait_until(Question&& is_over, double deadline_s) {
    if (is_over()) [[likely]]
      return;
    const double longest_s = deadline_s > 0.0 ? deadline_s : communicator_->options().deadline_s;
    Backoff backoff(communicator_->processors(), longest_s, &engine_->watch());
    while (!is_over()) {
      if (engine_->has_work()) engine_->progress();
      if (backoff.pause() && !has_departed_rank()) continue;
      engine_->settle();  // another thread may have had the engine whenever we asked
      if (is_over()) return;
      throw_cannot_complete(longest_s);
    }
  }

  CommunicatorCore* communicator_;
  ProgressEngine* engine_;
  Team team_;
  std::uint32_t key_;
  std::deque<Stream> streams_;
  std::optional<SharedBuffers> buffers_;
  std::uint32_t stages_ = 0;  // how many there are
  std::size_t cursor_ = 0;    // for a stage: how far it is; 0 when it begins
  std::uint64_t call_ = 0;    // number of the one that was started last

 private:
  void begin();
  [[nodiscard]] bool is_usable_here() noexcept;
  void throw_error_if_any() const;
  /// Whether a rank of our node has left without this call, which it will never begin.
  [[nodiscard]] bool has_departed_rank() const noexcept {
    return engine_->watch().has_any_left() && buffers_->departed_rank(Mark::began, call_);
  }
  [[nodiscard]] std::string explain_cannot_complete() const;
  /// @throws PeerError if a rank is lost or has left, else DeadlineError
  [[noreturn]] void throw_cannot_complete(double deadline_s) const;

  std::string kind_;
  CollectiveOptions options_;
  Agreement agreement_;
  Circle circle_;
  static constexpr std::uint32_t over = ~0U;
  std::atomic<std::uint32_t> stage_{over};  // atomic for describe() alone
  bool is_open_ = false;
};

}  // namespace tacit::comm::detail

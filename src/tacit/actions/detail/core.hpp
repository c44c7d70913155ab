// What all actions of a rank share: ports to all ranks, calls that wait, objects, counts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <typeindex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tacit/actions/detail/channels.hpp"
#include "tacit/actions/detail/movable_object.hpp"
#include "tacit/actions/detail/pending.hpp"
#include "tacit/actions/detail/port.hpp"
#include "tacit/actions/detail/routes.hpp"
#include "tacit/actions/options.hpp"
#include "tacit/actions/table.hpp"
#include "tacit/base/completion.hpp"
#include "tacit/comm/collectives/reduce.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/tasks/listener.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::actions {
class Actions;
}

namespace tacit::actions::detail {

/// Both kinds of traffic with a rank.
struct Peer {
  Peer(Core& core, comm::Communicator& world, const comm::Target& target)
      : connection(world, target),
        calls(core, connection, Traffic::calls),
        answers(core, connection, Traffic::answers) {}
  comm::Connection connection;
  Port calls;
  Port answers;
};

/// It is the source that workers poll when they run dry: then what waits goes out, and what has come is taken.
class Core final : public base::CompletionSource {
 public:
  Core(Actions& actions, comm::Communicator& world, tasks::Scheduler& scheduler, const Table& table,
       const Options& options);
  ~Core() override;

  [[nodiscard]] Actions& actions() const noexcept { return actions_; }
  [[nodiscard]] comm::Communicator& world() const noexcept { return world_; }
  [[nodiscard]] tasks::Scheduler& scheduler() const noexcept { return scheduler_; }
  [[nodiscard]] const Options& options() const noexcept { return options_; }
  [[nodiscard]] trace::KindId kind(Traffic traffic) const noexcept {
    return traffic == Traffic::calls ? calls_kind_ : answers_kind_;
  }
  [[nodiscard]] trace::KindId kind(std::uint16_t action) const noexcept { return kinds_[action]; }
  /// The number of a function that is an action.
  /// @throws base::PreconditionError if it is none, which begins with what is done with it
  [[nodiscard]] std::uint16_t action(std::uint32_t function,
                                     std::string_view use = "a function is called that is") const;
  [[nodiscard]] const std::string& name_of(std::uint16_t action) const noexcept { return entries_[action].name; }
  [[nodiscard]] Port& calls_to(comm::RankId rank);

  // ---- this rank calls
  /// Lists a call whose answer is awaited, and gives its number.
  [[nodiscard]] std::uint64_t expect(PendingCall& call);
  /// Counts a future that waits for a value of a channel.
  void expect_value();
  [[nodiscard]] Channels& channels() noexcept { return channels_; }
  /// Adds a record to what waits for a rank, and counts it.
  /// @throws LimitError, or what the port has failed with; nothing is added then
  template <class Write>
  void put(Port& port, const FrameHead& head, std::size_t bytes, Write&& write) {
    require_open(port, head, bytes);
    created_.fetch_add(1, std::memory_order_relaxed);
    try {
      append(port, head, bytes, std::forward<Write>(write));
    } catch (...) {
      created_.fetch_sub(1, std::memory_order_relaxed);
      throw;
    }
  }
  /// A call that could not be put. @return  whether its error was set; else it has one already
  void give_up(std::uint64_t call, comm::RankId to, std::exception_ptr error) noexcept;

  // ---- this rank is called
  /// Takes a message apart. @throws RecordError
  void take(Port& port, std::span<const std::byte> message);
  /// Whether another message may come: not of calls while their answers wait.
  [[nodiscard]] bool may_take(const Port& port) noexcept;
  template <class Value>
  void answer(const Incoming& call, const Value& value) {
    if (call.call != 0) {
      const std::size_t bytes = Codec<Value>::size(value);
      require_short(call.action, bytes, "the result");
      append(peers_[number(call.from)].answers, {.action = call.action, .call = call.call}, bytes,
             [&value](Writer& to) { Codec<Value>::write(to, value); });
    }
    end_action(call);
  }
  void answer(const Incoming& call);
  void answer_error(const Incoming& call, const std::exception_ptr& error) noexcept;

  // ---- objects
  [[nodiscard]] std::uint64_t keep(std::shared_ptr<void> object, std::type_index type);
  /// Null if it is gone.
  std::shared_ptr<void> drop(std::uint64_t id);
  /// @throws ObjectError
  [[nodiscard]] std::shared_ptr<void> find(std::uint64_t id, std::type_index type) const;

  // ---- objects that can move (moves.cpp)
  [[nodiscard]] Routes& routes() noexcept { return routes_; }
  [[nodiscard]] std::uint16_t move_action() const;
  /// Where an object is believed to be. @throws base::PreconditionError if there is no such rank
  [[nodiscard]] comm::RankId owner_of(std::uint64_t key) {
    const comm::RankId owner = routes_.owner(key);
    static_cast<void>(calls_to(owner));
    return owner;
  }
  /// @return  its number on this rank
  [[nodiscard]] std::uint64_t keep_movable(std::shared_ptr<void> object, std::type_index type,
                                           const Transport& transport);
  bool drop_movable(std::uint64_t key);
  /// @throws ObjectError if it is not here
  [[nodiscard]] std::shared_ptr<void> find_movable(std::uint64_t key, std::type_index type) const;
  /// The object that a call runs on. @throws ObjectError if it is of another class
  [[nodiscard]] void* object_of(const Incoming& call, std::type_index type) const {
    if (call.pinned->type != type) std::rethrow_exception(of_another_class(call.pinned->key));
    return call.pinned->object.get();
  }
  /// @throws base::PreconditionError, ObjectError
  void leave(const Incoming& call, std::uint32_t to);
  /// @throws RecordError
  void arrive(const Arrival& arrival, std::shared_ptr<void> object, std::type_index type, const Transport& transport);
  /// Calls that have been sent on.
  [[nodiscard]] std::uint64_t forwards() const noexcept { return forwards_.load(std::memory_order_relaxed); }
  /// What the first rank that was lost was lost by; null while none is.
  [[nodiscard]] std::exception_ptr first_error() const {
    return has_failed_.load(std::memory_order_relaxed) ? channels_.error() : nullptr;
  }

  // ---- ends
  void quiet();
  void fail_peer(comm::RankId peer, std::exception_ptr error) noexcept;
  void count_message() noexcept { messages_.fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t messages() const noexcept { return messages_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::size_t waiting_bytes() const noexcept;
  void flush();
  [[nodiscard]] std::size_t pending() const noexcept { return pending_.count(); }

  // ---- base::CompletionSource
  [[nodiscard]] std::string_view name() const override { return "actions"; }
  std::size_t poll(std::span<base::Completion> completions) override;
  void cancel(base::Token token) override { channels_.cancel(token); }
  [[nodiscard]] std::string describe(base::Token token) const override;
  [[nodiscard]] std::string explain(const base::Completion& completion) const override;

 private:
  /// Polling goes on for as long as it waits.
  struct Ear final : tasks::Listener {
    void finished(const base::Completion& /*completion*/) noexcept override { is_over.store(true); }
    [[nodiscard]] std::string describe() const override { return "this rank"; }
    std::atomic<bool> is_over{false};
  };
  /// Waits for as long as a call of this rank has no answer, or a future no value of a channel, so that idle workers
  /// count as waiting.
  struct Caller final : tasks::Awaiter {
    void finished(const base::Completion& /*completion*/) noexcept override {}
    [[nodiscard]] std::string describe() const override { return "a caller"; }
  };

  template <class Write>
  void append(Port& port, const FrameHead& head, std::size_t bytes, Write&& write) {
    if (port.box().append(head, bytes, std::forward<Write>(write)) >= options_.message_bytes) port.send_some();
  }
  void compare_tables();
  void await_answers();
  void require_open(Port& port, const FrameHead& head, std::size_t bytes);
  void require_short(std::uint16_t action, std::size_t bytes, std::string_view what) const;
  void take_frame(Port& port, const FrameHead& head, std::span<const std::byte> bytes);
  void deliver(Port& port, const FrameHead& head, std::span<const std::byte> record);
  void run(const Incoming& call, std::span<const std::byte> record) noexcept;
  void start(const Incoming& call, std::span<const std::byte> arguments) noexcept;
  void finish_call(Port& port, const FrameHead& head, std::span<const std::byte> record);
  void end_action(const Incoming& call) noexcept;
  [[nodiscard]] bool is_anything_busy() const noexcept;

  static void add_own_actions(Table& table);
  [[nodiscard]] static std::vector<Entry> with_own_actions(Table table) {
    add_own_actions(table);
    return table.entries();
  }
  [[nodiscard]] MovableObject& entry_of(std::uint64_t key);
  [[nodiscard]] static std::string name_of_object(std::uint64_t key);
  [[nodiscard]] std::exception_ptr gone(std::uint64_t key) const;
  [[nodiscard]] std::exception_ptr of_another_class(std::uint64_t key) const;
  void follow(Incoming call, ObjectHead head, std::span<const std::byte> arguments) noexcept;
  void follow_all(std::vector<HeldCall>& calls) noexcept;
  [[nodiscard]] static HeldCall hold(const Incoming& call, const ObjectHead& head,
                                     std::span<const std::byte> arguments);
  void begin_in_order(std::unique_lock<std::mutex>& lock, MovableObject& at, Incoming call, const ObjectHead& head,
                      std::span<const std::byte> arguments);
  void forward(const Incoming& call, const ObjectHead& head, std::span<const std::byte> arguments,
               comm::RankId to) noexcept;
  void tell(const ObjectHead& head, comm::RankId owner) noexcept;
  void unpin(std::unique_lock<std::mutex>& lock, MovableObject& at) noexcept;
  void depart(std::unique_lock<std::mutex>& lock, MovableObject& at) noexcept;
  [[nodiscard]] Incoming incoming(const Mover& mover) noexcept;
  void accept(const Mover& mover) noexcept;
  void refuse(const Incoming& call, const std::exception_ptr& error) noexcept;
  void reduce_counts();

  Actions& actions_;
  comm::Communicator& world_;
  tasks::Scheduler& scheduler_;
  Options options_;
  std::vector<Entry> entries_;
  std::vector<std::int32_t> by_function_;  // -1: no action
  std::vector<trace::KindId> kinds_;
  trace::KindId calls_kind_;
  trace::KindId answers_kind_;

  PendingCalls pending_;
  Channels channels_;
  std::deque<Peer> peers_;
  std::atomic<std::uint64_t> created_{0};
  std::atomic<std::uint64_t> finished_{0};
  std::atomic<std::uint64_t> running_{0};
  std::atomic<std::uint64_t> messages_{0};
  std::atomic<bool> has_failed_{false};

  mutable std::mutex objects_mutex_;
  std::unordered_map<std::uint64_t, std::pair<std::shared_ptr<void>, std::type_index>> objects_;
  std::unordered_map<std::uint64_t, MovableObject> movable_;
  std::uint64_t next_object_ = 1;
  Routes routes_;
  std::atomic<std::uint64_t> forwards_{0};

  mutable std::mutex errors_mutex_;
  std::exception_ptr unanswered_;  // of an action without answer, the first
  std::atomic<std::uint64_t> unanswered_count_{0};

  Ear ear_;
  Caller caller_;
  std::mutex tokens_lock_;
  base::Token listening_ = base::Token::none;
  base::Token calling_ = base::Token::none;
  std::atomic<bool> is_ending_{false};
  std::uint32_t patience_ = 0;
  std::uint32_t fruitless_ = 0;  // polls in a row that have found nothing

  std::vector<std::uint64_t> counts_;
  std::vector<std::uint64_t> sums_;
  std::vector<std::uint64_t> sums_before_;
  std::optional<comm::AllReduce<std::uint64_t>> reduce_;
};

}  // namespace tacit::actions::detail

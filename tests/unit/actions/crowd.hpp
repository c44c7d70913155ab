// Random actions from all ranks to all ranks: nested, throwing, long, with and without an answer, of objects that move;
// and what must come out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tacit/actions/channel.hpp"
#include "tacit/base/random.hpp"
#include "tacit/comm/collectives/reduce.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/tasks/when.hpp"
#include "tacit/trace/trace.hpp"
#include "unit/actions/rover.hpp"

namespace tacit::actions::testing {

/// A text and numbers, as a struct that lists its members.
struct Parcel {
  std::string label;
  std::map<std::uint32_t, std::vector<double>> rows;
  static constexpr auto record() noexcept {
    return base::record("parcel", base::member("label", &Parcel::label), base::member("rows", &Parcel::rows));
  }
  [[nodiscard]] bool operator==(const Parcel&) const = default;
};

/// What happened on a rank. The first object of each, so that all know its handle.
class Tally {
 public:
  explicit Tally(std::size_t ranks) : next_(ranks, 0) {}

  /// Notes of a rank come in the order in which they were sent.
  void note(Context context, std::uint64_t sequence) {
    const std::lock_guard guard(mutex_);
    std::uint64_t& expected = next_[number(context.caller())];
    if (sequence != expected++) ++disorder_;
  }
  /// Adds itself and a tree of calls below it. @return  how many ran
  tasks::Task<std::uint64_t> spread(Context context, std::uint64_t seed, std::uint32_t depth);
  void fail(std::string text) {
    ++runs_;
    throw std::out_of_range(text);
  }
  [[nodiscard]] std::vector<double> reversed(std::vector<double> values) {
    ++runs_;
    std::ranges::reverse(values);
    return values;
  }
  [[nodiscard]] std::optional<Parcel> relabel(Parcel parcel, const std::string& label) {
    ++runs_;
    if (label.empty()) return std::nullopt;
    parcel.label = label;
    return parcel;
  }

  [[nodiscard]] std::uint64_t runs() const noexcept { return runs_; }
  [[nodiscard]] std::uint64_t notes() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : next_) sum += count;
    return sum;
  }
  [[nodiscard]] std::uint64_t disorder() const noexcept { return disorder_; }

 private:
  std::atomic<std::uint64_t> runs_{0};
  std::mutex mutex_;
  std::vector<std::uint64_t> next_;  // by caller
  std::uint64_t disorder_ = 0;
};

inline Handle<Tally> tally_of(std::uint64_t rank) { return {comm::RankId{static_cast<std::uint32_t>(rank)}, 1}; }

/// Children of a node of a tree of calls: none to three.
inline std::uint64_t children_of(std::uint64_t seed) { return base::mix64(seed) % 4; }
inline std::uint64_t child_seed(std::uint64_t seed, std::uint64_t i) { return base::mix64(seed * 5 + i + 1); }
/// Nodes of a tree, as a plain recursion counts them.
inline std::uint64_t tree_size(std::uint64_t seed, std::uint32_t depth) {
  std::uint64_t sum = 1;
  for (std::uint64_t i = 0; depth > 0 && i < children_of(seed); ++i) sum += tree_size(child_seed(seed, i), depth - 1);
  return sum;
}

inline tasks::Task<std::uint64_t> Tally::spread(Context context, std::uint64_t seed, std::uint32_t depth) {
  ++runs_;
  Actions& actions = context.actions();
  std::vector<tasks::Future<std::uint64_t>> below;
  for (std::uint64_t i = 0; depth > 0 && i < children_of(seed); ++i) {
    const std::uint64_t child = child_seed(seed, i);
    below.push_back(actions.call<&Tally::spread>(tally_of(child % actions.world().size()), child, depth - 1));
  }
  std::uint64_t sum = 1;
  for (auto& part : below) sum += co_await std::move(part);
  co_return sum;
}

inline void add_crowd(Table& table) {
  table.add<&Tally::note>("note");
  table.add<&Tally::spread>("spread");
  table.add<&Tally::fail>("fail");
  table.add<&Tally::reversed>("reversed");
  table.add<&Tally::relabel>("relabel");
  table.add_channel<std::vector<std::uint64_t>>("rows");
  add_rover(table);
}

struct CrowdOptions {
  std::uint64_t seed = 1;
  std::size_t calls = 2000;  ///< of each rank
  std::size_t threads = 1;
  std::size_t longest = 40'000;  ///< numbers in the longest argument: several messages
};

/// What a rank sends, and what must follow from it.
class Crowd {
 public:
  Crowd(comm::Communicator& world, const CrowdOptions& options) : world_(world), options_(options) {}

  /// @throws base::Error for the first thing that is not as it must be
  void run(const Options& sizes = {}) {
    trace::Recorder recorder(options_.threads, 1024);
    tasks::Scheduler scheduler(options_.threads, recorder);
    Table table;
    add_crowd(table);
    Actions actions(world_, scheduler, table, sizes);
    const Handle<Tally> own = actions.make<Tally>(world_.size());
    std::deque<Channel<Row>> channels;  // by the rank that sets
    for (std::size_t rank = 0; rank < world_.size(); ++rank) channels.emplace_back(actions);
    const Handle<Rover> rover = actions.make<Rover>(world_.size(), draw(0, 7) % 100'000);
    for (std::uint32_t rank = 0; rank < world_.size(); ++rank) rovers_.push_back({comm::RankId{rank}, rover.id});
    world_.synchronise();  // calls must not come before the objects are there
    std::vector<tasks::Future<void>> taking;
    for (std::size_t rank = 0; rank < world_.size(); ++rank) {
      taking.push_back(tasks::spawn(scheduler, take_rows(channels[rank], rank)));
      taking.push_back(tasks::spawn(scheduler, set_rows(actions, rank)));
    }
    tasks::spawn(scheduler, drive(actions)).get();
    for (const auto& end : taking) end.get();
    actions.quiet();
    const auto tally = actions.local(own);
    check("actions out of order", tally->disorder(), 0);
    const std::vector<std::uint64_t> roved = actions.call<&Rover::report>(rover).get();
    check("notes of a moving object out of order", roved[2], 0);
    check("bytes of a moving object", roved[3], draw(0, 7) % 100'000);
    actions.quiet();
    std::vector<std::uint64_t> mine{tally->runs(), tally->notes(), runs_, notes_, roved[0], roved[1], roved_, sum_};
    std::vector<std::uint64_t> all(mine.size());
    comm::AllReduce<std::uint64_t>(world_, std::span<const std::uint64_t>(mine), std::span<std::uint64_t>(all),
                                   std::plus<std::uint64_t>{})
        .run();
    check("actions that ran", all[0], all[2]);
    check("notes that came", all[1], all[3]);
    check("actions of moving objects that ran", all[4], all[6]);
    check("their sum", all[5], all[7]);
    check("bytes that wait", actions.waiting_bytes(), 0);
  }

 private:
  static void check(const char* what, std::uint64_t found, std::uint64_t expected) {
    if (found != expected) throw base::Error(fmt::format("{}: {}, expected {}", what, found, expected));
  }
  [[nodiscard]] std::uint64_t draw(std::uint64_t i, std::uint64_t what) const {
    return base::mix64(base::mix64(base::mix64(options_.seed + 1000 * number(world_.rank())) + i) + what);
  }

  /// Rows go to each rank, eight at a time in a random order, by way of the channel that it has made for this one.
  using Row = std::vector<std::uint64_t>;
  [[nodiscard]] std::uint64_t rows() const { return options_.calls / 16; }
  [[nodiscard]] Row row(std::uint64_t from, std::uint64_t to, std::uint64_t generation) const {
    const std::uint64_t first = base::mix64(options_.seed + 100 * from + to + 10'000 * generation);
    return Row(first % (first % 8 == 0 ? 5000 : 20), first);
  }
  tasks::Task<> set_rows(Actions& actions, std::uint64_t to) {
    const ChannelHandle<Row> channel{comm::RankId{static_cast<std::uint32_t>(to)}, 2 + number(world_.rank())};
    ChannelSetter<Row> setter(actions, channel);
    for (std::uint64_t first = 0; first < rows(); first += 8) {
      std::vector<std::uint64_t> order;
      for (std::uint64_t g = first; g < std::min(first + 8, rows()); ++g) order.push_back(g);
      std::ranges::sort(order, {}, [&](std::uint64_t g) { return draw(g, 6); });
      for (const std::uint64_t g : order) co_await setter.set(g, row(number(world_.rank()), to, g));
    }
  }
  tasks::Task<> take_rows(Channel<Row>& channel, std::uint64_t from) {
    for (std::uint64_t g = 0; g < rows(); ++g) {
      const Row taken = co_await channel.get();
      if (taken != row(from, number(world_.rank()), g)) throw base::Error("a channel has given another value");
    }
  }

  tasks::Task<> drive(Actions& actions) {
    std::vector<std::uint64_t> sequence(world_.size(), 0);
    std::vector<std::uint64_t> rover_sequence(world_.size(), 0);
    std::deque<tasks::Future<void>> open;
    for (std::size_t i = 0; i < options_.calls; ++i) {
      const std::uint64_t to = draw(i, 0) % world_.size();
      if (draw(i, 8) % 64 == 0) std::this_thread::sleep_for(std::chrono::microseconds(draw(i, 9) % 200));
      switch (draw(i, 1) % 24) {
        case 0:
          open.push_back(spawn(actions.scheduler(), call_tree(actions, to, draw(i, 2))));
          break;
        case 1:
          open.push_back(spawn(actions.scheduler(), call_failing(actions, to, i)));
          break;
        case 2:
          open.push_back(spawn(actions.scheduler(), call_long(actions, to, i)));
          break;
        case 3:
          open.push_back(spawn(actions.scheduler(), call_parcel(actions, to, i)));
          break;
        case 4:
          open.push_back(
              actions.move(rovers_[to], comm::RankId{static_cast<std::uint32_t>(draw(i, 2) % world_.size())}));
          break;
        case 5:
          open.push_back(spawn(actions.scheduler(), visit_rovers(actions, to, draw(i, 2))));
          break;
        case 6:
          ++roved_;
          co_await actions.send<&Rover::pause>(rovers_[to], draw(i, 2) % 100);
          break;
        case 7:
        case 8:
        case 9:
        case 10:
          ++roved_;
          sum_ += i;
          co_await actions.send<&Rover::note>(rovers_[to], rover_sequence[to]++, i, draw(i, 3) % 5);
          break;
        default:
          ++notes_;
          co_await actions.send<&Tally::note>(tally_of(to), sequence[to]++);
      }
      if (open.size() < 32) continue;
      co_await open.front();
      open.pop_front();
    }
    for (auto& one : open) co_await one;
  }

  tasks::Task<> call_tree(Actions& actions, std::uint64_t to, std::uint64_t seed) {
    constexpr std::uint32_t depth = 3;
    const std::uint64_t size = tree_size(seed, depth);
    runs_ += size;
    check("a tree of calls", co_await actions.call<&Tally::spread>(tally_of(to), seed, depth), size);
  }
  tasks::Task<> visit_rovers(Actions& actions, std::uint64_t first, std::uint64_t seed) {
    constexpr std::uint32_t depth = 3;
    roved_ += depth + 1;
    check("visits of moving objects", co_await actions.call<&Rover::visit>(rovers_[first], rovers_, seed, depth),
          depth + 1);
  }
  tasks::Task<> call_failing(Actions& actions, std::uint64_t to, std::uint64_t i) {
    ++runs_;
    const std::string text = fmt::format("as planned, {}", i);
    try {
      co_await actions.call<&Tally::fail>(tally_of(to), text);
    } catch (const RemoteError& error) {
      if (error.type() == "std::out_of_range" && error.text() == text && number(error.rank()) == to) co_return;
      throw;
    }
    throw base::Error("an action that throws gave no error");
  }
  tasks::Task<> call_long(Actions& actions, std::uint64_t to, std::uint64_t i) {
    ++runs_;
    std::vector<double> values(draw(i, 3) % options_.longest);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = base::uniform(i, k, 0);
    std::vector<double> back = co_await actions.call<&Tally::reversed>(tally_of(to), values);
    std::ranges::reverse(back);
    if (back != values) throw base::Error("a long argument has changed on its way");
  }
  tasks::Task<> call_parcel(Actions& actions, std::uint64_t to, std::uint64_t i) {
    ++runs_;
    Parcel parcel{.label = "sent", .rows = {}};
    for (std::uint32_t k = 0; k < draw(i, 4) % 5; ++k) parcel.rows[7 * k] = std::vector<double>(k, 0.5 * k);
    const std::string label = draw(i, 5) % 3 == 0 ? "" : "taken";
    const auto back = co_await actions.call<&Tally::relabel>(tally_of(to), parcel, label);
    parcel.label = label;
    if (back.has_value() == label.empty() || (back && *back != parcel)) throw base::Error("a parcel has changed");
  }

  comm::Communicator& world_;
  CrowdOptions options_;
  std::atomic<std::uint64_t> runs_{0};  // that follow from what this rank calls
  std::uint64_t notes_ = 0;
  std::vector<Handle<Rover>> rovers_;
  std::atomic<std::uint64_t> roved_{0};  // actions of moving objects
  std::uint64_t sum_ = 0;                // that its notes add
};

}  // namespace tacit::actions::testing

// An object that goes from rank to rank while all of them call it, and notices what must not happen to it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tacit/actions/actions.hpp"
#include "tacit/base/random.hpp"
#include "tacit/tasks/when.hpp"

namespace tacit::actions::testing {

class Rover : public Movable {
 public:
  Rover() = default;
  /// @param bytes  that it takes along
  Rover(std::size_t ranks, std::size_t bytes) : next_(ranks, 0), load_(bytes, 'r') {}

  /// Notes of a rank begin in the order of the calls. What a note adds after its rests is lost if the object has moved
  /// meanwhile.
  tasks::Task<> note(Context context, std::uint64_t sequence, std::uint64_t value, std::uint64_t rests) {
    // Only the first part of one note of a rank runs at a time.
    if (sequence != next_[number(context.caller())]++) ++std::atomic_ref(disorder_);
    for (std::uint64_t i = 0; i < rests; ++i) co_await tasks::on(context.actions().scheduler());
    std::atomic_ref(sum_) += value;
    ++std::atomic_ref(runs_);
  }
  /// Visits other rovers, or itself, from here. @return  visits in all
  tasks::Task<std::uint64_t> visit(Context context, std::vector<Handle<Rover>> rovers, std::uint64_t seed,
                                   std::uint32_t depth) {
    std::uint64_t visits = 1;
    if (depth > 0) {
      const Handle<Rover> next = rovers[base::mix64(seed) % rovers.size()];
      visits += co_await context.actions().call<&Rover::visit>(next, rovers, base::mix64(seed + 1), depth - 1);
    }
    ++std::atomic_ref(runs_);
    co_return visits;
  }
  void pause(std::uint64_t microseconds) {
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
    ++std::atomic_ref(runs_);
  }
  [[nodiscard]] comm::RankId where(Context context) const { return context.actions().rank(); }
  /// Runs, sum, disorder, bytes.
  [[nodiscard]] std::vector<std::uint64_t> report() const { return {runs_, sum_, disorder_, load_.size()}; }

  static constexpr auto record() noexcept {
    return base::record("rover", base::member("next", &Rover::next_), base::member("runs", &Rover::runs_),
                        base::member("sum", &Rover::sum_), base::member("disorder", &Rover::disorder_),
                        base::member("load", &Rover::load_));
  }

 private:
  std::vector<std::uint64_t> next_;  // by caller
  std::uint64_t runs_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t disorder_ = 0;
  std::string load_;
};

inline void add_rover(Table& table) {
  table.add_object<Rover>("rover");
  table.add<&Rover::note>("rover: note");
  table.add<&Rover::visit>("rover: visit");
  table.add<&Rover::pause>("rover: pause");
  table.add<&Rover::where>("rover: where");
  table.add<&Rover::report>("rover: report");
}

}  // namespace tacit::actions::testing

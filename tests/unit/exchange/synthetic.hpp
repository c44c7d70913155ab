// A synthetic client of an exchange: random patterns that all ranks know, and messages that each of them can check.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "tacit/base/clock.hpp"
#include "tacit/base/error.hpp"
#include "tacit/base/random.hpp"
#include "tacit/exchange/exchange.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::exchange::testing {

/// A record, with padding at its end.
struct Sample {
  std::uint64_t id = 0;
  float weight = 0.0F;
  std::array<std::uint16_t, 3> tags{};
  friend bool operator==(const Sample&, const Sample&) = default;
  static constexpr auto record() noexcept {
    return base::record("sample", base::member("id", &Sample::id), base::member("weight", &Sample::weight),
                        base::member("tags", &Sample::tags));
  }
};

/// A number that follows from the seed and all keys: every rank finds the same.
[[nodiscard]] inline std::uint64_t draw(std::uint64_t seed, std::initializer_list<std::uint64_t> keys) noexcept {
  std::uint64_t number = base::mix64(seed + 0x9e3779b97f4a7c15ULL);
  for (const std::uint64_t key : keys) number = base::mix64(number + key + 0x9e3779b97f4a7c15ULL);
  return number;
}

/// A message of a pattern.
struct Plan {
  std::uint32_t phase = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t key = 0;
  enum class Element : std::uint8_t { number, byte, sample } element = Element::number;
  std::size_t count = 0;
  Length length = Length::fixed;
};

/// What differs from run to run.
struct Setting {
  std::uint64_t seed = 1;
  std::size_t steps = 300;
  std::size_t threads = 1;
  std::size_t envelope_bytes = 2048;
  std::uint32_t slots = 2;
  std::uint32_t patterns = 6;  ///< different ones; of four in turn each has longer messages than the one before
};

/// All messages of a pattern, between all ranks.
[[nodiscard]] inline std::vector<Plan> plans_of(std::uint64_t seed, std::uint32_t pattern, std::uint32_t ranks) {
  std::vector<Plan> plans;
  const auto phases = static_cast<std::uint32_t>(1 + draw(seed, {pattern}) % 4);
  for (std::uint32_t place = 0; place < phases * ranks * ranks; ++place) {
    const Plan pair{.phase = place / (ranks * ranks), .from = place / ranks % ranks, .to = place % ranks};
    const std::uint64_t chance = draw(seed, {pattern, place});
    const std::uint64_t messages = chance % 8 < 3 ? 0 : 1 + (chance >> 8U) % 5;
    for (std::uint64_t i = 0; i < messages; ++i) {
      const std::uint64_t more = draw(seed, {pattern, place, i});
      const std::array<std::uint64_t, 4> below{3, 40, 40, std::uint64_t{300} << (pattern % 4)};
      Plan& plan = plans.emplace_back(pair);
      plan.key = static_cast<std::uint32_t>(7 * i + (more >> 50U) % 7);
      plan.element = static_cast<Plan::Element>((more >> 30U) % 3);
      plan.count = (more >> 8U) % below[more % 4];
      plan.length = (more >> 40U) % 3 == 0 ? Length::variable : Length::fixed;
    }
  }
  return plans;
}

/// Element i of a message in a step.
template <class T>
[[nodiscard]] T element_of(std::uint64_t seed, std::uint64_t step, const Plan& plan, std::size_t i) noexcept {
  const std::uint64_t pair = (std::uint64_t{plan.from} << 32U) + plan.to;
  const std::uint64_t word = draw(seed, {step, pair, (std::uint64_t{plan.phase} << 32U) + plan.key, i});
  if constexpr (std::is_same_v<T, Sample>) {
    return {.id = word,
            .weight = static_cast<float>(word >> 44U),
            .tags = {static_cast<std::uint16_t>(word), 7, static_cast<std::uint16_t>(word >> 16U)}};
  } else if constexpr (std::is_same_v<T, double>) {
    return static_cast<double>(word >> 12U);
  } else {
    return static_cast<T>(word);
  }
}

/// The elements of a message in a step; of those whose length varies, a quarter is empty and a quarter full.
[[nodiscard]] inline std::size_t length_of(std::uint64_t seed, std::uint64_t step, const Plan& plan) noexcept {
  if (plan.length == Length::fixed) return plan.count;
  const std::uint64_t chance = draw(seed, {~step, plan.phase, plan.from, plan.to, plan.key});
  if (chance % 4 == 0) return 0;
  return chance % 4 == 1 ? plan.count : (chance >> 8U) % (plan.count + 1);
}

/// One rank of the client. Everything that is wrong is thrown, from the task that finds it.
class Client {
 public:
  Client(comm::Communicator& world, const Setting& setting)
      : world_(world),
        setting_(setting),
        own_(number(world.rank())),
        ranks_(static_cast<std::uint32_t>(world.size())),
        recorder_(setting.threads, 1024),
        scheduler_(setting.threads, recorder_),
        exchange_(world, {.envelope_bytes = setting.envelope_bytes, .slots = setting.slots}) {
    scheduler_.attach(world.completions());
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() { scheduler_.detach(world_.completions()); }

  /// Runs patterns, each for some steps. @throws base::Error that says what is wrong
  void run() {
    std::size_t step = 0;
    for (std::uint64_t turn = 0; step < setting_.steps; ++turn) {
      const std::uint64_t chance = draw(setting_.seed, {turn, 0x7475726e});
      build(static_cast<std::uint32_t>(chance % setting_.patterns));
      if (turn % 3 == 1) exchange_.time_transfers();
      const std::size_t end = std::min<std::size_t>(setting_.steps, step + 1 + (chance >> 8U) % 30);
      for (; step < end; ++step) run_step(step);
      graph_.reset();
      exchange_.clear();
    }
  }

 private:
  struct PhaseOfGraph {
    std::vector<tasks::DatumId> rims;    // by receiver
    std::vector<tasks::DatumId> ghosts;  // by sender
    PhaseTasks exchanged;
  };

  void require(bool condition, const std::string& what) const {
    if (!condition) throw base::Error(fmt::format("rank {}: {}", own_, what));
  }
  static std::string in_words(std::uint64_t step, const Plan& plan) {
    return fmt::format("step {}, phase {}, {} to {}, message {}", step, plan.phase, plan.from, plan.to, plan.key);
  }

  /// Both ends know that these ranks have nothing to say in this phase of this step.
  [[nodiscard]] bool is_absent(std::uint64_t step, std::uint64_t phase, std::uint64_t from, std::uint64_t to) const {
    return draw(setting_.seed, {phase, from, to}) % 2 == 0 && draw(setting_.seed, {step, phase, from, to}) % 3 == 0;
  }

  /// Now and then a task takes a while, or its thread sleeps.
  void delay(std::uint64_t step, std::uint64_t what) const {
    const std::uint64_t chance = draw(setting_.seed, {step, own_, what, 0x64656c6179});
    if (chance % 16 == 0) {
      const base::Stopwatch watch;
      while (watch.seconds() < 1e-6 * static_cast<double>((chance >> 8U) % 50)) {
      }
    }
    if (chance % 128 == 1) std::this_thread::sleep_for(std::chrono::microseconds(100));
  }

  // ---- building ----

  void build(std::uint32_t pattern) {
    plans_ = plans_of(setting_.seed, pattern, ranks_);
    graph_.emplace();
    phases_.clear();
    others_.clear();
    const std::uint32_t phases = plans_.empty() ? 0 : plans_.back().phase + 1;
    for (std::uint32_t phase = 0; phase < phases; ++phase) add_phase(phase);
    const std::size_t before = exchange_.connections();
    exchange_.connect();
    require(seen_.insert(pattern).second || exchange_.connections() == before,
            fmt::format("pattern {} was there before, and made connections", pattern));
  }

  void add_phase(std::uint32_t number) {
    PhaseOfGraph phase;
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      phase.rims.push_back(graph_->add_datum());
      phase.ghosts.push_back(graph_->add_datum());
    }
    // What is sent follows from what came in the phase before.
    const auto before = phases_.empty() ? tasks::Accesses{} : tasks::reads_all(phases_.back().ghosts);
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      others_.push_back(graph_->add(
          "fill", before + tasks::writes(phase.rims[rank]),
          [this, number, rank](tasks::StepContext& step) { delay(step.step, 100 * number + rank); }, {.key = rank}));
    }
    phase.exchanged = exchange_.add(*graph_, fmt::format("phase {}", number), messages_of(number, phase));
    others_.push_back(graph_->add("use", tasks::reads_all(phase.ghosts),
                                  [this, number](tasks::StepContext& step) { delay(step.step, 10'000 + number); }));
    phases_.push_back(std::move(phase));
  }

  /// Each rank describes its messages in an order of its own.
  Messages messages_of(std::uint32_t phase, const PhaseOfGraph& data) {
    std::vector<const Plan*> mine;
    for (const Plan& plan : plans_) {
      if (plan.phase == phase && (plan.from == own_ || plan.to == own_)) mine.push_back(&plan);
    }
    std::ranges::sort(mine, {}, [this](const Plan* plan) {
      return draw(setting_.seed, {own_, plan->phase, plan->from, plan->to, plan->key});
    });
    Messages messages;
    for (const Plan* plan : mine) {
      if (plan->element == Plan::Element::number) describe<double>(messages, *plan, data);
      if (plan->element == Plan::Element::byte) describe<std::uint8_t>(messages, *plan, data);
      if (plan->element == Plan::Element::sample) describe<Sample>(messages, *plan, data);
    }
    return messages;
  }

  template <class T>
  void describe(Messages& messages, const Plan& plan, const PhaseOfGraph& data) {
    const auto with = [&plan](std::uint32_t peer) -> Message {
      return {.peer = comm::RankId{peer}, .key = plan.key, .count = plan.count, .length = plan.length};
    };
    if (plan.from == own_) {
      messages.send<T>(
          with(plan.to), tasks::reads(data.rims[plan.to]),
          [this, &plan](tasks::StepContext& step, std::span<T> to) { return pack<T>(step.step, plan, to); });
    }
    if (plan.to == own_) {
      messages.receive<T>(
          with(plan.from), tasks::writes(data.ghosts[plan.from]),
          [this, &plan](tasks::StepContext& step, std::span<const T> from) { check<T>(step.step, plan, from); });
    }
  }

  // ---- steps ----

  template <class T>
  std::size_t pack(std::uint64_t step, const Plan& plan, std::span<T> to) const {
    delay(step, 20'000 + 100 * plan.to + plan.key);
    require(to.size() == plan.count, in_words(step, plan) + " has other room than was asked for");
    const std::size_t length = length_of(setting_.seed, step, plan);
    for (std::size_t i = 0; i < length; ++i) to[i] = element_of<T>(setting_.seed, step, plan, i);
    return length;
  }

  template <class T>
  void check(std::uint64_t step, const Plan& plan, std::span<const T> from) {
    delay(step, 30'000 + 100 * plan.from + plan.key);
    require(from.size() == length_of(setting_.seed, step, plan), in_words(step, plan) + " has another length");
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (from[i] == element_of<T>(setting_.seed, step, plan, i)) continue;
      throw base::Error(fmt::format("rank {}: {} is wrong at {}", own_, in_words(step, plan), i));
    }
    received_.fetch_add(1, std::memory_order_relaxed);
  }

  void run_step(std::uint64_t step) {
    std::vector<tasks::TaskId> chosen = others_;
    for (std::size_t phase = 0; phase < phases_.size(); ++phase) {
      for (const PeerTasks& peer : phases_[phase].exchanged.send) {
        if (is_absent(step, phase, own_, number(peer.peer))) continue;
        chosen.insert(chosen.end(), peer.tasks.begin(), peer.tasks.end());
      }
      for (const PeerTasks& peer : phases_[phase].exchanged.receive) {
        if (is_absent(step, phase, number(peer.peer), own_)) continue;
        chosen.insert(chosen.end(), peer.tasks.begin(), peer.tasks.end());
      }
    }
    received_ = 0;
    graph_->activate(chosen, activation_);
    tasks::StepContext context;
    context.step = step;
    scheduler_.run(*graph_, activation_, context);
    const auto is_expected = [&](const Plan& plan) {
      return plan.to == own_ && !is_absent(step, plan.phase, plan.from, plan.to);
    };
    const auto expected = static_cast<std::size_t>(std::ranges::count_if(plans_, is_expected));
    require(received_ == expected, fmt::format("step {}: {} of {} messages came", step, received_.load(), expected));
  }

  comm::Communicator& world_;
  Setting setting_;
  std::uint32_t own_;
  std::uint32_t ranks_;
  trace::Recorder recorder_;
  tasks::Scheduler scheduler_;
  std::optional<tasks::Graph> graph_;
  Exchange exchange_;
  std::vector<Plan> plans_;
  std::vector<PhaseOfGraph> phases_;
  std::vector<tasks::TaskId> others_;  // that exchange nothing
  tasks::Activation activation_;
  std::set<std::uint32_t> seen_;
  std::atomic<std::size_t> received_ = 0;
};

}  // namespace tacit::exchange::testing

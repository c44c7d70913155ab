// The examples of the guide: a ring, a map that is spread over all ranks, and a counter that moves.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tacit/actions/actions.hpp"
#include "tacit/base/random.hpp"
#include "tacit/tasks/when.hpp"
#include "tacit/trace/trace.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::actions::examples_test {
namespace {

using comm::RankId;
using comm::testing::on_ranks;

/// Passes a number on to the next rank until `left` ranks have added theirs.
tasks::Task<std::uint64_t> pass_on(Context context, std::uint64_t sum, std::uint32_t left) {
  Actions& actions = context.actions();
  sum += number(actions.rank());
  if (left == 1) co_return sum;
  const auto ranks = static_cast<std::uint32_t>(actions.world().size());
  const RankId next{(number(actions.rank()) + 1) % ranks};
  co_return co_await actions.call<&pass_on>(next, sum, left - 1);
}

/// The words of this rank and how often each was met.
class Words {
 public:
  void add(std::string word) {
    const std::lock_guard guard(mutex_);
    ++counts_[word];
  }
  [[nodiscard]] std::optional<std::uint64_t> find(const std::string& word) const {
    const std::lock_guard guard(mutex_);
    const auto found = counts_.find(word);
    return found == counts_.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] std::map<std::string, std::uint64_t> all() const {
    const std::lock_guard guard(mutex_);
    return counts_;
  }

 private:
  mutable std::mutex mutex_;  // actions of several ranks may run at once
  std::map<std::string, std::uint64_t> counts_;
};

/// Which rank keeps a word.
Handle<Words> keeper_of(const std::vector<Handle<Words>>& parts, const std::string& word) {
  std::uint64_t hash = 0;
  for (const char letter : word) hash = base::mix64(hash + static_cast<unsigned char>(letter));
  return parts[hash % parts.size()];
}

tasks::Task<> count_words(Actions& actions, const std::vector<Handle<Words>>& parts, std::vector<std::string> text) {
  for (const std::string& word : text) co_await actions.send<&Words::add>(keeper_of(parts, word), word);
}

/// Goes to those who ask for it.
class Counter : public Movable {
 public:
  void add(std::int64_t n) { sum_ += n; }
  [[nodiscard]] std::int64_t sum() const { return sum_; }
  static constexpr auto record() noexcept { return base::record("counter", base::member("sum", &Counter::sum_)); }

 private:
  std::int64_t sum_ = 0;
};

tasks::Task<> count_here(Actions& actions, Handle<Counter> counter, std::int64_t times) {
  for (std::int64_t i = 0; i < times; ++i) {
    if (i % 100 == 0) co_await actions.move(counter, actions.rank());
    co_await actions.send<&Counter::add>(counter, 1);
  }
}

Table example_table() {
  Table table;
  table.add<&pass_on>("pass on");
  table.add<&Words::add>("words: add");
  table.add<&Words::find>("words: find");
  table.add<&Words::all>("words: all");
  table.add_object<Counter>("counter");
  table.add<&Counter::add>("counter: add");
  table.add<&Counter::sum>("counter: sum");
  return table;
}

TEST(ActionExamples, PassANumberRoundARing) {
  for (const std::uint32_t ranks : {1U, 2U, 4U}) {
    on_ranks(ranks, [&](comm::Communicator& world) {
      trace::Recorder recorder(1, 1024);
      tasks::Scheduler scheduler(1, recorder);
      Actions actions(world, scheduler, example_table());
      constexpr std::uint32_t rounds = 25;
      const RankId own = world.rank();
      const std::uint64_t sum = actions.call<&pass_on>(own, 0U, rounds * ranks).get();
      EXPECT_EQ(sum, rounds * ranks * (ranks - 1) / 2);
      actions.quiet();
    });
  }
}

TEST(ActionExamples, CountWordsInADistributedMap) {
  for (const std::size_t ranks : {1U, 2U, 4U}) {
    on_ranks(ranks, [&](comm::Communicator& world) {
      trace::Recorder recorder(2, 1024);
      tasks::Scheduler scheduler(2, recorder);
      Actions actions(world, scheduler, example_table());
      const Handle<Words> own = actions.make<Words>();
      std::vector<Handle<Words>> parts;  // each rank makes its part first, so all have the same number
      for (std::uint32_t rank = 0; rank < ranks; ++rank) parts.push_back({RankId{rank}, own.id});
      actions.quiet();  // every part is there

      std::vector<std::string> text;
      for (std::size_t i = 0; i < 1000; ++i) text.push_back("word " + std::to_string(i * i % 97));
      tasks::spawn(scheduler, count_words(actions, parts, text)).get();
      actions.quiet();  // every word has been counted

      std::map<std::string, std::uint64_t> expected;
      for (const std::string& word : text) expected[word] += ranks;
      for (const auto& [word, count] : expected) {
        EXPECT_EQ(actions.call<&Words::find>(keeper_of(parts, word), word).get(), count) << word;
      }
      EXPECT_EQ(actions.call<&Words::find>(parts[0], "none").get(), std::nullopt);
      std::map<std::string, std::uint64_t> merged;
      for (const Handle<Words>& part : parts) merged.merge(actions.call<&Words::all>(part).take());
      EXPECT_EQ(merged, expected);
      actions.quiet();
    });
  }
}

TEST(ActionExamples, CountWithACounterThatMoves) {
  for (const std::uint32_t ranks : {1U, 2U, 4U}) {
    on_ranks(ranks, [&](comm::Communicator& world) {
      trace::Recorder recorder(1, 1024);
      tasks::Scheduler scheduler(1, recorder);
      Actions actions(world, scheduler, example_table());
      const Handle<Counter> counter{RankId{0}, actions.make<Counter>().id};  // that of rank 0
      actions.quiet();
      tasks::spawn(scheduler, count_here(actions, counter, 1000)).get();
      actions.quiet();
      EXPECT_EQ(actions.call<&Counter::sum>(counter).get(), 1000 * ranks);
      actions.quiet();
    });
  }
}

}  // namespace
}  // namespace tacit::actions::examples_test

// The checks: random puts, gets and notices, which every rank can recompute; tickets; items of pools.
// SPDX-License-Identifier: Apache-2.0
#include "mpi/one_sided.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "mpi/collectives_support.hpp"
#include "tacit/comm/collectives/barrier.hpp"
#include "tacit/comm/error.hpp"
#include "tacit/comm/one_sided/shared_counter.hpp"
#include "tacit/comm/one_sided/work_pool.hpp"

namespace tacit::comm::conformance {
namespace {

using Word = std::uint64_t;

/// Numbers that depend on a key alone.
class Draws {
 public:
  explicit Draws(std::uint64_t key) : key_(base::mix64(key)) {}
  [[nodiscard]] std::uint64_t next() { return base::mix64(key_ + ++drawn_); }

 private:
  std::uint64_t key_;
  std::uint64_t drawn_ = 0;
};

/// One put, as every rank knows it.
struct Put {
  std::uint32_t target = 0;
  std::size_t offset = 0;
  std::vector<Word> data = {};
  Notice notice = {};
};

constexpr std::uint32_t signal_count = 3;

/// Put `i` of `source`; mostly short, sometimes longer than a message of the transport carries at once (32 KB).
Put put_of(const Setting& setting, std::size_t ranks, std::size_t room, std::uint32_t source, std::uint64_t i) {
  Draws random(base::mix64(setting.seed * 1'000'003 + source) + i);
  Put put;
  put.target = static_cast<std::uint32_t>(random.next() % ranks);
  const std::size_t most = random.next() % 16 == 0 ? room : std::min<std::size_t>(room, 40);
  put.data.resize(random.next() % (most + 1));
  put.offset = random.next() % (room - put.data.size() + 1);
  for (std::size_t k = 0; k < put.data.size(); ++k) put.data[k] = element(source, i, k);
  // A notice of nothing is none.
  put.notice = {.signal = static_cast<std::uint32_t>(random.next() % signal_count), .value = random.next() % 3};
  return put;
}

std::size_t room_of(const Setting& setting) { return std::min<std::size_t>(setting.longest / sizeof(Word), 9000); }

/// Each source has a part of every memory to itself, so that the last put to a word is known.
void check_puts(Communicator& world, const Setting& setting, Access access) {
  const std::size_t ranks = world.size();
  const std::size_t room = room_of(setting);
  const std::uint32_t own = number(world.rank());
  OneSidedWindow<Word> window(world, ranks * room, {.signals = signal_count, .access = access});
  std::vector<Put> puts;  // on loan until the end
  for (std::uint64_t i = 0; i < setting.exchanges; ++i) puts.push_back(put_of(setting, ranks, room, own, i));
  for (const Put& put : puts) {
    window.put(RankId{put.target}, own * room + put.offset, std::span<const Word>(put.data), put.notice);
  }
  window.wait();
  window.fence();
  std::vector<Word> expected(ranks * room);
  std::array<std::uint64_t, signal_count> sums{};
  for (std::uint32_t source = 0; source < ranks; ++source) {
    for (std::uint64_t i = 0; i < setting.exchanges; ++i) {
      const Put put = put_of(setting, ranks, room, source, i);
      if (put.target != own) continue;
      std::ranges::copy(put.data, expected.begin() + static_cast<std::ptrdiff_t>(source * room + put.offset));
      sums[put.notice.signal] += put.notice.value;
    }
  }
  must(std::ranges::equal(window.data(), expected), "memory differs from what was put");
  for (std::uint32_t s = 0; s < signal_count; ++s) {
    must(window.signal(s) == sums[s], fmt::format("signal {} is {}, not {}", s, window.signal(s), sums[s]));
  }
  window.fence();
}

void check_gets(Communicator& world, const Setting& setting, Access access) {
  const std::size_t room = room_of(setting);
  const std::uint32_t own = number(world.rank());
  // Ranks expose different lengths, rank 0 nothing.
  OneSidedWindow<Word> window(world, room * own, {.access = access});
  for (std::size_t i = 0; i < window.data().size(); ++i) window.data()[i] = element(own, 0, i);
  window.fence();
  Draws random(setting.seed * 77 + own);
  constexpr std::size_t at_once = 100;  // more than a link has places
  std::vector<std::vector<Word>> got(at_once);
  for (std::uint64_t round = 0; round < std::max<std::uint64_t>(1, setting.exchanges / at_once); ++round) {
    std::vector<std::pair<std::uint32_t, std::size_t>> from(at_once);
    for (std::size_t k = 0; k < at_once; ++k) {
      const auto rank = static_cast<std::uint32_t>(random.next() % world.size());
      const std::size_t there = window.size(RankId{rank});
      must(there == room * rank, "another length than that rank exposes");
      got[k].assign(random.next() % (std::min<std::size_t>(there, k == 0 ? there : 50) + 1), 0);
      from[k] = {rank, random.next() % (there - got[k].size() + 1)};
      window.get(RankId{rank}, from[k].second, std::span(got[k]));
    }
    if (round % 2 == 0) window.wait();
    while (!window.test()) yield_processor();
    for (std::size_t k = 0; k < at_once; ++k) {
      for (std::size_t i = 0; i < got[k].size(); ++i) {
        must(got[k][i] == element(from[k].first, 0, from[k].second + i), "something else was got");
      }
    }
  }
  window.fence();
}

void wait_for_signal(Communicator& world, OneSidedWindow<Word>& window, std::uint32_t signal, std::uint64_t value) {
  if (value % 2 == 0) {
    must(window.wait_signal(signal, value) >= value, "less than was waited for");
    return;
  }
  window.await_signal(signal, value, base::Token{value});
  std::array<base::Completion, 2> ends;
  std::size_t count = 0;
  while ((count = world.completions().poll(ends)) == 0) yield_processor();
  must(count == 1 && ends[0].token == base::Token{value} && ends[0].error == 0, "another end was reported");
}

/// Round a ring: who has seen a notice sees what was put before it, by put and by get.
void check_notices(Communicator& world, const Setting& setting, Access access) {
  constexpr std::size_t words = 500;
  const std::size_t ranks = world.size();
  const std::uint32_t own = number(world.rank());
  const RankId right{static_cast<std::uint32_t>((own + 1) % ranks)};
  const RankId left{static_cast<std::uint32_t>((own + ranks - 1) % ranks)};
  OneSidedWindow<Word> window(world, words, {.signals = 2, .access = access});
  std::vector<Word> edge(words);
  const std::uint64_t rounds = std::max<std::uint64_t>(10, setting.exchanges / 10);
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    for (std::size_t i = 0; i < words; ++i) edge[i] = element(own, round, i);
    // In two pieces, of which the second has the notice.
    window.put(right, 0, std::span<const Word>(edge).first(words / 3));
    window.put(right, words / 3, std::span<const Word>(edge).subspan(words / 3), {.signal = 0});
    wait_for_signal(world, window, 0, round);
    for (std::size_t i = 0; i < words; ++i) {
      must(window.data()[i] == element(number(left), round, i), fmt::format("round {}, word {}", round, i));
    }
    window.put(left, 0, {}, {.signal = 1});  // its put may be followed by another
    wait_for_signal(world, window, 1, round);
    window.wait();
  }
  must(window.signal(0) == rounds && window.signal(1) == rounds, "the notices do not add up");
  window.fence();
}

void check_memory_of_user(Communicator& world, const Setting& /*setting*/, Access access) {
  const std::size_t ranks = world.size();
  const std::uint32_t own = number(world.rank());
  std::vector<std::uint16_t> memory(ranks, 7);
  OneSidedWindow<std::uint16_t> window(world, std::span(memory), {.signals = 0, .access = access});
  const std::uint16_t mine = static_cast<std::uint16_t>(100 + own);
  for (std::uint32_t to = 0; to < ranks; ++to) window.put(RankId{to}, own, std::span(&mine, 1));
  window.fence();
  for (std::uint32_t from = 0; from < ranks; ++from) must(memory[from] == 100 + from, "not what was put");
  window.fence();
}

/// The tickets of all ranks.
std::vector<std::uint64_t> gathered(Communicator& world, std::span<const std::uint64_t> mine) {
  std::vector<std::uint64_t> all;
  for (const Bytes& bytes : world.core().bootstrap().all_gather(std::as_bytes(mine), 60.0)) {
    const std::size_t before = all.size();
    all.resize(before + bytes.size() / sizeof(std::uint64_t));
    if (!bytes.empty()) std::memcpy(all.data() + before, bytes.data(), bytes.size());
  }
  return all;
}

void poll(Communicator& world) {
  std::array<base::Completion, 1> none;
  must(world.completions().poll(none) == 0, "a completion that is not awaited");
}

void check_counter(Communicator& world, const Setting& setting, Access access) {
  for (std::uint32_t home = 0; home < world.size(); ++home) {
    SharedCounter counter(world, {.home = RankId{home}, .access = access});
    Barrier barrier(world);
    counter.open();
    for (std::size_t phase = 0; phase < 2; ++phase) {
      const auto mine = draw_all([&] { return counter.fetch_add(); }, [&] { poll(world); }, setting.exchanges, 3);
      counter.reset();  // all have drawn, and are served until then
      const std::string fault = find_fault(gathered(world, mine), setting.exchanges);
      must(fault.empty(), fault);
      must(counter.read() == 0, "it was not reset");
      barrier.run();  // before anybody draws again
    }
    counter.reset(5);
    must(counter.fetch_add(0) == 5, "it was reset to something else");
    counter.reset();
  }
}

/// All options of a pool.
std::vector<WorkPoolOptions> pools(Access access) {
  std::vector<WorkPoolOptions> all;
  for (const Chunking chunking : {Chunking::fixed, Chunking::guided}) {
    for (const Fetching fetching : {Fetching::by_worker, Fetching::by_node}) {
      for (const std::size_t chunk : {std::size_t{1}, std::size_t{7}}) {
        all.push_back({.chunking = chunking,
                       .chunk = chunk,
                       .workers = 2,
                       .fetching = fetching,
                       .batch = chunk == 1 ? std::size_t{4} : std::size_t{1},
                       .access = access});
      }
    }
  }
  return all;
}

void check_pool(Communicator& world, const Setting& setting, Access access) {
  for (const WorkPoolOptions& options : pools(access)) {
    for (const std::size_t items : {std::size_t{0}, std::size_t{1}, std::size_t{setting.exchanges}}) {
      WorkPool pool(world, items, options);
      for (std::size_t phase = 0; phase < 2; ++phase) {
        std::mutex mutex;
        std::vector<std::uint64_t> mine;
        const auto draw = [&]() -> std::uint64_t {
          const auto range = pool.next();
          if (!range) return items;
          const std::lock_guard guard(mutex);
          for (std::size_t i = range->begin; i < range->end; ++i) mine.push_back(i);
          return range->begin;
        };
        pool.open();
        static_cast<void>(draw_all(
            draw, [&] { poll(world); }, items, 2));
        pool.restart();
        const std::string fault = find_fault(gathered(world, mine), items);
        must(fault.empty(), fault);
      }
    }
  }
}

/// All draws of the home come from what another rank of its node has fetched: then it serves other nodes all the same,
/// while it waits in a barrier.
void check_pool_home(Communicator& world, const Setting& /*setting*/, Access access) {
  constexpr std::size_t items = 10;
  Barrier barrier(world);
  for (std::size_t phase = 0; phase < 3; ++phase) {
    const RankId home{static_cast<std::uint32_t>(phase % world.size())};
    WorkPool pool(world, items, {.fetching = Fetching::by_node, .batch = 64, .home = home, .access = access});
    std::vector<std::uint64_t> mine;
    const auto draw_rest = [&] {
      while (const auto range = pool.next()) mine.push_back(range->begin);
    };
    const bool is_beside_home = world.own().domain == world.ranks()[number(home)].domain && world.rank() != home;
    if (is_beside_home && access == Access::direct) draw_rest();  // by messages the home would have to serve it
    barrier.run();
    draw_rest();
    barrier.run();
    const std::string fault = find_fault(gathered(world, mine), items);
    must(fault.empty(), fault);
  }
}

void check_one_sided_mismatch(Communicator& world, const Setting& /*setting*/, Access access) {
  const bool differs = number(world.rank()) == 0;
  OneSidedWindow<Word> window(world, 1, {.signals = differs ? 2U : 1U, .access = access});
  std::string text;
  try {
    window.open();
  } catch (const MismatchError& error) {
    text = error.what();
  }
  must(text.empty() == (world.size() == 1), "different numbers of signals were not seen: " + text);
  must(text.empty() || text.find("2 signals") != std::string::npos, text);
}

}  // namespace

std::vector<std::uint64_t> draw_all(const std::function<std::uint64_t()>& draw, const std::function<void()>& poll,
                                    std::uint64_t count, std::size_t threads) {
  std::vector<std::vector<std::uint64_t>> drawn(threads);
  std::vector<std::exception_ptr> errors(threads);
  std::atomic<std::size_t> open{threads};
  {
    std::vector<std::jthread> all;
    for (std::size_t t = 0; t < threads; ++t) {
      all.emplace_back([&, t] {
        try {
          for (std::uint64_t ticket = draw(); ticket < count; ticket = draw()) drawn[t].push_back(ticket);
        } catch (...) {
          errors[t] = std::current_exception();
        }
        open.fetch_sub(1);
      });
    }
    while (open.load() > 0) {
      poll();
      yield_processor();
    }
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  std::vector<std::uint64_t> together;
  for (const auto& of_thread : drawn) together.insert(together.end(), of_thread.begin(), of_thread.end());
  return together;
}

std::string find_fault(std::vector<std::uint64_t> tickets, std::uint64_t count) {
  std::ranges::sort(tickets);
  for (std::uint64_t i = 0; i < tickets.size(); ++i) {
    if (tickets[i] < i) return fmt::format("{} was drawn twice", tickets[i]);
    if (tickets[i] > i) return fmt::format("{} was not drawn", i);
  }
  if (tickets.size() != count) return fmt::format("{} were drawn, not {}", tickets.size(), count);
  return {};
}

const std::vector<OneSidedCheck>& one_sided_checks() {
  static const std::vector<OneSidedCheck> all{{"puts", check_puts},           {"gets", check_gets},
                                              {"notices", check_notices},     {"memory_of_user", check_memory_of_user},
                                              {"counter", check_counter},     {"pool", check_pool},
                                              {"pool_home", check_pool_home}, {"mismatch", check_one_sided_mismatch}};
  return all;
}

}  // namespace tacit::comm::conformance

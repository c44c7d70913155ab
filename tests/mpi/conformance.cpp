// The checks of the conformance suite.
// SPDX-License-Identifier: Apache-2.0
#include "mpi/conformance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "mpi/conformance_support.hpp"

namespace tacit::comm::conformance {
namespace {

void check_sizes(Communicator& world, const Setting& setting) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{8}, std::size_t{32}, std::size_t{33},
                                 std::size_t{95}, std::size_t{96}, std::size_t{97}, std::size_t{128}, std::size_t{4096},
                                 std::size_t{65536}, std::size_t{1'000'003}, setting.longest}) {
    if (size > setting.longest) continue;
    for (const Shape::Kind kind : {Shape::Kind::library, Shape::Kind::user}) {
      auto all = exchanges_with_all(world, setting, {.count = size, .send = kind, .receive = kind});
      for (int i = 0; i < 3; ++i) exchange_once(all, size);
      world.synchronise();
    }
  }
}

void check_strided(Communicator& world, const Setting& setting) {
  for (const Shape::Kind send : kinds) {
    for (const Shape::Kind receive : kinds) {
      constexpr std::size_t count = 24 * block;
      auto all = exchanges_with_all(world, setting, {.count = count, .send = send, .receive = receive});
      for (const std::size_t part : {count, std::size_t{0}, std::size_t{1}, block, block + 1, count - 1, count}) {
        exchange_once(all, part);
      }
      world.synchronise();
    }
  }
}

void check_partial_posts(Communicator& world, const Setting& setting) {
  std::mt19937_64 random(setting.seed);
  for (const std::size_t capacity : {std::size_t{96}, std::size_t{5000}, std::size_t{300'000}}) {
    auto all = exchanges_with_all(world, setting, {.count = capacity, .depth = 1});
    for (int i = 0; i < 30; ++i) exchange_once(all, random() % (capacity + 1));
    world.synchronise();
  }
}

/// A ring in which every rank sends up to `depth` messages before it takes one.
void check_depth(Communicator& world, const Setting& setting) {
  for (const std::uint32_t depth : {2U, 3U, 8U}) {
    for (const Shape::Kind receive : kinds) {
      auto all = exchanges_with_all(world, setting, {.count = 5 * block, .depth = depth, .receive = receive});
      for (auto& one : all) {
        for (std::uint32_t i = 0; i < depth; ++i) one->in.init();
      }
      for (int turn = 0; turn < 10; ++turn) {
        for (auto& one : all) {
          for (std::uint32_t i = 0; i < depth; ++i) {
            one->out.post(4 * block + i);
            one->out.window().wait();
          }
        }
        for (auto& one : all) {
          for (std::uint32_t i = 0; i < depth; ++i) {
            one->in.wait_and_check(4 * block + i);
            one->in.init();
          }
        }
      }
      world.synchronise();  // before receives that are granted are given up
    }
  }
}

/// Posts before the grant; the grant comes while the sender waits for something else.
void check_late_grant(Communicator& world, const Setting& setting) {
  auto all = exchanges_with_all(world, setting, {.count = 20'000});
  for (int turn = 0; turn < 20; ++turn) {
    for (auto& one : all) one->out.post(20'000);
    for (auto& one : all) one->in.init();
    for (auto& one : all) one->in.wait_and_check(20'000);
    for (auto& one : all) one->out.window().wait();
  }
  world.synchronise();
}

void check_many_connections(Communicator& world, const Setting& setting) {
  std::vector<std::unique_ptr<Exchange>> all;
  for (std::uint64_t which = 0; which < 100; ++which) {
    for (std::uint32_t peer = 0; peer < world.size(); ++peer) {
      if (setting.via == ProviderId::self && RankId{peer} != world.rank()) continue;
      all.push_back(std::make_unique<Exchange>(world, RankId{peer}, setting, Shape{.count = 10 + 7 * which}, which));
    }
  }
  for (int turn = 0; turn < 3; ++turn) exchange_once(all, 10);
  world.synchronise();
}

/// Windows of several types on one connection.
void check_many_windows(Communicator& world, const Setting& setting) {
  const RankId peer = setting.via == ProviderId::self
                          ? world.rank()
                          : RankId{static_cast<std::uint32_t>(world.size()) - 1 - number(world.rank())};
  Connection connection(world, {.rank = peer, .via = setting.via});
  SendWindow<double> send_doubles(connection, 100);
  SendWindow<std::int32_t> send_numbers(connection, 3);
  RecvWindow<double> doubles(connection, 100);
  RecvWindow<std::int32_t> numbers(connection, 3);
  connection.open();
  for (int turn = 0; turn < 50; ++turn) {
    numbers.init();
    doubles.init();
    std::ranges::fill(send_doubles.data(), number(world.rank()) + 0.25 * turn);
    std::iota(send_numbers.data().begin(), send_numbers.data().end(), turn);
    send_numbers.post();
    send_doubles.post();
    const auto have = doubles.wait();
    require(std::ranges::all_of(have, [&](double x) { return x == number(peer) + 0.25 * turn; }), "doubles");
    const auto whole = numbers.wait();
    require(whole[0] == turn && whole[2] == turn + 2, "numbers");
    send_numbers.wait();
    send_doubles.wait();
  }
  world.synchronise();
}

/// Ends that are reported by the source of completions.
void check_completions(Communicator& world, const Setting& setting) {
  auto all = exchanges_with_all(world, setting, {.count = 3000});
  for (std::uint64_t turn = 0; turn < 20; ++turn) {
    for (auto& one : all) one->in.init();
    std::size_t open = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i]->in.window().await(base::Token{2 * i + 2});
      all[i]->out.post(3000);
      all[i]->out.window().await(base::Token{2 * i + 3});
      open += 2;
    }
    std::array<base::Completion, 3> ends;
    Backoff backoff(Processors::shared, 60.0);
    while (open > 0) {
      const std::size_t count = world.completions().poll(ends);
      for (std::size_t k = 0; k < count; ++k) {
        require(ends[k].error == 0, world.completions().explain(ends[k]));
        const auto token = static_cast<std::uint64_t>(ends[k].token);
        auto& one = *all.at((token - 2) / 2);
        if (token % 2 == 0) one.in.check(one.in.window().message(), 3000);
      }
      open -= count;
      require(count > 0 || backoff.pause(), "completions are missing");
    }
  }
  world.synchronise();
}

/// What the n-th random exchange of a pair is like.
std::size_t random_count(std::mt19937_64& random, std::size_t capacity) {
  if (random() % 4 == 0) return capacity;
  return random() % (std::size_t{1} << random() % 17) % (capacity + 1);
}

/// Streams with lengths, kinds of memory and depths drawn from the seed, in random order on each rank.
void check_random_exchanges(Communicator& world, const Setting& setting) {
  std::mt19937_64 common(setting.seed + 17);  // the same on all ranks
  std::mt19937_64 own(setting.seed + 1000 + number(world.rank()));
  std::size_t done = 0;
  while (done < setting.exchanges) {
    Shape shape{.count = (1 + common() % (common() % 8 == 0 ? 3000 : 40)) * block,
                .depth = 1 + static_cast<std::uint32_t>(common() % 3),
                .send = kinds[common() % 3],
                .receive = kinds[common() % 3]};
    auto all = exchanges_with_all(world, setting, shape);
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (int turn = 0; turn < 25; ++turn) {
      const std::size_t count = random_count(common, shape.count);
      std::ranges::shuffle(order, own);
      for (const std::size_t i : order) all[i]->in.init();
      std::ranges::shuffle(order, own);
      for (const std::size_t i : order) all[i]->out.post(count);
      std::ranges::shuffle(order, own);
      for (const std::size_t i : order) all[i]->in.wait_and_check(count);
      for (const std::size_t i : order) all[i]->out.window().wait();
      done += all.size();
    }
    world.synchronise();
  }
}

/// Threads with a connection each, all to the same peers.
void check_threads(Communicator& world, const Setting& setting) {
  constexpr std::uint32_t thread_count = 3;
  std::vector<std::vector<std::unique_ptr<Exchange>>> work;
  for (std::uint32_t t = 0; t < thread_count; ++t) {
    work.push_back(exchanges_with_all(world, setting, {.count = 2000}));
    for (auto& one : work.back()) one->connection.open();
  }
  std::array<std::exception_ptr, thread_count> errors;
  std::atomic<std::uint32_t> ended = 0;
  const auto run = [&](std::uint32_t t) {
    try {
      for (int turn = 0; turn < 100; ++turn) exchange_once(work[t], 1000 + 10 * t);
    } catch (...) {
      errors[t] = std::current_exception();
    }
    ++ended;
  };
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t t = 1; t < thread_count; ++t) threads.emplace_back(run, t);
    run(0);
    // Where MPI serves this thread only, the others need it to the end.
    std::array<base::Completion, 1> none;
    while (ended < thread_count) static_cast<void>(world.completions().poll(none));
  }
  for (const auto& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  world.synchronise();
}

/// What both ranks say when they open a connection on which this one makes the windows that `make` makes.
template <class Make>
void expect_mismatch(Communicator& world, const Setting& setting, RankId peer, const std::vector<std::string>& parts,
                     Make&& make) {
  Connection connection(world, {.rank = peer, .via = setting.via});
  const auto windows = make(connection);
  const std::string text = mismatch_of([&] { connection.open(); });
  for (const std::string& part : parts) require(text.find(part) != std::string::npos, "'" + text + "' lacks " + part);
  for (const RankInfo& rank : {world.own(), world.ranks()[number(peer)]}) {
    require(text.find(describe(rank)) != std::string::npos, "'" + text + "' does not name " + describe(rank));
  }
  world.synchronise();
}

void check_mismatches(Communicator& world, const Setting& setting) {
  const auto size = static_cast<std::uint32_t>(world.size());
  const RankId peer = setting.via == ProviderId::self ? world.rank() : RankId{size - 1 - number(world.rank())};
  const bool sends = number(world.rank()) <= number(peer);  // a rank with itself does both
  const bool receives = number(world.rank()) >= number(peer);
  using Send = std::optional<SendWindow<double>>;
  using Receive = std::optional<RecvWindow<double>>;
  const auto expect = [&](const std::vector<std::string>& parts, auto&& make) {
    expect_mismatch(world, setting, peer, parts, make);
  };
  expect({"10 float64", "11 float64"}, [&](Connection& connection) {
    return std::pair(sends ? Send(std::in_place, connection, 10) : Send(),
                     receives ? Receive(std::in_place, connection, 11) : Receive());
  });
  expect({"10 float64", "10 int32"}, [&](Connection& connection) {
    using Numbers = std::optional<RecvWindow<std::int32_t>>;
    return std::pair(sends ? Send(std::in_place, connection, 10) : Send(),
                     receives ? Numbers(std::in_place, connection, 10) : Numbers());
  });
  expect({"depth 1", "depth 2"}, [&](Connection& connection) {
    return std::pair(sends ? Send(std::in_place, connection, 10) : Send(),
                     receives ? Receive(std::in_place, connection, 10, WindowOptions{.depth = 2}) : Receive());
  });
  // Who has more windows finds out; who has fewer may have all that it needs before the other's count comes.
  Connection connection(world, {.rank = peer, .via = setting.via});
  const auto windows = std::tuple(sends ? Send(std::in_place, connection, 10) : Send(),
                                  sends ? Send(std::in_place, connection, 10) : Send(),
                                  receives ? Receive(std::in_place, connection, 10) : Receive());
  const std::string text = mismatch_of([&] { connection.open(); });
  if (sends) require(text.find("2 windows that send") != std::string::npos, text);
  if (sends) require(text.find("1 that receive") != std::string::npos, text);
  world.synchronise();
}

}  // namespace

const std::vector<NamedCheck>& checks() {
  static const std::vector<NamedCheck> all{{"sizes", check_sizes},
                                           {"strided", check_strided},
                                           {"partial_posts", check_partial_posts},
                                           {"depth", check_depth},
                                           {"late_grant", check_late_grant},
                                           {"many_connections", check_many_connections},
                                           {"many_windows", check_many_windows},
                                           {"completions", check_completions},
                                           {"random_exchanges", check_random_exchanges},
                                           {"threads", check_threads},
                                           {"mismatches", check_mismatches},
                                           {"any_order", check_any_order},
                                           {"made_anew", check_made_anew},
                                           {"one_way", check_one_way},
                                           {"cut_messages", check_cut_messages},
                                           {"prepared", check_prepared},
                                           {"alignments", check_alignments},
                                           {"while_synchronising", check_while_synchronising},
                                           {"other_windows", check_other_windows},
                                           {"destroyed_under_way", check_destroyed_under_way}};
  return all;
}

}  // namespace tacit::comm::conformance

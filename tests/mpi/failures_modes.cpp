// All kinds of waits for other ranks, repeated endlessly.
// SPDX-License-Identifier: Apache-2.0
#include "mpi/failures_modes.hpp"

#include <array>
#include <chrono>
#include <deque>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>

#include "tacit/comm/buffered.hpp"
#include "tacit/comm/c/handles.hpp"
#include "tacit/comm/collectives/all_to_all.hpp"
#include "tacit/comm/collectives/barrier.hpp"
#include "tacit/comm/collectives/reduce.hpp"
#include "tacit/comm/error.hpp"
#include "tacit/comm/one_sided/one_sided.hpp"
#include "tacit/comm/one_sided/shared_counter.hpp"
#include "tacit/comm/window.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::comm::testing {

volatile sig_atomic_t is_asked_to_go = 0;

namespace {

struct Pair {
  Pair(Communicator& world, RankId peer)
      : connection(world, {.rank = peer}), out(connection, 1000), in(connection, 1000) {}
  Connection connection;
  SendWindow<double> out;
  RecvWindow<double> in;
};

std::deque<Pair> pairs_with_all(Communicator& world) {
  std::deque<Pair> pairs;
  for (std::uint32_t peer = 0; peer < world.size(); ++peer) {
    if (RankId{peer} != world.rank()) pairs.emplace_back(world, RankId{peer});
  }
  return pairs;
}

constexpr std::uint64_t longest_token = 16;

std::string describe_tokens(Communicator& world) {
  std::string text = "timed out while waiting for";
  for (std::uint64_t token = 1; token <= longest_token; ++token) {
    text += ' ' + world.completions().describe(base::Token{token});
  }
  return text;
}

/// @throws DeadlineError with what is awaited, if it does not come
void await_completions(Communicator& world, std::size_t open) {
  std::array<base::Completion, 8> ends;
  Backoff backoff(Processors::shared, deadline_s);
  while (open > 0) {
    if (!backoff.pause()) throw DeadlineError(describe_tokens(world));
    const std::size_t count = world.completions().poll(ends);
    for (std::size_t i = 0; i < count; ++i) {
      if (ends[i].error != 0) throw PeerError(world.completions().explain(ends[i]));
    }
    open -= count;
  }
}

/// How messages are waited for.
enum class Wait : std::uint8_t { wait, test, completions };

void wait_for_all(Communicator& world, std::deque<Pair>& pairs, Wait how) {
  std::uint64_t token = 0;
  for (Pair& pair : pairs) {
    if (how == Wait::completions) {
      pair.in.await(base::Token{++token});
      pair.out.await(base::Token{++token});
    } else if (how == Wait::test) {
      while (!pair.in.test() || !pair.out.test()) yield_processor();
    } else {
      pair.in.wait();
      pair.out.wait();
    }
  }
  await_completions(world, token);
}

void go_if_asked(RankStatus status) {
  if (is_asked_to_go != 0 && status == RankStatus::failed) throw std::runtime_error("an error of its own");
  if (is_asked_to_go != 0) throw Leaves();
}

/// Exchanges messages endlessly in tasks that wait for them.
void exchange_in_tasks(Communicator& world, RankStatus status) {
  std::deque<Pair> pairs = pairs_with_all(world);
  trace::Recorder recorder(1);
  tasks::Scheduler scheduler(1, recorder);
  scheduler.attach(world.completions());
  tasks::Graph graph;
  for (Pair& pair : pairs) {
    graph.add(graph.kind("receive"), tasks::writes(graph.add_datum()), [&](tasks::StepContext& step) {
      pair.in.init();
      pair.in.await(step.await(world.completions()));
    });
    graph.add(graph.kind("send"), tasks::writes(graph.add_datum()), [&](tasks::StepContext& step) {
      pair.out.post();
      pair.out.await(step.await(world.completions()));
    });
  }
  tasks::Activation all = graph.activate_all();
  for (;;) {
    go_if_asked(status);
    scheduler.run(graph, all, {});
  }
}

template <Wait how>
void exchange(Communicator& world, RankStatus status) {
  std::deque<Pair> pairs = pairs_with_all(world);
  for (;;) {
    go_if_asked(status);
    for (Pair& pair : pairs) pair.in.init();
    for (Pair& pair : pairs) pair.out.post();
    wait_for_all(world, pairs, how);
  }
}

void set_up(Communicator& world, RankStatus status) {
  for (;;) {
    go_if_asked(status);
    std::deque<Pair> pairs = pairs_with_all(world);
    for (Pair& pair : pairs) pair.in.init();
    for (Pair& pair : pairs) pair.out.post();
    wait_for_all(world, pairs, Wait::wait);
  }
}

void buffered(Communicator& world, RankStatus status) {
  struct Buffers {
    Buffers(Communicator& communicator, RankId peer)
        : connection(communicator, {.rank = peer}), out(connection, 1000), in(connection, 1000) {}
    Connection connection;
    BufferedSendWindow<int> out;
    BufferedRecvWindow<int> in;
  };
  std::deque<Buffers> all;
  for (std::uint32_t peer = 0; peer < world.size(); ++peer) {
    if (RankId{peer} != world.rank()) all.emplace_back(world, RankId{peer});
  }
  for (;;) {
    go_if_asked(status);
    for (Buffers& one : all) one.in.init();
    for (Buffers& one : all) one.out.insert(1);  // waits for the message before
    for (Buffers& one : all) one.out.post();
    for (Buffers& one : all) one.in.wait();
  }
}

void require_ok(tacit_status status) {
  if (status != TACIT_OK) throw PeerError(tacit_last_error());
}

/// Ends of the C interface that end with their connection.
struct InC {
  InC(Communicator& world, RankId peer) : connection{nullptr, Connection(world, {.rank = peer})} {
    require_ok(tacit_send_window_create(&connection, TACIT_DOUBLE, 1000, nullptr, 1, &out));
    require_ok(tacit_recv_window_create(&connection, TACIT_DOUBLE, 1000, nullptr, 1, &in));
  }
  InC(const InC&) = delete;
  InC& operator=(const InC&) = delete;
  ~InC() {
    tacit_send_window_free(&out);
    tacit_recv_window_free(&in);
  }
  tacit_connection connection;
  tacit_send_window* out = nullptr;
  tacit_recv_window* in = nullptr;
};

void in_c(Communicator& world, RankStatus status) {
  std::deque<InC> all;
  for (std::uint32_t peer = 0; peer < world.size(); ++peer) {
    if (RankId{peer} != world.rank()) all.emplace_back(world, RankId{peer});
  }
  for (;;) {
    go_if_asked(status);
    for (InC& one : all) require_ok(tacit_recv_init(one.in));
    for (InC& one : all) require_ok(tacit_send_post(one.out));
    for (InC& one : all) require_ok(tacit_recv_wait(one.in));
    for (InC& one : all) require_ok(tacit_send_wait(one.out));
  }
}

void synchronise(Communicator& world, RankStatus status) {
  for (;; world.synchronise()) go_if_asked(status);
}

void split(Communicator& world, RankStatus status) {
  for (;;) {
    go_if_asked(status);
    static_cast<void>(world.split(number(world.rank()) / 2, 0));
  }
}

void barrier_of_part(Communicator& world, RankStatus status) {
  Communicator part = world.split(0, 0);
  Barrier barrier(part);
  for (;; barrier.run()) go_if_asked(status);
}

/// Who goes has told where its memory is, and is gone before the others map it.
void late_barrier(Communicator& world, RankStatus status) {
  Barrier barrier(world);
  constexpr std::chrono::milliseconds until_it_is_gone(300);
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() < begin + until_it_is_gone) {
    go_if_asked(status);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (;; barrier.run()) go_if_asked(status);
}

/// Several at once, each ended by another function.
void collectives(Communicator& world, RankStatus status) {
  std::vector<double> data(10'000, 1.0);
  double sum = 1.0;
  AllReduce<double> of_many(world, std::span(data), Minimum{});
  AllReduce<double> of_one(world, std::span(&sum, 1), Maximum{});
  AllToAll<double> transpose(world, 3000);
  for (;;) {
    go_if_asked(status);
    of_one.run();
    of_many.start();
    transpose.input()[0] = 1.0;
    transpose.start();
    of_many.await(base::Token{1});
    transpose.wait();
    await_completions(world, 1);
  }
}

void set_up_of_collectives(Communicator& world, RankStatus status) {
  for (;;) {
    go_if_asked(status);
    AllToAll<double>(world, 500).run();
    Barrier(world).run();
  }
}

/// Puts and notices round a ring.
void put_round(Communicator& world, RankStatus status) {
  OneSidedWindow<double> window(world, 1000);
  const std::vector<double> edge(1000);
  const RankId next{(number(world.rank()) + 1) % static_cast<std::uint32_t>(world.size())};
  for (std::uint64_t round = 1;; ++round) {
    go_if_asked(status);
    window.put(next, 0, std::span(edge), {.signal = 0});
    window.wait_signal(0, round);
  }
}

/// Draws from a counter by messages, as between nodes.
void draw(Communicator& world, RankStatus status) {
  SharedCounter counter(world, {.access = Access::messages});
  for (std::uint64_t call = 1;; ++call) {
    go_if_asked(status);
    counter.fetch_add();
    if (call % 100 == 0) counter.reset();  // so that all wait for all
  }
}

}  // namespace

void meet_all(Communicator& world) { pairs_with_all(world).clear(); }

// No wait notices a rank that leaves while all synchronise or split: the deadline of the set-up ends that.
const std::vector<Mode>& modes() {
  static const std::vector<Mode> all{{"wait", exchange<Wait::wait>},
                                     {"test", exchange<Wait::test>},
                                     {"completions", exchange<Wait::completions>},
                                     {"set-up", set_up},
                                     {"tasks", exchange_in_tasks},
                                     {"buffered windows", buffered},
                                     {"C interface", in_c},
                                     {"barrier of a part", barrier_of_part},
                                     {"barrier that begins late", late_barrier},
                                     {"collectives", collectives},
                                     {"set-up of collectives", set_up_of_collectives},
                                     {"puts and notices", put_round, Mode::Leaving::not_noticed},
                                     {"draws", draw, Mode::Leaving::not_noticed},
                                     {"synchronise", synchronise, Mode::Leaving::not_noticed},
                                     {"split", split, Mode::Leaving::not_noticed}};
  return all;
}

}  // namespace tacit::comm::testing

// Counts allocations and locks on the paths of messages and of collectives: after the set-up there are none.
// SPDX-License-Identifier: Apache-2.0
//
// usage: comm_quiet_paths
//
// Ranks are threads, and each counts its own. A try-lock is no lock here: no thread waits for it (a wait that has
// become slow looks after the other ranks by one, every 20 ms).
#include <dlfcn.h>
#include <fmt/format.h>
#include <pthread.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "mpi/conformance.hpp"
#include "tacit/comm/buffered.hpp"
#include "tacit/comm/c/handles.hpp"
#include "tacit/comm/collectives/all_to_all.hpp"
#include "tacit/comm/collectives/barrier.hpp"
#include "tacit/comm/collectives/broadcast.hpp"
#include "tacit/comm/collectives/gather.hpp"
#include "tacit/comm/collectives/reduce.hpp"
#include "unit/comm/ranks.hpp"

namespace {

struct Counts {
  std::uint64_t allocations = 0;
  std::uint64_t locks = 0;
};
thread_local Counts counts;

void* counted_allocation(std::size_t size, std::size_t alignment) {
  ++counts.allocations;
  void* memory = std::aligned_alloc(alignment, (size / alignment + 1) * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// What is not replaced here ends in these.
void* operator new(std::size_t size) { return counted_allocation(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted_allocation(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

/// Stands in front of the system's.
extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) {
  using Lock = int (*)(pthread_mutex_t*);
  static Lock real = nullptr;
  if (real == nullptr) real = reinterpret_cast<Lock>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  ++counts.locks;
  return real(mutex);
}

namespace tacit::comm {
namespace {

/// A pattern of communication, set up: what a step of a program does.
using Step = std::function<void()>;

RankId partner_of(const Communicator& world, const Target& target) {
  return target.via == ProviderId::self ? world.rank() : RankId{(number(world.rank()) ^ 1U) % 2U};
}

/// A connection to the partner, with what is made on it.
template <class Out, class In>
struct Pair {
  Pair(Communicator& world, Target target, const auto& send, const auto& receive, std::uint32_t depth)
      : connection(world, {.rank = partner_of(world, target), .via = target.via}),
        out(connection, send, WindowOptions{.depth = depth}),
        in(connection, receive, WindowOptions{.depth = depth}) {}
  Connection connection;
  Out out;
  In in;
};

constexpr std::size_t elements = 3000;

template <class Send, class Receive>
Step windows(Communicator& world, const Target& target, const Send& send, const Receive& receive, std::uint32_t depth) {
  auto pair = std::make_shared<Pair<SendWindow<double>, RecvWindow<double>>>(world, target, send, receive, depth);
  return [pair, n = std::size_t{0}]() mutable {
    n = (n + 611) % (elements + 1);
    pair->out.post(n);  // before the grant, as may happen
    pair->in.init();
    static_cast<void>(pair->in.wait());
    pair->out.wait();
  };
}

Step library_windows(Communicator& world, const Target& target) {
  return windows(world, target, elements, elements, 1);
}
Step deep_windows(Communicator& world, const Target& target) { return windows(world, target, elements, elements, 4); }

Step user_windows(Communicator& world, const Target& target) {
  auto memory = std::make_shared<std::array<std::vector<double>, 2>>();
  for (auto& half : *memory) half.resize(elements);
  const std::span<const double> out((*memory)[0]);
  return [memory, step = windows(world, target, out, std::span<double>((*memory)[1]), 1)] { step(); };
}

Step strided_windows(Communicator& world, const Target& target) {
  auto memory = std::make_shared<std::array<std::vector<double>, 2>>();
  for (auto& half : *memory) half.resize(2 * elements);
  const Strided<const double> out{(*memory)[0].data(), elements / 3, 3, 5};
  const Strided<double> in{(*memory)[1].data(), elements / 3, 3, 5};
  return [memory, step = windows(world, target, out, in, 2)] { step(); };
}

Step completions(Communicator& world, const Target& target) {
  auto pair = std::make_shared<Pair<SendWindow<int>, RecvWindow<int>>>(world, target, elements, elements, 1U);
  return [pair, &world] {
    pair->in.init();
    pair->in.await(base::Token{1});
    pair->out.post();
    pair->out.await(base::Token{2});
    std::array<base::Completion, 4> ends;
    for (std::size_t open = 2; open > 0; yield_processor()) open -= world.completions().poll(ends);
  };
}

Step buffered(Communicator& world, const Target& target) {
  using Windows = Pair<BufferedSendWindow<int>, BufferedRecvWindow<int>>;
  auto pair = std::make_shared<Windows>(world, target, elements, elements, 1U);
  return [pair] {
    pair->in.init();
    for (int i = 0; i < 20; ++i) pair->out.insert(i);
    pair->out.post();
    pair->in.wait();
    for (int i = 0; i < 20; ++i) static_cast<void>(pair->in.extract());
  };
}

/// Ends of the C interface, on a connection of their own.
struct InC {
  InC(Communicator& world, const Target& target)
      : connection{nullptr, Connection(world, {.rank = partner_of(world, target), .via = target.via})} {
    const bool is_made = tacit_send_window_create(&connection, TACIT_DOUBLE, elements, nullptr, 1, &out) == TACIT_OK &&
                         tacit_recv_window_create(&connection, TACIT_DOUBLE, elements, nullptr, 1, &in) == TACIT_OK;
    if (!is_made) throw std::runtime_error(tacit_last_error());
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

Step c_interface(Communicator& world, const Target& target) {
  auto ends = std::make_shared<InC>(world, target);
  return [ends] {
    const bool is_good = tacit_recv_init(ends->in) == TACIT_OK && tacit_send_post(ends->out) == TACIT_OK &&
                         tacit_recv_wait(ends->in) == TACIT_OK && tacit_send_wait(ends->out) == TACIT_OK;
    if (!is_good) throw std::runtime_error(tacit_last_error());
  };
}

struct WindowPattern {
  const char* name;
  Step (*make)(Communicator&, const Target&);
};
constexpr std::array window_patterns{WindowPattern{"windows of the library", library_windows},
                                     WindowPattern{"deep windows", deep_windows},
                                     WindowPattern{"windows of the user", user_windows},
                                     WindowPattern{"strided windows", strided_windows},
                                     WindowPattern{"completions", completions},
                                     WindowPattern{"buffered windows", buffered},
                                     WindowPattern{"C interface", c_interface}};

/// A call ended by each of its functions.
template <class Collective>
void call(Communicator& world, Collective& collective) {
  collective.run();
  collective.start();
  collective.wait();
  collective.start();
  collective.await(base::Token{1});
  std::array<base::Completion, 1> ends;
  while (world.completions().poll(ends) == 0) yield_processor();
}

/// @param make  makes the collective from the memory that it uses
template <class Make>
Step collective(Communicator& world, std::size_t count, const Make& make) {
  auto memory = std::make_shared<std::array<std::vector<double>, 2>>();
  for (auto& half : *memory) half.resize(count);
  using Collective = decltype(make((*memory)[0], (*memory)[1]));
  auto made = std::make_shared<Collective>(make((*memory)[0], (*memory)[1]));
  return [memory, made, &world] { call(world, *made); };
}

using Memory = std::vector<double>;

Step barrier(Communicator& world, const CollectiveOptions& options) {
  return collective(world, 0, [&](Memory&, Memory&) { return Barrier(world, options); });
}
Step all_reduce(Communicator& world, const CollectiveOptions& options) {
  return collective(world, elements, [&](Memory& in, Memory& out) {
    return AllReduce<double>(world, std::span<const double>(in), std::span(out), std::plus<>(), options);
  });
}
Step short_all_reduce(Communicator& world, const CollectiveOptions& options) {
  return collective(world, 1,
                    [&](Memory& in, Memory&) { return AllReduce<double>(world, std::span(in), Minimum{}, options); });
}
Step reduce(Communicator& world, const CollectiveOptions& options) {
  return collective(world, elements, [&](Memory& in, Memory& out) {
    return Reduce<double>(world, RankId{0}, std::span<const double>(in), std::span(out), std::plus<>(), options);
  });
}
Step exact_sums(Communicator& world, const CollectiveOptions& options) {
  return collective(world, 0, [&](Memory&, Memory&) { return ExactSums(world, 3, options); });
}
Step broadcast(Communicator& world, const CollectiveOptions& options) {
  return collective(world, elements,
                    [&](Memory& in, Memory&) { return Broadcast<double>(world, RankId{0}, std::span(in), options); });
}
Step all_gather(Communicator& world, const CollectiveOptions& options) {
  return collective(world, elements, [&](Memory& in, Memory& out) {
    return AllGather<double>(world, std::span(in).first(in.size() / world.size()), std::span(out), options);
  });
}
Step all_gather_view(Communicator& world, const CollectiveOptions& options) {
  auto made = std::make_shared<AllGatherView<double>>(world, elements, options);
  return [made, &world] {
    made->input()[0] = 1.0;
    call(world, *made);
    static_cast<void>(made->block(RankId{0}));
  };
}
Step gather(Communicator& world, const CollectiveOptions& options) {
  return collective(world, elements, [&](Memory& in, Memory& out) {
    return Gather<double>(world, RankId{0}, std::span(in).first(in.size() / world.size()), std::span(out), options);
  });
}
Step scatter(Communicator& world, const CollectiveOptions& options) {
  return collective(world, elements, [&](Memory& in, Memory& out) {
    return Scatter<double>(world, RankId{0}, std::span(in), std::span(out).first(in.size() / world.size()), options);
  });
}
Step all_to_all(Communicator& world, const CollectiveOptions& options) {
  return collective(world, elements, [&](Memory& in, Memory& out) {
    return AllToAll<double>(world, std::span<const double>(in), std::span(out), options);
  });
}
Step all_to_all_in_chunks(Communicator& world, const CollectiveOptions& options) {
  auto made = std::make_shared<AllToAll<double>>(world, elements, options, Pull{.chunk = Pull::default_chunk});
  return [made, &world] {
    made->input()[0] = 1.0;
    call(world, *made);
  };
}
Step all_to_all_v(Communicator& world, const CollectiveOptions& options) {
  const std::vector<std::size_t> lengths(world.size(), 100 + number(world.rank()));
  auto made = std::make_shared<AllToAllV<double>>(world, lengths, options);
  return [made, &world] {
    made->input()[0] = 1.0;
    call(world, *made);
  };
}

struct CollectivePattern {
  const char* name;
  Step (*make)(Communicator&, const CollectiveOptions&);
};
constexpr std::array collective_patterns{CollectivePattern{"barrier", barrier},
                                         CollectivePattern{"all-reduce", all_reduce},
                                         CollectivePattern{"short all-reduce", short_all_reduce},
                                         CollectivePattern{"reduce", reduce},
                                         CollectivePattern{"exact sums", exact_sums},
                                         CollectivePattern{"broadcast", broadcast},
                                         CollectivePattern{"all-gather", all_gather},
                                         CollectivePattern{"all-gather view", all_gather_view},
                                         CollectivePattern{"gather", gather},
                                         CollectivePattern{"scatter", scatter},
                                         CollectivePattern{"all-to-all", all_to_all},
                                         CollectivePattern{"all-to-all in chunks", all_to_all_in_chunks},
                                         CollectivePattern{"all-to-all-v", all_to_all_v}};

/// @throws std::runtime_error if a step of this rank allocates or locks
void require_quiet(Communicator& world, const std::string& what, const Step& step) {
  for (int i = 0; i < 3; ++i) step();
  world.synchronise();
  counts = {};
  for (int i = 0; i < 100; ++i) step();
  const Counts seen = counts;
  world.synchronise();
  if (seen.allocations == 0 && seen.locks == 0) return;
  throw std::runtime_error(
      fmt::format("{}: {} allocations and {} locks in 100 steps", what, seen.allocations, seen.locks));
}

/// A count that never counts would find nothing.
void require_counting() {
  counts = {};
  std::mutex mutex;
  const std::lock_guard guard(mutex);
  const auto one = std::make_unique<std::vector<int>>(10);
  if (one->size() != 10 || counts.allocations != 2 || counts.locks != 1) throw std::runtime_error("nothing is counted");
}

void check_all() {
  for (const ProviderId provider : {ProviderId::self, ProviderId::shm}) {
    testing::on_ranks(2, [provider](Communicator& world) {
      for (const WindowPattern& pattern : window_patterns) {
        const Target target{.via = provider};
        require_quiet(world, fmt::format("{} through {}", pattern.name, name(provider)), pattern.make(world, target));
      }
    });
  }
  for (const std::size_t ranks : {1U, 2U, 3U}) {
    for (const Pattern chosen : {Pattern::node_aware, Pattern::flat}) {
      testing::on_ranks(ranks, [chosen](Communicator& world) {
        for (const CollectivePattern& pattern : collective_patterns) {
          const std::string what = fmt::format("{} of {} ranks, {}", pattern.name, world.size(),
                                               chosen == Pattern::flat ? "flat" : "node-aware");
          require_quiet(world, what, pattern.make(world, {.pattern = chosen}));
        }
      });
    }
  }
}

}  // namespace
}  // namespace tacit::comm

int main() {
  try {
    tacit::comm::require_counting();
    tacit::comm::check_all();
    std::cout << "no allocation and no lock" << std::endl;
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    return EXIT_FAILURE;
  }
}

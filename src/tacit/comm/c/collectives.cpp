// The C interface: collectives.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <functional>
#include <numeric>
#include <span>
#include <variant>
#include <vector>

#include "tacit/comm/c/handles.hpp"
#include "tacit/comm/collectives/detail/exchange.hpp"
#include "tacit/comm/collectives/detail/make.hpp"
#include "tacit/comm/collectives/detail/plan.hpp"
#include "tacit/comm/collectives/detail/reduction.hpp"
#include "tacit/comm/collectives/reduce.hpp"
#include "tacit/comm/error.hpp"
#include "tacit/comm/layout.hpp"

struct tacit_collective {
  tacit_comm* comm = nullptr;
  std::unique_ptr<tacit::comm::detail::Collective> core = {};
  tacit::comm::detail::Exchange* in_library = nullptr;  ///< the same where its memory is the library's
  bool is_under_way = false;
};

namespace tacit::comm::c {
namespace {

using Core = std::unique_ptr<detail::Collective>;

std::span<const std::byte> bytes_in(const void* data, std::size_t bytes) {
  return {static_cast<const std::byte*>(data), data == nullptr ? 0 : bytes};
}
std::span<std::byte> bytes_in(void* data, std::size_t bytes) {
  return {static_cast<std::byte*>(data), data == nullptr ? 0 : bytes};
}

std::unique_ptr<tacit_collective> hold(tacit_comm* comm, Core core) {
  auto made = std::make_unique<tacit_collective>();
  made->comm = comm;
  made->core = std::move(core);
  ++comm->collectives;
  return made;
}

void require_comm(const tacit_comm* comm) { require(comm != nullptr, "there is no communicator: NULL"); }

template <class T>
detail::Combine combine_as(tacit_operation operation) {
  switch (operation) {
    case TACIT_SUM:
      return detail::combine_with<T>([](const T& a, const T& b) { return static_cast<T>(a + b); });
    case TACIT_MAX:
      return detail::combine_with<T>(Maximum{});
    case TACIT_MIN:
      return detail::combine_with<T>(Minimum{});
    default:
      throw BadUse("there is no such tacit_operation");
  }
}

/// @throws BadUse if the type is not a number
detail::Combine combine_of(tacit_type type, tacit_operation operation) {
  switch (type) {
    case TACIT_INT32:
      return combine_as<std::int32_t>(operation);
    case TACIT_INT64:
      return combine_as<std::int64_t>(operation);
    case TACIT_UINT32:
      return combine_as<std::uint32_t>(operation);
    case TACIT_UINT64:
      return combine_as<std::uint64_t>(operation);
    case TACIT_FLOAT:
      return combine_as<float>(operation);
    case TACIT_DOUBLE:
      return combine_as<double>(operation);
    default:
      throw BadUse("bytes have no sum, maximum or minimum: a function of the caller's combines them");
  }
}

Core reduction_of(tacit_comm* comm, const detail::Elements& elements, const void* in, void* out,
                  detail::Combine combine) {
  const std::size_t bytes = detail::length_of(elements.count, elements.bytes);
  require(out != nullptr || bytes == 0, "there is no memory for the result: NULL");
  detail::ReductionSpec spec{.kind = "all-reduce", .elements = elements, .combine = std::move(combine)};
  return std::make_unique<detail::Reduction>(comm->communicator.core(), std::move(spec), CollectiveOptions{},
                                             bytes_in(in == nullptr ? out : in, bytes), bytes_in(out, bytes));
}

Core exchange_of(tacit_comm* comm, const detail::Routes& routes, const detail::Elements& elements,
                 std::span<const std::byte> in, std::span<std::byte> out) {
  return std::make_unique<detail::Exchange>(comm->communicator.core(), routes, elements, CollectiveOptions{}, Pull{},
                                            in, out);
}

Core broadcast_of(tacit_comm* comm, RankId root, const detail::Elements& elements, void* data) {
  const std::size_t bytes = detail::length_of(elements.count, elements.bytes);
  const bool is_root = comm->communicator.rank() == root;
  return exchange_of(comm, detail::routes_broadcast(root, bytes), elements, bytes_in(is_root ? data : nullptr, bytes),
                     bytes_in(data, bytes));
}

/// What each rank sends to each, once all ranks have said so. @return  elements by sender and receiver
/// @throws MismatchError, on all ranks, if one expects another number of elements than are sent to it
std::vector<std::vector<std::size_t>> agreed_counts(Communicator& communicator, std::span<const std::size_t> sent,
                                                    std::span<const std::size_t> received) {
  auto counts = detail::gather_counts(communicator, sent);
  const auto expected = detail::gather_counts(communicator, received);
  for (std::size_t from = 0; from < counts.size(); ++from) {
    for (std::size_t to = 0; to < counts.size(); ++to) {
      if (counts[from][to] == expected[to][from]) continue;
      throw MismatchError(fmt::format("in an all-to-all-v rank {} sends {} elements to rank {}, which expects {}", from,
                                      counts[from][to], to, expected[to][from]));
    }
  }
  return counts;
}

std::size_t total(std::span<const std::size_t> counts, std::size_t bytes) {
  return detail::length_of(std::accumulate(counts.begin(), counts.end(), std::size_t{0}), bytes);
}

/// A collective on which a call may be started.
tacit_collective& idle(tacit_collective* collective) {
  require(collective != nullptr, "there is no collective: NULL");
  require(!collective->is_under_way, "a call of this collective is under way");
  return *collective;
}

/// A collective of which a call is under way.
tacit_collective& started(tacit_collective* collective) {
  require(collective != nullptr, "there is no collective: NULL");
  require(collective->is_under_way, "no call of this collective has been started");
  return *collective;
}

}  // namespace
}  // namespace tacit::comm::c

namespace c = tacit::comm::c;

tacit_status tacit_allreduce_create(tacit_comm* comm, tacit_type type, size_t count, const void* in, void* out,
                                    tacit_operation operation, tacit_collective** collective) {
  return c::make(collective, [&] {
    c::require_comm(comm);
    const c::Type& of = c::type_of(type);
    return c::hold(comm, c::reduction_of(comm, c::elements_of(of, count), in, out, c::combine_of(type, operation)));
  });
}

tacit_status tacit_allreduce_create_function(tacit_comm* comm, size_t element_bytes, size_t count, const void* in,
                                             void* out, tacit_combine combine, void* context,
                                             tacit_collective** collective) {
  return c::make(collective, [&] {
    c::require_comm(comm);
    c::require(combine != nullptr, "there is no function that combines elements: NULL");
    c::require(element_bytes > 0, "an element has a length of at least 1 B");
    auto function = [combine, context](std::byte* accumulated, const std::byte* other, std::size_t elements) {
      combine(accumulated, other, elements, context);
    };
    const c::Type of{.name = "element", .bytes = element_bytes};
    return c::hold(comm, c::reduction_of(comm, c::elements_of(of, count), in, out, std::move(function)));
  });
}

tacit_status tacit_barrier_create(tacit_comm* comm, tacit_collective** collective) {
  return c::make(collective, [&] {
    c::require_comm(comm);
    using tacit::comm::detail::Routes;
    const Routes routes = tacit::comm::detail::routes_all_gather("barrier", 0, Routes::Reading::views);
    return c::hold(comm, c::exchange_of(comm, routes, {.count = 0, .bytes = 1}, {}, {}));
  });
}

tacit_status tacit_broadcast_create(tacit_comm* comm, uint32_t root, tacit_type type, size_t count, void* data,
                                    tacit_collective** collective) {
  return c::make(collective, [&] {
    c::require_comm(comm);
    c::require(root < comm->communicator.size(), "there is no rank of the number of the root");
    c::require(data != nullptr || count == 0, "there is no memory for the data: NULL");
    return c::hold(comm,
                   c::broadcast_of(comm, tacit::comm::RankId{root}, c::elements_of(c::type_of(type), count), data));
  });
}

tacit_status tacit_alltoall_create(tacit_comm* comm, tacit_type type, size_t count, const void* in, void* out,
                                   tacit_collective** collective) {
  return c::make(collective, [&] {
    c::require_comm(comm);
    c::require((in == nullptr) == (out == nullptr), "one of two memories is missing: NULL");
    c::require(in == nullptr || in != out, "what is sent and what is received lie in the same memory");
    const c::Type& of = c::type_of(type);
    const std::size_t ranks = comm->communicator.size();
    const std::size_t block = tacit::comm::detail::length_of(count, of.bytes);
    const std::size_t bytes = tacit::comm::detail::length_of(ranks, block);
    const std::vector<std::size_t> row(ranks, block);
    auto routes = tacit::comm::detail::routes_all_to_all("all-to-all", std::vector(ranks, row));
    auto core =
        c::exchange_of(comm, routes, c::elements_of(of, count), c::bytes_in(in, bytes), c::bytes_in(out, bytes));
    auto* exchange = static_cast<tacit::comm::detail::Exchange*>(core.get());
    auto made = c::hold(comm, std::move(core));
    if (in == nullptr) made->in_library = exchange;
    return made;
  });
}

tacit_status tacit_alltoallv_create(tacit_comm* comm, tacit_type type, const size_t* sent, const size_t* received,
                                    const void* in, void* out, tacit_collective** collective) {
  return c::make(collective, [&] {
    c::require_comm(comm);
    c::require(sent != nullptr && received != nullptr, "there are no counts: NULL");
    const c::Type& of = c::type_of(type);
    const std::size_t ranks = comm->communicator.size();
    const auto counts = c::agreed_counts(comm->communicator, {sent, ranks}, {received, ranks});
    const std::size_t bytes_sent = c::total({sent, ranks}, of.bytes);
    const std::size_t bytes_received = c::total({received, ranks}, of.bytes);
    // A rank without a block to send, or to receive, needs no memory for it.
    const bool is_in_library = in == nullptr && out == nullptr;
    c::require(is_in_library || ((in != nullptr || bytes_sent == 0) && (out != nullptr || bytes_received == 0)),
               "one of two memories is missing: NULL");
    c::require(in == nullptr || in != out, "what is sent and what is received lie in the same memory");
    const auto routes =
        tacit::comm::detail::routes_all_to_all("all-to-all-v", tacit::comm::detail::in_bytes(counts, of.bytes));
    auto core = c::exchange_of(comm, routes, c::elements_of(of, 0), c::bytes_in(in, bytes_sent),
                               c::bytes_in(out, bytes_received));
    auto* exchange = static_cast<tacit::comm::detail::Exchange*>(core.get());
    auto made = c::hold(comm, std::move(core));
    if (is_in_library) made->in_library = exchange;
    return made;
  });
}

tacit_status tacit_alltoall_input(tacit_collective* collective, void** input) {
  return c::guarded([&] {
    c::require(input != nullptr, "there is nowhere to put the address: NULL");
    *input = nullptr;
    c::require(c::idle(collective).in_library != nullptr, "no all-to-all in memory of the library");
    *input = collective->in_library->input();
  });
}

const void* tacit_alltoall_output(tacit_collective* collective) {
  return collective->in_library == nullptr ? nullptr : collective->in_library->output().data();
}

tacit_status tacit_collective_start(tacit_collective* collective) {
  return c::guarded([&] {
    c::idle(collective).core->start();
    collective->is_under_way = true;
  });
}

tacit_status tacit_collective_test(tacit_collective* collective) {
  return c::guarded([&]() -> bool {
    if (!c::started(collective).core->test()) return false;
    collective->is_under_way = false;
    return true;
  });
}

tacit_status tacit_collective_wait(tacit_collective* collective) {
  return c::guarded([&] {
    c::started(collective).core->wait(0.0);
    collective->is_under_way = false;
  });
}

tacit_status tacit_collective_run(tacit_collective* collective) {
  return c::guarded([&] {
    c::idle(collective).is_under_way = true;  // a call that fails stays so
    collective->core->run(0.0);
    collective->is_under_way = false;
  });
}

tacit_status tacit_collective_free(tacit_collective** collective) {
  return c::guarded([&] {
    if (collective == nullptr || *collective == nullptr) return;
    --(*collective)->comm->collectives;
    delete std::exchange(*collective, nullptr);
  });
}

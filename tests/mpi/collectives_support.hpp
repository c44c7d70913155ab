// What the checks of the collectives have in common: what every rank brings, and the options to try.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "mpi/conformance.hpp"
#include "tacit/base/random.hpp"
#include "tacit/comm/backoff.hpp"
#include "tacit/comm/collectives/options.hpp"
#include "tacit/comm/connections/communicator_core.hpp"

namespace tacit::comm::conformance {

inline void must(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error(what);
}

/// Element `i` of what `rank` brings to call `call`, for rank `to` if that matters.
inline std::uint64_t element(std::size_t rank, std::uint64_t call, std::size_t i, std::size_t to = 0) {
  return base::mix64((rank * 1'000'003 + to) * 0xBF58476D1CE4E5B9U + call * 0x9E3779B97F4A7C15U + i);
}

/// All options of a collective.
inline const std::vector<CollectiveOptions>& all_options() {
  static const std::vector<CollectiveOptions> all{{.pattern = Pattern::node_aware, .leaders = 1},
                                                  {.pattern = Pattern::node_aware, .leaders = 2},
                                                  {.pattern = Pattern::node_aware, .leaders = 7},
                                                  {.pattern = Pattern::flat}};
  return all;
}

inline std::string describe_options(const CollectiveOptions& options) {
  return options.pattern == Pattern::flat ? std::string("flat") : fmt::format("{} leaders", options.leaders);
}

/// How often a message of so many bytes is worth repeating.
inline std::uint64_t repetitions(const Setting& setting, std::size_t bytes) {
  return std::max<std::uint64_t>(3, setting.exchanges * 64 / (64 + bytes));
}

/// Elements of 8 bytes per message: none, one, odd numbers, around the limits of what is treated otherwise, many.
inline std::vector<std::size_t> counts(const Setting& setting) {
  std::vector<std::size_t> all{0, 1, 3, 63, 65, 256, 257, 1000, 8191, 100'000, 400'000};
  std::erase_if(all, [&](std::size_t count) { return count * sizeof(std::uint64_t) > setting.longest; });
  return all;
}

/// One call, begun and ended by functions that change from call to call.
template <class Collective>
void call(Communicator& world, Collective& collective, std::uint64_t number) {
  switch (number % 4) {
    case 0:
      return collective.run();
    case 1:
      collective.start();
      return collective.wait();
    case 2:
      collective.start();
      while (!collective.test()) yield_processor();
      return;
    default:
      break;
  }
  collective.start();
  collective.await(base::Token{number + 1});
  std::array<base::Completion, 2> ends;
  std::size_t count = 0;
  while ((count = world.completions().poll(ends)) == 0) yield_processor();
  must(count == 1 && ends[0].token == base::Token{number + 1} && ends[0].error == 0, "another end was reported");
}

/// What every rank says.
template <class T>
std::vector<T> all_of(Communicator& world, const T& mine) {
  std::vector<T> values;
  for (const Bytes& bytes : world.core().bootstrap().all_gather(std::as_bytes(std::span(&mine, 1)), 60.0)) {
    std::memcpy(&values.emplace_back(), bytes.data(), sizeof(T));
  }
  return values;
}

inline std::size_t count_nodes(const Communicator& world) {
  std::set<std::uint32_t> domains;
  for (const RankInfo& rank : world.ranks()) domains.insert(rank.domain);
  return domains.size();
}

/// Sums the messages of the ranks of each node.
inline std::vector<std::size_t> messages_by_node(Communicator& world, std::size_t mine) {
  std::vector<std::size_t> sums(count_nodes(world));
  const auto all = all_of(world, mine);
  for (std::size_t rank = 0; rank < all.size(); ++rank) sums[world.ranks()[rank].domain] += all[rank];
  return sums;
}

/// Node-aware, each node sends each other node one message.
inline void check_messages(Communicator& world, const CollectiveOptions& options, std::size_t mine) {
  if (options.pattern == Pattern::flat) {
    must(mine == world.size() - 1, fmt::format("flat: {} messages", mine));
    return;
  }
  for (const std::size_t sum : messages_by_node(world, mine)) {
    must(sum == count_nodes(world) - 1, fmt::format("{}: a node sends {} messages", describe_options(options), sum));
  }
}

// Those in collectives_copies.cpp.
void check_broadcast(Communicator& world, const Setting& setting);
void check_all_gather(Communicator& world, const Setting& setting);
void check_all_gather_view(Communicator& world, const Setting& setting);
void check_gather(Communicator& world, const Setting& setting);
void check_scatter(Communicator& world, const Setting& setting);
void check_all_to_all(Communicator& world, const Setting& setting);
void check_all_to_all_v(Communicator& world, const Setting& setting);
void check_together(Communicator& world, const Setting& setting);

}  // namespace tacit::comm::conformance

// Where this rank believes objects to be, and how many calls it has made of each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "tacit/actions/detail/movable_object.hpp"

namespace tacit::actions::detail {

struct Route {
  comm::RankId owner{};
  std::uint32_t moves = 0;
  std::uint64_t next = 0;  ///< sequence of the next call
};

/// Threads: any.
class Routes {
 public:
  [[nodiscard]] comm::RankId owner(std::uint64_t key) {
    const std::lock_guard guard(mutex_);
    return find(key).owner;
  }
  /// Takes over what another rank knows, unless this one knows better.
  void learn(std::uint64_t key, comm::RankId owner, std::uint32_t moves) {
    const std::lock_guard guard(mutex_);
    Route& route = find(key);
    if (moves <= route.moves) return;
    route.owner = owner;
    route.moves = moves;
  }
  /// Has `put(route)` send a call. Its number is used only if that succeeds: a number that never comes would hold all
  /// later ones.
  template <class Put>
  decltype(auto) send(std::uint64_t key, Put&& put) {
    const std::lock_guard guard(mutex_);
    Route& route = find(key);
    decltype(auto) result = put(std::as_const(route));
    ++route.next;
    return result;
  }

 private:
  Route& find(std::uint64_t key) { return routes_.try_emplace(key, Route{.owner = maker_of(key)}).first->second; }
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, Route> routes_;
};

}  // namespace tacit::actions::detail

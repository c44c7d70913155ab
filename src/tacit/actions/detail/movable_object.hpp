// What a rank keeps of an object that can move, and what travels with it and with its calls.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <typeindex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tacit/actions/record.hpp"
#include "tacit/actions/table.hpp"
#include "tacit/base/record.hpp"
#include "tacit/comm/rank.hpp"

namespace tacit::actions::detail {

/// The rank that has made an object, and its number there.
[[nodiscard]] constexpr std::uint64_t object_key(comm::RankId rank, std::uint64_t id) noexcept {
  return std::uint64_t{number(rank)} << 40U | id;
}
[[nodiscard]] constexpr comm::RankId maker_of(std::uint64_t key) noexcept {
  return comm::RankId{static_cast<std::uint32_t>(key >> 40U)};
}
[[nodiscard]] constexpr std::uint64_t id_of(std::uint64_t key) noexcept {
  return key & ((std::uint64_t{1} << 40U) - 1);
}

/// In front of the arguments of a call of an object that can move.
struct ObjectHead {
  std::uint64_t key = 0;
  std::uint64_t sequence = 0;  ///< of the caller's calls of this object
  std::uint32_t caller = 0;    ///< a rank
  std::uint32_t moves = 0;     ///< of the object when it came to the rank that the call is sent to
};
static_assert(sizeof(ObjectHead) == 24);

/// A call that waits for those before it, or for its object.
struct HeldCall {
  Incoming call;
  ObjectHead head;
  std::vector<std::byte> arguments;
};

/// How the objects of a class travel.
struct Transport {
  std::uint16_t arrive = 0;  ///< the action that builds them
  std::size_t (*size)(const void* object) = nullptr;
  void (*write)(Writer& to, const void* object) = nullptr;
};

/// Who has asked for a move and is answered where the object arrives.
struct Mover {
  std::uint64_t call = 0;
  std::uint32_t caller = 0;
  std::uint32_t action = 0;
};

/// What travels in front of an object.
struct Arrival {
  std::uint64_t key = 0;
  std::uint32_t moves = 0;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> next;  ///< by caller
  std::vector<Mover> movers;
  static constexpr auto record() noexcept {
    return base::record("arrival", base::member("key", &Arrival::key), base::member("moves", &Arrival::moves),
                        base::member("next", &Arrival::next), base::member("movers", &Arrival::movers));
  }
};

/// Never removed from its table, so that it can be referred to without a lock.
struct MovableObject {
  enum class State : std::uint8_t {
    awaited,    ///< calls have come before it
    here,       ///< and stays while it is pinned
    departing,  ///< is being written
    gone,       ///< to `owner`
    removed,
  };
  /// A rank that has called it.
  struct Caller {
    std::uint64_t next = 0;
    bool is_beginning = false;  ///< a worker runs its next call up to the first wait
    std::map<std::uint64_t, HeldCall> early;
  };

  std::uint64_t key = 0;
  State state = State::awaited;
  std::uint32_t moves = 0;  ///< until it is here, or, where it is gone, until it came to `owner`
  std::uint32_t pins = 0;   ///< actions that run on it, and workers that begin some
  std::shared_ptr<void> object;
  std::type_index type = typeid(void);
  Transport transport;
  std::unordered_map<std::uint32_t, Caller> callers;
  std::optional<comm::RankId> leaving_to;
  std::vector<Mover> movers;
  comm::RankId owner{};
  std::vector<std::uint32_t> told;  ///< callers that know of `owner`
  std::vector<HeldCall> held;       ///< while it departs, or is awaited
};

}  // namespace tacit::actions::detail

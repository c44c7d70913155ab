// The messages of one phase of a step, as a solver describes them: whom with, of what, and how they are packed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "tacit/base/record.hpp"
#include "tacit/comm/rank.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::exchange {

/// Whether both ends know how long a message is.
enum class Length : std::uint8_t {
  fixed,
  variable,  ///< up to `count` elements; `pack` returns how many
};

/// One message of a phase between this rank and another one, or itself.
struct Message {
  comm::RankId peer{};
  /// Tells apart the messages of a phase from one rank to another: both ends name the same. Those of a phase travel
  /// in the order of their keys.
  std::uint32_t key = 0;
  std::size_t count = 0;  ///< elements; the most where the length is variable
  Length length = Length::fixed;
};

namespace detail {

/// Writes a message of up to so many bytes. @return the bytes written
using PackBytes = std::function<std::size_t(tasks::StepContext&, std::span<std::byte>)>;
using UnpackBytes = std::function<void(tasks::StepContext&, std::span<const std::byte>)>;

/// A message with what to do for it, without the type of its elements.
struct Described {
  Message message;
  base::Schema schema;  ///< of an element
  tasks::Accesses accesses;
  PackBytes pack = {};
  UnpackBytes unpack = {};
  /// At most. @pre it has been checked that this is a length of memory
  [[nodiscard]] std::size_t bytes() const noexcept { return message.count * schema.bytes; }
};

}  // namespace detail

/// The messages of a phase. Every rank describes those that it takes part in.
///
///     exchange::Messages halo;
///     halo.send<double>({.peer = right, .key = 0, .count = n}, reads(u.rim),
///                       [&](StepContext&, std::span<double> to) { std::ranges::copy(u.last_plane(), to.begin()); });
///     halo.receive<double>({.peer = left, .key = 0, .count = n}, writes(u.ghosts),
///                          [&](StepContext&, std::span<const double> from) { u.set_ghosts(from); });
///
/// `pack` and `unpack` run as tasks with the declared accesses, so that each waits for what it needs and nothing else.
class Messages {
 public:
  /// @tparam T  elements, described by base::schema_of
  /// @param pack  (StepContext&, std::span<T> to): fills all of `to`, which is not initialised; where the length is
  ///              variable it returns how many it has filled, from the front. `to` may be memory of the receiver: it is
  ///              to be written once, and not read.
  template <base::Described T, class Pack>
    requires std::invocable<Pack&, tasks::StepContext&, std::span<T>>
  void send(const Message& message, const tasks::Accesses& reads, Pack&& pack) {
    sent_.push_back({.message = message,
                     .schema = base::schema_of<T>(),
                     .accesses = reads,
                     .pack = [pack = std::forward<Pack>(pack)](tasks::StepContext& step,
                                                               std::span<std::byte> to) mutable -> std::size_t {
                       const std::span<T> typed(reinterpret_cast<T*>(to.data()), to.size() / sizeof(T));
                       if constexpr (std::is_void_v<decltype(pack(step, typed))>) {
                         pack(step, typed);
                         return to.size();
                       } else {
                         return sizeof(T) * static_cast<std::size_t>(pack(step, typed));
                       }
                     }});
  }
  /// @param unpack  (StepContext&, std::span<const T> from): takes the message, which is gone when it returns. Where it
  ///                puts it follows from the message alone, so that the order in which messages arrive never matters.
  template <base::Described T, class Unpack>
    requires std::invocable<Unpack&, tasks::StepContext&, std::span<const T>>
  void receive(const Message& message, const tasks::Accesses& writes, Unpack&& unpack) {
    received_.push_back({.message = message,
                         .schema = base::schema_of<T>(),
                         .accesses = writes,
                         .unpack = [unpack = std::forward<Unpack>(unpack)](tasks::StepContext& step,
                                                                           std::span<const std::byte> from) mutable {
                           unpack(step,
                                  std::span<const T>(reinterpret_cast<const T*>(from.data()), from.size() / sizeof(T)));
                         }});
  }

  [[nodiscard]] const std::vector<detail::Described>& sent() const noexcept { return sent_; }
  [[nodiscard]] const std::vector<detail::Described>& received() const noexcept { return received_; }

 private:
  friend class Exchange;
  std::vector<detail::Described> sent_;
  std::vector<detail::Described> received_;
};

}  // namespace tacit::exchange

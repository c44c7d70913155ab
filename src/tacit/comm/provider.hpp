// What a transport is: the concept that every folder in providers/ satisfies.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "tacit/comm/layout.hpp"
#include "tacit/comm/rank.hpp"

namespace tacit::comm {

/// Whose memory a window has.
enum class Owner : std::uint8_t { library, user };

/// One end of a window, as its maker asked for it.
struct WindowSpec {
  std::uint32_t index = 0;  ///< of its direction on its connection
  std::uint32_t depth = 1;  ///< messages in flight, >= 1
  std::size_t bytes = 0;    ///< of the longest message
  Owner owner = Owner::library;
  Layout memory = {};  ///< the user's; unused with Owner::library
};

/// What one end sends to the other at set-up; only the provider reads it.
struct Blob {
  std::array<std::byte, 96> bytes{};

  template <class T>
  static Blob of(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(bytes));
    Blob blob;
    std::memcpy(blob.bytes.data(), &value, sizeof(T));
    return blob;
  }
  template <class T>
  [[nodiscard]] T as() const {
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }
};

/// The sending end of a window. One thread at a time calls it, not always the same.
///
/// `start` begins to send the first `bytes` of memory(); `test` makes progress and returns whether that memory may be
/// used again. Neither blocks, allocates or throws: an `error` other than 0 ends the operation, and `explain` gives the
/// reason.
template <class S>
concept SenderEnd = std::movable<S> && requires(S sender, std::size_t bytes) {
  { sender.start(bytes) } noexcept -> std::same_as<bool>;
  { sender.test() } noexcept -> std::same_as<bool>;
  { sender.memory() } noexcept -> std::same_as<Layout>;
  { sender.is_usable_here() } noexcept -> std::same_as<bool>;
  { sender.error() } noexcept -> std::same_as<int>;
  { sender.explain() } -> std::same_as<std::string>;
};

/// The receiving end. `grant` lets one message come; `test` returns whether the next one of those granted has come, and
/// takes it if so: then data() and bytes() are about it until the next `grant`.
template <class R>
concept ReceiverEnd = std::movable<R> && requires(R receiver) {
  { receiver.grant() } noexcept;
  { receiver.test() } noexcept -> std::same_as<bool>;
  { receiver.data() } noexcept -> std::same_as<std::byte*>;
  { receiver.bytes() } noexcept -> std::same_as<std::size_t>;
  { receiver.is_usable_here() } noexcept -> std::same_as<bool>;
  { receiver.error() } noexcept -> std::same_as<int>;
  { receiver.explain() } -> std::same_as<std::string>;
};

/// The part of a transport that belongs to one connection. An end is made by `offer`, which fills what the other side
/// must know, and becomes usable by `join` with what the other side has sent. When the ends are gone, `depart`
/// returns how often this side has written to the other, which is told that, and `retire` gives back what was offered
/// once as many writes of the other side are there: false means that some are still on their way. Where a link
/// `awaits_peer`, it must stay usable until the other side has retired, too.
template <class L>
concept ProviderLink = SenderEnd<typename L::Sender> && ReceiverEnd<typename L::Receiver> &&
                       requires(L link, const WindowSpec& spec, Blob& mine, const Blob& theirs,
                                typename L::Sender& sender, typename L::Receiver& receiver) {
                         { link.offer_sender(spec, mine) } -> std::same_as<typename L::Sender>;
                         { link.offer_receiver(spec, mine) } -> std::same_as<typename L::Receiver>;
                         { link.join(sender, theirs) };
                         { link.join(receiver, theirs) };
                         { link.depart() } noexcept -> std::same_as<std::uint64_t>;
                         { link.retire(std::uint64_t{}) } noexcept -> std::same_as<bool>;
                         { L::awaits_peer } -> std::convertible_to<bool>;
                       };

/// A transport: one object per Communicator, which outlives its links.
///
///     class Provider {
///      public:
///       static constexpr ProviderId id = ProviderId::shm;
///       using Link = ...;                       // a ProviderLink
///       bool reaches(RankId peer) const;        // whether it can connect to that rank
///       Link connect(RankId peer);
///     };
template <class P>
concept Provider = ProviderLink<typename P::Link> && requires(P provider, const P& constant, RankId peer) {
  { P::id } -> std::convertible_to<ProviderId>;
  { constant.reaches(peer) } -> std::same_as<bool>;
  { provider.connect(peer) } -> std::same_as<typename P::Link>;
};

}  // namespace tacit::comm

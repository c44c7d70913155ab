// How ranks find each other before there are connections: small messages at set-up, slow and safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/comm/rank.hpp"

namespace tacit::comm {

namespace detail {
class ProgressEngine;
class PeerWatch;
}  // namespace detail

using Bytes = std::vector<std::byte>;

/// A value as it travels.
template <class T>
[[nodiscard]] std::span<const std::byte> bytes_of(const T& value) noexcept {
  return std::as_bytes(std::span(&value, 1));
}
/// The value that has travelled.
template <class T>
[[nodiscard]] T value_of(std::span<const std::byte> bytes) noexcept {
  T value{};
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof(T)));
  return value;
}

/// Names a message of the set-up between two ranks; each is sent once.
struct SetupKey {
  std::uint64_t connection = 0;
  std::uint64_t what = 0;
  std::uint64_t group = 0;  ///< the communicator: 0 is that of the launcher
  auto operator<=>(const SetupKey&) const = default;
};

/// Tells a process who it is and carries messages of the set-up. Several threads may call it at once.
class Bootstrap {
 public:
  Bootstrap() = default;
  Bootstrap(const Bootstrap&) = delete;
  Bootstrap& operator=(const Bootstrap&) = delete;
  virtual ~Bootstrap() = default;

  [[nodiscard]] virtual RankId rank() const noexcept = 0;
  [[nodiscard]] virtual std::size_t size() const noexcept = 0;
  /// For messages: "MPI", "alone".
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  /// Sends a message; returns before it is received. Also to the own rank.
  virtual void send(RankId to, const SetupKey& key, std::span<const std::byte> message) = 0;
  /// The message, if it has come; never blocks.
  [[nodiscard]] virtual std::optional<Bytes> try_receive(RankId from, const SetupKey& key) = 0;
  /// Every rank's contribution, by rank. Called by all ranks in the same order.
  /// @throws DeadlineError after `deadline_s`; PeerError if a rank is lost meanwhile
  [[nodiscard]] virtual std::vector<Bytes> all_gather(std::span<const std::byte> mine, double deadline_s) = 0;

  /// Lets what was sent go on its way, where that needs us. Called now and then by any code that waits for anything:
  /// the peer may wait for it, and we for the peer. Never blocks.
  virtual void send_on() noexcept {}

  /// Keeps memory that ranks of this process, which are threads, may use after we have ended: until all of them have.
  virtual void keep(std::shared_ptr<void> /*memory*/) {}
  /// A rank that is a thread of this process and has given up (abandon): the first that did.
  [[nodiscard]] virtual std::optional<RankId> find_failed_thread() const noexcept { return std::nullopt; }

  /// What notices, while this object waits, that a rank is lost; null: nothing does.
  void set_watch(detail::PeerWatch* watch) noexcept { watch_ = watch; }
  /// Whose operations are carried on while this object waits; null: none.
  void set_engine(detail::ProgressEngine* engine) noexcept { engine_ = engine; }
  /// A rank is lost: the destructor waits for no rank.
  virtual void abandon() noexcept { is_abandoned_ = true; }
  [[nodiscard]] bool is_abandoned() const noexcept { return is_abandoned_; }

 protected:
  /// To be called by every wait again and again: a message whose grant comes late goes meanwhile. Calls transports.
  void carry_on() noexcept;
  detail::PeerWatch* watch_ = nullptr;

 private:
  detail::ProgressEngine* engine_ = nullptr;
  bool is_abandoned_ = false;
};

/// Every rank's value, by rank. @see Bootstrap::all_gather
template <class T>
[[nodiscard]] std::vector<T> all_gather_values(Bootstrap& bootstrap, const T& mine, double deadline_s) {
  std::vector<T> values;
  for (const Bytes& bytes : bootstrap.all_gather(bytes_of(mine), deadline_s)) values.push_back(value_of<T>(bytes));
  return values;
}

}  // namespace tacit::comm

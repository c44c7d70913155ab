// What a connection is made of: its link, its ends, and the set-up of both sides.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacit/comm/bootstrap/bootstrap.hpp"
#include "tacit/comm/connections/ends.hpp"
#include "tacit/comm/rank.hpp"

namespace tacit::comm::detail {

class CommunicatorCore;

/// What one end of a window says to the other.
struct Description {
  Elements elements;
  std::uint32_t depth = 0;
  ProviderId provider{};
  Blob blob;
};

/// One end of a connection. One thread at a time uses it; once it is open, each of its windows.
class ConnectionCore {
 public:
  ConnectionCore(CommunicatorCore& communicator, const Target& target);
  ConnectionCore(const ConnectionCore&) = delete;
  ConnectionCore& operator=(const ConnectionCore&) = delete;
  ~ConnectionCore();

  [[nodiscard]] CommunicatorCore& communicator() const noexcept { return *communicator_; }
  [[nodiscard]] const Target& target() const noexcept { return target_; }
  [[nodiscard]] ProviderId provider() const noexcept { return provider_; }
  [[nodiscard]] AnyLink& link() noexcept { return link_; }
  [[nodiscard]] bool is_open() const noexcept { return is_open_; }

  /// The number of the next window of a direction.
  /// @throws base::Error if the connection is open
  [[nodiscard]] std::uint32_t next_index(Direction direction) const;
  /// Announces an end to the peer.
  void add(WindowEnd& end, Direction direction, const Elements& elements, const Blob& blob);
  /// An end that is destroyed.
  void remove(const WindowEnd& end) noexcept;
  /// Waits for what the peer says, compares, and makes all ends usable.
  /// @throws MismatchError, DeadlineError
  void open();

  /// "connection 0 to rank 1 (node7)".
  [[nodiscard]] std::string describe() const;

 private:
  struct Entry {
    WindowEnd* end = nullptr;
    Direction direction{};
    Elements elements;
    std::optional<Description> theirs = {};  ///< once it has come: an `open` that failed may be tried again
  };
  struct Summary {
    std::array<std::uint32_t, 2> windows{};  ///< by direction
    ProviderId provider{};
  };
  void await_description(Entry& entry);
  void join(const Entry& entry);
  void check_summary();
  void require_not_closed();
  void check(const Entry& entry) const;
  [[nodiscard]] std::string title() const;

  CommunicatorCore* communicator_;
  Target target_;
  ProviderId provider_;
  std::uint64_t id_;
  AnyLink link_;
  std::vector<Entry> entries_;
  std::array<std::uint32_t, 2> windows_{};
  std::optional<Summary> theirs_;
  bool is_open_ = false;
  std::optional<std::uint64_t> closed_;  // at the other end: how often it has written to us
};

}  // namespace tacit::comm::detail

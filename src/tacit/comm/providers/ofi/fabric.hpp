// An endpoint of libfabric: starts writes into the memory of peers, and learns of their ends and of what peers wrote.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "tacit/comm/providers/ofi/arena.hpp"
#include "tacit/comm/providers/ofi/grants.hpp"
#include "tacit/comm/providers/ofi/selection.hpp"

namespace tacit::comm::ofi {

/// One endpoint, its completion queue and its memory. Safe for threads.
///
/// Nothing progresses by itself: every wait calls `poll`.
class Fabric {
 public:
  /// @param port    to listen on; 0: any
  /// @throws ProviderError if there is no such network
  Fabric(const Network& wanted, std::uint32_t port);
  /// @param notice  instead of what suits the provider
  Fabric(const Network& wanted, std::uint32_t port, Notice notice);
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;
  ~Fabric() = default;

  [[nodiscard]] std::string_view provider() const noexcept { return info_->fabric_attr->prov_name; }
  [[nodiscard]] std::string_view device() const noexcept { return info_->domain_attr->name; }
  /// What a peer needs to write to us.
  [[nodiscard]] std::span<const std::byte> address() const noexcept { return address_; }
  /// Lives as long as this. @throws ProviderError if its address means nothing here
  [[nodiscard]] Peer& add_peer(std::span<const std::byte> address);
  [[nodiscard]] Arena& arena() noexcept { return arena_; }

  /// Numbers for signals, one after the other. @return the first
  [[nodiscard]] std::uint32_t add_signals(std::span<Signal> signals);
  void remove_signals(std::uint32_t first, std::size_t count) noexcept;
  /// Makes room for so many more, or fewer, messages of peers at once.
  void expect(std::int64_t count);

  /// Begins a write, or notes it for later. @pre it is not busy
  void begin(Ticket& ticket) noexcept;
  /// The number has grown by one, which the peer learns in time: with a message if it can.
  void announce_next(Announcement& announcement) noexcept;
  /// No more writes of it begin. @return how many have
  [[nodiscard]] std::uint64_t end(Announcement& announcement) noexcept;
  /// Puts what may go along into a message to the peer. @return how many grants
  [[nodiscard]] std::size_t take_along(Peer& peer, Head& head) noexcept;
  /// Takes what has ended or come, and begins what could not be begun before.
  void poll() noexcept;
  [[nodiscard]] std::string explain(const Ticket& ticket) const;
  /// Ends what is under way. Afterwards only what was taken may be given back.
  void close() noexcept;

  Fabric* next = nullptr;  ///< of the provider's list

 private:
  /// Held while the queue is read, and what is touched only then.
  class Hold;
  /// Held during calls, where libfabric takes one at a time.
  class Call;

  void open();
  void try_to_begin(Ticket& ticket) noexcept;
  [[nodiscard]] std::int64_t call(Ticket& ticket) noexcept;
  [[nodiscard]] std::int64_t write(Ticket& ticket, std::uint64_t flags) noexcept;
  void defer(Ticket& ticket) noexcept;
  void retry_deferred() noexcept;
  void write_announcement(Announcement& announcement) noexcept;
  void take(const fi_cq_data_entry& entry) noexcept;
  void take_error() noexcept;
  void end(Ticket& ticket, int error, int provider_error) noexcept;
  [[nodiscard]] Signal* find(std::uint64_t signal) const noexcept;
  void raise(std::uint64_t signal) noexcept;
  void accept(const TakenAlong& grant) noexcept;
  void post_receives() noexcept;

  Info info_;
  Notice notice_;
  bool is_thread_safe_;
  bool are_receives_needed_;
  Handle<fid_fabric> fabric_;
  Handle<fid_domain> domain_;
  Handle<fid_av> peers_;
  Handle<fid_cq> queue_;
  Handle<fid_ep> endpoint_;  // closed before what it is bound to
  std::vector<std::byte> address_;
  Arena arena_;  // and its registrations before the endpoint

  std::mutex calls_;
  std::mutex peers_mutex_;
  std::map<std::string, Peer> known_peers_;  // by address
  std::atomic<Ticket*> deferred_{nullptr};
  std::atomic_flag is_polled_;
  // Touched by the polling thread:
  std::vector<Signal*> signals_;
  std::multimap<std::size_t, std::uint32_t> free_signals_;  // length of a row of numbers -> its first
  std::deque<Ticket> receives_;
  std::vector<Ticket*> free_receives_;
  std::int64_t expected_ = 0;
  std::int64_t posted_ = 0;
};

}  // namespace tacit::comm::ofi

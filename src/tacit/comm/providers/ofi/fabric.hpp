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
#include "tacit/comm/providers/ofi/selection.hpp"

namespace tacit::comm::ofi {

/// What libfabric holds on to while it works on an operation, and how it ended.
struct Ticket {
  enum class Kind : std::uint8_t { write, announcement, receive };
  fi_context2 context{};  // first: libfabric gives its address back
  Kind kind = Kind::write;
  bool is_noticing = false;           ///< the write is done, its notice is under way
  std::atomic<bool> is_busy = false;  ///< set by the thread that starts it; cleared last
  int error = 0;                      ///< libfabric's, positive
  int provider_error = 0;
  Ticket* next = nullptr;  ///< in the list of those that could not be started yet
  // What is written, and where to.
  const std::byte* from = nullptr;
  std::size_t bytes = 0;
  void* descriptor = nullptr;
  fi_addr_t peer = FI_ADDR_UNSPEC;
  Place place = {};
  std::uint32_t signal = 0;  ///< what is raised there afterwards
};

/// A number of ours that a peer has a copy of: written again whenever it has grown, one write at a time.
struct Announcement {
  Ticket ticket{.kind = Ticket::Kind::announcement};
  std::atomic<std::uint64_t> wanted = 0;
  std::uint64_t* source = nullptr;   ///< what is written: in registered memory
  std::uint64_t announced = 0;       ///< the last value whose write has begun
  std::uint64_t writes = 0;          ///< that have begun
  std::atomic<bool> is_over{false};  ///< no more are begun
};

/// Counts what a peer has written to one place.
using Signal = std::atomic<std::uint64_t>;

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
  /// A number for a peer. @throws ProviderError if its address means nothing here
  [[nodiscard]] fi_addr_t add_peer(std::span<const std::byte> address);
  [[nodiscard]] Arena& arena() noexcept { return arena_; }

  /// Numbers for signals, one after the other. @return the first
  [[nodiscard]] std::uint32_t add_signals(std::span<Signal> signals);
  void remove_signals(std::uint32_t first, std::size_t count) noexcept;
  /// Makes room for so many more, or fewer, messages of peers at once.
  void expect(std::int64_t count);

  /// Begins a write, or notes it for later. @pre it is not busy
  void begin(Ticket& ticket) noexcept;
  /// Lets the peer know that the number has grown by one.
  void announce_next(Announcement& announcement) noexcept;
  /// No more writes of it begin. @return how many have
  [[nodiscard]] std::uint64_t end(Announcement& announcement) noexcept;
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
  void raise(std::uint64_t signal) noexcept;
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
  std::map<std::string, fi_addr_t> numbers_;  // by address
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

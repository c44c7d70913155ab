// Memory that a network reads and writes: registered once, in segments that grow geometrically.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include "tacit/comm/detail/extents.hpp"
#include "tacit/comm/providers/ofi/grants.hpp"

namespace tacit::comm::ofi {

/// Closes an object of libfabric.
struct Closer {
  template <class Object>
  void operator()(Object* object) const noexcept {
    fi_close(&object->fid);
  }
};
template <class Object>
using Handle = std::unique_ptr<Object, Closer>;

class Segment;

/// Memory of an arena.
struct Piece {
  std::byte* data = nullptr;
  Segment* segment = nullptr;
};

/// Pages, and their registration.
class Segment {
 public:
  /// @param endpoint  where registrations belong to it (FI_MR_ENDPOINT); else null
  /// @throws base::SystemError if there is no memory; ProviderError if it cannot be registered
  Segment(fid_domain& domain, fid_ep* endpoint, int memory_modes, std::size_t bytes, std::uint64_t key);
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  ~Segment() = default;

  [[nodiscard]] std::byte* data() const noexcept { return memory_.get(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return memory_.get_deleter().bytes; }
  [[nodiscard]] void* descriptor() const noexcept { return fi_mr_desc(region_.get()); }
  [[nodiscard]] Place place(const std::byte* data) const noexcept;
  void withdraw() noexcept { region_.reset(); }
  [[nodiscard]] detail::Extents& extents() noexcept { return extents_; }

 private:
  struct Unmapper {
    std::size_t bytes = 0;
    void operator()(std::byte* data) const noexcept;
  };
  [[nodiscard]] static std::unique_ptr<std::byte, Unmapper> map(std::size_t bytes);

  std::unique_ptr<std::byte, Unmapper> memory_;
  detail::Extents extents_;
  bool has_virtual_addresses_;
  Handle<fid_mr> region_;
};

/// All such memory of an endpoint. Safe for threads.
class Arena {
 public:
  Arena(fid_domain& domain, int memory_modes) : domain_(&domain), memory_modes_(memory_modes) {}
  /// @param endpoint  of which registrations are a part, where the network wants it; called before the first is made
  void belong_to(fid_ep& endpoint) noexcept { endpoint_ = &endpoint; }
  /// Zeros, aligned to a cache line.
  [[nodiscard]] Piece allocate(std::size_t bytes);
  void release(const Piece& piece) noexcept;
  /// No peer writes to it any more.
  void withdraw() noexcept;

 private:
  static constexpr std::size_t smallest = std::size_t{1} << 18U;

  fid_domain* domain_;
  fid_ep* endpoint_ = nullptr;
  int memory_modes_;
  std::mutex mutex_;
  std::deque<Segment> segments_;
};

}  // namespace tacit::comm::ofi

// Maps, registers and divides memory.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/providers/ofi/arena.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tacit/base/error.hpp"
#include "tacit/comm/providers/ofi/selection.hpp"

namespace tacit::comm::ofi {
namespace {

constexpr std::size_t line = 64;

std::size_t rounded_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

void Segment::Unmapper::operator()(std::byte* data) const noexcept { munmap(data, bytes); }

std::unique_ptr<std::byte, Segment::Unmapper> Segment::map(std::size_t bytes) {
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) {
    throw base::SystemError("memory of a network", fmt::format("{} bytes cannot be had", bytes), errno);
  }
  return {static_cast<std::byte*>(data), Unmapper{bytes}};
}

Segment::Segment(fid_domain& domain, fid_ep* endpoint, int memory_modes, std::size_t bytes, std::uint64_t key)
    : memory_(map(bytes)), extents_(bytes), has_virtual_addresses_((memory_modes & FI_MR_VIRT_ADDR) != 0) {
  fid_mr* region = nullptr;
  check(fi_mr_reg(&domain, memory_.get(), bytes, FI_WRITE | FI_REMOTE_WRITE | FI_SEND, 0, key, 0, &region, nullptr),
        "fi_mr_reg");
  region_.reset(region);
  if ((memory_modes & FI_MR_ENDPOINT) == 0) return;
  check(fi_mr_bind(region, &endpoint->fid, 0), "fi_mr_bind");
  check(fi_mr_enable(region), "fi_mr_enable");
}

Place Segment::place(const std::byte* data) const noexcept {
  const auto offset = static_cast<std::uint64_t>(data - memory_.get());
  const auto begin = has_virtual_addresses_ ? reinterpret_cast<std::uint64_t>(memory_.get()) : 0;
  return {.address = begin + offset, .key = fi_mr_key(region_.get())};
}

Piece Arena::allocate(std::size_t bytes) {
  bytes = rounded_up(bytes, line);
  const std::lock_guard guard(mutex_);
  for (Segment& segment : segments_) {
    const auto offset = segment.extents().take(bytes);
    if (!offset) continue;
    std::memset(segment.data() + *offset, 0, bytes);  // it may have been used
    return {segment.data() + *offset, &segment};
  }
  const std::size_t last = segments_.empty() ? smallest / 2 : segments_.back().bytes();
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  Segment& segment = segments_.emplace_back(*domain_, endpoint_, memory_modes_,
                                            rounded_up(std::max(bytes, 2 * last), page), segments_.size() + 1);
  static_cast<void>(segment.extents().take(bytes));
  return {segment.data(), &segment};
}

void Arena::release(const Piece& piece) noexcept {
  const std::lock_guard guard(mutex_);
  piece.segment->extents().give_back(static_cast<std::size_t>(piece.data - piece.segment->data()));
}

void Arena::withdraw() noexcept {
  const std::lock_guard guard(mutex_);
  for (Segment& segment : segments_) segment.withdraw();
}

}  // namespace tacit::comm::ofi

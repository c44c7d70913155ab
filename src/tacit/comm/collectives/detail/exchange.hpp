// Carries a plan out: all collectives that only copy.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/comm/collectives/detail/collective.hpp"
#include "tacit/comm/collectives/detail/plan.hpp"

namespace tacit::comm::detail {

/// The stages of a call:
///
///     1  all of the node have begun the call before; what we bring is put on our shared buffer
///     2  gateways copy what is for each other node from the shared buffers into a message, and send it
///     3  what ranks of our node have for us is copied from their shared buffers
///     4  gateways put what they receive on their shared buffers
///     5  what ranks of other nodes have for us is copied from there
///     6  our messages are gone
///
/// One copy on a node from a shared buffer to its reader, and one before it where the memory is the user's.
///
/// Or, in an all-to-all of long blocks on one node, in stage 1 each rank copies its blocks to the shared buffers of
/// those that get them, and what a rank gets is its shared buffer: one copy, too, and one after it where the user
/// brings memory of its own. Between far cores that takes half as long, since stores do not wait and loads do. The
/// marks mean the same.
class Exchange final : public Collective {
 public:
  /// @param in   what we bring; no data: it is written to input()
  /// @param out  what we get; no data: it is kept here
  Exchange(CommunicatorCore& communicator, const Routes& routes, const Elements& elements,
           const CollectiveOptions& options, const Pull& pull, std::span<const std::byte> in, std::span<std::byte> out);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange() override { leave(); }

  /// Where what we bring to the next call is written. Waits until its last content has been read.
  [[nodiscard]] std::byte* input();
  [[nodiscard]] const Pull& pull() const noexcept { return pull_; }
  [[nodiscard]] std::span<std::byte> output() noexcept { return out_; }
  /// Where what we get in the next calls goes, in place of output().
  /// @pre as long as that; no call is under way; made with Copying::by_receiver
  void receive_into(std::span<std::byte> out) noexcept { out_ = out; }
  /// Where what piece `i` of the plan, near ones first, speaks of lies after a call.
  [[nodiscard]] const std::byte* view(std::size_t i) const noexcept;
  /// The pieces by their source. @pre every rank brings one
  [[nodiscard]] std::vector<std::size_t> pieces_by_source() const;

 private:
  [[nodiscard]] bool step(std::uint32_t stage) noexcept override;
  [[nodiscard]] bool publish() noexcept;
  [[nodiscard]] bool send() noexcept;
  [[nodiscard]] bool receive() noexcept;
  [[nodiscard]] bool read(const std::vector<BufferPiece>& pieces, Mark mark) noexcept;
  void read_in_chunks(const std::vector<BufferPiece>& pieces) noexcept;
  void plan_puts(const Routes& routes);
  void put(bool is_to_others) noexcept;
  void take_what_was_put() noexcept;
  [[nodiscard]] const std::byte* brought() const noexcept { return in_.empty() ? own_in_.data() : in_.data(); }

  Plan plan_;
  Pull pull_;
  std::span<const std::byte> in_;
  std::vector<std::byte> own_in_;
  std::vector<std::byte> own_out_;
  std::vector<BufferPiece> puts_;  // from what we bring to shared buffers; none: others read what they get from ours
  bool has_own_out_ = false;
  std::span<std::byte> out_;
  bool has_far_ = false;
};

}  // namespace tacit::comm::detail

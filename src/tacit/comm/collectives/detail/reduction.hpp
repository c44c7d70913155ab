// Combines what all ranks bring, element by element, for all of them or for one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tacit/comm/collectives/detail/collective.hpp"

namespace tacit::comm::detail {

/// accumulated[i] = function(accumulated[i], other[i]) for `count` elements.
using Combine = std::function<void(std::byte* accumulated, const std::byte* other, std::size_t count)>;

struct ReductionSpec {
  std::string_view kind;
  Elements elements;
  Combine combine;
  std::optional<RankId> root = {};  ///< the rank that gets the result; nothing: all
  std::string_view function = {};   ///< see name_of_function
};

/// The stages of a call, on a node of p ranks and between N nodes:
///
///     1  what we bring is put on our shared buffer
///     2  rank i of the node combines slice i of p of all shared buffers of the node
///     3  gateways send the node's slices to each other node
///     4  and put what they receive on their shared buffers
///     5  rank i combines slice i of all nodes
///     6  everyone copies the slices of the others
///     7  our messages are gone
///
/// One node does without 3 to 5, and for few bytes every rank combines all by itself in place of 2 and 6: one flag.
/// Elements are combined in the order of the ranks on a node, and then of the nodes, in whatever order they arrive: all
/// ranks get bitwise identical results, every time.
class Reduction final : public Collective {
 public:
  /// @param in, out  may be the same memory
  Reduction(CommunicatorCore& communicator, ReductionSpec spec, const CollectiveOptions& options,
            std::span<const std::byte> in, std::span<std::byte> out);
  Reduction(const Reduction&) = delete;
  Reduction& operator=(const Reduction&) = delete;
  ~Reduction() override { leave(); }

 private:
  /// Half a shared buffer is divided into areas of the length of the message: what we bring, our slice of the node's
  /// result, that of the whole, and what we receive from other nodes.
  enum Area : std::size_t { brought, of_node, of_all, remote };
  struct Slice {
    std::size_t at = 0;  ///< [byte]
    std::size_t bytes = 0;
  };
  [[nodiscard]] bool step(std::uint32_t stage) noexcept override;
  [[nodiscard]] bool publish() noexcept;
  [[nodiscard]] bool combine_node() noexcept;
  void combine_directly() noexcept;
  [[nodiscard]] bool send() noexcept;
  [[nodiscard]] bool receive() noexcept;
  [[nodiscard]] bool combine_nodes() noexcept;
  [[nodiscard]] bool copy_result() noexcept;
  void add_streams();
  void collect(Area area, std::byte* to) noexcept;
  [[nodiscard]] const std::byte* from_node(std::uint32_t node) const noexcept;
  [[nodiscard]] Slice slice(std::size_t member) const noexcept;
  [[nodiscard]] const std::byte* buffer(std::size_t member, std::size_t area) const noexcept {
    return buffers_->data(static_cast<std::uint32_t>(member), call_) + area * area_bytes_;
  }
  [[nodiscard]] std::byte* own(std::size_t area) noexcept { return buffers_->own(call_) + area * area_bytes_; }
  void combine(std::byte* accumulated, const std::byte* other, std::size_t bytes) const noexcept;

  ReductionSpec spec_;
  std::span<const std::byte> in_;
  std::span<std::byte> out_;
  std::size_t bytes_;
  std::size_t area_bytes_;
  std::vector<std::size_t> remote_areas_;  // by node: on the shared buffer of the gateway to it
  bool is_wanted_here_ = true;             // by this rank
  bool is_wanted_on_node_ = true;
  bool is_direct_ = false;
  bool is_receiving_ = false;
};

}  // namespace tacit::comm::detail

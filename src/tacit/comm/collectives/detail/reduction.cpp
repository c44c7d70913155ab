// Combines slices on shared buffers and between nodes.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/collectives/detail/reduction.hpp"

#include <algorithm>
#include <utility>

#include "tacit/comm/layout.hpp"

namespace tacit::comm::detail {
namespace {

// Up to here every rank of a node combines all: reading the shared buffers of the others costs less than a second flag.
constexpr std::size_t longest_direct = 2048;

constexpr std::size_t area_of(std::size_t bytes) { return (bytes + 127) / 128 * 128; }

}  // namespace

Reduction::Reduction(CommunicatorCore& communicator, ReductionSpec spec, const CollectiveOptions& options,
                     std::span<const std::byte> in, std::span<std::byte> out)
    : Collective(communicator, spec.kind, spec.elements, options, spec.root, spec.function),
      spec_(std::move(spec)),
      in_(in),
      out_(out),
      bytes_(spec_.elements.count * spec_.elements.bytes),
      area_bytes_(area_of(bytes_)),
      remote_areas_(team_.nodes.size()) {
  TACIT_EXPECT(in.size() == bytes_);
  is_wanted_here_ = !spec_.root || *spec_.root == communicator.own().rank;
  is_wanted_on_node_ = !spec_.root || team_.node_of[number(*spec_.root)] == team_.node;
  TACIT_EXPECT(!is_wanted_here_ || out.size() == bytes_);
  is_direct_ = team_.nodes.size() == 1 && bytes_ <= longest_direct;
  add_streams();
  stages_ = 7;
  make_shared_buffers(((team_.nodes.size() == 1 ? of_all : remote) + streams_.size()) * area_bytes_);
}

void Reduction::add_streams() {
  const auto nodes = static_cast<std::uint32_t>(team_.nodes.size());
  std::vector<std::size_t> areas(team_.members().size(), remote);  // by place: the next one that is free
  for (std::uint32_t node = 0; node < nodes; ++node) {
    const bool is_wanted_there = !spec_.root || team_.node_of[number(*spec_.root)] == node;
    if (node == team_.node || !(is_wanted_there || is_wanted_on_node_)) continue;
    const std::uint32_t gateway = team_.gateway(team_.node, node);
    remote_areas_[node] = areas[gateway]++;
    if (gateway != team_.index) continue;
    const RankId peer = team_.nodes[node][team_.gateway(node, team_.node)];
    const auto when = [this](bool is_wanted) { return is_wanted ? std::optional(bytes_) : std::nullopt; };
    streams_.emplace_back(*communicator_, peer, key_, spec_.kind, when(is_wanted_there), when(is_wanted_on_node_));
    is_receiving_ = is_wanted_on_node_;
  }
}

Reduction::Slice Reduction::slice(std::size_t member) const noexcept {
  const std::size_t members = team_.members().size();
  const std::size_t begin = spec_.elements.count * member / members;
  const std::size_t end = spec_.elements.count * (member + 1) / members;
  return {begin * spec_.elements.bytes, (end - begin) * spec_.elements.bytes};
}

void Reduction::combine(std::byte* accumulated, const std::byte* other, std::size_t bytes) const noexcept {
  spec_.combine(accumulated, other, bytes / spec_.elements.bytes);
}

/// The result of node `node`, which its gateway has received for us.
const std::byte* Reduction::from_node(std::uint32_t node) const noexcept {
  return buffer(team_.gateway(team_.node, node), remote_areas_[node]);
}

bool Reduction::step(std::uint32_t stage) noexcept {
  switch (stage) {
    case 0:
      return publish();
    case 1:
      return combine_node();
    case 2:
      return send();
    case 3:
      return receive();
    case 4:
      return combine_nodes();
    case 5:
      return copy_result();
    default:
      return are_messages_gone();
  }
}

bool Reduction::publish() noexcept {
  if (!buffers_->all_have(Mark::began, call_ - 1)) return false;
  copy_bytes(own(brought), in_.data(), bytes_);
  buffers_->set(Mark::began, call_);
  return true;
}

bool Reduction::combine_node() noexcept {
  if (!buffers_->all_have(Mark::began, call_)) return false;
  if (is_direct_) {
    if (is_wanted_here_) combine_directly();
    return true;
  }
  const Slice mine = slice(team_.index);
  std::byte* sum = own(of_node) + mine.at;
  copy_bytes(sum, buffer(0, brought) + mine.at, mine.bytes);
  for (std::size_t member = 1; member < team_.members().size(); ++member) {
    combine(sum, buffer(member, brought) + mine.at, mine.bytes);
  }
  buffers_->set(Mark::combined, call_);
  return true;
}

void Reduction::combine_directly() noexcept {
  copy_bytes(out_.data(), buffer(0, brought), bytes_);
  for (std::size_t member = 1; member < team_.members().size(); ++member) {
    combine(out_.data(), buffer(member, brought), bytes_);
  }
}

/// All slices, each from the shared buffer of its owner.
void Reduction::collect(Area area, std::byte* to) noexcept {
  for (std::size_t member = 0; member < team_.members().size(); ++member) {
    const Slice part = slice(member);
    copy_bytes(to + part.at, buffer(member, area) + part.at, part.bytes);
  }
}

bool Reduction::send() noexcept {
  for (Stream& stream : streams_) {
    if (!stream.sends()) continue;
    if (!buffers_->all_have(Mark::combined, call_)) return false;
    collect(of_node, stream.outgoing());
    stream.post();
  }
  return true;
}

bool Reduction::receive() noexcept {
  if (!is_receiving_) return true;
  for (; cursor_ < streams_.size(); ++cursor_) {
    Stream& stream = streams_[cursor_];
    if (!stream.has_come() || stream.error() != 0) return false;
    copy_bytes(own(remote + cursor_), stream.incoming(), bytes_);
    stream.grant();
  }
  buffers_->set(Mark::received, call_);
  return true;
}

bool Reduction::combine_nodes() noexcept {
  const auto nodes = static_cast<std::uint32_t>(team_.nodes.size());
  if (nodes == 1 || !is_wanted_on_node_) return true;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    if (node != team_.node && !buffers_->has(team_.gateway(team_.node, node), Mark::received, call_)) return false;
  }
  const Slice mine = slice(team_.index);
  std::byte* sum = own(of_all) + mine.at;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    const std::byte* part = (node == team_.node ? own(of_node) : from_node(node)) + mine.at;
    if (node == 0) {
      copy_bytes(sum, part, mine.bytes);
    } else {
      combine(sum, part, mine.bytes);
    }
  }
  buffers_->set(Mark::finished, call_);
  return true;
}

bool Reduction::copy_result() noexcept {
  if (is_direct_ || !is_wanted_here_) return true;
  const bool is_alone = team_.nodes.size() == 1;
  if (!buffers_->all_have(is_alone ? Mark::combined : Mark::finished, call_)) return false;
  collect(is_alone ? of_node : of_all, out_.data());
  return true;
}

}  // namespace tacit::comm::detail

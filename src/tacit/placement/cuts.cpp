// Halves a job's routers and counts the bytes from half to half.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "tacit/placement/advice.hpp"

namespace tacit::placement {
namespace {

using network::Placement;

/// Which ranks stand in the first half.
using Side = std::vector<char>;

/// A run of indices around a ring.
struct Span {
  std::uint32_t first = 0;
  std::uint32_t size = 0;
};

/// The shortest run that holds all indices which are taken; around the ring where that is shorter.
Span span_of(const std::vector<char>& is_taken, network::Ends ends) {
  const auto count = static_cast<std::uint32_t>(is_taken.size());
  std::vector<std::uint32_t> taken;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (is_taken[i] != 0) taken.push_back(i);
  }
  Span best{taken.front(), taken.back() - taken.front() + 1};
  if (ends == network::Ends::line) return best;
  for (std::size_t i = 1; i < taken.size(); ++i) {  // leave out the gap before the i-th
    const std::uint32_t size = count - (taken[i] - taken[i - 1]) + 1;
    if (size < best.size) best = {taken[i], size};
  }
  return best;
}

/// Bytes that cross, each way.
class Crossing {
 public:
  explicit Crossing(const Side& side) : side_(side) {}

  double operator()(const network::Transposes& t) const {
    double bytes = 0.0;
    const auto add = [&](std::size_t first, std::size_t count, std::size_t stride, double each) {
      std::size_t left = 0;
      for (std::size_t i = 0; i < count; ++i) left += side_[first + i * stride] != 0 ? 1 : 0;
      bytes += static_cast<double>(left) * static_cast<double>(count - left) * each;
    };
    for (std::size_t row = 0; row < t.column_ranks; ++row) add(row * t.row_ranks, t.row_ranks, 1, t.row_bytes);
    for (std::size_t place = 0; place < t.row_ranks; ++place) add(place, t.column_ranks, t.row_ranks, t.column_bytes);
    return bytes;
  }

  double operator()(const network::Halos& h) const {
    double there = 0.0;
    double back = 0.0;
    std::array<std::uint32_t, 3> at{};
    for (std::size_t rank = 0; rank < side_.size(); ++rank) {
      for (std::size_t d = 0; d < 3; ++d) add_faces(h, at, d, there, back);
      for (std::size_t d = 0; d < 3 && ++at[d] == h.ranks[d]; ++d) at[d] = 0;
    }
    return std::max(there, back);
  }

  double operator()(const network::Messages& messages) const {
    double there = 0.0;
    double back = 0.0;
    for (const network::Message& message : messages.list) {
      if (side_[message.from] == side_[message.to]) continue;
      (side_[message.from] != 0 ? there : back) += message.bytes;
    }
    return std::max(there, back);
  }

 private:
  void add_faces(const network::Halos& h, const std::array<std::uint32_t, 3>& at, std::size_t d, double& there,
                 double& back) const {
    const auto rank_at = [&h](const std::array<std::uint32_t, 3>& p) {
      return p[0] + std::size_t{h.ranks[0]} * (p[1] + std::size_t{h.ranks[1]} * p[2]);
    };
    if (at[d] + 1 == h.ranks[d] && (!h.is_periodic[d] || h.ranks[d] == 1)) return;
    auto next = at;
    next[d] = (at[d] + 1) % h.ranks[d];
    if (side_[rank_at(at)] == side_[rank_at(next)]) return;
    there += h.bytes[d];  // each of the two sends the other a face
    back += h.bytes[d];
  }

  const Side& side_;
};

class CutMaker {
 public:
  CutMaker(const network::Job& job, const Placement& placement) : job_(job), placement_(placement) {}

  std::vector<CutLoad> operator()(const network::Torus& torus) {
    std::array<Span, 3> spans;
    std::array<std::uint32_t, 3> size{};
    for (std::size_t d = 0; d < 3; ++d) {
      std::vector<char> is_taken(torus.routers[d], 0);
      for (const network::NodeId node : placement_) is_taken[place(torus, node, d)] = 1;
      spans[d] = span_of(is_taken, torus.ends[d]);
      size[d] = spans[d].size;
    }
    std::vector<CutLoad> cuts;
    const auto limits = network::bisection(torus, size);
    for (std::size_t d = 0, next = 0; d < 3; ++d) {
      if (size[d] < 2) continue;
      const auto is_first = [&, d](network::NodeId node) {
        const std::uint32_t from_first = (place(torus, node, d) + torus.routers[d] - spans[d].first) % torus.routers[d];
        return 2 * from_first < size[d];
      };
      cuts.push_back(cut(limits[next].name, limits[next].bandwidth, is_first));
      ++next;
    }
    return cuts;
  }

  std::vector<CutLoad> operator()(const network::Dragonfly& fly) {
    const std::uint32_t in_group = fly.routers_per_group * fly.nodes_per_router;
    return halves("between groups", in_group,
                  [&fly](double left, double right) { return left * right * fly.global_links * fly.global_bandwidth; });
  }

  std::vector<CutLoad> operator()(const network::FatTree& tree) {
    return halves("between leaf switches", tree.levels.front().children, [&tree](double left, double right) {
      return std::min(left, right) * tree.levels.front().uplink_bandwidth;
    });
  }

  std::vector<CutLoad> operator()(const network::Graph& /*graph*/) { return {}; }

 private:
  static std::uint32_t place(const network::Torus& torus, network::NodeId node, std::size_t d) {
    std::uint32_t router = network::number(node) / torus.nodes_per_router;
    for (std::size_t i = 0; i < d; ++i) router /= torus.routers[i];
    return router % torus.routers[d];
  }

  template <class IsFirst>
  CutLoad cut(std::string name, double bandwidth, const IsFirst& is_first) {
    Side side(placement_.size());
    std::ranges::transform(placement_, side.begin(), [&](network::NodeId node) { return is_first(node) ? 1 : 0; });
    return {std::move(name), std::visit(Crossing(side), job_.pattern), bandwidth};
  }

  /// Halves of the parts of `nodes_per_part` nodes that the job has.
  template <class Bandwidth>
  std::vector<CutLoad> halves(std::string name, std::uint32_t nodes_per_part, const Bandwidth& bandwidth) {
    std::vector<std::uint32_t> parts;
    for (const network::NodeId node : placement_) parts.push_back(network::number(node) / nodes_per_part);
    std::ranges::sort(parts);
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    if (parts.size() < 2) return {};
    const std::size_t left = parts.size() / 2;
    const std::uint32_t middle = parts[left];
    return {cut(std::move(name), bandwidth(static_cast<double>(left), static_cast<double>(parts.size() - left)),
                [&](network::NodeId node) { return network::number(node) / nodes_per_part < middle; })};
  }

  const network::Job& job_;
  const Placement& placement_;
};

}  // namespace

std::vector<CutLoad> cut_loads(const network::Network& network, const network::Job& job, const Placement& placement) {
  return std::visit(CutMaker(job, placement), network.shape);
}

}  // namespace tacit::placement

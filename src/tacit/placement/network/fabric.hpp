// The links of a network and the loads that traffic puts on them under the network's routing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacit/placement/network/network.hpp"

namespace tacit::placement::network {

/// One direction of a link (of several links that are always used evenly: of all of them).
enum class LinkId : std::uint32_t {};

[[nodiscard]] constexpr std::uint32_t number(LinkId link) noexcept { return static_cast<std::uint32_t>(link); }

/// How much of an all-to-all is on a router: the number of ranks there.
struct Member {
  RouterId router{};
  double weight = 1.0;
  friend bool operator==(const Member&, const Member&) = default;
};

/// An all-to-all: every rank of the set sends `bytes` to every other one, so that
/// weight_a * weight_b * bytes go from router a to router b.
struct ExchangeSet {
  std::vector<Member> members;  // routers ascending, each once
  double bytes = 0.0;
};

/// Bytes from a router to another one; to itself they load no link.
struct Flow {
  RouterId from{};
  RouterId to{};
  double bytes = 0.0;
};

/// All that one exchange of a job sends between routers.
struct Traffic {
  std::vector<ExchangeSet> sets;
  std::vector<Flow> flows;
};

/// A part of a message's way: the link, and the share of the message that takes it.
struct Part {
  LinkId link{};
  double share = 1.0;
};

/// The links of one network. Constant after construction, so threads may share it.
class Fabric {
 public:
  virtual ~Fabric() = default;
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  /// How many numbers of links there are; some may be unused (the open ends of a line).
  [[nodiscard]] virtual std::size_t link_count() const = 0;
  /// What the link carries at most [byte/s].
  [[nodiscard]] virtual double bandwidth(LinkId link) const = 0;
  /// The routers at its ends; none where these are no routers that nodes are attached to.
  [[nodiscard]] virtual std::optional<std::array<RouterId, 2>> ends(LinkId link) const = 0;
  /// The link in words, for people.
  [[nodiscard]] virtual std::string name(LinkId link) const = 0;
  /// Adds the traffic to the links' loads [byte].
  /// @param loads  shape (link_count())
  virtual void add(const Traffic& traffic, std::span<double> loads) const = 0;
  /// Replaces `parts` by the path from one router to another; empty where they are the same.
  virtual void route(RouterId from, RouterId to, std::vector<Part>& parts) const = 0;
  /// Links of the longest path between two routers (the diameter), or a bound of it.
  [[nodiscard]] virtual std::uint32_t longest_path() const = 0;
  /// How many numbers route() looks at, roughly: what a search has to budget with.
  [[nodiscard]] virtual double route_cost() const = 0;

 protected:
  Fabric() = default;
};

/// The links of a network.
/// @pre check(network) has passed; `network` need not outlive the fabric
[[nodiscard]] std::unique_ptr<const Fabric> make_fabric(const Network& network);

/// What the traffic of others leaves of each link [byte/s]: shape (link_count()).
/// @throws base::Error where others are on a link that does not exist, or leave nothing of it
[[nodiscard]] std::vector<double> free_bandwidths(const Network& network, const Fabric& fabric);

}  // namespace tacit::placement::network

namespace tacit::placement::network::detail {

[[nodiscard]] std::unique_ptr<const Fabric> make_torus(const Torus& torus);
[[nodiscard]] std::unique_ptr<const Fabric> make_dragonfly(const Dragonfly& fly);
[[nodiscard]] std::unique_ptr<const Fabric> make_tree(const FatTree& tree);
[[nodiscard]] std::unique_ptr<const Fabric> make_graph(const Graph& graph);

}  // namespace tacit::placement::network::detail

// The exchanges of a job between routers: which ranks share a node, and which sets of ranks are alike.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "tacit/placement/network/detail/machine.hpp"

namespace tacit::placement::network::detail {
namespace {

/// Bytes in and out of every node.
class NodeBytes {
 public:
  explicit NodeBytes(std::size_t nodes) : sent_(nodes, 0.0), received_(nodes, 0.0) {}

  void add(NodeId from, NodeId to, double bytes) {
    sent_[number(from)] += bytes;
    received_[number(to)] += bytes;
  }
  [[nodiscard]] double most() const {
    double most = 0.0;
    for (std::size_t node = 0; node < sent_.size(); ++node) most = std::max({most, sent_[node], received_[node]});
    return most;
  }

 private:
  std::vector<double> sent_;
  std::vector<double> received_;
};

/// Collects all-to-alls of sets of ranks; those over the same routers become one.
class Sets {
 public:
  Sets(const Network& network, double bytes) : network_(network), bytes_(bytes), node_bytes_(node_count(network)) {}

  /// @param nodes  of the set's ranks; is sorted
  void add(std::vector<NodeId>& nodes) {
    std::sort(nodes.begin(), nodes.end());
    const auto all = static_cast<double>(nodes.size());
    rank_bytes_ = std::max(rank_bytes_, (all - 1.0) * bytes_);
    for (std::size_t i = 0; i < nodes.size();) {
      std::size_t end = i;
      while (end < nodes.size() && nodes[end] == nodes[i]) ++end;
      const auto here = static_cast<double>(end - i);
      node_bytes_.add(nodes[i], nodes[i], here * (all - here) * bytes_);
      messages_ = std::max(messages_, all - here);
      i = end;
    }
    const std::vector<Member> members = routers_of(network_, nodes);
    if (members.size() < 2) return;
    std::vector<std::pair<std::uint32_t, double>> key;
    key.reserve(members.size());
    for (const Member& member : members) key.emplace_back(number(member.router), member.weight);
    bytes_of_[std::move(key)] += bytes_;
  }

  [[nodiscard]] Exchange take(const std::string& name) const {
    Exchange exchange{name, {}, node_bytes_.most(), messages_, rank_bytes_};
    for (const auto& [key, bytes] : bytes_of_) {
      ExchangeSet set{{}, bytes};
      for (const auto& [router, weight] : key) set.members.push_back({RouterId{router}, weight});
      exchange.traffic.sets.push_back(std::move(set));
    }
    return exchange;
  }

 private:
  const Network& network_;
  double bytes_;
  NodeBytes node_bytes_;
  double messages_ = 0.0;
  double rank_bytes_ = 0.0;
  std::map<std::vector<std::pair<std::uint32_t, double>>, double> bytes_of_;
};

/// Collects messages between ranks.
class Flows {
 public:
  Flows(const Network& network, const Placement& placement)
      : network_(network),
        placement_(placement),
        node_bytes_(node_count(network)),
        messages_(placement.size(), 0),
        rank_bytes_(placement.size(), 0.0) {}

  void add(std::size_t from, std::size_t to, double bytes) {
    if (from != to) rank_bytes_[from] += bytes;
    const NodeId a = placement_[from];
    const NodeId b = placement_[to];
    if (a == b || bytes == 0.0) return;
    node_bytes_.add(a, b, bytes);
    ++messages_[from];
    const Flow flow{router_of(network_, a), router_of(network_, b), bytes};
    if (flow.from != flow.to) traffic_.flows.push_back(flow);
  }

  [[nodiscard]] Exchange take(const std::string& name) {
    const auto most = std::max_element(messages_.begin(), messages_.end());
    const double messages = most == messages_.end() ? 0.0 : static_cast<double>(*most);
    const auto busiest = std::max_element(rank_bytes_.begin(), rank_bytes_.end());
    return {name, std::move(traffic_), node_bytes_.most(), messages, busiest == rank_bytes_.end() ? 0.0 : *busiest};
  }

 private:
  const Network& network_;
  const Placement& placement_;
  NodeBytes node_bytes_;
  std::vector<std::size_t> messages_;
  std::vector<double> rank_bytes_;
  Traffic traffic_;
};

struct MakeExchanges {
  const Network& network;
  const Placement& placement;

  std::vector<Exchange> operator()(const Transposes& job) const {
    Sets rows(network, job.row_bytes);
    Sets columns(network, job.column_bytes);
    std::vector<NodeId> nodes;
    for (std::size_t row = 0; row < job.column_ranks; ++row) {
      nodes.clear();
      for (std::size_t r = 0; r < job.row_ranks; ++r) nodes.push_back(placement[row * job.row_ranks + r]);
      rows.add(nodes);
    }
    for (std::size_t column = 0; column < job.row_ranks; ++column) {
      nodes.clear();
      for (std::size_t c = 0; c < job.column_ranks; ++c) nodes.push_back(placement[c * job.row_ranks + column]);
      columns.add(nodes);
    }
    return {rows.take("row"), columns.take("column")};
  }

  std::vector<Exchange> operator()(const Halos& job) const {
    Flows flows(network, placement);
    const std::array<std::size_t, 3> strides{1, job.ranks[0], std::size_t{job.ranks[0]} * job.ranks[1]};
    for (std::size_t rank = 0; rank < placement.size(); ++rank) {
      for (std::size_t d = 0; d < 3; ++d) {
        const std::size_t size = job.ranks[d];
        const std::size_t place = rank / strides[d] % size;
        const std::size_t base = rank - place * strides[d];
        if (place + 1 < size || job.is_periodic[d]) {
          flows.add(rank, base + (place + 1) % size * strides[d], job.bytes[d]);
        }
        if (place > 0 || job.is_periodic[d]) {
          flows.add(rank, base + (place + size - 1) % size * strides[d], job.bytes[d]);
        }
      }
    }
    return {flows.take("halo")};
  }

  std::vector<Exchange> operator()(const Messages& job) const {
    Flows flows(network, placement);
    for (const Message& message : job.list) flows.add(message.from, message.to, message.bytes);
    return {flows.take("messages")};
  }
};

}  // namespace

std::vector<Exchange> exchanges(const Network& network, const Job& job, const Placement& placement) {
  return std::visit(MakeExchanges{network, placement}, job.pattern);
}

std::vector<Member> routers_of(const Network& network, std::span<const NodeId> nodes) {
  std::vector<RouterId> routers;
  routers.reserve(nodes.size());
  for (const NodeId node : nodes) routers.push_back(router_of(network, node));
  std::sort(routers.begin(), routers.end());
  std::vector<Member> members;
  for (const RouterId router : routers) {
    if (members.empty() || members.back().router != router) members.push_back({router, 0.0});
    members.back().weight += 1.0;
  }
  return members;
}

}  // namespace tacit::placement::network::detail

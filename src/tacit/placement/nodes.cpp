// Filters lists of nodes.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/base/text.hpp"
#include "tacit/placement/advice.hpp"
#include "tacit/placement/machine/detail/node_places.hpp"

namespace tacit::placement {
namespace {

using network::NodeId;
using network::NodeState;
using network::number;

class Chooser {
 public:
  Chooser(network::Network& network, const NodeFilter& filter) : network_(network), filter_(filter), names_(network) {}

  NodeChoice run() {
    const std::size_t count = network::node_count(network_);
    if (network_.states.empty()) network_.states.assign(count, NodeState::compute);
    for (const std::string& name : filter_.down) network_.states[number(find(name, "down"))] = NodeState::down;
    std::vector<char> is_excluded(count, 0);
    for (const std::string& name : filter_.excluded) is_excluded[number(find(name, "excluded"))] = 1;
    const std::vector<char> has_down = routers_with_down();

    NodeChoice choice;
    for (const NodeId node : listed()) {
      const NodeState state = network_.states[number(node)];
      if (state == NodeState::down) {
        ++choice.down;
      } else if (state == NodeState::service) {
        ++choice.service;
      } else if (is_excluded[number(node)] != 0) {
        ++choice.excluded;
      } else if (has_down[number(network::router_of(network_, node))] != 0) {
        choice.beside_down.push_back(node);
      } else {
        choice.nodes.push_back(node);
      }
    }
    return choice;
  }

 private:
  [[nodiscard]] NodeId find(const std::string& name, const char* where) const {
    if (const auto node = names_.find(name)) return *node;
    const std::string example = network::name_of(network_, NodeId{0});
    throw base::Error(fmt::format("node '{}' ({}) is not of machine '{}'; its nodes have names like '{}'",
                                  base::printable(name), where, network_.name, base::printable(example)));
  }

  [[nodiscard]] std::vector<NodeId> listed() const {
    std::vector<NodeId> nodes;
    if (filter_.nodes.empty()) {
      for (std::size_t i = 0; i < network::node_count(network_); ++i) nodes.push_back(static_cast<NodeId>(i));
      return nodes;
    }
    std::vector<char> is_there(network::node_count(network_), 0);
    for (const std::string& name : filter_.nodes) {
      nodes.push_back(find(name, "listed"));
      if (std::exchange(is_there[number(nodes.back())], 1) != 0) {
        throw base::Error(fmt::format("node '{}' is listed twice", base::printable(name)));
      }
    }
    return nodes;
  }

  /// Only of networks whose routers are shared by partners: a leaf switch of a tree is not lost with one node.
  [[nodiscard]] std::vector<char> routers_with_down() const {
    std::vector<char> has_down(network::router_count(network_), 0);
    const bool is_torus = std::holds_alternative<network::Torus>(network_.shape);
    if (!is_torus || filter_.partners == Partners::keep) return has_down;
    for (std::size_t i = 0; i < network_.states.size(); ++i) {
      if (network_.states[i] != NodeState::down) continue;
      has_down[number(network::router_of(network_, static_cast<NodeId>(i)))] = 1;
    }
    return has_down;
  }

  network::Network& network_;
  const NodeFilter& filter_;
  detail::NodeNames names_;
};

}  // namespace

NodeChoice choose_nodes(network::Network& network, const NodeFilter& filter) { return Chooser(network, filter).run(); }

}  // namespace tacit::placement

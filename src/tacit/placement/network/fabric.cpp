// The links of a network: which fabric a shape has, and what others leave of its links.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/placement/network/fabric.hpp"

#include <iterator>
#include <map>
#include <utility>

#include "tacit/base/error.hpp"

namespace tacit::placement::network {
namespace {

struct MakeFabric {
  std::unique_ptr<const Fabric> operator()(const Torus& torus) const { return detail::make_torus(torus); }
  std::unique_ptr<const Fabric> operator()(const Dragonfly& fly) const { return detail::make_dragonfly(fly); }
  std::unique_ptr<const Fabric> operator()(const FatTree& tree) const { return detail::make_tree(tree); }
  std::unique_ptr<const Fabric> operator()(const Graph& graph) const { return detail::make_graph(graph); }
};

using FromTo = std::pair<RouterId, RouterId>;

/// All links by their ends; parallel ones are under the same key.
std::multimap<FromTo, std::uint32_t> by_ends(const Fabric& fabric) {
  std::multimap<FromTo, std::uint32_t> links;
  for (std::uint32_t link = 0; link < fabric.link_count(); ++link) {
    if (const auto ends = fabric.ends(LinkId{link})) links.emplace(FromTo{(*ends)[0], (*ends)[1]}, link);
  }
  return links;
}

[[noreturn]] void fail(const Network& network, const Background& other, const std::string& what) {
  throw base::Error("network " + network.name + ": background from router " + std::to_string(number(other.from)) +
                    " to router " + std::to_string(number(other.to)) + ": " + what);
}

}  // namespace

std::unique_ptr<const Fabric> make_fabric(const Network& network) { return std::visit(MakeFabric{}, network.shape); }

std::vector<double> free_bandwidths(const Network& network, const Fabric& fabric) {
  std::vector<double> free(fabric.link_count());
  for (std::uint32_t link = 0; link < free.size(); ++link) {
    free[link] = fabric.bandwidth(LinkId{link}) * (1.0 - network.background_share);
  }
  if (network.background.empty()) return free;
  const auto links = by_ends(fabric);
  for (const Background& other : network.background) {
    const auto [first, last] = links.equal_range(FromTo{other.from, other.to});
    if (first == last) fail(network, other, "no link joins the two; name neighbours");
    const double each = other.bandwidth / static_cast<double>(std::distance(first, last));
    for (auto link = first; link != last; ++link) {
      free[link->second] -= each;
      if (!(free[link->second] > 0.0)) fail(network, other, "it fills the link; a job would never end, so lower it");
    }
  }
  return free;
}

}  // namespace tacit::placement::network

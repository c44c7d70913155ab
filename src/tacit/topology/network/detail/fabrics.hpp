// The fabrics of the four shapes of networks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tacit/topology/network/fabric.hpp"

namespace tacit::topology::network::detail {

[[nodiscard]] std::unique_ptr<const Fabric> make_torus(const Torus& torus);
[[nodiscard]] std::unique_ptr<const Fabric> make_dragonfly(const Dragonfly& fly);
[[nodiscard]] std::unique_ptr<const Fabric> make_tree(const FatTree& tree);
[[nodiscard]] std::unique_ptr<const Fabric> make_graph(const Graph& graph);

}  // namespace tacit::topology::network::detail

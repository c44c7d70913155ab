// The fabrics of the four shapes of networks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tacit/placement/network/fabric.hpp"

namespace tacit::placement::network::detail {

[[nodiscard]] std::unique_ptr<const Fabric> make_torus(const Torus& torus);
[[nodiscard]] std::unique_ptr<const Fabric> make_dragonfly(const Dragonfly& fly);
[[nodiscard]] std::unique_ptr<const Fabric> make_tree(const FatTree& tree);
[[nodiscard]] std::unique_ptr<const Fabric> make_graph(const Graph& graph);

}  // namespace tacit::placement::network::detail

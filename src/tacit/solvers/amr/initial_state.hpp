// The state that a run begins with, and whether the cells show what the set-up has put there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tacit/exchange/reductions.hpp"
#include "tacit/mesh/octree.hpp"
#include "tacit/solvers/amr/parameters.hpp"
#include "tacit/solvers/amr/sub_grids.hpp"

namespace tacit::amr {

/// Fills the state of the begin, of own leaves and copies. All ranks call it. Cells have the state at their centres;
/// those that are too coarse for a feature that they meet have the mean of many places, so that its mass is there.
/// @param ranks  that share the tree; null: there is one
/// @return       whether there are cells where energy is to be deposited
[[nodiscard]] bool set_initial(const AmrParameters& parameters, const mesh::Octree& tree, SubGrids& grids,
                               exchange::RankReductions* ranks = nullptr);

/// Looks at the initial state in the cells of own leaves. Each rank may call it alone.
/// @throws config::Error where it is none that gas can have: the first such cell
void check_initial(const AmrParameters& parameters, const mesh::Octree& tree, const SubGrids& grids);

/// The same. @throws base::Error on all ranks if no cell lies where energy is to be deposited
void require_initial(const AmrParameters& parameters, const mesh::Octree& tree, SubGrids& grids,
                     exchange::RankReductions* ranks = nullptr);

/// Whether the set-up asks for finer cells than those of the leaf: it meets a feature that they do not show, or the box
/// in which energy is deposited.
[[nodiscard]] bool asks_for_finer(const AmrParameters& parameters, const mesh::Node& leaf);

/// The features that the cells are too coarse for, in words, with the masses that they have got.
/// @throws base::Error on all ranks if one has lost, or gained, a tenth of its mass
[[nodiscard]] std::vector<std::string> coarse_features(const AmrParameters& parameters, const mesh::Octree& tree,
                                                       const SubGrids& grids, exchange::RankReductions& ranks);

/// Those for which the finest cells that the parameters allow are too coarse, in words.
[[nodiscard]] std::vector<std::string> features_beyond(const AmrParameters& parameters);

}  // namespace tacit::amr

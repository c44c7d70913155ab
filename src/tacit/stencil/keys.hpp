// The keys of a stencil solver and what they become.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "tacit/stencil/definition.hpp"
#include "tacit/stencil/grid_setting.hpp"

namespace tacit::stencil {

/// All input, checked and in code units.
struct Setting : GridSetting {
  Model model = {};
  /// How a field begins in a cell; called by one thread, row by row.
  std::function<double(std::size_t field, const mesh::Cell& cell)> begin = {};
  engine::Origin origin = {};
};

/// @throws config::Error where keys contradict each other; what the set-up throws
[[nodiscard]] Setting read_setting(const Definition& definition, const config::Parameters& parameters);

}  // namespace tacit::stencil

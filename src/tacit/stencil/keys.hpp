// The keys of a stencil solver and what they become.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tacit/stencil/definition.hpp"

namespace tacit::stencil {

/// All input, checked and in code units.
struct Setting {
  mesh::Domain domain;
  std::vector<mesh::Stage> stages;
  double cfl = 0.0;               ///< part of the longest stable step
  std::optional<double> dt = {};  ///< a fixed step [time]
  Model model;
  /// How a field begins in a cell; called by one thread, row by row.
  std::function<double(std::size_t field, const std::array<mesh::Index, 3>& cell)> begin;
  engine::Origin origin;

  [[nodiscard]] double longest_step() const { return mesh::stable_limit(stages) / model.fastest; }
};

/// @throws config::Error where keys contradict each other; what the set-up throws
[[nodiscard]] Setting read_setting(const Definition& definition, const config::Parameters& parameters);

/// TABLE.KEY
[[nodiscard]] std::string key_of(const Definition& definition, std::string_view key);

/// Why a fixed step is refused; nothing if it is not.
[[nodiscard]] std::optional<std::string> refusal(const Definition& definition, const Setting& setting);

}  // namespace tacit::stencil

// What every solver on a grid is told, whatever its fields are: its domain, the scheme in time, and how long steps are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/config/parameters.hpp"
#include "tacit/engine/coarser.hpp"
#include "tacit/engine/update_cost.hpp"
#include "tacit/mesh/domain.hpp"
#include "tacit/mesh/kernels/stages.hpp"

namespace tacit::stencil {

/// Checked, and in code units.
struct GridSetting {
  std::string_view table = {};  ///< of its keys
  mesh::Domain domain = {};
  std::vector<mesh::Stage> stages = {};
  double cfl = 0.0;               ///< part of the longest stable step
  std::optional<double> dt = {};  ///< a fixed step [time]

  /// TABLE.KEY
  [[nodiscard]] std::string key(std::string_view name) const;
  /// The longest stable step [time]. @param fastest  the largest rate at which anything decays [1/time]
  [[nodiscard]] double longest_step(double fastest) const { return mesh::stable_limit(stages) / fastest; }
  /// Why a fixed step is refused; nothing if it is not.
  [[nodiscard]] std::optional<std::string> refusal(double fastest) const;
  /// The step to take [time], whether it is stable or not.
  [[nodiscard]] double step(double fastest) const { return dt.value_or(cfl * longest_step(fastest)); }
  /// @throws config::Error if the grid cannot be divided among so many ranks
  void require_ranks(std::size_t ranks, const config::Parameters& parameters) const;
};

/// What a cell takes of the machine in a step: each stage goes through all fields by itself.
/// @param rates  what their rates take in a cell, beside the stages
[[nodiscard]] engine::UpdateCost update_cost(const GridSetting& setting, std::size_t fields,
                                             const engine::UpdateCost& rates);

/// Reads TABLE.cells, .box, .scheme, .stages, .cfl and .dt: a domain without walls.
/// @param table  outlives what is returned   @throws config::Error where keys contradict each other
[[nodiscard]] GridSetting read_grid_setting(const config::Parameters& parameters, std::string_view table);

/// With fewer cells. @param table  of its keys   @return  nothing where fields come from a file
[[nodiscard]] std::optional<engine::Coarser> coarser(const config::Parameters& parameters, std::string_view table,
                                                     std::uint64_t quarters);

// The keys that it reads beside those of the domain. Names and texts outlive them.

enum class Scheme : std::uint8_t { rk2, rkl2 };
inline constexpr std::array scheme_choices{
    config::Choice{"rk2", Scheme::rk2, "Runge-Kutta of second order, two stages"},
    config::Choice{"rkl2", Scheme::rkl2,
                   "Runge-Kutta-Legendre of second order: s stages take steps s^2/4 times as long"},
};
[[nodiscard]] constexpr config::Key scheme_key(std::string_view name) {
  return config::Key::choice(name, scheme_choices, Scheme::rk2, "Scheme in time.").changeable();
}
[[nodiscard]] constexpr config::Key stages_key(std::string_view name, std::string_view scheme) {
  return config::Key::integer(name, {3, 999}, "Stages of rkl2: an odd number.", "9").needs(scheme, "rkl2").changeable();
}
[[nodiscard]] constexpr config::Key cfl_key(std::string_view name, std::string_view dt, std::string_view usual) {
  return config::Key::fraction(name, "Time step over the longest stable one of the scheme.", usual)
      .excludes(dt)
      .changeable();
}
[[nodiscard]] constexpr config::Key dt_key(std::string_view name, std::string_view help) {
  return config::Key::positive(name, base::dimension::time, help).changeable();
}
/// The file of initial conditions; "file" is a choice of initial.setup.
[[nodiscard]] constexpr config::Key initial_file_key(std::string_view help) {
  return config::Key::existing_file("initial.file", help)
      .with_example("initial.hdf5")
      .belongs_to("initial.setup", "file")
      .changeable();
}

}  // namespace tacit::stencil

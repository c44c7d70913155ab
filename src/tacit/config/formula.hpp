// Formulas of the parameter file: a number at each place.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "tacit/config/parameters.hpp"

namespace tacit::config {

/// A formula of x, y and z [length], pi, and constants of the user: "rho0*(1 + 0.1*sin(2*pi*x/L))".
///
/// It has numbers, names, + - * / ^, comparisons (1: it holds, 0: it does not), && and ||, `a ? b : c`, brackets, and
/// the functions that `functions()` names; log is that to the base e. All that it does is of IEEE doubles: what is not
/// defined, as 1/0 or sqrt(-1), is not finite, and `value` refuses it.
///
/// Copies share what was read. Several threads may call it at once: each has a parser of its own.
class Formula {
 public:
  using Place = std::array<double, 3>;
  /// What a place is called in messages: "the cell (3, 0, 0)". Called only if there is one.
  using Name = std::function<std::string()>;

  /// @param key        of type formula, which has a value
  /// @param constants  key of a table of constants
  /// @param allowed    of all values; they are finite in any case
  /// @throws Error with the place in the file and in the formula: what is not understood; an unknown name, or one that
  ///         is called with too many or too few arguments; a constant with the name of something else
  Formula(const Parameters& parameters, std::string_view key, std::string_view constants, const Range& allowed = any);

  /// Whatever it gives there.
  [[nodiscard]] double operator()(const Place& x) const;
  /// @throws Error, with the place, if it is not finite, or not allowed
  [[nodiscard]] double value(const Place& x, const Name& name) const;
  [[nodiscard]] const std::string& text() const noexcept;

  /// "abs, acos, ..."
  [[nodiscard]] static std::string functions();

 private:
  struct Definition;
  class Parser;
  [[nodiscard]] Parser& parser() const;
  std::shared_ptr<const Definition> definition_;
};

// The keys of initial fields by formulas, which solvers have in common: "formulas" is a choice of initial.setup.

inline constexpr std::string_view initial_constants = "initial.constants";
[[nodiscard]] constexpr Key initial_constants_key() {
  return Key::constants(initial_constants,
                        "Numbers that formulas know by name: plain ones are in code units; one with a unit, as in \"2 "
                        "km/s\", is converted to them.")
      .needs("initial.setup", "formulas");
}
/// @param name  "initial.fields.density"
[[nodiscard]] constexpr Key initial_formula_key(std::string_view name, std::string_view help) {
  return Key::formula(name, help).needs("initial.setup", "formulas");
}
[[nodiscard]] constexpr Key required_initial_formula_key(std::string_view name, std::string_view help) {
  return Key::formula(name, help).belongs_to("initial.setup", "formulas");
}

}  // namespace tacit::config

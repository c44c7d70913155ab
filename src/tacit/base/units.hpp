// Physical dimensions, unit systems, and quantities written as "10 Mpc".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tacit/base/error.hpp"

namespace tacit::base {

/// Exponents of the five base dimensions; velocity is {.length = 1, .time = -1}.
struct Dimension {
  int length = 0;
  int mass = 0;
  int time = 0;
  int temperature = 0;
  int current = 0;
  friend constexpr bool operator==(const Dimension&, const Dimension&) = default;
};

namespace dimension {
inline constexpr Dimension none{};
inline constexpr Dimension length{.length = 1};
inline constexpr Dimension mass{.mass = 1};
inline constexpr Dimension time{.time = 1};
inline constexpr Dimension temperature{.temperature = 1};
inline constexpr Dimension velocity{.length = 1, .time = -1};
inline constexpr Dimension acceleration{.length = 1, .time = -2};
inline constexpr Dimension density{.length = -3, .mass = 1};
inline constexpr Dimension pressure{.length = -1, .mass = 1, .time = -2};
inline constexpr Dimension energy{.length = 2, .mass = 1, .time = -2};
inline constexpr Dimension specific_energy{.length = 2, .time = -2};
inline constexpr Dimension momentum{.length = 1, .mass = 1, .time = -1};
inline constexpr Dimension angular_momentum{.length = 2, .mass = 1, .time = -1};
}  // namespace dimension

/// "a length", "a velocity", or "length^2 time^-1" where the dimension has no name.
[[nodiscard]] std::string describe(const Dimension& dimension);

/// The unit of `dimension` in cgs as parse_quantity reads it: "g cm^-3"; empty for a plain number.
[[nodiscard]] std::string cgs_symbol(const Dimension& dimension);

/// The run's code units, each in cgs (and kelvin, ampere).
struct UnitSystem {
  double length_in_cgs = 1.0;
  double mass_in_cgs = 1.0;
  double time_in_cgs = 1.0;
  double temperature_in_cgs = 1.0;
  double current_in_cgs = 1.0;

  /// How many cgs units one code unit of `dimension` is.
  [[nodiscard]] double in_cgs(const Dimension& dimension) const;
  friend constexpr bool operator==(const UnitSystem&, const UnitSystem&) = default;
};

/// A quantity that cannot be read; what() is "message\n  hint: hint", without the second line if there is no hint.
class UnitError : public Error {
 public:
  explicit UnitError(std::string message, std::string hint = {});
  [[nodiscard]] const std::string& message() const noexcept { return message_; }
  [[nodiscard]] const std::string& hint() const noexcept { return hint_; }

 private:
  std::string message_;
  std::string hint_;
};

/// A value with its dimension, in cgs (and kelvin, ampere).
struct Quantity {
  double value = 0.0;
  Dimension dimension;
};

/// Parses a number and a unit: "10 Mpc", "1e10 Msun", "1 km/s", "0.5 g cm^-3", "3" (dimensionless).
///
/// Units combine by spaces, '*', '/', and '^' with integer exponents; '/' applies to the next unit only.
/// Electric and magnetic units are those of SI, with the ampere as a base unit.
///
/// @throws UnitError "'10 Mpx': 'Mpx' is not a unit" with the closest known unit as a hint, if it cannot be read or is
///         too large or too small for a double
[[nodiscard]] Quantity parse_quantity(std::string_view text);

/// The names that parse_quantity knows, for documentation and error hints.
[[nodiscard]] std::vector<std::string_view> known_units();

}  // namespace tacit::base

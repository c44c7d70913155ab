// Reads quantities with units, and names dimensions.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <span>
#include <utility>

#include "tacit/base/detail/unit_table.hpp"
#include "tacit/base/text.hpp"

namespace tacit::base {
namespace {

constexpr std::string_view how_to_write = "write a number and a unit, as in '10 Mpc', '1 km/s' or '0.5 g cm^-3'";

struct DimensionName {
  Dimension dimension;
  std::string_view name;
};

constexpr auto dimension_names = std::to_array<DimensionName>({
    {dimension::none, "a plain number"},
    {dimension::length, "a length"},
    {dimension::mass, "a mass"},
    {dimension::time, "a time"},
    {dimension::temperature, "a temperature"},
    {detail::dimension::current, "an electric current"},
    {dimension::velocity, "a velocity"},
    {dimension::acceleration, "an acceleration"},
    {dimension::density, "a density"},
    {dimension::pressure, "a pressure"},
    {dimension::energy, "an energy"},
    {dimension::specific_energy, "a specific energy"},
    {dimension::momentum, "a momentum"},
    {dimension::angular_momentum, "an angular momentum"},
    {detail::dimension::frequency, "a frequency"},
    {detail::dimension::force, "a force"},
    {detail::dimension::power, "a power"},
    {detail::dimension::magnetic_field, "a magnetic field"},
    {Dimension{.length = 2}, "an area"},
    {Dimension{.length = 3}, "a volume"},
    {Dimension{.length = 2, .time = -1}, "a kinematic viscosity"},
    {Dimension{.length = -3}, "a number density"},
    {Dimension{.length = 2, .time = -3}, "a power per mass"},
    {Dimension{.time = -1, .temperature = 1}, "a heating rate"},
});

/// "g cm^-3" from exponents and the names of what they raise; a zero exponent is left out.
std::string join_powers(std::span<const std::pair<std::string_view, int>> powers) {
  std::string text;
  for (const auto& [name, exponent] : powers) {
    if (exponent == 0) continue;
    if (!text.empty()) text += ' ';
    text += exponent == 1 ? std::string(name) : fmt::format("{}^{}", name, exponent);
  }
  return text;
}

/// value * base^exponent, by division for a negative exponent, so that decimal units stay exact: 1 kg m^-3 = 1e-3.
double times_power(double value, double base, int exponent) {
  double power = 1.0;
  for (int i = 0; i < std::abs(exponent); ++i) power *= base;
  return exponent < 0 ? value / power : value * power;
}

Dimension times_power(const Dimension& value, const Dimension& base, int exponent) {
  return {.length = value.length + exponent * base.length,
          .mass = value.mass + exponent * base.mass,
          .time = value.time + exponent * base.time,
          .temperature = value.temperature + exponent * base.temperature,
          .current = value.current + exponent * base.current};
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// Reads one text from left to right.
class QuantityReader {
 public:
  explicit QuantityReader(std::string_view text) : text_(text) {}

  Quantity read() {
    Quantity quantity{.value = read_number(), .dimension = {}};
    const bool is_zero = quantity.value == 0.0;
    for (skip_spaces(); !at_end(); skip_spaces()) multiply_unit(quantity);
    // Zero times anything is zero; anything else must stay a number that divides and compares as it should.
    if (!std::isfinite(quantity.value) || (std::abs(quantity.value) < std::numeric_limits<double>::min() && !is_zero)) {
      fail("is too large or too small a number in cgs units");
    }
    return quantity;
  }

 private:
  [[nodiscard]] bool at_end() const { return position_ >= text_.size(); }
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
  }
  void skip_spaces() {
    while (peek() == ' ' || peek() == '\t') ++position_;
  }
  [[noreturn]] void fail(const std::string& what, std::string_view hint = {}) const {
    throw UnitError(fmt::format("'{}' {}", printable(text_), what), std::string(hint));
  }
  [[noreturn]] void fail_inside(const std::string& what, std::string_view hint) const {
    throw UnitError(fmt::format("'{}': {}", printable(text_), what), std::string(hint));
  }

  double read_number() {
    skip_spaces();
    if (peek() == '+' && peek(1) != '-') ++position_;  // from_chars takes no plus sign
    const std::size_t digits = peek() == '-' ? 1 : 0;
    if (!is_digit(peek(digits)) && !(peek(digits) == '.' && is_digit(peek(digits + 1)))) {
      fail("does not begin with a number", how_to_write);
    }
    double value = 0.0;
    const auto [end, error] = std::from_chars(text_.data() + position_, text_.data() + text_.size(), value);
    if (error != std::errc{}) fail("is too large or too small a number");
    position_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  void multiply_unit(Quantity& quantity) {
    const int sign = peek() == '/' ? -1 : 1;
    if (peek() == '/' || peek() == '*') {
      ++position_;
      skip_spaces();
      if (at_end()) fail("ends where a unit should follow", how_to_write);
    }
    const detail::Unit& unit = read_unit();
    const int exponent = sign * read_exponent(unit.name);
    quantity.value = times_power(quantity.value, unit.in_cgs, exponent);
    quantity.dimension = times_power(quantity.dimension, unit.dimension, exponent);
  }

  const detail::Unit& read_unit() {
    const std::size_t begin = position_;
    while (is_letter(peek())) ++position_;
    const auto name = text_.substr(begin, position_ - begin);
    if (name.empty()) {
      fail_inside(fmt::format("'{}' cannot stand here", printable(text_.substr(begin), 12)), how_to_write);
    }
    const auto unit = std::ranges::find(detail::units, name, &detail::Unit::name);
    if (unit != detail::units.end()) return *unit;
    const auto guess = closest(name, known_units());
    const std::string hint = guess ? "did you mean '" + *guess + "'?" : std::string(how_to_write);
    fail_inside(fmt::format("'{}' is not a unit", printable(name, 20)), hint);
  }

  int read_exponent(std::string_view name) {
    if (is_digit(peek()) || ((peek() == '-' || peek() == '+') && is_digit(peek(1)))) {
      fail_inside(fmt::format("an exponent needs '^' before it"), fmt::format("write {}^{}", name, exponent_text()));
    }
    if (peek() != '^') return 1;
    ++position_;
    const std::string digits = exponent_text();
    int exponent = 0;
    const std::size_t sign = digits.starts_with('+') ? 1 : 0;
    const auto [end, error] = std::from_chars(digits.data() + sign, digits.data() + digits.size(), exponent);
    const bool ends_well = at_end() || std::string_view(" \t*/").find(peek()) != std::string_view::npos;
    if (error != std::errc{} || end != digits.data() + digits.size() || !ends_well || std::abs(exponent) > 30) {
      fail_inside(fmt::format("'{}^' needs an integer between -30 and 30", name), how_to_write);
    }
    return exponent;
  }

  /// Takes a sign and digits.
  std::string exponent_text() {
    std::string digits;
    if (peek() == '-' || peek() == '+') digits += text_[position_++];
    while (is_digit(peek())) digits += text_[position_++];
    return digits;
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace

UnitError::UnitError(std::string message, std::string hint)
    : Error(hint.empty() ? message : message + "\n  hint: " + hint),
      message_(std::move(message)),
      hint_(std::move(hint)) {}

std::string describe(const Dimension& dimension) {
  const auto known = std::ranges::find(dimension_names, dimension, &DimensionName::dimension);
  if (known != dimension_names.end()) return std::string(known->name);
  return join_powers(std::to_array<std::pair<std::string_view, int>>({{"length", dimension.length},
                                                                      {"mass", dimension.mass},
                                                                      {"time", dimension.time},
                                                                      {"temperature", dimension.temperature},
                                                                      {"current", dimension.current}}));
}

std::string cgs_symbol(const Dimension& dimension) {
  return join_powers(std::to_array<std::pair<std::string_view, int>>({{"g", dimension.mass},
                                                                      {"cm", dimension.length},
                                                                      {"s", dimension.time},
                                                                      {"K", dimension.temperature},
                                                                      {"A", dimension.current}}));
}

double UnitSystem::in_cgs(const Dimension& dimension) const {
  double value = times_power(1.0, length_in_cgs, dimension.length);
  value = times_power(value, mass_in_cgs, dimension.mass);
  value = times_power(value, time_in_cgs, dimension.time);
  value = times_power(value, temperature_in_cgs, dimension.temperature);
  return times_power(value, current_in_cgs, dimension.current);
}

Quantity parse_quantity(std::string_view text) { return QuantityReader(text).read(); }

std::vector<std::string_view> known_units() {
  std::vector<std::string_view> names;
  names.reserve(detail::units.size());
  for (const auto& unit : detail::units) names.push_back(unit.name);
  return names;
}

}  // namespace tacit::base

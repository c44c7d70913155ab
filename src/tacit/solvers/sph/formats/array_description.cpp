// Writes and reads the attributes that describe a dataset.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/formats/array_description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tacit::sph {
namespace {

using base::Dimension;

/// A factor of a unit: its symbol in group Units, the attribute with its exponent, and where that goes.
struct Factor {
  std::string_view symbol;
  std::string_view attribute;
  int Dimension::*exponent;
};
constexpr std::array factors{
    Factor{"U_M", "U_M exponent", &Dimension::mass}, Factor{"U_L", "U_L exponent", &Dimension::length},
    Factor{"U_t", "U_t exponent", &Dimension::time}, Factor{"U_I", "U_I exponent", &Dimension::current},
    Factor{"U_T", "U_T exponent", &Dimension::temperature}};

constexpr std::string_view to_cgs = "Conversion factor to CGS (not including cosmological corrections)";
constexpr std::string_view to_physical = "Conversion factor to physical CGS (including cosmological corrections)";
constexpr std::string_view description_name = "Description";
constexpr std::string_view expression_name = "Expression for physical CGS units";
constexpr std::string_view filter_name = "Lossy compression filter";
constexpr std::string_view convertible = "Property can be converted to comoving";
constexpr std::string_view is_physical = "Value stored as physical";
constexpr std::string_view a_exponent = "a-scale exponent";
constexpr std::string_view h_exponent = "h-scale exponent";
constexpr std::array other_attributes{to_cgs,      to_physical, description_name, expression_name, filter_name,
                                      convertible, is_physical, a_exponent,       h_exponent};

/// "U_L^2 U_t^-2": the dimension in the words of the group Units; "1" if there is none.
std::string expression(const Dimension& dimension) {
  std::string text;
  for (const Factor& factor : factors) {
    const int exponent = dimension.*factor.exponent;
    if (exponent == 0) continue;
    if (!text.empty()) text += ' ';
    text += exponent == 1 ? std::string(factor.symbol) : fmt::format("{}^{}", factor.symbol, exponent);
  }
  return text.empty() ? "1" : text;
}

}  // namespace

void describe_array(io::FileWriter& file, const std::string& array, std::string_view description,
                    const Dimension& dimension, const base::UnitSystem& units, const Comoving& comoving) {
  const auto number = [&](std::string_view name, double value) {
    file.attribute(array, std::string(name), std::array{value});
  };
  const auto integer = [&](std::string_view name, std::int64_t value) {
    file.attribute(array, std::string(name), std::array{value});
  };
  const auto text = [&](std::string_view name, std::string_view value) {
    file.attribute(array, std::string(name), value);
  };
  const double cgs = units.in_cgs(dimension);
  number(to_cgs, cgs);
  number(to_physical, cgs * std::pow(comoving.a, comoving.power));
  text(description_name, description);
  text(expression_name, expression(dimension));
  text(filter_name, "None");
  integer(convertible, 1);
  integer(is_physical, 0);
  for (const Factor& factor : factors) number(factor.attribute, dimension.*factor.exponent);
  number(a_exponent, comoving.power);
  number(h_exponent, 0.0);
}

bool is_description(std::string_view attribute) {
  return std::ranges::find(other_attributes, attribute) != other_attributes.end() ||
         std::ranges::find(factors, attribute, &Factor::attribute) != factors.end();
}

std::optional<Dimension> described_dimension(const io::FileReader& file, const std::string& array) {
  Dimension dimension;
  for (const Factor& factor : factors) {
    const std::string name(factor.attribute);
    if (!file.has_attribute(array, name)) return std::nullopt;
    const double exponent = file.attribute(array, name).front();
    if (exponent != std::round(exponent) || std::abs(exponent) > 100.0) return std::nullopt;
    dimension.*factor.exponent = static_cast<int>(exponent);
  }
  return dimension;
}

}  // namespace tacit::sph

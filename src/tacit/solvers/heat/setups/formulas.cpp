// Temperature, and optionally diffusivity and source, by formulas of the parameter file.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "tacit/config/formula.hpp"
#include "tacit/solvers/heat/setups/setups.hpp"

namespace tacit::heat {
namespace {

constexpr std::array field_keys{
    config::required_initial_formula_key("initial.fields.temperature",
                                         "Temperature at the place (x, y, z), in code units."),
    config::initial_formula_key("initial.fields.diffusivity",
                                "Diffusivity, more than 0, in place of heat.diffusivity."),
    config::initial_formula_key("initial.fields.source", "Source of heat, beside heat.source."),
    config::initial_constants_key(),
};

ByCell by_cell(const config::Formula& formula, const Domain& domain) {
  return [formula, domain](const Cell& cell) {
    return formula.value({domain.position(0, cell[0]), domain.position(1, cell[1]), domain.position(2, cell[2])},
                         [&] { return fmt::format("the cell ({}, {}, {})", cell[0], cell[1], cell[2]); });
  };
}

}  // namespace

std::span<const config::Key> formula_keys() { return field_keys; }

Initial make_formulas(const config::Parameters& p, const Domain& domain) {
  const auto field = [&](std::string_view key, const config::Range& allowed = config::any) -> ByCell {
    if (!p.has(key)) return {};
    return by_cell(config::Formula(p, key, config::initial_constants, allowed), domain);
  };
  return {.temperature = field("initial.fields.temperature"),
          .diffusivity = field("initial.fields.diffusivity", config::positive),
          .source = field("initial.fields.source"),
          .origin = {.input = "formulas of the parameter file"}};
}

}  // namespace tacit::heat

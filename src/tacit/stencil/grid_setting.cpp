// Reads the keys of grids and steps.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/stencil/grid_setting.hpp"

#include <fmt/format.h>

namespace tacit::stencil {
namespace {

std::vector<mesh::Stage> read_stages(const config::Parameters& parameters, const GridSetting& setting) {
  if (parameters.choice(setting.key("scheme"), scheme_choices) == Scheme::rk2) return mesh::rk2();
  const std::string key = setting.key("stages");
  const std::uint64_t stages = parameters.count(key);
  if (stages % 2 == 0) {
    throw config::Error(parameters.where(key), key,
                        fmt::format("{} is even: the longest step would not damp the shortest waves", stages),
                        fmt::format("{} = {}", key, stages + 1));
  }
  return mesh::rkl2(stages);
}

std::optional<double> read_fixed_step(const config::Parameters& parameters, const std::string& key) {
  if (!parameters.has(key)) return {};
  const double dt = parameters.real(key);
  const double dt_min = parameters.real("time.dt_min");
  if (dt >= dt_min) return dt;
  throw config::Error(parameters.where(key), key, fmt::format("is shorter than time.dt_min = {:.6g}", dt_min),
                      "change one of the two");
}

}  // namespace

std::string GridSetting::key(std::string_view name) const { return fmt::format("{}.{}", table, name); }

std::optional<std::string> GridSetting::refusal(double fastest) const {
  const double longest = longest_step(fastest);
  if (!dt || !(*dt > longest)) return {};
  return fmt::format(
      "{0}.dt = {1:.4g} is too long: no step beyond {2:.4g} is stable; take {0}.cfl, or {0}.scheme = \"rkl2\" with "
      "more "
      "stages",
      table, *dt, longest);
}

void GridSetting::require_ranks(std::size_t ranks, const config::Parameters& parameters) const {
  static_cast<void>(mesh::divide(domain, 1, ranks, comm::RankId{0}, parameters, key("cells")));
}

engine::UpdateCost update_cost(const GridSetting& setting, std::size_t fields, const engine::UpdateCost& rates) {
  const auto count = static_cast<double>(fields);
  engine::UpdateCost cost;
  for (const mesh::Stage& stage : setting.stages) {
    const mesh::StageCost of_field = mesh::cost_of(stage.form);
    cost.flops += rates.flops + count * of_field.operations;
    cost.bytes += rates.bytes + count * of_field.bytes;
  }
  return cost;
}

GridSetting read_grid_setting(const config::Parameters& parameters, std::string_view table) {
  GridSetting setting{.table = table, .domain = mesh::read_domain(parameters, table)};
  setting.stages = read_stages(parameters, setting);
  setting.cfl = parameters.real(setting.key("cfl"));
  setting.dt = read_fixed_step(parameters, setting.key("dt"));
  return setting;
}

std::optional<engine::Coarser> coarser(const config::Parameters& parameters, std::string_view table,
                                       std::uint64_t quarters) {
  if (parameters.has("initial.file")) return std::nullopt;
  return engine::coarser_list(parameters, fmt::format("{}.cells", table), quarters, {.least = 8});
}

}  // namespace tacit::stencil

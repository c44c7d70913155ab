// Drift of conserved quantities against their natural scales.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/conservation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tacit::engine {
namespace {

std::vector<double> components(const base::Vec3& v) { return {v.x, v.y, v.z}; }

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() == 1 && b.size() == 1) return std::abs(a[0] - b[0]);
  double sum = 0.0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

}  // namespace

std::optional<Flaw> find_not_finite(std::span<const Quantity> quantities) {
  constexpr std::array axes{" along x", " along y", " along z"};
  for (const Quantity& quantity : quantities) {
    for (std::size_t i = 0; i < quantity.value.size(); ++i) {
      if (std::isfinite(quantity.value[i])) continue;
      std::string field = quantity.name;
      std::ranges::replace(field, '_', ' ');
      if (quantity.value.size() == axes.size()) field += axes.at(i);
      return Flaw{.text = fmt::format("the {} is {}", field, quantity.value[i]), .field = field};
    }
  }
  return std::nullopt;
}

Conserved MechanicalSums::conserved() const {
  Conserved result;
  if (mass) result.quantities.push_back({"mass", {*mass}, *mass});
  result.quantities.push_back({"momentum", components(momentum), momentum_scale, true, opens_momentum});
  const double energy_scale =
      std::max({kinetic_energy, internal_energy.value_or(0.0), std::abs(potential_energy.value_or(0.0))});
  result.quantities.push_back({"energy", {energy()}, energy_scale, keeps_energy, opens_energy});
  if (angular_momentum) {
    result.quantities.push_back({"angular_momentum", components(*angular_momentum), angular_momentum_scale});
  }
  const auto along = [this](std::size_t axis) {
    return angular_momentum ? std::optional((*angular_momentum)[axis]) : std::nullopt;
  };
  result.columns = {{"mass", mass},
                    {"kinetic_energy", kinetic_energy},
                    {"internal_energy", internal_energy},
                    {"potential_energy", potential_energy},
                    {"total_energy", energy()},
                    {"momentum_x", momentum.x},
                    {"momentum_y", momentum.y},
                    {"momentum_z", momentum.z},
                    {"angular_momentum_x", along(0)},
                    {"angular_momentum_y", along(1)},
                    {"angular_momentum_z", along(2)}};
  return result;
}

std::optional<Flaw> MechanicalSums::not_finite() const {
  const std::array<Quantity, 5> all{{{"mass", {mass.value_or(0.0)}},
                                     {"momentum", components(momentum)},
                                     {"kinetic_energy", {kinetic_energy}},
                                     {"internal_energy", {internal_energy.value_or(0.0)}},
                                     {"potential_energy", {potential_energy.value_or(0.0)}}}};
  return find_not_finite(all);
}

std::optional<double> DriftLimits::of(std::string_view quantity) const {
  const auto limit = std::ranges::find(named, quantity, &std::pair<std::string, double>::first);
  return limit != named.end() ? limit->second : of_any;
}

void Conservation::add(std::span<const Quantity> state) {
  for (const Quantity& quantity : state) {
    auto entry = std::ranges::find(entries_, quantity.name, &Entry::name);
    if (entry == entries_.end()) entry = entries_.insert(entry, {.name = quantity.name, .start = quantity.value});
    entry->last = quantity.value;
    entry->is_kept = quantity.is_kept;
    if (!quantity.is_kept) continue;
    entry->scale = std::max(entry->scale, quantity.scale);
    entry->largest_change = std::max(entry->largest_change, distance(quantity.value, entry->start));
  }
}

std::vector<Conservation::Jump> Conservation::jumps_to(std::span<const Quantity> state, double most) const {
  std::vector<Jump> jumps;
  for (const Quantity& quantity : state) {
    const Entry* const entry = find(quantity.name);
    if (entry == nullptr || !quantity.is_kept || quantity.is_open) continue;
    const double change = distance(quantity.value, entry->last);
    const double scale = std::max(entry->scale, quantity.scale);
    if (change > most * scale && scale > 0.0)
      jumps.push_back({quantity.name, change / scale, entry->last, quantity.value});
  }
  return jumps;
}

const Conservation::Entry* Conservation::find(std::string_view name) const {
  const auto entry = std::ranges::find(entries_, name, &Entry::name);
  return entry == entries_.end() ? nullptr : &*entry;
}

const Conservation::Entry* Conservation::find_beyond(const DriftLimits& limits) const {
  const auto entry = std::ranges::find_if(entries_, [&limits](const Entry& candidate) {
    const std::optional<double> limit = limits.of(candidate.name);
    return limit && candidate.is_kept && !(candidate.max_drift() <= *limit);
  });
  return entry == entries_.end() ? nullptr : &*entry;
}

}  // namespace tacit::engine

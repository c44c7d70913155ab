// Velocity and scalars by formulas of the parameter file.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/setups/formulas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "tacit/base/vec3.hpp"
#include "tacit/solvers/dns/fields.hpp"
#include "tacit/solvers/dns/flow.hpp"

namespace tacit::dns {
namespace {

using config::Formula;

constexpr std::array velocity_keys{"initial.fields.u", "initial.fields.v", "initial.fields.w"};
struct ScalarKey {
  std::string_view key;
  std::string_view name;  ///< of the field
};
constexpr std::array scalar_keys_of_fields{
    ScalarKey{"initial.fields.scalar1", "scalar1"},   ScalarKey{"initial.fields.scalar2", "scalar2"},
    ScalarKey{"initial.fields.scalar3", "scalar3"},   ScalarKey{"initial.fields.scalar4", "scalar4"},
    ScalarKey{"initial.fields.buoyancy", "buoyancy"},
};
constexpr const char* of_scalar = "Of that scalar, in place of scalars.initial.";
constexpr std::array field_keys{
    config::required_initial_formula_key(velocity_keys[0], "Velocity along x at the place (x, y, z), in code units."),
    config::required_initial_formula_key(velocity_keys[1], "Velocity along y."),
    config::required_initial_formula_key(velocity_keys[2],
                                         "Velocity along z; the divergence of the three is taken out."),
    config::initial_formula_key(scalar_keys_of_fields[0].key, of_scalar),
    config::initial_formula_key(scalar_keys_of_fields[1].key, of_scalar),
    config::initial_formula_key(scalar_keys_of_fields[2].key, of_scalar),
    config::initial_formula_key(scalar_keys_of_fields[3].key, of_scalar),
    config::initial_formula_key(scalar_keys_of_fields[4].key, "Of the buoyancy b, with dns.stratification > 0."),
    config::initial_constants_key(),
};

std::string point_text(const base::Vec3& x, const FlowParameters& flow) {
  const auto number = [](double place, double side, std::size_t points) {
    return std::lround(place / side * static_cast<double>(points));
  };
  return fmt::format("the point ({}, {}, {})", number(x.x, flow.box.x, flow.points[0]),
                     number(x.y, flow.box.y, flow.points[1]), number(x.z, flow.box.z, flow.points[2]));
}

double value_at(const Formula& formula, const base::Vec3& x, const FlowParameters& flow) {
  return formula.value({x.x, x.y, x.z}, [&] { return point_text(x, flow); });
}

/// The error of the first point, in the order of the grid, whatever threads find them.
class FirstError {
 public:
  /// @return  what `value` returns, or `otherwise` where it throws
  template <class Value>
  auto value_or(const base::Vec3& x, decltype(std::declval<Value>()()) otherwise, const Value& value) {
    try {
      return value();
    } catch (const config::Error& error) {
      const std::lock_guard lock(mutex_);
      const auto order = [](const base::Vec3& at) { return std::tuple(at.z, at.y, at.x); };
      if (!error_ || order(x) < order(place_)) {
        error_ = error;
        place_ = x;
      }
    }
    return otherwise;
  }
  void throw_if_any() const {
    if (error_) throw config::Error(*error_);
  }

 private:
  std::mutex mutex_;
  std::optional<config::Error> error_;
  base::Vec3 place_{};
};

}  // namespace

std::span<const config::Key> formula_keys() { return field_keys; }

Formulas read_formulas(const config::Parameters& p, const FlowParameters& flow) {
  Formulas result;
  for (const char* const key : velocity_keys) result.velocity.emplace_back(p, key, config::initial_constants);
  const std::vector<FieldInfo> fields = fields_of(flow.physics);
  for (const auto& [key, name] : scalar_keys_of_fields) {
    if (!p.has(key)) continue;
    const std::string field(name);
    if (std::ranges::find(fields, field, &FieldInfo::name) == fields.end()) {
      throw config::Error(p.where(key), std::string(key), "the flow has no such scalar",
                          field == "buoyancy" ? "dns.stratification > 0" : "an entry for it in scalars.schmidt");
    }
    result.scalars.push_back({field, Formula(p, key, config::initial_constants)});
  }
  return result;
}

void look_at_formulas(const Formulas& formulas, const FlowParameters& flow) {
  constexpr std::size_t most = std::size_t{1} << 22U;
  const auto& n = flow.points;
  if (n[0] * n[1] * n[2] > most) return;
  const auto place = [](std::size_t i, std::size_t points, double side) {
    return side * static_cast<double>(i) / static_cast<double>(points);
  };
  for (std::size_t z = 0; z < n[2]; ++z) {
    for (std::size_t y = 0; y < n[1]; ++y) {
      for (std::size_t x = 0; x < n[0]; ++x) {
        const base::Vec3 at{place(x, n[0], flow.box.x), place(y, n[1], flow.box.y), place(z, n[2], flow.box.z)};
        for (const Formula& formula : formulas.velocity) static_cast<void>(value_at(formula, at, flow));
        for (const auto& [name, formula] : formulas.scalars) static_cast<void>(value_at(formula, at, flow));
      }
    }
  }
}

double give_formulas(const Formulas& formulas, Flow& flow) {
  const FlowParameters& parameters = flow.parameters();
  FirstError error;
  const auto& u = formulas.velocity;
  const double divergence = flow.set_any([&](const base::Vec3& x) {
    return error.value_or(x, base::Vec3{}, [&] {
      return base::Vec3{value_at(u[0], x, parameters), value_at(u[1], x, parameters), value_at(u[2], x, parameters)};
    });
  });
  const std::vector<FieldInfo> fields = fields_of(parameters.physics);
  for (const auto& [name, formula] : formulas.scalars) {
    const auto field = std::ranges::find(fields, name, &FieldInfo::name);
    // The flow carries theta = b / N.
    const double factor = name == "buoyancy" ? 1.0 / parameters.physics.stratification : 1.0;
    flow.set_scalar(static_cast<std::size_t>(field - fields.begin()) - 3, [&](const base::Vec3& x) {
      return error.value_or(x, 0.0, [&] { return factor * value_at(formula, x, parameters); });
    });
  }
  error.throw_if_any();
  return divergence;
}

}  // namespace tacit::dns

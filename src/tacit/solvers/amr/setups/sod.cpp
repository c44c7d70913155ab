// A shock tube along any axis, beside the exact solution of its Riemann problem.
// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "tacit/solvers/amr/setups/riemann_problem.hpp"
#include "tacit/solvers/amr/setups/setups.hpp"

namespace tacit::amr {
namespace {

using config::Choice;
using config::Key;
namespace dim = base::dimension;

constexpr std::array axis_choices{
    Choice{"x", std::size_t{0}, "along the first axis"},
    Choice{"y", std::size_t{1}, "along the second one"},
    Choice{"z", std::size_t{2}, "along the third one"},
};
constexpr std::array tube_keys{
    Key::choice("sod.axis", axis_choices, std::size_t{0}, "Along which the tube lies."),
    Key::fraction("sod.interface", "Where the states meet, over the length of the box.", "0.5"),
    Key::positive("sod.rho_left", dim::density, "Density on the left.", "1"),
    Key::quantity("sod.u_left", dim::velocity, "Velocity along the tube on the left.", "0"),
    Key::positive("sod.P_left", dim::pressure, "Pressure on the left.", "1"),
    Key::positive("sod.rho_right", dim::density, "Density on the right.", "0.125"),
    Key::quantity("sod.u_right", dim::velocity, "Velocity along the tube on the right.", "0"),
    Key::positive("sod.P_right", dim::pressure, "Pressure on the right.", "0.1"),
};

GasState gas_of(const TubeState& tube, std::size_t axis) {
  GasState gas{.rho = tube.rho, .P = tube.P};
  gas.v[axis] = tube.u;
  return gas;
}

}  // namespace

std::span<const config::Key> sod_keys() { return tube_keys; }

/// `exact` holds until a wave meets a side of the domain.
Initial make_sod(const config::Parameters& p, const Domain& domain, double gamma) {
  const std::size_t axis = p.choice("sod.axis", axis_choices);
  if (axis >= domain.dimensions) {
    throw config::Error(p.where("sod.axis"), "sod.axis", "the domain has no such axis",
                        "a number for each axis in amr.root");
  }
  if (domain.sides[axis][0] == Wall::periodic) {
    throw config::Error(p.where("amr.low"), "amr.low", "the axis of a shock tube is not periodic",
                        "amr.low = \"outflow\"");
  }
  const TubeState left{p.real("sod.rho_left"), p.real("sod.u_left"), p.real("sod.P_left")};
  const TubeState right{p.real("sod.rho_right"), p.real("sod.u_right"), p.real("sod.P_right")};
  if (RiemannProblem::has_vacuum(left, right, gamma)) {
    throw config::Error(p.where("sod.u_right"), "sod.u_right", "the states fly apart and leave a vacuum",
                        "a smaller difference of sod.u_left and sod.u_right");
  }
  const double interface = p.real("sod.interface") * domain.box[axis];
  const auto begin = [=](const Point& x) { return gas_of(x[axis] < interface ? left : right, axis); };
  const RiemannProblem problem(left, right, gamma);
  return {.state = begin,
          .exact = [=](double time) -> GasAt {
            if (time <= 0.0) return begin;
            return [=](const Point& x) { return gas_of(problem.at((x[axis] - interface) / time), axis); };
          },
          .from = "set-up sod",
          .fractions = [=](const Point& x) { return all_of(x[axis] < interface ? 0 : 1); }};
}

}  // namespace tacit::amr

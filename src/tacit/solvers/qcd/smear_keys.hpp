// What tables of keys about smeared links have in common.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "tacit/config/key.hpp"
#include "tacit/config/parameters.hpp"
#include "tacit/solvers/qcd/gauge/smearing.hpp"

namespace tacit::qcd {

inline constexpr std::array smearing_choices{
    config::Choice{"none", SmearingKind::none, "the links themselves"},
    config::Choice{"ape", SmearingKind::ape, "means with staples, projected on SU(3) (Albanese et al. 1987)"},
    config::Choice{"stout", SmearingKind::stout, "exponentials of staples (Morningstar & Peardon 2004)"},
};
inline constexpr config::Key smear_weight_key =
    config::Key::positive("smear.weight", "Of staples: alpha of APE, up to 1, or rho of stout.")
        .with_example("0.5")
        .belongs_to("smear.kind", "ape", "stout");
inline constexpr config::Key smear_steps_key =
    config::Key::integer("smear.steps", {.lower = 1, .upper = 1e6}, "How often links are smeared.")
        .with_example("10")
        .belongs_to("smear.kind", "ape", "stout");

/// What smear.kind, smear.weight and smear.steps say; links along x, y and z.
/// @throws config::Error of an APE weight above 1
[[nodiscard]] Smearing read_smearing(const config::Parameters& parameters);

}  // namespace tacit::qcd

// Reads keys about smeared links.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/smear_keys.hpp"

#include <fmt/format.h>

namespace tacit::qcd {

Smearing read_smearing(const config::Parameters& p) {
  Smearing result{.kind = p.choice("smear.kind", smearing_choices)};
  if (result.kind == SmearingKind::none) return result;
  constexpr const char* key = "smear.weight";
  result.weight = p.real(key);
  result.steps = p.count("smear.steps");
  if (result.kind == SmearingKind::ape && result.weight > 1.0) {
    throw config::Error(p.where(key), key,
                        fmt::format("{} is more than 1: of APE the link itself has the rest", result.weight),
                        "for example 0.5");
  }
  return result;
}

}  // namespace tacit::qcd

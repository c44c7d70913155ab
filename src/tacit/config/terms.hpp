// Words of the field that mean the same: "nu" and "viscosity", "max_level" and "finest".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tacit::config {

/// How well a key answers a word that is not its name: 0 it does not, else the smaller the better. Both may have their
/// table before them ("dns.nu"), capitals and dashes; compared is what stands behind the last dot.
[[nodiscard]] int meaning_rank(std::string_view word, std::string_view key);

}  // namespace tacit::config

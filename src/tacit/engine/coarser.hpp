// The same problem at a coarser resolution: what a solver changes of its parameters for a rehearsal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/config/parameters.hpp"

namespace tacit::engine {

/// Distances of its elements are longer, all else is as it was. A solver is asked for 6, 8, 12, 16, ... quarters:
/// factors 1.5, 2, 3, 4, ...
struct Coarser {
  double factor = 1.0;                     ///< by which they are longer
  std::vector<std::string> settings = {};  ///< "heat.cells=[16, 16]", as of the option --set
};

/// What a divided number of elements along an axis must be.
struct CoarserRule {
  std::int64_t least = 4;
  std::int64_t unit = 1;  ///< a multiple of this
};

/// Of a key with a number of elements along an axis, or several such keys of which some may have no value. Numbers are
/// rounded up to a multiple of the unit, and divided only where all are by the same factor: the shape stays as it is.
///
/// @return  nothing where a number would become less than the least, or no smaller than it was
[[nodiscard]] std::optional<Coarser> coarser_count(const config::Parameters& parameters,
                                                   std::span<const std::string_view> keys, std::uint64_t quarters,
                                                   const CoarserRule& rule = {});

/// The same of a key that holds a list of them.
[[nodiscard]] std::optional<Coarser> coarser_list(const config::Parameters& parameters, std::string_view key,
                                                  std::uint64_t quarters, const CoarserRule& rule = {});

}  // namespace tacit::engine

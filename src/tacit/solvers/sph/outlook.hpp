// What is known of initial conditions without making or reading more of them than the memory holds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tacit/base/units.hpp"
#include "tacit/solvers/sph/memory_use.hpp"
#include "tacit/solvers/sph/parameters.hpp"

namespace tacit::sph {

struct Outlook {
  Extent extent;
  double start_time = 0.0;       ///< [time]
  double first_time_step = 0.0;  ///< upper bound, for the hottest or smallest particle [time]; 0: it cannot be told
  bool is_estimate = false;      ///< not all particles were looked at
};

/// How much may be made or read to look at it.
struct OutlookLimits {
  double particles = 2.2e6;  ///< of a set-up: 200 MB
  double bytes = 0.0;        ///< of a file; 0: half of the memory that there is
};

/// Looks at all particles where that is cheap. Of a larger set-up it makes two small ones, of 32 and 64 particles along
/// a side, and goes on as they grow: particles and sides with whole powers of the resolution, the first step with
/// halves. Of a file too large to be read it takes the headers.
///
/// @throws base::FormatError, base::SystemError if a file cannot be used
[[nodiscard]] Outlook look_at(const SphParameters& parameters, const base::UnitSystem& units,
                              const OutlookLimits& limits = {});

}  // namespace tacit::sph

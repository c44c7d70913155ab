// For where heFFTe is not found.
// SPDX-License-Identifier: Apache-2.0
#include "dns/round_trip.hpp"

namespace tacit::bench {

std::string heffte_version() { return {}; }

std::vector<NamedRoundTrip> heffte_plans(Crew& /*crew*/, std::size_t /*n*/) { return {}; }

}  // namespace tacit::bench

// For where FFTW for MPI is not found.
// SPDX-License-Identifier: Apache-2.0
#include "dns/round_trip.hpp"

namespace tacit::bench {

bool fftw_mpi_is_there() { return false; }

std::vector<NamedRoundTrip> fftw_mpi_plans(Crew& /*crew*/, std::size_t /*n*/) { return {}; }

}  // namespace tacit::bench

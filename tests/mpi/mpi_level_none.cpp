// There is no MPI to start in this build.
// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "mpi/mpi_level.hpp"

namespace tacit::comm::conformance {

MpiAtLevel::MpiAtLevel(const std::string& level) { throw std::runtime_error("no MPI to start with level " + level); }
MpiAtLevel::~MpiAtLevel() = default;

}  // namespace tacit::comm::conformance

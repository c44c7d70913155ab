// What files of expanding boxes say of their scale factor, and the factors of their velocities and energies.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tacit/io/file.hpp"
#include "tacit/solvers/sph/formats/gadget.hpp"

namespace tacit::sph {

/// Of a file whose lengths are comoving.
struct ComovingFile {
  double a = 1.0;  ///< scale factor
  /// What velocities are multiplied by to become a^2 dx/dt. GADGET's are sqrt(a) dx/dt, others' a dx/dt.
  double of_velocities = 1.0;
  /// What internal energies are multiplied by to become a^2 times the physical ones.
  double of_energies = 1.0;
};

/// Powers of a that arrays say of themselves go before what is usual.
/// @param type  group of the particles, "PartType1"
/// @pre options.cosmology
/// @throws base::FormatError where the file is one of a box that does not expand, or contradicts itself or the run
[[nodiscard]] ComovingFile read_comoving(const io::FileReader& file, const std::string& type,
                                         const GadgetOptions& options);

/// Gives the particles the time, the velocities and the energies that a box that expands counts and advances.
/// @see read_comoving
void take_comoving(InitialConditions& particles, const io::FileReader& file, const std::string& type,
                   const GadgetOptions& options);

}  // namespace tacit::sph

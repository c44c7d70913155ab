// The keys of the sph solver and what they become.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacit/base/vec3.hpp"
#include "tacit/config/parameters.hpp"
#include "tacit/fmm/kernels/direct.hpp"
#include "tacit/particles/domain.hpp"
#include "tacit/solvers/sph/cosmology/cosmology.hpp"
#include "tacit/solvers/sph/formats/gadget.hpp"
#include "tacit/solvers/sph/gas.hpp"
#include "tacit/solvers/sph/kernels/equation_of_state.hpp"
#include "tacit/solvers/sph/kernels/potential.hpp"
#include "tacit/solvers/sph/kernels/smoothing_length.hpp"
#include "tacit/solvers/sph/kernels/sphenix.hpp"
#include "tacit/solvers/sph/setups/setups.hpp"
#include "tacit/solvers/sph/source_term.hpp"

namespace tacit::sph {

enum class Kernel { cubic_spline, quartic_spline, quintic_spline, wendland_c2, wendland_c4, wendland_c6 };

enum class Scheme {
  gadget2,  ///< integrates the entropic function
  sphenix,  ///< integrates the internal energy
};

/// How pairs of particles are found and summed in steps that all particles end.
enum class Pairs {
  gather,     ///< each particle sums over its neighbours
  symmetric,  ///< each pair is visited once and adds to both
};

/// When cells of particles attract each other by their multipoles.
enum class Opening {
  adaptive,  ///< where the estimated error is a part of the smallest acceleration in the cell
  angle,     ///< where they look small
};

/// The gravity of the particles themselves.
struct SelfGravity {
  bool is_present = false;
  double G = 1.0;          ///< [length^3 mass^-1 time^-2]
  double softening = 0.0;  ///< epsilon of the Plummer sphere with the same central potential [length], > 0
  /// The same of each type that has its own, else 0. Of a pair, the longer one counts.
  std::array<double, attracting_types> own_softening{};
  fmm::kernels::SofteningKind kind = fmm::kernels::SofteningKind::wendland_c2;
  int order = 4;  ///< of expansions
  Opening opening = Opening::adaptive;
  double tolerance = 1e-3;        ///< of adaptive: that part
  double angle = 0.5;             ///< of angle; of adaptive where accelerations are not known yet
  double time_step_factor = 0.2;  ///< C in dt = C sqrt(softening / |a|)

  [[nodiscard]] double softening_of(std::size_t type) const noexcept {
    return own_softening[type] > 0.0 ? own_softening[type] : softening;
  }
  [[nodiscard]] double least_softening() const noexcept {
    double least = softening_of(0);
    for (std::size_t type = 1; type < attracting_types; ++type) least = std::min(least, softening_of(type));
    return least;
  }
};

/// What is measured and written beside snapshots.
struct Analysis {
  bool has_power = false;                  ///< the power spectrum of all matter
  bool has_groups = false;                 ///< groups of particles
  std::optional<std::uint64_t> mesh = {};  ///< points along each side; without it by the particles
  double linking = 0.2;                    ///< over the mean distance of particles
  std::uint64_t least = 32;                ///< particles of a group
};

/// All input of the solver, checked and in code units.
struct SphParameters {
  Scheme scheme = Scheme::gadget2;
  bool has_individual_steps = false;
  Pairs pairs = Pairs::gather;
  Kernel kernel = Kernel::cubic_spline;
  std::string kernel_name;
  int dimension = 3;                       ///< of the space; set_dimension keeps what depends on it in step
  bool is_dimension_given = false;         ///< whether the key is given; else a file decides
  double kernel_gamma = 0.0;               ///< support radius over h
  kernels::SmoothingLengthRule smoothing;  ///< h_max is 0 when the key is not given
  double gamma = 5.0 / 3.0;
  double cfl = 0.1;
  double dt_max = std::numeric_limits<double>::infinity();  ///< longest step of a particle [time]
  double alpha = 0.8;                                       ///< viscosity of gadget2
  kernels::SphenixParameters sphenix;                       ///< switches of sphenix
  kernels::EquationOfState eos;
  kernels::Potential potential;
  SelfGravity gravity;
  std::optional<Cosmology> cosmology;     ///< of a box that expands; lengths are comoving, times scale factors
  double dlna_max = 0.02;                 ///< longest step of a particle, in ln a
  double begin = 0.0;                     ///< scale factor at which a set-up begins; 0: a file says it
  std::array<bool, 3> is_centre_given{};  ///< else the potential's centre is the middle of the box
  std::vector<std::shared_ptr<const SourceTerm>> sources;  ///< further physics of the user
  Boundary boundary = Boundary::periodic;
  std::optional<std::filesystem::path> file;              ///< initial conditions, or
  bool h_factors = false;                                 ///< whether that file is in units per h
  std::optional<double> hubble_parameter;                 ///< h, where the file's is not to be used
  FileVelocities velocities = FileVelocities::automatic;  ///< of that file, where the box expands
  std::optional<Setup> setup;                             ///< a built-in set-up
  Analysis analysis = {};

  [[nodiscard]] bool is_ideal() const noexcept { return eos.kind == kernels::EquationOfState::Kind::ideal; }
  // The thermal variable that the scheme integrates, against pressure and specific internal energy.
  [[nodiscard]] double pressure(double thermal, double rho) const noexcept;
  [[nodiscard]] double internal_energy(double thermal, double rho) const noexcept;
  [[nodiscard]] double thermal_of(double u, double rho) const noexcept;
};

/// The parameters, completed by what initial conditions or a checkpoint say: the dimension of the space with all that
/// depends on it, the largest h, and where the potential stands.
struct Physics : SphParameters {};

/// The fields that a gas has from its first step on.
[[nodiscard]] inline GasContents contents_of(const SphParameters& parameters) noexcept {
  return {.has_own_steps = parameters.has_individual_steps,
          .has_gravity = parameters.gravity.is_present,
          .has_expansion = parameters.cosmology.has_value()};
}

/// @param dimension  of the space: that of the data, which is the key's where it is given
/// @param box        [length]
/// @param farthest   how far a kernel may reach at most in an open domain [length]; the others go by their box
[[nodiscard]] Physics physics_of(const SphParameters& parameters, int dimension, const base::Vec3& box,
                                 double farthest);

/// How far a kernel may reach in an open domain [length]: 2^20 distances of particles, beyond which it would only cost
/// the others precision. Where there are fewer particles than kernels hold, as far as the particles lie apart.
/// @param spacing  distance of particles that half of them have at most [length]
/// @param around   around all particles of all ranks: the longest side of the box [length]
[[nodiscard]] double farthest_in_open(const SphParameters& parameters, int dimension, double particles, double spacing,
                                      double around);

/// The period along each axis [length], 0 along those that do not repeat or are not used.
[[nodiscard]] base::Vec3 periods(const SphParameters& parameters, const base::Vec3& box);

/// The domain of a box that is not open.
[[nodiscard]] particles::Domain bounded_domain(const SphParameters& parameters, const base::Vec3& box);

/// The tables of keys, for validation, help, schema and reference.
[[nodiscard]] std::span<const config::KeyTable> key_tables();

/// @throws config::Error where keys contradict each other (no or two sources of initial conditions, ...)
[[nodiscard]] SphParameters read_parameters(const config::Parameters& parameters);

/// Takes the kernel's support and the rule of h for a space of 1, 2 or 3 dimensions.
void set_dimension(SphParameters& parameters, int dimension);

/// The particles that the parameters name, or a share of them, read or made.
/// @throws base::FormatError, base::SystemError if a file cannot be used
[[nodiscard]] InitialConditions initial_conditions(const SphParameters& parameters, const base::UnitSystem& units,
                                                   const Share& share = {});

/// How their file is read.
[[nodiscard]] GadgetOptions gadget_options(const SphParameters& parameters, const base::UnitSystem& units);

}  // namespace tacit::sph

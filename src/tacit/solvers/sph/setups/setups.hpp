// Built-in initial conditions: their parameters and the function that makes the particles.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <variant>

#include "tacit/comm/communicator.hpp"
#include "tacit/solvers/sph/cosmology/cosmology.hpp"
#include "tacit/solvers/sph/gas.hpp"
#include "tacit/solvers/sph/initial_density/displacements.hpp"
#include "tacit/solvers/sph/kernels/potential.hpp"
#include "tacit/solvers/sph/setups/equilibrium.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::sph {

/// A point explosion: energy put into a cubic-spline blob at the centre of a uniform cold gas on a jittered lattice.
struct Sedov {
  std::int64_t resolution = 32;  ///< particles along each side
  double box = 1.0;              ///< [length]
  double rho = 1.0;              ///< [density]
  double P = 1e-6;               ///< outside the blob [pressure]
  double energy = 1.0;           ///< [energy]
  double jitter = 0.1;           ///< peak to peak [lattice spacing]
  double gamma = 5.0 / 3.0;
  double eta = 1.2348;
  int dimension = 3;  ///< 1, 2: plane and cylindrical explosions, with energy per area and length
};

/// Sod's shock tube, periodic: box 2 x 0.5 x 0.5, left state in x < 1, 1/8 of its density on the right, equal masses; a
/// second, mirrored interface at x = 0. On body-centred cubic lattices; in two dimensions a centred square one beside a
/// square one of twice its side, in one dimension spacings of 1 and 8.
struct Sod {
  std::int64_t resolution = 40;  ///< cells per unit length on the left, a multiple of 4; in one dimension of 8
  double length = 1.0;           ///< scales the box [length]
  double rho_left = 1.0;         ///< [density]
  double P_left = 1.0;           ///< [pressure]
  double P_right = 0.1;          ///< [pressure]
  double gamma = 5.0 / 3.0;
  double eta = 1.2348;
  int dimension = 3;
};

/// Noh's implosion: a ball of cold gas, all of which moves towards its centre at one speed.
struct Noh {
  std::int64_t resolution = 32;  ///< cells of the lattice across the ball, two particles each
  double radius = 1.0;           ///< [length]
  double rho = 1.0;              ///< [density]
  double P = 1e-6;               ///< [pressure]
  double speed = 1.0;            ///< [velocity]
  double gamma = 5.0 / 3.0;
  double eta = 1.2348;
  int dimension = 3;  ///< 1, 2: gas that collapses onto a plane or a line
};

/// The vortex of Gresho & Chan: a steady flow in which the pressure balances the centrifugal force.
struct Gresho {
  std::int64_t resolution = 32;  ///< particles along x
  double box = 1.0;              ///< side along x and y [length]
  double rho = 1.0;              ///< [density]
  double P = 5.0;                ///< at the axis [pressure]
  double speed = 1.0;            ///< the largest, at a fifth of the box from the axis [velocity]
  double gamma = 5.0 / 3.0;
  double eta = 1.2348;
  int dimension = 3;  ///< 2 or 3, a slab
};

/// A dense layer that flows through thin gas: the shear at its two sides is unstable.
struct KelvinHelmholtz {
  std::int64_t resolution = 32;  ///< particles along x
  double box = 1.0;              ///< side along x and y [length]
  double rho = 1.0;              ///< outside the layer, y < 1/4 and y > 3/4 of the box [density]
  double contrast = 2.0;         ///< density of the layer over that
  double P = 2.5;                ///< [pressure]
  double shear = 1.0;            ///< the gas outside moves at +1/2, the layer at -1/2 of this [velocity]
  double amplitude = 0.01;       ///< of v_y [velocity]
  std::int64_t modes = 2;        ///< waves of v_y along the box
  double smoothing = 0.025;      ///< width of the transitions [box]; 0: jumps
  double gamma = 5.0 / 3.0;
  double eta = 1.2348;
  int dimension = 3;  ///< 2 or 3, a slab
};

/// A dense square at rest in thin gas of the same pressure: nothing should happen.
struct Square {
  std::int64_t resolution = 32;  ///< particles along x in the thin gas, a multiple of 4
  double box = 1.0;              ///< side along x and y [length]; that of the square is half of it
  double rho = 1.0;              ///< of the thin gas; the square has four times as much [density]
  double P = 2.5;                ///< [pressure]
  double gamma = 5.0 / 3.0;
  double eta = 1.2348;
  int dimension = 3;  ///< 2 or 3, a slab with a column
};

/// A cloud in a supersonic wind, in pressure equilibrium with it.
struct Blob {
  std::int64_t resolution = 16;  ///< cells of the wind's lattice across the tunnel, two particles each
  double radius = 1.0;           ///< of the cloud; the tunnel measures 40 x 10 x 10 of it [length]
  double rho = 1.0;              ///< of the wind [density]
  double contrast = 10.0;        ///< density of the cloud over that
  double P = 1.0;                ///< [pressure]
  double mach = 2.7;             ///< speed of the wind over its sound speed
  double gamma = 5.0 / 3.0;
  double eta = 1.2348;
  int dimension = 3;  ///< 2 or 3
};

/// Evrard's ball of cold gas, rho = M / (2 pi R^2 r).
struct Evrard {
  std::int64_t resolution = 32;  ///< cells of the lattice across the ball before it is stretched, two particles each
  double radius = 1.0;           ///< [length]
  double mass = 1.0;             ///< [mass]
  double u = 0.05;               ///< everywhere [specific energy]
  double eta = 1.2348;
};

/// A ball of gas that rests in the potential of a halo.
struct NfwGas {
  std::int64_t resolution = 32;  ///< cells of the lattice across the ball before it is stretched, two particles each
  double radius = 1.0;           ///< where the gas ends [length]
  double mass = 1.0;             ///< of the gas [mass]
  double polytropic = 1.2;       ///< Gamma in P ~ rho^Gamma across the ball; not used where c0 is set
  double c0 = 0.0;               ///< of isothermal gas, which then has a pressure at its edge [velocity]
  kernels::Potential potential = {};  ///< a halo alone, with its centre
  double gamma = 5.0 / 3.0;
  double eta = 1.2348;
};

/// Bodies of a Plummer sphere in equilibrium, of GADGET's type 1.
struct Plummer {
  std::int64_t resolution = 16;  ///< whose cube are the bodies
  double radius = 1.0;           ///< scale radius a [length]
  double mass = 1.0;             ///< of the whole sphere [mass]
  double cut = 20.0;             ///< radius of the last body, in a
  std::uint64_t seed = 1;
  double G = 1.0;  ///< [length^3 mass^-1 time^-2]
};

/// Bodies of a Hernquist sphere in equilibrium, of GADGET's type 1.
struct Hernquist {
  std::int64_t resolution = 16;  ///< whose cube are the bodies
  double radius = 1.0;           ///< scale radius a [length]
  double mass = 1.0;             ///< of the whole sphere [mass]
  double cut = 50.0;             ///< radius of the last body, in a
  std::uint64_t seed = 1;
  double G = 1.0;  ///< [length^3 mass^-1 time^-2]
};

/// Two spheres of bodies, of GADGET's types 1 and 3, whose centres approach each other on a Kepler orbit.
struct TwoSpheres {
  SphericalMass::Profile profile = SphericalMass::Profile::hernquist;
  std::int64_t resolution = 16;  ///< whose cube are the bodies of both
  double mass = 1.0;             ///< [mass]
  double radius = 1.0;           ///< scale radius a [length]
  double other_mass = 1.0;       ///< [mass]
  double other_radius = 1.0;     ///< [length]
  double cut = 20.0;             ///< radius of the last body of each, in a
  double separation = 20.0;      ///< of the centres at the begin [length]
  double pericentre = 1.0;       ///< of the orbit [length]
  double eccentricity = 1.0;
  std::uint64_t seed = 1;
  double G = 1.0;  ///< [length^3 mass^-1 time^-2]
};

/// An exponential disc of bodies in a Hernquist halo, perhaps with a bulge: of GADGET's types 2, 1 and 3.
struct DiscGalaxy {
  std::int64_t resolution = 24;  ///< whose cube are the bodies: one half the halo's
  double disc_mass = 1.0;        ///< [mass]
  double disc_radius = 1.0;      ///< scale length R_d [length]
  double thickness = 0.2;        ///< z_0 of sech^2(z / z_0), in R_d
  double toomre = 1.5;           ///< Q at 2.5 R_d
  double halo_mass = 5.8;        ///< [mass]
  double halo_radius = 5.0;      ///< [length]
  double bulge_mass = 0.0;       ///< 0: there is none [mass]
  double bulge_radius = 0.2;     ///< [length]
  double cut = 15.0;             ///< radius of the last body of each part, in its scale
  std::uint64_t seed = 1;
  double G = 1.0;  ///< [length^3 mass^-1 time^-2]
};

/// Two bodies on a Kepler orbit, of GADGET's type 1.
struct TwoBodies {
  double mass = 0.5;          ///< [mass]
  double other_mass = 0.5;    ///< [mass]
  double axis = 1.0;          ///< semi-major, of the relative orbit [length]
  double eccentricity = 0.5;  ///< below 1
  double G = 1.0;             ///< [length^3 mass^-1 time^-2]
};

/// A uniform ball of bodies at rest, of GADGET's type 1.
struct ColdSphere {
  std::int64_t resolution = 16;  ///< cells of the lattice across the ball, two bodies each
  double radius = 1.0;           ///< [length]
  double mass = 1.0;             ///< [mass]
};

/// A plane wave of bodies, of GADGET's type 1, or gas, or both, in a box that expands. Until particles cross it is
/// displaced exactly as small waves are:
///
///     x = q + b(a) sin(k.q)/|k| n,     b = D(a) / D(crossing),     n = k / |k|
///
/// @see Zel'dovich (1970), A&A 5, 84
struct Pancake {
  enum class Direction : std::uint8_t { x, diagonal };
  enum class Content : std::uint8_t {
    bodies,
    gas,
    both,  ///< gas of omega_b and bodies of the rest
  };
  std::int64_t resolution = 32;  ///< particles along each side, of gas and of bodies
  double box = 1.0;              ///< comoving side [length]
  Content content = Content::bodies;
  double u = 0.0;         ///< of the gas at the begin, where its density is the mean one [specific energy]
  double crossing = 1.0;  ///< scale factor
  Direction direction = Direction::x;
  double begin = 0.02;  ///< scale factor
  Cosmology cosmology = {};
  double G = 1.0;  ///< [length^3 mass^-1 time^-2]

  /// Of one time.
  struct Wave {
    base::Vec3 k;        ///< wave vector [length^-1]
    base::Vec3 longest;  ///< displacement, where it is largest [length]
    base::Vec3 fastest;  ///< a^2 dx/dt, where it is largest [velocity]
    /// Of a particle whose place in the lattice is q [length], comoving.
    [[nodiscard]] base::Vec3 place(const base::Vec3& q) const { return q + std::sin(dot(k, q)) * longest; }
    /// Density there over the mean one.
    [[nodiscard]] double density(const base::Vec3& q) const {
      return 1.0 / (1.0 + dot(k, longest) * std::cos(dot(k, q)));
    }
    [[nodiscard]] base::Vec3 velocity(const base::Vec3& q) const { return std::sin(dot(k, q)) * fastest; }
  };
  /// @pre a <= crossing
  [[nodiscard]] Wave wave(double a) const;
};

/// Matter of a universe on a lattice that is displaced as linear or second-order theory says: bodies of GADGET's type
/// 1, or these and gas, which stands in the middle between them and moves alike. Total momentum is zero.
struct Cosmological {
  std::int64_t resolution = 64;  ///< particles along each side, of gas and of bodies
  LptOrder order = LptOrder::second;
  bool has_gas = false;  ///< of cosmology.omega_b; else bodies are all matter
  double u = 0.0;        ///< of the gas at the begin, a^2 times the physical one [specific energy]
  double begin = 0.02;   ///< scale factor
  Cosmology cosmology = {};
  double G = 1.0;  ///< [length^3 mass^-1 time^-2]
  RandomDensity density;

  /// What the displacements of one order are multiplied by to become those of the begin, and velocities a^2 dx/dt.
  struct Factors {
    double place = 0.0;
    double velocity = 0.0;  ///< [time^-1]
  };
  [[nodiscard]] Factors factors(LptOrder of) const;
};

using Setup = std::variant<Sedov, Sod, Noh, Gresho, KelvinHelmholtz, Square, Blob, Evrard, NfwGas, Plummer, Hernquist,
                           TwoSpheres, DiscGalaxy, TwoBodies, ColdSphere, Pancake, Cosmological>;

/// The particles of a set-up, or a share of them; the same on every call and machine.
/// @see Sedov (1959), "Similarity and Dimensional Methods in Mechanics"; Sod (1978), J. Comp. Phys. 27, 1
/// @see Noh (1987), J. Comp. Phys. 72, 78; Gresho & Chan (1990), Int. J. Numer. Meth. Fluids 11, 621
/// @see McNally, Lyra & Passy (2012), ApJS 201, 18; Saitoh & Makino (2013), ApJ 768, 44
/// @see Agertz et al. (2007), MNRAS 380, 963; Evrard (1988), MNRAS 235, 911
/// @see Plummer (1911), MNRAS 71, 460; Hernquist (1990), ApJ 356, 359; Hernquist (1993), ApJS 86, 389
[[nodiscard]] InitialConditions make(const Sedov& sedov, const Share& share = {});
[[nodiscard]] InitialConditions make(const Sod& sod, const Share& share = {});
[[nodiscard]] InitialConditions make(const Noh& noh, const Share& share = {});
[[nodiscard]] InitialConditions make(const Gresho& gresho, const Share& share = {});
[[nodiscard]] InitialConditions make(const KelvinHelmholtz& shear, const Share& share = {});
[[nodiscard]] InitialConditions make(const Square& square, const Share& share = {});
[[nodiscard]] InitialConditions make(const Blob& blob, const Share& share = {});
[[nodiscard]] InitialConditions make(const Evrard& evrard, const Share& share = {});
[[nodiscard]] InitialConditions make(const NfwGas& halo, const Share& share = {});
[[nodiscard]] InitialConditions make(const Plummer& plummer, const Share& share = {});
[[nodiscard]] InitialConditions make(const Hernquist& hernquist, const Share& share = {});
[[nodiscard]] InitialConditions make(const TwoSpheres& pair, const Share& share = {});
[[nodiscard]] InitialConditions make(const DiscGalaxy& galaxy, const Share& share = {});
[[nodiscard]] InitialConditions make(const TwoBodies& pair, const Share& share = {});
[[nodiscard]] InitialConditions make(const ColdSphere& ball, const Share& share = {});
[[nodiscard]] InitialConditions make(const Pancake& pancake, const Share& share = {});
/// Each rank that makes a share makes the whole field.
[[nodiscard]] InitialConditions make(const Cosmological& universe, const Share& share = {});
[[nodiscard]] InitialConditions make(const Setup& setup, const Share& share = {});

/// The particles of this rank's part of the lattice: all ranks share the field, and call it.
/// @throws base::Error if there is too little memory, or if there are more ranks than can share it: on all ranks
[[nodiscard]] InitialConditions make(const Cosmological& universe, tasks::Scheduler& scheduler,
                                     comm::Communicator& ranks);

/// How many particles `make` returns.
[[nodiscard]] std::uint64_t particle_count(const Sedov& sedov);
[[nodiscard]] std::uint64_t particle_count(const Sod& sod);
[[nodiscard]] std::uint64_t particle_count(const Noh& noh);
[[nodiscard]] std::uint64_t particle_count(const Gresho& gresho);
[[nodiscard]] std::uint64_t particle_count(const KelvinHelmholtz& shear);
[[nodiscard]] std::uint64_t particle_count(const Square& square);
[[nodiscard]] std::uint64_t particle_count(const Blob& blob);
[[nodiscard]] std::uint64_t particle_count(const Evrard& evrard);
[[nodiscard]] std::uint64_t particle_count(const NfwGas& halo);
[[nodiscard]] std::uint64_t particle_count(const Plummer& plummer);
[[nodiscard]] std::uint64_t particle_count(const Hernquist& hernquist);
[[nodiscard]] std::uint64_t particle_count(const TwoSpheres& pair);
[[nodiscard]] std::uint64_t particle_count(const DiscGalaxy& galaxy);
[[nodiscard]] std::uint64_t particle_count(const TwoBodies& pair);
[[nodiscard]] std::uint64_t particle_count(const ColdSphere& ball);
[[nodiscard]] std::uint64_t particle_count(const Pancake& pancake);
[[nodiscard]] std::uint64_t particle_count(const Cosmological& universe);
[[nodiscard]] std::uint64_t particle_count(const Setup& setup);

}  // namespace tacit::sph

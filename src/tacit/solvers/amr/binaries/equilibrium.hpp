// Stars in equilibrium that turn as rigid bodies: single ones and binaries, by the self-consistent field method.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/solvers/amr/binaries/star_grid.hpp"

namespace tacit::amr {

/// A star that turns around z. The mass and the radius at the equator are 1.
struct RotatingStarSpec {
  double index = 1.5;       ///< n of the polytrope
  double axis_ratio = 1.0;  ///< radius at the pole over that at the equator
};

/// Two stars that go around each other in circles, and keep their faces to each other. Their masses together and the
/// distance of their centres of mass are 1; star 1 is at negative x.
struct BinarySpec {
  double index = 1.5;
  double mass_ratio = 1.0;  ///< of star 2 to star 1
  /// Where their surfaces are: up to 1, on the line between the centres, over the distance of the inner Lagrange point;
  /// beyond 1, which is for both alike, 1 plus the part of the way of the potential from there to the outer Lagrange
  /// point beside the lighter star.
  std::array<double, 2> fillings{0.8, 0.8};
};

/// What has not become an equilibrium: which star, what is asked of it, and the changes so far.
class NoEquilibrium : public base::Error {
 public:
  using base::Error::Error;
};

/// Gas in hydrostatic equilibrium in the frame that turns with it, with P = K rho^(1 + 1/n) in each star:
///
///     (n + 1) K rho^(1/n) + phi - Omega^2 (x^2 + y^2) / 2 = C
///
/// The self-consistent field method makes the potential of densities, finds Omega and C from where the surface is to be
/// and K from the mass, and densities of these, again and again, until these stay.
///
/// @see Hachisu (1986), Astrophys. J. Suppl. 61, 479 and 62, 461; Even & Tohline (2009), Astrophys. J. Suppl. 184, 248
class Equilibrium {
 public:
  struct Star {
    StarGrid grid;
    double mass = 1.0;
    double filling = 1.0;
    double centre = 0.0;  ///< of mass, along x
    double origin = 0.0;  ///< of the grid, along x
    double C = 0.0;       ///< at the surface
    double K = 0.0;
    double radius = 0.0;  ///< largest distance of gas from the origin
    double largest_rho = 0.0;
  };
  /// Gas at a place.
  struct Gas {
    std::optional<std::size_t> star = {};  ///< none: there is no gas
    double rho = 0.0;
    double P = 0.0;
  };

  /// @throws NoEquilibrium   @pre 0.5 <= index < 5, the axis ratio in (0, 1]
  explicit Equilibrium(const RotatingStarSpec& spec);
  explicit Equilibrium(const BinarySpec& spec);

  [[nodiscard]] const std::vector<Star>& stars() const noexcept { return stars_; }
  /// Angular velocity, with G = 1.
  [[nodiscard]] double Omega() const noexcept;
  /// Place of the inner Lagrange point along x.
  [[nodiscard]] double L1() const noexcept { return L1_; }
  [[nodiscard]] double potential(const Point& x) const noexcept;
  /// With that of the centrifugal force.
  [[nodiscard]] double effective_potential(const Point& x) const noexcept;
  [[nodiscard]] Gas at(const Point& x) const noexcept;
  /// Kinetic, potential and internal energy by the adiabatic index 1 + 1/n.
  struct Energies {
    double T = 0.0;
    double W = 0.0;
    double Pi = 0.0;                                     ///< integral of the pressure
    [[nodiscard]] double virial_error() const noexcept;  ///< |2 T + W + 3 Pi| / |W|
  };
  [[nodiscard]] Energies energies() const;
  /// The largest change of a density, over the largest density of its star, in each iteration.
  [[nodiscard]] const std::vector<double>& changes() const noexcept { return changes_; }

 private:
  template <class Constrain>
  void iterate(const Constrain& constrain, const std::string& asked);
  void scale_to_mass(Star& star) const;
  void place_grids();
  void constrain_single();
  void constrain_binary();
  [[nodiscard]] double pull() const;
  [[nodiscard]] double on_axis(double x) const noexcept { return effective_potential({x, 0.0, 0.0}); }
  [[nodiscard]] double highest_between(double low, double high) const;
  [[nodiscard]] bool is_beyond_L1(std::size_t star, double x) const noexcept;
  [[nodiscard]] double potential_at(std::size_t star, std::size_t direction, std::size_t sphere) const;
  [[nodiscard]] double renew(std::size_t star);
  [[nodiscard]] bool is_steady() const;
  [[nodiscard]] std::string history() const;

  double index_;
  double axis_ratio_ = 1.0;
  std::vector<Star> stars_;
  double Omega2_ = 0.0;
  double L1_ = 0.0;
  std::vector<double> changes_;
};

}  // namespace tacit::amr

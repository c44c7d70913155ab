// By how much matter has moved from where it was to make a density: first and second order, by transforms on all ranks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/comm/communicator.hpp"
#include "tacit/fft/transform.hpp"
#include "tacit/solvers/sph/initial_density/random_density.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::sph {

/// Of Lagrangian perturbation theory.
enum class LptOrder : std::uint8_t { first = 1, second = 2 };

/// The displacements that a density delta needs today, as on a lattice of n^3 places,
///
///     x = q - grad phi_1 + (D_2 / D^2) grad phi_2
///     lap phi_1 = delta      lap phi_2 = sum over i > j of phi_1,ii phi_1,jj - phi_1,ij^2
///
/// with all modes of delta of fewer than n/2 waves along each axis. Products are formed on two lattices, one of them in
/// the middle between the places of the other, and their mean is taken: so aliases cancel that come in by one axis or
/// by all three. Bitwise identical on any ranks and threads.
///
/// @see Bouchet et al. (1995), A&A 296, 575; Scoccimarro (1998), MNRAS 299, 1097; Patterson & Orszag (1971), Phys.
///      Fluids 14, 2538 (shifted lattices)
/// Memory: about 100 bytes for each of this rank's places.
class Displacements {
 public:
  /// @param n      places along each side, 2 or more
  /// @param order  up to which they are asked for
  /// @throws base::Error if there are more ranks than can share the lattice
  Displacements(const RandomDensity& density, std::size_t n, LptOrder order, tasks::Scheduler& scheduler,
                comm::Communicator& ranks);

  /// Finds -grad phi_1 or grad phi_2 at the places (i + offset) L / n [length].
  /// All ranks call it. @pre `order` is not above that of the constructor @throws comm::PeerError, comm::DeadlineError
  void find(LptOrder order, double offset);
  /// Of one axis, where this rank's places are, shape (z, y, x).
  [[nodiscard]] std::span<const double> along(std::size_t axis) const { return vector_.points(axis); }
  [[nodiscard]] const fft::Pencils& pencils() const noexcept { return vector_.pencils(); }

 private:
  using Complex = std::complex<double>;
  void take_density(const RandomDensity& density);
  void find_source();
  void add_products(double offset);
  void add_to_source(double offset);
  template <class Visit>
  void for_each_mode(const Visit& visit) const;

  std::size_t n_;
  double unit_;  // 2 pi / L
  tasks::Scheduler& scheduler_;
  fft::Transform<double> vector_;  // three fields
  std::vector<Complex> density_;   // as its modes stand there
  std::vector<Complex> source_;    // that of phi_2, likewise
};

/// What they take, of so many places of a rank [byte].
[[nodiscard]] double displacement_bytes(double places) noexcept;

}  // namespace tacit::sph

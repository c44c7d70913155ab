// Three-dimensional transforms between real points and modes, on one rank or many.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>

#include "tacit/comm/communicator.hpp"
#include "tacit/fft/exchange_plan.hpp"
#include "tacit/fft/lines.hpp"
#include "tacit/fft/pencils.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::fft {

struct TransformOptions {
  std::size_t fields = 1;                                ///< that are transformed at once
  Truncation truncation = Truncation::none;              ///< only modes that are kept are transformed: less work
  Rigor rigor = Rigor::measure;                          ///< estimate: bitwise identical runs
  ProcessGrid grid = {.row_size = 0, .column_size = 0};  ///< of the ranks; zeros: chosen
  Division division = {.chunks = 0, .groups = 0};        ///< of what they exchange, likewise
  bool keeps_modes = true;  ///< false: to_points() may use the modes as its memory, which saves some of both
};

/// Transforms of some fields between points and modes,
///
///     modes(k) = 1/N sum over x of points(x) exp(-2 pi i k x / n),   points(x) = sum over k of modes(k) exp(...)
///
/// with k x / n = kx x / nx + ky y / ny + kz z / nz and N points, so that what goes there comes back. Points are real,
/// and so only kx >= 0 is stored; the modes with kx = 0 that come in are those of a real field: modes(-k) = conj
/// modes(k). Each field has memory of its own for points and for modes.
///
///     fft::Transform<double> transform({128, 128, 128}, scheduler, {.fields = 3}, world);
///     fill(transform.points(0), transform.pencils().y(), transform.pencils().z());
///     transform.to_modes();
///     use(transform.modes(0));
///
/// This rank has the points of some y and z, shape (z, y, x), where x runs fastest and is whole, and the modes of some
/// kx and ky, shape (kx, kz, ky), where ky runs fastest and kz is whole; pencils() says which, and finds a place. Equal
/// points give bitwise identical modes on any ranks, grids of them, and threads, if FFTW chooses the same way
/// (Rigor::estimate).
template <class Real>
class Transform {
 public:
  using Complex = std::complex<Real>;
  /// @param points  along x, y and z, at least 2 each; any sizes
  /// @param ranks   must outlive the transform. All ranks make it, and call its functions, alike.
  /// @throws base::Error for a grid that the ranks do not fill, or if some would have nothing on any grid
  /// Cost: memory for points and modes, and as much as both between them; nothing is allocated later
  Transform(const Shape& points, tasks::Scheduler& scheduler, const TransformOptions& options,
            comm::Communicator& ranks);
  ~Transform();
  Transform(const Transform&) = delete;
  Transform& operator=(const Transform&) = delete;

  [[nodiscard]] const Pencils& pencils() const noexcept;
  [[nodiscard]] std::size_t fields() const noexcept;
  /// Shape (z, y, x), of this rank.
  [[nodiscard]] std::span<Real> points(std::size_t field) noexcept;
  [[nodiscard]] std::span<const Real> points(std::size_t field) const noexcept;
  /// Shape (kx, kz, ky), of this rank. With Truncation::spherical, modes beyond the sphere are neither read nor zero.
  [[nodiscard]] std::span<Complex> modes(std::size_t field) noexcept;
  [[nodiscard]] std::span<const Complex> modes(std::size_t field) const noexcept;

  /// All fields from points to modes; points stay.
  /// @throws comm::PeerError, comm::DeadlineError if a rank is lost or does not come
  void to_modes();
  /// All fields from modes to points; modes stay if keeps_modes. @throws likewise
  void to_points();
  /// Bytes of all buffers of this rank.
  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

extern template class Transform<double>;
extern template class Transform<float>;

}  // namespace tacit::fft

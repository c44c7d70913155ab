// One-dimensional transforms of lines of numbers, by FFTW, in one shape for all uses, so that equal lines give bitwise
// identical results. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

namespace tacit::fft {

/// Lines that are transformed at once: point i of line j stands at i * lanes + j.
inline constexpr std::size_t lanes = 8;

/// How much time is spent to find the fastest algorithm of a transform.
enum class Rigor : std::uint8_t {
  estimate,  ///< none: the same algorithm in every process, and so bitwise identical
  measure,   ///< some tens of milliseconds per length; remembered in the process, and in a file if one is named
};

/// Complex transforms of `lanes` interleaved lines of n points, in place, without a factor.
/// Several threads may use one object at once.
template <class Real>
class ComplexLines {
 public:
  /// @throws base::Error if FFTW has no way to transform n points
  ComplexLines(std::size_t n, Rigor rigor);
  ~ComplexLines();
  ComplexLines(ComplexLines&&) noexcept;
  ComplexLines& operator=(ComplexLines&&) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return n_; }
  /// From points to modes: sum over x of f(x) exp(-2 pi i k x / n).
  /// @param lines  shape (n, lanes), in a base::PackVector
  void forward(std::complex<Real>* lines) const noexcept;
  /// From modes to points: sum over k of f(k) exp(+2 pi i k x / n).
  void backward(std::complex<Real>* lines) const noexcept;

 private:
  struct Plans;
  std::size_t n_ = 0;
  std::unique_ptr<Plans> plans_;
};

/// Transforms between n real points and n/2 + 1 modes, `lanes` lines at a time, without a factor. Each line is
/// contiguous; the next begins point_stride() or mode_stride() numbers further.
///
/// Where n is even, the points are transformed as n/2 complex numbers, for which FFTW uses vector instructions.
template <class Real>
class RealLines {
 public:
  RealLines(std::size_t n, Rigor rigor);
  ~RealLines();
  RealLines(RealLines&&) noexcept;
  RealLines& operator=(RealLines&&) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return n_; }
  /// A whole number of cache lines.
  [[nodiscard]] std::size_t point_stride() const noexcept { return whole_lines(n_, sizeof(Real)); }
  [[nodiscard]] std::size_t mode_stride() const noexcept { return whole_lines(n_ / 2 + 1, 2 * sizeof(Real)); }
  /// What `copy_modes` reads, from points, which stay as they are.
  /// @param points  shape (lanes, point_stride()), on a cache line   @param packed  (lanes, mode_stride()), likewise
  void forward(const Real* points, std::complex<Real>* packed) const noexcept;
  /// The modes begin, ..., end - 1 <= n/2 of one line. @param packed  of this line   @param modes  not within it
  void copy_modes(const std::complex<Real>* packed, std::size_t begin, std::size_t end,
                  std::complex<Real>* modes) const noexcept;
  /// @param modes   shape (lanes, mode_stride()), on a cache line, overwritten; imaginary parts of modes 0 and, where n
  /// is even, n/2 are ignored
  /// @param points  likewise
  void backward(std::complex<Real>* modes, Real* points) const noexcept;
  /// Whether modes may stand anywhere at any distance, and stay as they are.
  [[nodiscard]] bool takes_any_rows() const noexcept { return is_halved(); }
  /// The same from the modes of each line at modes + line * stride. @pre takes_any_rows()
  void backward(const std::complex<Real>* modes, std::size_t stride, Real* points) const noexcept;

 private:
  static std::size_t whole_lines(std::size_t count, std::size_t bytes) noexcept {
    const std::size_t unit = 64 / bytes;
    return (count + unit - 1) / unit * unit;
  }
  [[nodiscard]] bool is_halved() const noexcept { return n_ % 2 == 0; }
  struct Plans;
  std::size_t n_ = 0;
  std::unique_ptr<Plans> plans_;
};

extern template class ComplexLines<double>;
extern template class ComplexLines<float>;
extern template class RealLines<double>;
extern template class RealLines<float>;

/// Takes what was measured before from a file, or writes it there. A file that is missing or not FFTW's says false.
bool read_wisdom(const std::filesystem::path& file);
bool write_wisdom(const std::filesystem::path& file);

}  // namespace tacit::fft

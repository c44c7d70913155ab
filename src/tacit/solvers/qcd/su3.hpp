// Matrices of SU(3), one by one: what set-ups, files and measurements compute with them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <complex>
#include <cstddef>

namespace tacit::qcd {

using Complex = std::complex<double>;

/// A complex 3 x 3 matrix, row by row.
struct Matrix3 {
  std::array<Complex, 9> m{};

  [[nodiscard]] Complex& operator()(std::size_t a, std::size_t b) noexcept { return m[3 * a + b]; }
  [[nodiscard]] const Complex& operator()(std::size_t a, std::size_t b) const noexcept { return m[3 * a + b]; }
  [[nodiscard]] static Matrix3 one() noexcept {
    Matrix3 result;
    result(0, 0) = result(1, 1) = result(2, 2) = 1.0;
    return result;
  }
  friend bool operator==(const Matrix3&, const Matrix3&) = default;
};

/// a b, without the tests for infinities that operator* of std::complex makes.
[[nodiscard]] inline Complex product(const Complex& a, const Complex& b) noexcept {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

[[nodiscard]] Matrix3 operator*(const Matrix3& a, const Matrix3& b) noexcept;
[[nodiscard]] Matrix3 operator+(const Matrix3& a, const Matrix3& b) noexcept;
[[nodiscard]] Matrix3 operator-(const Matrix3& a, const Matrix3& b) noexcept;
[[nodiscard]] Matrix3 operator*(const Complex& factor, const Matrix3& a) noexcept;
/// The hermitian conjugate.
[[nodiscard]] Matrix3 dagger(const Matrix3& a) noexcept;
[[nodiscard]] Complex trace(const Matrix3& a) noexcept;
[[nodiscard]] Complex determinant(const Matrix3& a) noexcept;
/// How far a matrix is from SU(3): the largest of |U U^+ - 1| in any element and |det U - 1|; NaN if it is not finite.
[[nodiscard]] double distance_from_su3(const Matrix3& a) noexcept;
/// The third row of a matrix of SU(3) from the others: conj(row 0 x row 1).
void set_third_row(Matrix3& a) noexcept;
/// A matrix of SU(3) near one that nearly is: the first two rows orthonormal (Gram-Schmidt), the third from them.
[[nodiscard]] Matrix3 projected(const Matrix3& a) noexcept;
/// (A - A^+) / 2 without its trace: the part of A in the algebra of SU(3).
[[nodiscard]] Matrix3 traceless_antihermitian(const Matrix3& a) noexcept;
/// exp(i H). @param h  hermitian, without a trace   @return  in SU(3) to rounding
[[nodiscard]] Matrix3 exponential(const Matrix3& h) noexcept;

}  // namespace tacit::qcd

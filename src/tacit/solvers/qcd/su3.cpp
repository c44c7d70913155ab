// Arithmetic of 3 x 3 matrices.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/su3.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tacit::qcd {

Matrix3 operator*(const Matrix3& a, const Matrix3& b) noexcept {
  Matrix3 result;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      result(i, j) = product(a(i, 0), b(0, j)) + product(a(i, 1), b(1, j)) + product(a(i, 2), b(2, j));
    }
  }
  return result;
}

Matrix3 operator+(const Matrix3& a, const Matrix3& b) noexcept {
  Matrix3 result;
  for (std::size_t i = 0; i < 9; ++i) result.m[i] = a.m[i] + b.m[i];
  return result;
}

Matrix3 operator-(const Matrix3& a, const Matrix3& b) noexcept {
  Matrix3 result;
  for (std::size_t i = 0; i < 9; ++i) result.m[i] = a.m[i] - b.m[i];
  return result;
}

Matrix3 operator*(const Complex& factor, const Matrix3& a) noexcept {
  Matrix3 result;
  for (std::size_t i = 0; i < 9; ++i) result.m[i] = product(factor, a.m[i]);
  return result;
}

Matrix3 dagger(const Matrix3& a) noexcept {
  Matrix3 result;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) result(i, j) = std::conj(a(j, i));
  }
  return result;
}

Complex trace(const Matrix3& a) noexcept { return a(0, 0) + a(1, 1) + a(2, 2); }

Complex determinant(const Matrix3& a) noexcept {
  const auto minor = [&](std::size_t j, std::size_t k) {
    return product(a(1, j), a(2, k)) - product(a(1, k), a(2, j));
  };
  return product(a(0, 0), minor(1, 2)) - product(a(0, 1), minor(0, 2)) + product(a(0, 2), minor(0, 1));
}

double distance_from_su3(const Matrix3& a) noexcept {
  const Matrix3 rest = a * dagger(a) - Matrix3::one();
  double largest = 0.0;
  for (std::size_t i = 0; i < 10; ++i) {
    const Complex value = i < 9 ? rest.m[i] : determinant(a) - 1.0;
    const double size = std::sqrt(value.real() * value.real() + value.imag() * value.imag());
    if (!(size < std::numeric_limits<double>::infinity())) return std::numeric_limits<double>::quiet_NaN();
    largest = std::max(largest, size);
  }
  return largest;
}

void set_third_row(Matrix3& a) noexcept {
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    const std::size_t k = (i + 2) % 3;
    a(2, i) = std::conj(product(a(0, j), a(1, k)) - product(a(0, k), a(1, j)));
  }
}

Matrix3 projected(const Matrix3& a) noexcept {
  Matrix3 result = a;
  const auto normalise = [&](std::size_t row) {
    double norm = 0.0;
    for (std::size_t i = 0; i < 3; ++i) norm += std::norm(result(row, i));
    for (std::size_t i = 0; i < 3; ++i) result(row, i) /= std::sqrt(norm);
  };
  normalise(0);
  Complex overlap = 0.0;
  for (std::size_t i = 0; i < 3; ++i) overlap += product(std::conj(result(0, i)), result(1, i));
  for (std::size_t i = 0; i < 3; ++i) result(1, i) -= product(overlap, result(0, i));
  normalise(1);
  set_third_row(result);
  return result;
}

Matrix3 traceless_antihermitian(const Matrix3& a) noexcept {
  Matrix3 result;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) result(i, j) = 0.5 * (a(i, j) - std::conj(a(j, i)));
  }
  const double third = (result(0, 0).imag() + result(1, 1).imag() + result(2, 2).imag()) / 3.0;
  for (std::size_t i = 0; i < 3; ++i) result(i, i) = {0.0, result(i, i).imag() - third};
  return result;
}

/// Taylor's series of x = i H / 2^s, whose elements are small, squared s times: its 16 terms leave less than a
/// rounding. By Cayley and Hamilton x^3 = tr(x^2) / 2 x + det x, so that all sums are a + b x + c x^2.
Matrix3 exponential(const Matrix3& h) noexcept {
  double size = 0.0;
  for (const Complex& element : h.m) size += std::norm(element);
  int halvings = 0;
  for (double norm = std::sqrt(size); norm > 0.25 && halvings < 64; norm *= 0.5) ++halvings;
  const Matrix3 x = Complex(0.0, std::ldexp(1.0, -halvings)) * h;
  const Matrix3 square = x * x;
  const double half_trace = 0.5 * trace(square).real();
  const Complex last = determinant(x);
  Complex a = 1.0;
  Complex b = 0.0;
  Complex c = 0.0;
  for (int n = 16; n > 0; --n) {
    const double part = 1.0 / n;
    const Complex was = a;
    a = 1.0 + part * product(c, last);
    const Complex of_square = part * b;
    b = part * (was + half_trace * c);
    c = of_square;
  }
  Matrix3 sum = b * x + c * square;
  for (std::size_t i = 0; i < 3; ++i) sum(i, i) += a;
  for (int n = 0; n < halvings; ++n) sum = sum * sum;
  return projected(sum);
}

}  // namespace tacit::qcd

// What a rank of a flow has of the arrays in files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <span>

#include "tacit/fft/pencils.hpp"
#include "tacit/io/part.hpp"

namespace tacit::dns {

/// Its points, in an array of shape (z, y, x).
[[nodiscard]] inline io::Part points_of(const fft::Pencils& pencils) {
  return {.first = {pencils.z().begin, pencils.y().begin, 0},
          .count = {pencils.z().size(), pencils.y().size(), pencils.modes().points()[0]}};
}
/// Which of these rows, shape (nx), is that of y and z.
[[nodiscard]] inline std::size_t row_of(const fft::Pencils& pencils, std::size_t y, std::size_t z) noexcept {
  return (z - pencils.z().begin) * pencils.y().size() + y - pencils.y().begin;
}

/// Its modes, in an array of shape (kx, kz, ky, 2).
[[nodiscard]] inline io::Part modes_of(const fft::Pencils& pencils) {
  return {.first = {pencils.kx().begin, 0, pencils.ky().begin, 0},
          .count = {pencils.kx().size(), pencils.modes().count(2), pencils.ky().size(), 2}};
}

/// Complex numbers as files have them: two numbers side by side.
[[nodiscard]] inline std::span<const double> as_numbers(std::span<const std::complex<double>> field) noexcept {
  return {reinterpret_cast<const double*>(field.data()), 2 * field.size()};
}
[[nodiscard]] inline std::span<double> as_numbers(std::span<std::complex<double>> field) noexcept {
  return {reinterpret_cast<double*>(field.data()), 2 * field.size()};
}

}  // namespace tacit::dns

// Numbers of particles that are asked for piece by piece, so that a file can be written without copies of whole fields.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "tacit/base/error.hpp"

namespace tacit::sph {

/// One quantity of particles: `width` numbers of each.
struct ParticleValues {
  std::size_t width = 1;
  /// Fills `out` with the numbers of `particles`, one particle after the other.
  std::function<void(std::span<const std::uint32_t> particles, std::span<double> out)> fill;
};

/// The numbers f(i) of particle i, which are made as they are needed.
template <class F>
[[nodiscard]] ParticleValues each(F f) {
  return {1, [f = std::move(f)](std::span<const std::uint32_t> particles, std::span<double> out) {
            TACIT_EXPECT(out.size() == particles.size());
            for (std::size_t k = 0; k < particles.size(); ++k) out[k] = f(std::size_t{particles[k]});
          }};
}

/// Vectors whose components f(axis, i) are made as they are needed.
template <class F>
[[nodiscard]] ParticleValues each_vector(F f) {
  return {3, [f = std::move(f)](std::span<const std::uint32_t> particles, std::span<double> out) {
            TACIT_EXPECT(out.size() == 3 * particles.size());
            double* to = out.data();
            for (const std::size_t i : particles) {
              for (std::size_t axis = 0; axis < 3; ++axis) *to++ = f(axis, i);
            }
          }};
}

/// What lies in `columns`, 1 or 3 arrays of shape (N); they must outlive the result.
[[nodiscard]] inline ParticleValues columns(std::vector<std::span<const double>> columns) {
  TACIT_EXPECT(columns.size() == 1 || columns.size() == 3);
  if (columns.size() == 1) return each([column = columns[0]](std::size_t i) { return column[i]; });
  return each_vector([columns = std::move(columns)](std::size_t axis, std::size_t i) { return columns[axis][i]; });
}

}  // namespace tacit::sph

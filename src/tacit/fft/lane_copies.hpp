// Copies between lines that are interleaved, as transforms want them, and rows or lines that are not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "tacit/fft/lines.hpp"

namespace tacit::fft {

// By memcpy of a known size: a loop over complex numbers becomes a call of memmove, or moves each half alone.

/// A row of `count` <= lanes numbers; the two must not overlap.
template <class Complex>
[[gnu::always_inline]] inline void copy_lanes(const Complex* from, Complex* to, std::size_t count) noexcept {
  if (count == lanes) {
    std::memcpy(to, from, lanes * sizeof(Complex));
  } else {
    std::copy_n(from, count, to);
  }
}

/// Asks for a row that will be read or written soon; it may lie beyond what is there.
template <class Complex>
[[gnu::always_inline]] inline void prefetch_lanes(const Complex* row) noexcept {
  constexpr std::size_t line = 64;
  for (std::size_t i = 0; i < lanes * sizeof(Complex); i += line) {
    __builtin_prefetch(reinterpret_cast<const char*>(row) + i, 1, 2);
  }
}

/// Likewise, times a real factor.
template <class Real, class Complex>
[[gnu::always_inline]] inline void scale_lanes(Real factor, const Complex* from, Complex* to,
                                               std::size_t count) noexcept {
  if (count == lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) to[lane] = factor * from[lane];
  } else {
    for (std::size_t lane = 0; lane < count; ++lane) to[lane] = factor * from[lane];
  }
}

template <class Complex>
[[gnu::always_inline]] inline void copy_one(const Complex* from, Complex* to) noexcept {
  std::memcpy(to, from, sizeof(Complex));
}

/// Number i of line `lane`, which stands at from[lane * distance + i], becomes to[i * lanes + lane].
/// @param n      numbers of each line   @param count  lines, 1 to `lanes`; other lanes are left alone
template <class Complex>
inline void interleave(const Complex* from, std::size_t distance, std::size_t n, std::size_t count,
                       Complex* to) noexcept {
  if (count == lanes) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t lane = 0; lane < lanes; ++lane) copy_one(from + lane * distance + i, to + i * lanes + lane);
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t lane = 0; lane < count; ++lane) copy_one(from + lane * distance + i, to + i * lanes + lane);
    }
  }
}

/// The other way: from[i * lanes + lane] becomes to[lane * distance + i].
template <class Complex>
inline void separate(const Complex* from, std::size_t n, std::size_t count, Complex* to,
                     std::size_t distance) noexcept {
  if (count == lanes) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t lane = 0; lane < lanes; ++lane) copy_one(from + i * lanes + lane, to + lane * distance + i);
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t lane = 0; lane < count; ++lane) copy_one(from + i * lanes + lane, to + lane * distance + i);
    }
  }
}

}  // namespace tacit::fft

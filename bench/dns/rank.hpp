// What each of the ranks does that `tacit bench dns` and `tacit bench fft` start.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <iosfwd>
#include <span>
#include <string_view>

#include "comm/crew.hpp"
#include "comm/turns.hpp"

namespace tacit::bench {

/// The first word that makes the program one of the ranks; not for users.
inline constexpr std::string_view dns_rank = "--dns-rank";
/// The line behind the last figure.
inline constexpr std::string_view dns_end = "end";

/// How many threads each rank has, how hard to try, and where figures go.
struct DnsPlan {
  Crew* crew;
  Effort effort;
  const Sink* sink;
  std::size_t threads = 1;

  [[nodiscard]] std::size_t size(std::size_t full, std::size_t quick) const {
    return effort == Effort::full ? full : quick;
  }
  void add(const Result& result) const {
    if (crew->is_first()) (*sink)(result);
  }
};

/// A cube that is measured, and how often; names have the side of the full one.
struct Cube {
  std::size_t name;
  std::size_t side;
  std::size_t samples;
  std::size_t repeats;  ///< steps, or eights of transforms, of a sample
};
/// With --quick sides are an eighth.
[[nodiscard]] std::array<Cube, 3> cubes(Effort effort);

/// Substages beside eight transforms by FFTW.
void measure_substages(const DnsPlan& plan);
/// Our transforms beside those of FFTW for MPI.
void measure_transforms(const DnsPlan& plan);
/// Steps between two emulated nodes.
void measure_wire(const DnsPlan& plan);

/// A rank that was started; the first one writes each figure as a line, then `dns_end`.
/// @param words  after dns_rank: "full" or "quick", "substages", "transforms" or "wire", and the threads of each rank
void serve_dns(std::span<const std::string_view> words, std::ostream& out);

}  // namespace tacit::bench

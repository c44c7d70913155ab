// Particles that are no gas: carried from the initial conditions into snapshots and checkpoints as they are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tacit/base/units.hpp"
#include "tacit/io/file.hpp"

namespace tacit::sph {

/// One dataset of such particles: numbers of the type that the file has, in this machine's order.
struct CarriedArray {
  using Attribute = std::variant<std::vector<double>, std::string>;

  std::string name;                  ///< "Coordinates"
  std::vector<std::uint64_t> shape;  ///< the first of it: particles
  io::Number type = io::Number::float32;
  std::vector<std::byte> values;
  std::string description;
  base::Dimension dimension;  ///< none where the file does not say and the name does not
  std::vector<std::pair<std::string, Attribute>> attributes;  ///< the file's own, beside unit and description
};

/// All that is known of the particles of one type, in the order of the file.
struct CarriedType {
  std::size_t type = 1;     ///< 1 .. 6, as in PartType1
  std::uint64_t count = 0;  ///< particles, > 0
  double mass = 0.0;        ///< of each, from MassTable [mass]; 0 where an array gives masses, or nothing does
  std::vector<CarriedArray> arrays;
};

/// They neither move nor act on the gas.
struct OtherParticles {
  std::vector<CarriedType> types;  ///< ascending

  [[nodiscard]] std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const CarriedType& kind : types) {
      for (const CarriedArray& array : kind.arrays) sum += array.values.size();
    }
    return sum;
  }
};

}  // namespace tacit::sph

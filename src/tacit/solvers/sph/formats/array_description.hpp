// The attributes by which a dataset of a snapshot says what it is and in which unit, in SWIFT's words.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tacit/base/units.hpp"
#include "tacit/io/file.hpp"

namespace tacit::sph {

/// The power of the scale factor a with which comoving numbers become physical ones, and a at the time.
struct Comoving {
  int power = 0;
  double a = 1.0;
};

/// Attaches meaning, unit and conversion to cgs to an array.
void describe_array(io::FileWriter& file, const std::string& array, std::string_view description,
                    const base::Dimension& dimension, const base::UnitSystem& units, const Comoving& comoving = {});

/// Whether `attribute` is one of those that describe_array writes.
[[nodiscard]] bool is_description(std::string_view attribute);

/// The dimension that an array says it has; nothing if it does not say, or has powers that are no whole numbers.
[[nodiscard]] std::optional<base::Dimension> described_dimension(const io::FileReader& file, const std::string& array);

}  // namespace tacit::sph

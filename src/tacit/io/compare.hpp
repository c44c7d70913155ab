// Which arrays and attributes of two HDF5 files differ, and by how much.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tacit::io {

/// How far two numbers may be apart: |a - b| <= max(absolute, relative * max(|a|, |b|)).
struct Tolerance {
  double relative = 0.0;
  double absolute = 0.0;

  /// What is not a number is the same as what is not a number; infinities are the same as themselves only.
  [[nodiscard]] bool allows(double a, double b) const noexcept;
};

/// Numbers of one array that differ.
struct Tally {
  std::uint64_t numbers = 0;  ///< that were compared
  std::uint64_t differing = 0;
  std::uint64_t first = 0;  ///< place of the first one, in the order of the first file
  std::string values = {};  ///< "1 and 2": what both files hold there
  bool is_integer = false;
  double largest_absolute = 0.0;      ///< infinite where a number is not finite
  std::uint64_t largest_integer = 0;  ///< the same of integers, which no double could hold
  double largest_relative = 0.0;      ///< of the larger one of two numbers
};

/// An array, a group or an attribute that is not the same.
struct Difference {
  std::string name;                       ///< "PartType0/Densities", "Header@Time"
  std::string what = {};                  ///< in words, to follow the name; empty: see `tally`
  Tally tally = {};                       ///< of numbers
  std::vector<std::uint64_t> shape = {};  ///< of the array in the first file
};

/// As people read it: "12 of 512 numbers differ, first [3]: 1 and 2; at most by 1, 0.5 of the value".
[[nodiscard]] std::string to_text(const Difference& difference);

struct CompareOptions {
  /// What an array of real numbers is allowed, by its name; nothing: every bit counts. Integers are always the same or
  /// not. Null: every bit of all counts.
  std::function<std::optional<Tolerance>(const std::string& name)> tolerance = nullptr;
  /// Names of groups, arrays and attributes that are not compared. Null: all are.
  std::function<bool(const std::string& name)> leaves_out = nullptr;
  std::uint64_t memory = std::uint64_t{1} << 28;  ///< for numbers [byte]; at least one row of two arrays is held
};

struct Comparison {
  std::uint64_t arrays = 0;      ///< that were compared
  std::uint64_t attributes = 0;  ///< likewise
  std::vector<Difference> differences = {};
};

/// Compares two HDF5 files, or files in parts, by the names of what they hold.
///
/// Where a group of both has particles with IDs (an array `ParticleIDs` or `id`), its arrays with a row for each are
/// compared particle by particle, in whatever order they are. Particles of the same ID count in their order.
///
/// Attributes are compared as doubles. What holds neither numbers nor one text (compounds, lists of texts) cannot be
/// compared, and so is a difference.
/// @throws base::SystemError, base::FormatError if one cannot be read
/// Cost: reads both once; arrays in another order of particles once for each options.memory of them. Memory: that, 40
/// bytes per particle, and arrays of signed integers of 64 bits whole.
[[nodiscard]] Comparison compare_files(const std::filesystem::path& a, const std::filesystem::path& b,
                                       const CompareOptions& options = {});

}  // namespace tacit::io

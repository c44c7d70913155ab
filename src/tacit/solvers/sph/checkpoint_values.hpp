// Numbers of the solver's group in a checkpoint, checked as they are read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "tacit/base/vec3.hpp"
#include "tacit/io/file.hpp"
#include "tacit/io/part.hpp"

namespace tacit::sph::checkpoint {

/// The group of a checkpoint that holds all that is the solver's own.
inline constexpr const char* group = "Sph";

/// What this rank has of an array of shape (all).
struct Parts {
  std::uint64_t all = 0;
  std::vector<io::Part> mine;
};

// Writers: of an array of shape (N) that all ranks have, or have parts of; and of attributes.
void store(io::FileWriter& file, const std::string& name, const io::Values& values);
void store(io::FileWriter& file, const std::string& name, const io::Values& values, const Parts& parts);
void store(io::FileWriter& file, const std::string& name, std::initializer_list<double> values);
void store(io::FileWriter& file, const std::string& name, const base::Vec3& vector);

// Readers; each throws base::FormatError where the file does not hold what is asked for.

/// The rows of an array of `all` numbers that make up `parts`; all of them finite.
[[nodiscard]] std::vector<double> read_numbers(const io::FileReader& file, const std::string& name, const Parts& parts);
/// Likewise, of whole numbers.
[[nodiscard]] std::vector<std::uint64_t> read_counts(const io::FileReader& file, const std::string& name,
                                                     const Parts& parts);
/// An array of exactly `count` finite numbers.
[[nodiscard]] std::vector<double> read_numbers(const io::FileReader& file, const std::string& name, std::size_t count);
/// A list of whole numbers, as long as it is.
[[nodiscard]] std::vector<std::uint64_t> read_counts(const io::FileReader& file, const std::string& name);
/// An attribute of exactly `count` finite numbers.
[[nodiscard]] std::vector<double> read_scalars(const io::FileReader& file, const std::string& name, std::size_t count);
[[nodiscard]] double read_scalar(const io::FileReader& file, const std::string& name);
[[nodiscard]] base::Vec3 read_vector(const io::FileReader& file, const std::string& name);
/// The length of a list.
[[nodiscard]] std::size_t length_of(const io::FileReader& file, const std::string& name);
/// A time in ticks as it was saved.
[[nodiscard]] std::int64_t ticks(const io::FileReader& file, double value);

}  // namespace tacit::sph::checkpoint

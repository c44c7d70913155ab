// The one or several files that hold a set of particles, and how many of each type are in which.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/io/file.hpp"

namespace tacit::sph {

/// SWIFT's seven particle types; GADGET has the first six and other names for some.
inline constexpr std::size_t particle_types = 7;
inline constexpr std::array<std::string_view, particle_types> type_names{
    "gas", "dark matter", "background dark matter", "sinks", "stars", "black holes", "neutrinos"};

/// One file of a set.
struct FilePart {
  io::FileReader file;
  std::array<std::uint64_t, particle_types> counts{};  ///< particles of each type in this file
  std::array<std::uint64_t, particle_types> firsts{};  ///< and in those before it
};

/// A file, or `name.0.hdf5`, `name.1.hdf5`, ... where its header says that there are several.
class FileSet {
 public:
  /// @param path  the file; of a set any one of its parts, or `name.hdf5` or `name`, whether that exists or not
  /// @throws base::SystemError, base::FormatError naming the part that is missing or does not fit to the first
  explicit FileSet(const std::filesystem::path& path);

  [[nodiscard]] std::span<const FilePart> parts() const noexcept { return parts_; }
  [[nodiscard]] const io::FileReader& first() const noexcept { return parts_.front().file; }
  [[nodiscard]] std::uint64_t total(std::size_t type) const noexcept { return totals_[type]; }
  /// The first file's name, and how many more there are.
  [[nodiscard]] std::string source() const;
  /// Of the content of all files.
  [[nodiscard]] std::string checksum() const;

 private:
  void open_others(const std::filesystem::path& path, std::uint64_t files);
  void add(io::FileReader file);
  void check_totals() const;
  void compare_totals(const std::string& name, std::span<const std::uint64_t> expected) const;

  std::vector<FilePart> parts_;
  std::array<std::uint64_t, particle_types> totals_{};
};

/// The first file of a set, where the path is the common part of their names and no file itself.
[[nodiscard]] std::optional<std::filesystem::path> first_part_of(const std::filesystem::path& path);

/// The files of a set, as far as they can be told.
[[nodiscard]] std::vector<std::filesystem::path> files_of_set(const std::filesystem::path& path) noexcept;

/// The numbers of particles that an attribute of Header gives.
/// @throws base::FormatError if they are none
[[nodiscard]] std::vector<std::uint64_t> header_counts(const io::FileReader& file, const std::string& name);

}  // namespace tacit::sph

// An open file and what all reads share: links, checks of storage, errors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/io/detail/array_read.hpp"
#include "tacit/io/detail/hdf5.hpp"
#include "tacit/io/detail/parts_table.hpp"
#include "tacit/io/file.hpp"

namespace tacit::io {

/// All rows of an array, or those from `first` on.
struct Rows {
  bool all = true;
  std::uint64_t first = 0;
};

/// Functions want a Session held, but for those that read, which take it: other threads need it while they read.
struct FileReader::Handle {
  std::filesystem::path path;
  Reading reading;
  detail::File file;
  detail::Properties links;
  std::vector<detail::PartFile> parts;                   // over which its virtual arrays are spread, all of them sound
  mutable std::map<std::string, FileReader> part_files;  // those that have been needed, by name
  int depth = 0;                                         // of virtual arrays over this file

  /// @throws base::FormatError, base::SystemError unless all are there
  void look_at_parts(const std::string& table);
  [[noreturn]] void fail(const std::string& what) const { throw base::FormatError(path.string(), what); }
  enum class Presence : std::uint8_t { missing, dangling, there };
  [[nodiscard]] Presence presence(const std::string& name) const;
  [[noreturn]] void fail_dangling(const std::string& name) const;
  [[nodiscard]] detail::Object open(const std::string& name) const;
  [[nodiscard]] detail::Object open_array(const std::string& name) const;
  [[nodiscard]] Number number_type(const std::string& array) const;
  [[nodiscard]] detail::Attribute open_attribute(const std::string& object, const std::string& name) const;
  [[noreturn]] void fail_attribute(const std::string& object, const std::string& name) const;
  enum class Written : std::uint8_t { whole, in_part };
  /// @param bytes  of the whole array
  Written check_storage(const std::string& name, hid_t array, std::uint64_t bytes) const;
  /// @return how many of them were written
  std::uint64_t check_chunks(const std::string& name, hid_t array, hid_t creation, std::uint64_t bytes) const;
  [[noreturn]] void fail_claim(const std::string& name, std::uint64_t bytes, std::uint64_t stored) const;
  void check_claim(const std::string& name, hid_t array, std::uint64_t bytes) const;
  void require_fill_value(const std::string& name, hid_t creation) const;
  void check_sources(const std::string& name, hid_t creation, std::uint64_t bytes) const;
  void check_source(const std::string& name, const detail::VirtualSource& source) const;
  /// Where a file is that a virtual array names. @throws base::FormatError if it is in another folder
  [[nodiscard]] std::filesystem::path source_path(const std::string& name) const;
  void check_filters(const std::string& name, hid_t creation, double& ratio) const;
  /// @param type  of the numbers of `out`
  void read(const std::string& name, const Rows& rows, std::size_t count, bool integers, Number type,
            std::span<std::byte> out) const;
  void read_part(const std::string& name, const Part& part, std::span<double> out) const;
  [[nodiscard]] Part part_of(const std::string& name, std::span<const std::uint64_t> shape, const Rows& rows,
                             std::uint64_t count) const;
  /// @param pieces  that have been found in vain
  void read_by_library(const std::string& name, const detail::Object& array, const Part& part, Number type,
                       std::span<std::byte> out, detail::ArrayRead& pieces) const;
  /// Adds what `cut` takes of an array that is to become numbers of `type`.
  /// @return false where only the library can read it; some pieces may have been added then
  [[nodiscard]] bool find_pieces(const std::string& name, const detail::Object& array, const detail::Cut& cut,
                                 Number type, detail::ArrayRead& pieces) const;
  [[nodiscard]] bool find_mapped(const detail::Object& array, hid_t creation, const detail::Cut& cut, Number type,
                                 detail::ArrayRead& pieces) const;
  [[nodiscard]] bool find_in_part(const detail::MappedBox& box, const Part& common, Number stored,
                                  const detail::Cut& cut, Number type, detail::ArrayRead& pieces) const;
  [[nodiscard]] const FileReader& part_file(const std::string& name) const;
  void read_counts(const std::string& name, const Rows& rows, std::span<std::uint64_t> out) const;
};

}  // namespace tacit::io

// An open file and what all reads share: links, checks of storage, errors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/io/detail/hdf5.hpp"
#include "tacit/io/detail/parts_table.hpp"
#include "tacit/io/file.hpp"

namespace tacit::io {

/// All rows of an array, or those from `first` on.
struct Rows {
  bool all = true;
  std::uint64_t first = 0;
};

struct FileReader::Handle {
  std::filesystem::path path;
  detail::File file;
  detail::Properties links;
  std::vector<detail::PartFile> parts;  // over which its virtual arrays are spread, all of them sound

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
  void check_storage(const std::string& name, hid_t array, std::uint64_t bytes) const;
  void check_chunks(const std::string& name, hid_t array, hid_t creation, std::uint64_t bytes) const;
  void check_sources(const std::string& name, hid_t creation, std::uint64_t bytes) const;
  void check_filters(const std::string& name, hid_t creation, double& ratio) const;
  void read(const std::string& name, const Rows& rows, std::size_t count, bool integers, hid_t memory_type,
            void* out) const;
  void read_part(const std::string& name, const Part& part, std::span<double> out) const;
  [[nodiscard]] detail::Space select_rows(const std::string& name, const detail::Space& space,
                                          std::span<const std::uint64_t> shape, std::uint64_t first,
                                          std::uint64_t count) const;
  void read_counts(const std::string& name, const Rows& rows, std::span<std::uint64_t> out) const;
};

}  // namespace tacit::io

// LIME files: records one after the other, each with its type and length.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::qcd {

/// Where a record lies.
struct LimeRecord {
  std::string type;          ///< "ildg-binary-data"
  std::uint64_t begin = 0;   ///< of its data in the file [byte]
  std::uint64_t length = 0;  ///< of its data [byte]
  std::size_t number = 0;    ///< from 1, in the order of the file
  std::size_t message = 0;   ///< of which it is, from 1; one begins where flags say that one begins or ends
  [[nodiscard]] std::string text() const;  ///< "record 3, ildg-binary-data"
};

/// The four bytes with which every record begins.
inline constexpr std::uint32_t lime_magic = 0x456789abU;

/// The flags of records with which a message begins and ends; programs that write none have one message.
inline constexpr std::uint8_t lime_begins = 0x80;
inline constexpr std::uint8_t lime_ends = 0x40;

/// All records of a file. @throws base::SystemError; base::FormatError naming the record whose header or data is cut
/// off or is none
[[nodiscard]] std::vector<LimeRecord> lime_records(const std::filesystem::path& path);

/// The data of a record that is a text. @pre length is at most a MiB
[[nodiscard]] std::string lime_text(const std::filesystem::path& path, const LimeRecord& record);

/// Appends a record, padded to 8 bytes. @param flags  lime_begins, lime_ends, or both
void append_lime(std::string& file, std::string_view type, std::string_view data, std::uint8_t flags);

}  // namespace tacit::qcd

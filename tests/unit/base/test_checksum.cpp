// Checksums: known values, and the same for memory and file.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <span>
#include <string>

#include "tacit/base/checksum.hpp"
#include "tacit/base/error.hpp"

namespace checksum_test {
namespace {

using namespace tacit::base;

std::string checksum_of(const std::string& text) { return checksum(std::as_bytes(std::span(text))); }

std::filesystem::path temporary_file() {
  return std::filesystem::temp_directory_path() / ("tacit_checksum_" + std::to_string(::getpid()));
}

TEST(Checksum, EmptyInputHasTheKnownValueOfXxh3) { EXPECT_EQ(checksum_of(""), "99aa06d3014798d86001c324468d497f"); }

TEST(Checksum, OneBitChangesIt) {
  const std::string text(1000, 'a');
  std::string other = text;
  other[999] ^= 1;
  EXPECT_EQ(checksum_of(text), checksum_of(text));
  EXPECT_NE(checksum_of(text), checksum_of(other));
  EXPECT_EQ(checksum_of(text).size(), 32U);
}

TEST(Checksum, FileAndMemoryAgreeAcrossPieces) {
  const auto path = temporary_file();
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, (std::size_t{1} << 20) - 1, std::size_t{1} << 20,
                                 (std::size_t{1} << 20) + 1, std::size_t{3000000}}) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 7919 >> 3);
    std::ofstream(path, std::ios::binary).write(text.data(), static_cast<std::streamsize>(size));
    EXPECT_EQ(file_checksum(path), checksum_of(text)) << size;
  }
  std::filesystem::remove(path);
}

TEST(Checksum, UnreadableFilesAreNamed) {
  try {
    (void)file_checksum("no/such/file");
    FAIL() << "returned";
  } catch (const SystemError& error) {
    EXPECT_STREQ(error.what(), "no/such/file: cannot be opened for reading (No such file or directory)");
  }
  EXPECT_THROW((void)file_checksum(std::filesystem::temp_directory_path()), SystemError);  // a directory
}

}  // namespace
}  // namespace checksum_test

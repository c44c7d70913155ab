// Checksums of what files hold: the sums themselves, footers, and what they find out.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <random>
#include <vector>

#include "scratch.hpp"
#include "tacit/io/detail/checksums.hpp"
#include "tacit/io/detail/pack.hpp"
#include "tacit/io/file.hpp"
#include "tacit/io/verify.hpp"

namespace tacit::io::checksums_test {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;
using Shape = std::vector<std::uint64_t>;

/// By the definition, word by word, folded as the HDF5 library does.
std::uint32_t plain_fletcher32(const Bytes& bytes) {
  std::uint64_t s1 = 0;
  std::uint64_t s2 = 0;
  const auto fold = [](std::uint64_t sum) {
    while (sum > 65535) sum = (sum & 65535U) + (sum >> 16U);
    return sum;
  };
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    const auto high = static_cast<std::uint64_t>(bytes[i]);
    const auto low = i + 1 < bytes.size() ? static_cast<std::uint64_t>(bytes[i + 1]) : 0;
    s1 = fold(s1 + 256 * high + low);
    s2 = fold(s2 + s1);
  }
  return static_cast<std::uint32_t>(s2 << 16U | s1);
}

Bytes random_bytes(std::size_t count, int kind, std::mt19937& random) {
  Bytes bytes(count);
  for (std::byte& byte : bytes) {
    const bool is_kept = kind == 2 || (kind == 3 && random() % 50 == 0);
    byte = is_kept ? static_cast<std::byte>(random()) : static_cast<std::byte>(kind == 1 ? 255 : 0);
  }
  return bytes;
}

std::string read(const fs::path& path) { return test::content(path); }

void write(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
}

/// Groups, attributes, arrays with and without compression.
void write_sample(const fs::path& path) {
  FileWriter file(path);
  file.group("g");
  file.attribute("g", "text", std::string_view("some words"));
  std::vector<double> x(3000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i * i) * 0.25;
  file.array("g/x", x, Shape{1000, 3});
  file.array("g/y", x, Shape{3000}, Number::float32);
  file.commit();
}

}  // namespace

TEST(IoChecksums, FletcherIsThatOfTheDefinition) {
  std::mt19937 random(7);
  for (int i = 0; i < 4000; ++i) {
    // Some have several of the groups of 8 KiB that are summed without a carry, and a rest.
    const Bytes bytes = random_bytes(random() % (i % 20 < 4 ? 40000 : 3000), i % 4, random);
    ASSERT_EQ(detail::fletcher32(bytes), plain_fletcher32(bytes)) << bytes.size() << " bytes";
  }
}

// The HDF5 library reads them with its own filters, which check and undo what we have done.
TEST(IoChecksums, TheLibraryReadsWhatWePack) {
  const test::Scratch scratch;
  std::mt19937 random(8);
  const auto check = [&]<class T>(T, int compression) {
    std::vector<T> values(70001);
    for (T& value : values) value = static_cast<T>(random() % 100);
    FileWriter file(scratch / "a.hdf5", compression);
    file.array("x", values, Shape{values.size()});
    file.commit();
    const FileReader back(scratch / "a.hdf5");
    EXPECT_EQ(back.info("x").type, number_type<T>());
    const Bytes bytes = back.read_bytes("x");
    ASSERT_EQ(bytes.size(), values.size() * sizeof(T));
    EXPECT_EQ(std::memcmp(bytes.data(), values.data(), bytes.size()), 0);
  };
  for (const int compression : {0, 1, 9}) {
    check(double{}, compression);
    check(float{}, compression);
    check(std::int8_t{}, compression);
    check(std::uint16_t{}, compression);
    check(std::int32_t{}, compression);
    check(std::uint64_t{}, compression);
  }
}

TEST(IoChecksums, EveryByteIsCovered) {
  const test::Scratch scratch;
  const fs::path path = scratch / "a.hdf5";
  write_sample(path);
  ASSERT_TRUE(has_checksums(path));
  ASSERT_EQ(find_damage(path), std::nullopt);
  const std::string sound = read(path);
  std::mt19937 random(9);
  for (int i = 0; i < 1000; ++i) {
    std::string damaged = sound;
    const std::size_t at = i < 64 ? damaged.size() - 1 - static_cast<std::size_t>(i) : random() % damaged.size();
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
    write(path, damaged);
    ASSERT_NE(find_damage(path), std::nullopt) << "byte " << at << " of " << damaged.size();
  }
  for (int i = 0; i < 200; ++i) {
    write(path, sound.substr(0, random() % sound.size()));
    ASSERT_NE(find_damage(path), std::nullopt) << fs::file_size(path);
  }
}

TEST(IoChecksums, SharesFindWhatTheWholeHas) {
  const test::Scratch scratch;
  const fs::path path = scratch / "a.hdf5";
  write_sample(path);
  std::string content = read(path);
  content[content.size() / 2] = static_cast<char>(content[content.size() / 2] ^ 1);
  write(path, content);
  for (const std::uint64_t shares : {1U, 2U, 3U, 7U, 100U}) {
    std::uint64_t found = 0;
    for (std::uint64_t share = 0; share < shares; ++share) found += find_damage(path, share, shares) ? 1 : 0;
    EXPECT_EQ(found, 1U) << shares << " shares";
  }
}

TEST(IoChecksums, AreNotInOtherFiles) {
  const test::Scratch scratch;
  write(scratch / "text", "no checksums here, and more than the 64 bytes that the end of a footer has");
  EXPECT_FALSE(has_checksums(scratch / "text"));
  EXPECT_EQ(find_damage(scratch / "text"),
            "has no checksums behind its data: it is truncated, was changed by another program, or written by an "
            "earlier version");
  EXPECT_THROW(static_cast<void>(find_damage(scratch / "missing")), base::SystemError);
}

}  // namespace tacit::io::checksums_test

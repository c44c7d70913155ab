// tacit info of files in parts and of the directories that hold them, and what --verify says.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "commands.hpp"
#include "tacit/base/error.hpp"
#include "tacit/io/file.hpp"
#include "unit/comm/ranks.hpp"
#include "unit/io/scratch.hpp"

namespace tacit::apps::info_test {
namespace {

namespace fs = std::filesystem;

/// Two ranks write a file each for themselves, and the first one that which names both.
void write_in_parts(const fs::path& path) {
  comm::testing::on_ranks(2, [&](comm::Communicator& ranks) {
    io::Output output(ranks, {.writers = {.kind = io::Writers::Kind::all}});
    io::FileWriter file(path, 0, output);
    const std::vector<double> mine(100, comm::number(ranks.rank()));
    const io::Part part{.first = {100 * comm::number(ranks.rank())}, .count = {100}};
    file.group("Sph");
    file.part("Sph/x", std::array<std::uint64_t, 1>{200}, io::Number::float64, part, mine);
    file.commit();
    output.finish();
  });
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

/// A directory as a run leaves it, with a file in two parts.
class InfoOfParts : public ::testing::Test {
 protected:
  InfoOfParts() {
    test::put(scratch / "parameters.toml", "solver = \"sph\"\n");
    write_in_parts(path);
    for (const std::string& name : names_in(scratch.path())) {
      if (name.starts_with("restart.part")) parts.push_back(name);
    }
  }
  std::string printed(const fs::path& of, InfoOf what, int expected) const {
    ::testing::internal::CaptureStdout();
    const int code = info(of, what);
    std::fflush(stdout);
    std::string text = ::testing::internal::GetCapturedStdout();
    EXPECT_EQ(code, expected) << text;
    return text;
  }

  test::Scratch scratch;
  fs::path path = scratch / "restart.hdf5";
  std::vector<std::string> parts;
};

TEST_F(InfoOfParts, NamesThem) {
  ASSERT_EQ(parts.size(), 2U);
  const std::string text = printed(path, InfoOf::contents, success);
  for (const std::string& part : parts) EXPECT_NE(text.find("  part              " + part + ": "), std::string::npos);
  EXPECT_NE(text.find("Sph/x"), std::string::npos);
}

TEST_F(InfoOfParts, FoldsThemIntoTheirFileInADirectory) {
  const std::string text = printed(scratch.path(), InfoOf::contents, success);
  EXPECT_NE(text.find(" MB with its 2 parts\n"), std::string::npos) << text;
  EXPECT_EQ(text.find(".part"), std::string::npos) << text;
}

TEST_F(InfoOfParts, VerifiesThemWithTheirFile) {
  const std::string sound = printed(scratch.path(), InfoOf::checksums, success);
  EXPECT_TRUE(sound.starts_with("restart.hdf5: sound, ")) << sound;
  EXPECT_EQ(std::ranges::count(sound, '\n'), 1) << sound;

  std::string bytes = test::content(scratch / parts[1]);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  test::put(scratch / parts[1], bytes);
  const std::string damaged = printed(scratch.path(), InfoOf::checksums, bad_input);
  EXPECT_TRUE(damaged.starts_with("restart.hdf5: damaged: its part " + parts[1] + ": bytes ")) << damaged;

  fs::remove(scratch / parts[1]);
  EXPECT_EQ(printed(scratch.path(), InfoOf::checksums, bad_input),
            "restart.hdf5: damaged: its part " + parts[1] + " is missing\n");
  EXPECT_THROW(static_cast<void>(info(path, InfoOf::contents)), base::FormatError);
}

}  // namespace
}  // namespace tacit::apps::info_test

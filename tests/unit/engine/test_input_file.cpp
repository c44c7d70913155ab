// Files that keys name are compared with their checksums by all ranks before a run uses them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "sample_run.hpp"
#include "tacit/engine/input_file.hpp"
#include "tacit/io/file.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::engine::input_file_test {

namespace fs = std::filesystem;

class SoundFiles : public ::testing::Test {
 protected:
  SoundFiles() {
    std::vector<double> values(200000);
    std::iota(values.begin(), values.end(), 0.5);
    io::FileWriter file(path);
    file.array("x", values, std::array<std::uint64_t, 1>{values.size()});
    file.commit();
  }
  /// Of both of two ranks, which must be alike.
  [[nodiscard]] std::string complaint(const std::vector<std::pair<std::string, fs::path>>& further = {}) const {
    const config::Parameters parameters =
        testing::read(scratch / "test.toml", "time.end = 1\nranks.routes = \"" + named.string() + "\"\n");
    std::array<std::string, 2> messages;
    comm::testing::on_ranks(2, [&](comm::Communicator& ranks) {
      messages[number(ranks.rank())] =
          test::message_of<config::Error>([&] { require_sound_files(parameters, further, ranks, nullptr); });
    });
    EXPECT_EQ(messages[0], messages[1]);
    return messages[0];
  }
  void flip(std::size_t place) const {
    std::string content = test::content(path);
    content[place] = static_cast<char>(content[place] ^ 4);
    test::put(path, content);
  }

  test::Scratch scratch;
  fs::path path = scratch / "a.hdf5";
  fs::path named = path;
};

TEST_F(SoundFiles, AreTaken) {
  EXPECT_EQ(complaint(), "nothing");
  EXPECT_EQ(complaint({{"ranks.routes", path}}), "nothing");
  named = scratch / "missing";
  EXPECT_EQ(complaint(), "nothing") << "its reader says that there is none";
  test::put(scratch / "text", "no HDF5, no checksums");
  EXPECT_EQ(complaint({{"ranks.routes", scratch / "text"}}), "nothing");
}

TEST_F(SoundFiles, ADamageInTheShareOfAnyRankIsSaidByAll) {
  const std::size_t bytes = test::data_bytes_of(path);
  for (const std::size_t place : {bytes / 8, bytes - bytes / 8}) {
    flip(place);
    const std::string message = complaint();
    EXPECT_NE(message.find(": ranks.routes: " + path.string() + " is damaged: bytes "), std::string::npos) << message;
    EXPECT_TRUE(
        message.ends_with(" are not what was written\n"
                          "  hint: take another copy of it; of a file that was changed on purpose, one made "
                          "with h5repack"))
        << message;
    flip(place);
  }
  flip(bytes / 2);
  named = scratch / "missing";
  EXPECT_NE(complaint({{"ranks.routes", path}}), "nothing");
}

}  // namespace tacit::engine::input_file_test

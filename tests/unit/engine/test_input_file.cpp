// Files that keys name: compared with their checksums by all ranks before a run uses them; fields that they hold.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "sample_run.hpp"
#include "tacit/engine/input_fields.hpp"
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

/// An input of 3 x 2 cells, in an array of that name.
class FieldsOfFiles : public ::testing::Test {
 protected:
  [[nodiscard]] InputFields fields_of(const std::string& array, const std::vector<double>& values,
                                      const std::array<std::uint64_t, 2>& shape = {2, 3}) const {
    io::FileWriter file(scratch / "input.hdf5");
    if (const auto end = array.rfind('/'); end != std::string::npos) file.group(array.substr(0, end));
    file.array(array, values, shape);
    file.commit();
    const config::Parameters parameters = testing::read(
        scratch / "test.toml", "time.end = 1\nranks.routes = \"" + (scratch / "input.hdf5").string() + "\"\n");
    return {parameters, "ranks.routes", {.cells = {3, 2, 1}, .dimensions = 2, .key = "flow.cells"}};
  }

  test::Scratch scratch;
  FieldRow density{.info = {.name = "density"}};
  FieldRow velocity{.info = {.name = "velocity"}};
};

TEST_F(FieldsOfFiles, AreFoundByNameAndInTheCellsOfASnapshot) {
  for (const std::string group : {"", "VTKHDF/CellData/"}) {
    const InputFields input = fields_of(group + "density", {1, 2, 3, 4, 5, 6});
    EXPECT_TRUE(input.has(density));
    EXPECT_FALSE(input.has(velocity));
    const auto at = input.field(density);
    EXPECT_EQ(at({0, 0, 0}), 1.0);
    EXPECT_EQ(at({2, 1, 0}), 6.0);
    EXPECT_FALSE(input.checksum().empty());
  }
}

TEST_F(FieldsOfFiles, AreRefusedWithTheShapeOrTheCellThatCannotBe) {
  const auto complaint = [](const auto& read) { return test::message_of<base::FormatError>(read); };
  const InputFields turned = fields_of("density", {1, 2, 3, 4, 5, 6}, {3, 2});
  EXPECT_TRUE(complaint([&] {
                static_cast<void>(turned.field(density));
              }).ends_with("density has the shape (3, 2), expected (2, 3): flow.cells, the last one first"));
  const InputFields broken = fields_of("density", {1, 2, 3, 4, std::numeric_limits<double>::quiet_NaN(), 6});
  EXPECT_TRUE(complaint([&] {
                static_cast<void>(broken.field(density)({1, 1, 0}));
              }).ends_with("density of the cell (1, 1, 0) is nan, expected a finite number"));
  const InputFields zero = fields_of("density", {1, 0, 3, 4, 5, 6});
  EXPECT_EQ(zero.field(density)({1, 0, 0}), 0.0);
  EXPECT_TRUE(complaint([&] {
                static_cast<void>(zero.field(density, 0.0)({1, 0, 0}));
              }).ends_with("density of the cell (1, 0, 0) is 0, expected more than 0"));
}

}  // namespace tacit::engine::input_file_test

// One number for what a file holds: how it is stored does not count.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "scratch.hpp"
#include "tacit/base/checksum.hpp"
#include "tacit/io/file.hpp"
#include "tacit/io/fingerprint.hpp"

namespace tacit::io::fingerprint_test {
namespace {

using Shape = std::vector<std::uint64_t>;

/// What a file of the tests holds, and how it is written; a test changes some of it.
struct Content {
  std::vector<double> x = std::vector<double>(300'000, 1.25);  // several pieces
  Shape shape = {100'000, 3};
  std::vector<std::uint64_t> id = {1, 2, 3};
  std::string text = "one";
  double time = 0.5;
  int compression = 0;
  bool ids_first = false;

  [[nodiscard]] std::uint64_t hash() const {
    const test::Scratch scratch;
    const auto path = scratch / "a.hdf5";
    FileWriter file(path, compression);
    file.group("State");
    if (ids_first) file.array("State/id", id, Shape{id.size()});
    file.array("State/x", x, shape);
    if (!ids_first) file.array("State/id", id, Shape{id.size()});
    file.attribute("State", "time", std::array{time});
    file.attribute("State", "text", std::string_view(text));
    file.group("Engine");
    file.attribute("Engine", "date", std::string_view(path.string()));
    file.commit();
    base::Hash hash;
    add_contents(hash, FileReader(path), [](const std::string& name) { return name == "Engine" || name[0] == '@'; });
    return hash.value();
  }
};

}  // namespace

TEST(ContentsOfFiles, HaveOneHashHoweverTheyAreStored) {
  const std::uint64_t plain = Content{}.hash();
  EXPECT_EQ(Content{}.hash(), plain);
  EXPECT_EQ(Content{.compression = 4}.hash(), plain);
  EXPECT_EQ(Content{.ids_first = true}.hash(), plain);
}

TEST(ContentsOfFiles, HaveAnotherHashWithAnyChange) {
  const std::uint64_t plain = Content{}.hash();
  const std::array<std::function<void(Content&)>, 5> changes{
      [](Content& c) { c.x.back() = -c.x.back(); }, [](Content& c) { c.shape = {300'000}; },
      [](Content& c) {
        c.id = {1, 3, 2};
      },
      [](Content& c) { c.text = "ones"; }, [](Content& c) { c.time = 0.25; }};
  for (const auto& change : changes) {
    Content content;
    change(content);
    EXPECT_NE(content.hash(), plain);
  }
}

}  // namespace tacit::io::fingerprint_test

// Buffered windows: what is inserted piece by piece is extracted likewise, and the pieces need not agree.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tacit/comm/buffered.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::comm::testing {
namespace {

RankId partner_of(const Communicator& world) { return RankId{1 - number(world.rank())}; }

TEST(CommBuffered, PiecesNeedNotAgree) {
  on_ranks(2, [](Communicator& world) {
    Connection connection(world, {.rank = partner_of(world)});
    BufferedSendWindow<int> out(connection, 300, {.depth = 2});
    BufferedRecvWindow<int> in(connection, 300, {.depth = 2});
    std::mt19937_64 random(1);  // alike at both ends
    for (int turn = 0; turn < 200; ++turn) {
      std::vector<int> message(random() % 301);
      std::iota(message.begin(), message.end(), 1000 * turn);
      in.init();
      for (std::size_t at = 0; at < message.size();) {
        const std::size_t piece =
            1 + (at * 7 + static_cast<std::size_t>(turn)) % std::min<std::size_t>(50, message.size() - at);
        std::vector<int> values(message.begin() + static_cast<std::ptrdiff_t>(at),
                                message.begin() + static_cast<std::ptrdiff_t>(at + piece));
        out.insert(values);
        std::ranges::fill(values, -1);  // nothing is on loan
        at += piece;
      }
      EXPECT_EQ(out.size(), message.size());
      out.post();
      EXPECT_EQ(out.size(), 0U);
      ASSERT_EQ(in.wait(), message.size());
      std::vector<int> got(message.size());
      const std::size_t first = got.size() / 3;
      in.extract(std::span(got).first(first));
      EXPECT_EQ(in.remaining(), got.size() - first);
      for (std::size_t i = first; i < got.size(); ++i) got[i] = in.extract();
      EXPECT_EQ(got, message);
    }
    out.wait();
  });
}

TEST(CommBuffered, BlocksAndChosenElements) {
  on_ranks(1, [](Communicator& world) {
    Connection connection(world, {.rank = RankId{0}});
    BufferedSendWindow<double> out(connection, 20);
    BufferedRecvWindow<double> in(connection, 20);
    std::array<double, 12> values{};
    std::iota(values.begin(), values.end(), 0.0);
    in.init();
    out.insert(Strided<const double>{values.data(), 3, 2, 5});  // 0 1 5 6 10 11
    out.insert(std::span<const double>(values), std::array<std::uint32_t, 3>{7, 2, 9});
    out.insert(0.5);
    out.post();
    EXPECT_EQ(in.wait(), 10U);
    std::array<double, 12> got{};
    in.extract(Strided<double>{got.data(), 2, 3, 6});  // 0 1 5 ... 6 10 11
    EXPECT_EQ(got, (std::array<double, 12>{0, 1, 5, 0, 0, 0, 6, 10, 11, 0, 0, 0}));
    in.extract(std::span(got), std::array<std::uint32_t, 3>{11, 3, 4});
    EXPECT_EQ(got, (std::array<double, 12>{0, 1, 5, 2, 9, 0, 6, 10, 11, 0, 0, 7}));
    EXPECT_EQ(in.extract(), 0.5);
    EXPECT_EQ(in.remaining(), 0U);
    EXPECT_TRUE(out.test());
  });
}

TEST(CommBuffered, TheNextMessageWaitsForTheBuffer) {
  on_ranks(2, [](Communicator& world) {
    Connection connection(world, {.rank = partner_of(world)});
    BufferedSendWindow<int> out(connection, 1000);
    BufferedRecvWindow<int> in(connection, 1000);
    // The grant comes behind the post: what is inserted next must not overtake it.
    if (number(world.rank()) == 0) {
      for (int turn = 0; turn < 50; ++turn) {
        out.insert(std::vector<int>(1000, turn));
        out.post();
      }
      out.wait();
    } else {
      std::vector<int> got(1000);
      for (int turn = 0; turn < 50; ++turn) {
        in.init();
        while (!in.test()) yield_processor();
        in.extract(got);
        EXPECT_EQ(got, std::vector<int>(1000, turn));
      }
    }
    world.synchronise();
  });
}

template <class Function>
std::string words_of(Function&& function) {
  try {
    function();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(CommBuffered, TooMuchIsAnError) {
  on_ranks(1, [](Communicator& world) {
    Connection connection(world, {.rank = RankId{0}});
    BufferedSendWindow<int> out(connection, 4);
    BufferedRecvWindow<int> in(connection, 4);
    const std::array<int, 3> three{1, 2, 3};
    out.insert(three);
    EXPECT_EQ(words_of([&] { out.insert(three); }),
              "3 elements cannot be inserted behind 3: a message of this window has 4 at most");
    in.init();
    out.post();
    in.wait();
    std::array<int, 3> got{};
    in.extract(std::span(got).first(2));
    EXPECT_EQ(words_of([&] { in.extract(got); }), "3 elements cannot be extracted behind 2: the message has 3");
    EXPECT_EQ(in.extract(), 3);
  });
}

}  // namespace
}  // namespace tacit::comm::testing

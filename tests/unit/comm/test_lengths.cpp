// Lengths that cannot be are errors of the caller that name them: in windows, collectives and one-sided access.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tacit/comm/buffered.hpp"
#include "tacit/comm/collectives/all_to_all.hpp"
#include "tacit/comm/collectives/all_to_all_view.hpp"
#include "tacit/comm/collectives/gather.hpp"
#include "tacit/comm/error.hpp"
#include "tacit/comm/one_sided/one_sided.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::comm::testing {
namespace {

/// Elements whose bytes are 8 in arithmetic of 64 bit.
constexpr std::size_t wraps = (std::size_t{1} << 61U) + 1;
constexpr std::size_t all_ones = std::numeric_limits<std::size_t>::max();

/// What `function` throws of an argument.
template <class Function>
std::string words_about(Function&& function) {
  try {
    function();
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(CommLengths, AreProductsThatDoNotWrap) {
  EXPECT_EQ(detail::length_of(std::size_t{1} << 45U, 8), std::size_t{1} << 48U);
  EXPECT_EQ(detail::length_of(all_ones, 0), 0U);
  EXPECT_EQ(words_about([] { static_cast<void>(detail::length_of(wraps, 8)); }),
            "2305843009213693953 elements of 8 B are longer than any memory: 2^48 B at most");
  for (const std::size_t count : {(std::size_t{1} << 45U) + 1, all_ones / 8, all_ones}) {
    EXPECT_THROW(static_cast<void>(detail::length_of(count, 8)), ArgumentError) << count;
  }
}

TEST(CommLengths, OfWindows) {
  on_ranks(1, [](Communicator& world) {
    Connection connection(world, {.rank = RankId{0}});
    double memory = 0.0;
    for (const std::size_t count : {wraps, all_ones}) {
      EXPECT_THROW(SendWindow<double>(connection, count), ArgumentError);
      EXPECT_THROW(RecvWindow<double>(connection, count, {.depth = 3}), ArgumentError);
      EXPECT_THROW(BufferedSendWindow<double>(connection, count), ArgumentError);
      EXPECT_THROW(SendWindow<double>(connection, Strided<const double>{&memory, count, 8, 8}), ArgumentError);
      EXPECT_THROW(RecvWindow<double>(connection, Strided<double>{&memory, 2, 1, count}), ArgumentError);
    }
    EXPECT_EQ(words_about([&] { RecvWindow<double>(connection, std::size_t{1} << 45U, {.depth = 2}); }),
              "2 messages of 35184372088832 elements of 8 B are longer than any memory: 2^48 B at most");
  });
}

TEST(CommLengths, OfMessagesAreAtMostTheCapacity) {
  on_ranks(1, [](Communicator& world) {
    Connection connection(world, {.rank = RankId{0}});
    SendWindow<double> send(connection, 100);
    RecvWindow<double> receive(connection, 100);
    receive.init();
    const std::string words = words_about([&] { send.post(101); });
    EXPECT_NE(words.find("a message of 101 elements (808 B) is longer than send window 0 of connection 0 with rank 0"),
              std::string::npos)
        << words;
    EXPECT_NE(words.find("whose capacity is 100 (800 B)"), std::string::npos) << words;
    EXPECT_THROW(send.post(wraps), ArgumentError);
    send.post(100);  // the window is as it was
    EXPECT_EQ(receive.wait().size(), 100U);
    send.wait();
  });
}

TEST(CommLengths, OfCollectives) {
  on_ranks(2, [](Communicator& world) {
    for (const std::size_t count : {wraps, all_ones, std::size_t{1} << 45U}) {
      EXPECT_THROW(AllToAll<double>(world, count), ArgumentError);
    }
    EXPECT_THROW(AllGatherView<double>(world, wraps), ArgumentError);
    EXPECT_THROW(AllToAllView<double>(world, [](RankId, RankId) { return wraps; }), ArgumentError);
    EXPECT_THROW(AllToAllV<double>(world, std::vector<std::size_t>{1, wraps}), ArgumentError);
  });
}

TEST(CommLengths, OfOneSidedAccess) {
  on_ranks(2, [](Communicator& world) {
    EXPECT_THROW(OneSidedWindow<double>(world, wraps), ArgumentError);
    OneSidedWindow<double> window(world, 10);
    double element = 1.0;
    EXPECT_THROW(window.put(RankId{0}, wraps - 1, std::span<const double>(&element, 1)), ArgumentError);
    EXPECT_THROW(window.get(RankId{0}, wraps - 1, std::span<double>(&element, 1)), ArgumentError);
    window.fence();
  });
}

}  // namespace
}  // namespace tacit::comm::testing

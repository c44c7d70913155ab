// Messages of the set-up over TCP: all sizes, ranks that come late or go early, and strangers.
// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "tacit/base/clock.hpp"
#include "tacit/comm/bootstrap/sockets.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::comm::testing {
namespace socket_tests {

constexpr double patience_s = 20.0;  // far more than a system takes to carry what follows

Bytes pattern(std::size_t size, unsigned seed) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 251 + seed);
  return bytes;
}

/// Ranks of one process, each with its sockets and mailbox.
struct Ranks {
  explicit Ranks(std::size_t size, SetupSockets::Reach reach = SetupSockets::Reach::machine) : boxes(size) {
    for (std::size_t i = 0; i < size; ++i) all.push_back(std::make_unique<SetupSockets>(reach));
  }
  [[nodiscard]] std::vector<SocketAddress> addresses() const {
    std::vector<SocketAddress> found;
    for (const auto& sockets : all) found.push_back(sockets->address());
    return found;
  }
  void meet() {
    for (std::uint32_t i = 0; i < all.size(); ++i) all[i]->meet(RankId{i}, addresses());
  }
  void progress() {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i] != nullptr) all[i]->progress(boxes[i]);
    }
  }
  /// What `to` has from `from`, once it has come; nothing if it does not.
  std::optional<Bytes> receive(std::uint32_t to, std::uint32_t from, const SetupKey& key) {
    for (const base::Stopwatch watch; watch.seconds() < patience_s;) {
      progress();
      if (auto message = boxes[to].take(RankId{from}, key)) return message;
    }
    return std::nullopt;
  }
  std::vector<std::unique_ptr<SetupSockets>> all;
  std::vector<Mailbox> boxes;
};

TEST(CommSockets, MessagesOfAllSizesArrive) {
  Ranks ranks(2);
  ranks.meet();
  // The last one is more than the system buffers for a link: the rest leaves by and by.
  const std::vector<std::size_t> sizes{0, 1, 8, 200, 65'535, 65'536, 65'537, 16U << 20U};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    ranks.all[0]->send(RankId{1}, {i, 0, 7}, pattern(sizes[i], 1));
    ranks.all[1]->send(RankId{0}, {i, 1, 0}, pattern(sizes[i], 2));
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_TRUE(ranks.receive(1, 0, {i, 0, 7}) == pattern(sizes[i], 1)) << sizes[i];
    EXPECT_TRUE(ranks.receive(0, 1, {i, 1, 0}) == pattern(sizes[i], 2)) << sizes[i];
  }
  EXPECT_FALSE(ranks.boxes[0].take(RankId{1}, {0, 1, 0}));  // each comes once
}

TEST(CommSockets, WhatComesBeforeWeKnowTheOthersIsKept) {
  Ranks ranks(2);
  ranks.all[1]->meet(RankId{1}, ranks.addresses());
  ranks.all[1]->send(RankId{0}, {5, 6, 7}, pattern(10, 3));
  for (int i = 0; i < 1000; ++i) ranks.all[0]->progress(ranks.boxes[0]);
  ranks.all[0]->meet(RankId{0}, ranks.addresses());
  EXPECT_EQ(ranks.receive(0, 1, {5, 6, 7}), pattern(10, 3));
}

TEST(CommSockets, ManyMessagesWaitForARankThatDoesNotLook) {
  Ranks ranks(3);
  ranks.meet();
  constexpr std::uint64_t many = 5000;
  for (std::uint64_t i = 0; i < many; ++i) {
    ranks.all[0]->send(RankId{2}, {i, 0, 0}, pattern(200, 0));
    ranks.all[1]->send(RankId{2}, {i, 0, 0}, pattern(200, 1));
  }
  for (std::uint64_t i = 0; i < many; ++i) {
    ASSERT_EQ(ranks.receive(2, 0, {i, 0, 0}), pattern(200, 0));
    ASSERT_EQ(ranks.receive(2, 1, {i, 0, 0}), pattern(200, 1));
  }
}

TEST(CommSockets, UnknownConnectionsAreRejected) {
  Ranks ranks(2);
  ranks.meet();
  const int stranger = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(ranks.all[0]->address().port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(connect(stranger, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  // As long as what a rank says of itself, and a message of rank 1 behind it; but not the token.
  const std::vector<std::uint64_t> words{1, 2, 1, 4, 0, 0, 0};
  ASSERT_EQ(send(stranger, words.data(), words.size() * 8, MSG_NOSIGNAL), static_cast<ssize_t>(words.size() * 8));
  ranks.all[1]->send(RankId{0}, {9, 0, 0}, pattern(4, 4));
  EXPECT_EQ(ranks.receive(0, 1, {9, 0, 0}), pattern(4, 4));
  char nothing = 0;
  EXPECT_LE(recv(stranger, &nothing, 1, 0), 0);  // it was hung up on
  EXPECT_FALSE(ranks.boxes[0].take(RankId{1}, {4, 0, 0}));
  close(stranger);
}

TEST(CommSockets, WhatGoesToARankThatHasLeftIsLost) {
  Ranks ranks(3);
  ranks.meet();
  ranks.all[0]->send(RankId{1}, {1, 0, 0}, pattern(4, 4));
  EXPECT_EQ(ranks.receive(1, 0, {1, 0, 0}), pattern(4, 4));
  ranks.all[1].reset();
  for (std::uint64_t i = 0; i < 100; ++i) {
    ranks.all[0]->send(RankId{1}, {2 + i, 0, 0}, pattern(100'000, 4));  // it was there
    ranks.all[2]->send(RankId{1}, {2 + i, 0, 0}, pattern(4, 4));        // never met
  }
  ranks.all[0]->send(RankId{2}, {1, 0, 0}, pattern(4, 4));
  EXPECT_EQ(ranks.receive(2, 0, {1, 0, 0}), pattern(4, 4));
}

TEST(CommSockets, AddressesAreTriedInTurn) {
  Ranks ranks(2);  // which listen at 127.0.0.1 alone
  auto addresses = ranks.addresses();
  addresses[1].machine = {"another machine"};
  addresses[1].hosts = 2;
  addresses[1].host = {htonl(INADDR_LOOPBACK + 1), htonl(INADDR_LOOPBACK)};
  ranks.all[0]->meet(RankId{0}, addresses);
  ranks.all[1]->meet(RankId{1}, ranks.addresses());
  ranks.all[0]->send(RankId{1}, {1, 2, 3}, pattern(40, 4));
  EXPECT_EQ(ranks.receive(1, 0, {1, 2, 3}), pattern(40, 4));
}

TEST(CommSockets, AMachineThatCannotBeReachedIsAnError) {
  Ranks ranks(2);
  auto addresses = ranks.addresses();
  addresses[1].machine = {"another machine"};
  addresses[1].hosts = 1;
  addresses[1].host = {htonl(INADDR_LOOPBACK + 1)};  // nothing listens there
  ranks.all[0]->meet(RankId{0}, addresses);
  std::string text;
  try {
    ranks.all[0]->send(RankId{1}, {1, 2, 3}, pattern(40, 4));
    EXPECT_FALSE(ranks.receive(1, 0, {1, 2, 3}));
  } catch (const ProviderError& error) {
    text = error.what();
  }
  EXPECT_EQ(text, "rank 0 cannot connect to rank 1 by TCP on any of its 1 addresses: Connection refused");
}

}  // namespace socket_tests
}  // namespace tacit::comm::testing

// What drives libfabric: the choice of a network, its ways to tell of a message, its errors, and the conformance suite
// between threads.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "mpi/conformance.hpp"
#include "support/under_sanitizer.hpp"
#include "tacit/base/clock.hpp"
#include "tacit/comm/error.hpp"
#include "tacit/comm/providers/ofi/ends.hpp"
#include "tacit/comm/providers/ofi/provider.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::comm::ofi::testing {
namespace {

const Network tcp{.provider = "tcp", .device = "lo"};
const Network rxm{.provider = "tcp;ofi_rxm", .device = "lo"};

std::string text_of(const std::function<void()>& function) {
  try {
    function();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

/// Asks again and again until it is so. @return  false: 30 s were not enough
bool comes_true(const std::function<bool()>& question) {
  const base::Stopwatch watch;
  while (!question()) {
    if (watch.seconds() > 30.0) return false;
  }
  return true;
}

TEST(CommOfi, SocketsAreRefusedByName) {
  EXPECT_EQ(text_of([] { Fabric({.provider = "sockets"}, 0); }),
            "ofi: libfabric's provider 'sockets' is refused: it has delivered wrong data; use tcp, or the network's "
            "own");
}

TEST(CommOfi, WhatIsNotThereIsNamedBesideWhatIs) {
  const std::string text = text_of([] { Fabric({.provider = "tcp;ofi_rxm", .device = "nothing0"}, 0); });
  EXPECT_NE(text.find("ofi: libfabric has not 'tcp;ofi_rxm' on the device 'nothing0' that can be used; it offers "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("sockets (refused: it has delivered wrong data)"), std::string::npos) << text;
  EXPECT_NE(text.find("tcp;ofi_rxm ("), std::string::npos) << text;
}

/// In a process of its own, which has not loaded libfabric yet.
TEST(CommOfiDeathTest, LoadingLeavesTheHandlersOfSignals) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto load = [] {
    constexpr std::array signals{SIGHUP, SIGINT, SIGILL, SIGABRT, SIGBUS, SIGSEGV, SIGTERM, SIGUSR1, SIGCHLD};
    const auto own = +[](int) {};
    for (const int signal : signals) std::signal(signal, own);
    const Fabric fabric({.provider = "tcp", .device = "lo"}, 0);
    int replaced = 0;
    for (const int signal : signals) {
      struct sigaction now {};
      sigaction(signal, nullptr, &now);
      replaced += now.sa_handler == own ? 0 : 1;
    }
    std::_Exit(replaced);
  };
  EXPECT_EXIT(load(), ::testing::ExitedWithCode(0), "");
}

TEST(CommOfi, APortIsListenedOn) {
  constexpr std::uint32_t port = 28'741;
  const Fabric fabric({.provider = "tcp", .device = "lo", .port = port}, port);
  // An address of IP begins with the family and the port, in network order.
  EXPECT_EQ(
      std::to_integer<std::uint32_t>(fabric.address()[2]) << 8U | std::to_integer<std::uint32_t>(fabric.address()[3]),
      port);
}

TEST(CommOfi, FastNetworksComeFirst) {
  EXPECT_TRUE(is_fast("verbs;ofi_rxm"));
  EXPECT_TRUE(is_fast("efa"));
  EXPECT_FALSE(is_fast("tcp;ofi_rxm"));
  EXPECT_FALSE(is_fast("net"));
  EXPECT_FALSE(is_fast("sockets"));
  for (const std::string& name : usable_providers()) EXPECT_EQ(name.find("sockets"), std::string::npos);
}

TEST(CommOfi, TcpIsTheBestWayOverIt) {
  const auto usable = usable_providers();
  const auto best = std::ranges::find_if_not(usable, is_fast);
  ASSERT_NE(best, usable.end());
  EXPECT_EQ(Fabric(tcp, 0).provider(), *best);
}

TEST(CommOfi, ANameInFullIsTaken) { EXPECT_EQ(Fabric(rxm, 0).provider(), "tcp;ofi_rxm"); }

constexpr WindowSpec short_window{.depth = 3, .bytes = 10'000};
constexpr WindowSpec long_window{.depth = 3, .bytes = 100'000};

/// A window from one endpoint to another, whose ends are joined.
struct OneWay {
  OneWay(Fabric& source, Fabric& target, const WindowSpec& spec) : from(source), to(target) {
    Blob mine;
    Blob theirs;
    sender = from.offer_sender(spec, mine);
    receiver = to.offer_receiver(spec, theirs);
    from.join(sender, theirs);
    to.join(receiver, mine);
  }
  Link from;
  Link to;
  Link::Sender sender;
  Link::Receiver receiver;
};

/// Two endpoints in this thread.
struct Endpoints {
  Endpoints(Notice notice, const Network& network)
      : left(std::make_unique<Fabric>(network, 0, notice)), right(std::make_unique<Fabric>(network, 0, notice)) {}
  void poll() const {
    left->poll();
    right->poll();
  }
  std::unique_ptr<Fabric> left;
  std::unique_ptr<Fabric> right;
};

/// Two endpoints, and a window from the left one to the right one.
struct Pair : Endpoints, OneWay {
  explicit Pair(Notice notice, const WindowSpec& spec = short_window, const Network& network = tcp)
      : Endpoints(notice, network), OneWay(*left, *right, spec) {}
  /// A window in the other direction.
  [[nodiscard]] OneWay way_back() const { return OneWay(*right, *left, {.bytes = 100}); }
};

struct Way {
  std::string name;
  Notice notice;
  Network network;
};

class CommOfiNotice : public ::testing::TestWithParam<Way> {
 protected:
  [[nodiscard]] static Pair make_pair(const WindowSpec& spec) {
    return Pair(GetParam().notice, spec, GetParam().network);
  }
};

TEST_P(CommOfiNotice, MessagesOfAllLengthsComeInOrder) {
  Pair pair = make_pair(short_window);
  std::uint64_t granted = 0;
  for (std::uint64_t n = 0; n < 300; ++n) {
    while (granted < n + 3) {
      pair.receiver.grant();
      ++granted;
    }
    const std::size_t bytes = n * 7919 % 10'001;
    std::memset(pair.sender.memory().data, static_cast<int>(n % 251), bytes);
    bool is_gone = pair.sender.start(bytes);
    ASSERT_TRUE(comes_true([&] {
      pair.poll();
      is_gone = is_gone || pair.sender.test();
      return is_gone;
    }));
    ASSERT_EQ(pair.sender.error(), 0) << pair.sender.explain();
    ASSERT_TRUE(comes_true([&] {
      pair.poll();
      return pair.receiver.test();
    }));
    ASSERT_EQ(pair.receiver.bytes(), bytes);
    for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(pair.receiver.data()[i], static_cast<std::byte>(n % 251));
  }
}

TEST_P(CommOfiNotice, MemoryIsGivenBackWhenAllWritesAreThere) {
  Pair pair = make_pair(long_window);
  pair.receiver.grant();  // and it is not waited for
  const std::uint64_t grants = pair.to.depart();
  EXPECT_EQ(grants, 1U);
  EXPECT_EQ(pair.from.depart(), 0U);
  EXPECT_FALSE(pair.from.retire(grants)) << "a connection takes more than one look";
  EXPECT_TRUE(comes_true([&] {
    pair.poll();
    return pair.from.retire(grants);
  }));
  EXPECT_TRUE(comes_true([&] { return pair.to.retire(0); }));
}

/// Sends a message and takes it.
template <class Sender, class Receiver>
void pass_message(const Pair& pair, Sender& sender, Receiver& receiver) {
  bool is_gone = sender.start(8);
  ASSERT_TRUE(comes_true([&] {
    pair.poll();
    is_gone = is_gone || sender.test();
    return is_gone;
  }));
  ASSERT_TRUE(comes_true([&] {
    pair.poll();
    return receiver.test();
  }));
}

TEST_P(CommOfiNotice, GrantsGoAlongWithMessagesToTheSamePeer) {
  Pair pair = make_pair({.bytes = 100});
  OneWay back = pair.way_back();
  constexpr std::uint64_t turns = 50;
  for (std::uint64_t turn = 0; turn < turns; ++turn) {  // the first messages come ahead of their grants
    pass_message(pair, pair.sender, pair.receiver);
    pair.receiver.grant();
    ASSERT_FALSE(pair.receiver.state().is_busy()) << "it is a write of its own";
    pass_message(pair, back.sender, back.receiver);
    back.receiver.grant();
    ASSERT_FALSE(back.receiver.state().is_busy()) << "it is a write of its own";
  }
  EXPECT_EQ(pair.sender.state().arrived(), turns);
  EXPECT_EQ(back.sender.state().arrived(), turns - 1) << "the last one waits for a message";
  EXPECT_EQ(pair.to.depart(), turns);
  EXPECT_EQ(back.to.depart(), turns - 1);
  EXPECT_TRUE(comes_true([&] { return pair.from.retire(turns); }));
  EXPECT_TRUE(comes_true([&] { return back.from.retire(turns - 1); }));
}

TEST_P(CommOfiNotice, AGrantThatNoMessageTakesAlongIsWrittenInTime) {
  Pair pair = make_pair({.bytes = 100});
  pair.receiver.grant();
  for (std::uint64_t turn = 0; turn < 50; ++turn) {
    pass_message(pair, pair.sender, pair.receiver);
    pair.receiver.grant();
  }
  // As many as granted may be sent, and one ahead: so every other grant says enough.
  EXPECT_EQ(pair.to.depart(), 25U);
}

TEST_P(CommOfiNotice, MoreThanGrantedAndSpareIsNotSent) {
  Pair pair = make_pair({.bytes = 100});
  pass_message(pair, pair.sender, pair.receiver);
  EXPECT_FALSE(pair.sender.start(8));
  for (int i = 0; i < 1000; ++i) {
    pair.poll();
    ASSERT_FALSE(pair.sender.test());
  }
  pair.receiver.grant();
  EXPECT_EQ(pair.to.depart(), 0U) << "for the message that came ahead";
}

INSTANTIATE_TEST_SUITE_P(Ways, CommOfiNotice,
                         ::testing::Values(Way{"with_write", Notice::with_write, tcp},
                                           Way{"message", Notice::message, tcp},
                                           Way{"with_write_by_rxm", Notice::with_write, rxm}),
                         [](const auto& its) { return its.param.name; });

TEST(CommOfi, APeerThatLeavesEndsAWriteWithAnError) {
  Pair pair(Notice::with_write, {.depth = 1, .bytes = std::size_t{1} << 24U});
  pair.receiver.grant();
  ASSERT_TRUE(comes_true([&] {
    pair.poll();
    return pair.sender.state().arrived() == 1;
  }));
  ASSERT_FALSE(pair.sender.start(std::size_t{1} << 24U)) << "it is longer than what the system keeps under way";
  const Link gone = std::move(pair.to);
  pair.right->close();
  ASSERT_TRUE(comes_true([&] { return pair.sender.test(); }));
  EXPECT_NE(pair.sender.error(), 0);
  EXPECT_EQ(pair.sender.explain().find(std::string(pair.left->provider()) + " on lo: "), 0U) << pair.sender.explain();
}

TEST(CommOfi, EndsOfDifferentProvidersAreAMismatch) {
  Pair pair(Notice::with_write, short_window, rxm);
  Offer other = SenderState(*pair.right, {.bytes = 8}).offer();
  other.provider = {"efa"};
  EXPECT_EQ(text_of([&] { pair.from.join(pair.sender, Blob::of(other)); }),
            "libfabric's provider is tcp;ofi_rxm here and efa at the other end: name one in a file of routes");
}

using Case = std::tuple<conformance::NamedCheck, std::size_t>;

class CommOfiConformance : public ::testing::TestWithParam<Case> {};

TEST_P(CommOfiConformance, BetweenThreads) {
  const auto& [check, ranks] = GetParam();
  const auto run = check.check;
  // Processes are tested with more; here are two endpoints in one process, and threads on each.
  const conformance::Setting setting{.via = ProviderId::ofi, .exchanges = 100, .longest = 70'000};
  EXPECT_NO_THROW(comm::testing::on_ranks(ranks, [&](Communicator& world) { run(world, setting); }));
}

INSTANTIATE_TEST_SUITE_P(Threads, CommOfiConformance,
                         ::testing::Combine(::testing::ValuesIn(conformance::checks()), ::testing::Values(1, 2)),
                         [](const auto& its) {
                           return std::string(std::get<0>(its.param).name) + "_" +
                                  std::to_string(std::get<1>(its.param));
                         });

}  // namespace
}  // namespace tacit::comm::ofi::testing

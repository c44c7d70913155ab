// What two ranks have described differently is found by connect(), and said in the same words by both.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tacit/exchange/exchange.hpp"
#include "unit/exchange/words.hpp"

namespace tacit::exchange {
namespace agreement_test {
namespace {

using testing::message_name;
using testing::rank_name;
using testing::words_on_ranks;
using Words = std::vector<std::string>;

template <class T>
void send(Messages& messages, const Message& message) {
  messages.send<T>(message, {}, [](tasks::StepContext&, std::span<T> to) { return to.size(); });
}
template <class T>
void receive(Messages& messages, const Message& message) {
  messages.receive<T>(message, {}, [](tasks::StepContext&, std::span<const T>) {});
}

/// What rank 0 adds, and what rank 1 does; other ranks add nothing. @return the words of each after connect()
Words connected(const std::function<void(Exchange&, tasks::Graph&)>& first,
                const std::function<void(Exchange&, tasks::Graph&)>& second, std::size_t ranks = 2) {
  return words_on_ranks(ranks, [&](comm::Communicator& world) {
    tasks::Graph graph;
    Exchange exchange(world);
    if (number(world.rank()) == 0) first(exchange, graph);
    if (number(world.rank()) == 1) second(exchange, graph);
    exchange.connect();
  });
}

constexpr comm::RankId zero{0};
constexpr comm::RankId one{1};
constexpr base::Schema doubles = base::schema_of<double>();

auto sends(const char* phase, const Message& message) {
  return [=](Exchange& exchange, tasks::Graph& graph) {
    Messages messages;
    send<double>(messages, message);
    exchange.add(graph, phase, std::move(messages));
  };
}
template <class T>
auto receives(const char* phase, const Message& message) {
  return [=](Exchange& exchange, tasks::Graph& graph) {
    Messages messages;
    receive<T>(messages, message);
    exchange.add(graph, phase, std::move(messages));
  };
}

/// Rank 0 sends 12 doubles as message 3 of phase "halo".
const Message sent{.peer = one, .key = 3, .count = 12};
const std::string sends_that = rank_name(0) + " sends " + message_name(3, "halo", "12", doubles);

Words mismatch(const std::string& expected) {
  return Words(2, "MismatchError: " + sends_that + ", " + rank_name(1) + " expects " + expected);
}

TEST(ExchangeAgreement, WhatBothHaveDescribedIsGood) {
  const Words words = words_on_ranks(2, [](comm::Communicator& world) {
    tasks::Graph graph;
    Exchange exchange(world);
    if (number(world.rank()) == 0) sends("halo", sent)(exchange, graph);
    if (number(world.rank()) == 1) receives<double>("halo", {.peer = zero, .key = 3, .count = 12})(exchange, graph);
    exchange.connect();
    world.synchronise();  // connect() returns where the other rank may still be opening its end
  });
  EXPECT_EQ(words, Words(2, "nothing"));
}

TEST(ExchangeAgreement, AnotherCount) {
  EXPECT_EQ(connected(sends("halo", sent), receives<double>("halo", {.peer = zero, .key = 3, .count = 24})),
            mismatch(message_name(3, "halo", "24", doubles)));
}

TEST(ExchangeAgreement, AnotherKey) {
  EXPECT_EQ(connected(sends("halo", sent), receives<double>("halo", {.peer = zero, .key = 4, .count = 12})),
            mismatch(message_name(4, "halo", "12", doubles)));
}

TEST(ExchangeAgreement, AnotherType) {
  EXPECT_EQ(connected(sends("halo", sent), receives<float>("halo", {.peer = zero, .key = 3, .count = 12})),
            mismatch(message_name(3, "halo", "12", base::schema_of<float>())));
}

TEST(ExchangeAgreement, AnotherPhase) {
  EXPECT_EQ(connected(sends("halo", sent), receives<double>("rim", {.peer = zero, .key = 3, .count = 12})),
            mismatch(message_name(3, "rim", "12", doubles)));
}

TEST(ExchangeAgreement, NamesThatDifferBehindWhatIsShown) {
  const Message message{.peer = zero, .key = 3, .count = 12};
  const Words words = connected(sends("a phase with a long name: one", sent),
                                receives<double>("a phase with a long name: two", message));
  for (const std::string& text : words) EXPECT_TRUE(text.starts_with("MismatchError: " + rank_name(0))) << text;
}

TEST(ExchangeAgreement, AnotherKindOfLength) {
  const Message variable{.peer = zero, .key = 3, .count = 12, .length = Length::variable};
  EXPECT_EQ(connected(sends("halo", sent), receives<double>("halo", variable)),
            mismatch(message_name(3, "halo", "up to 12", doubles)));
}

TEST(ExchangeAgreement, NothingIsExpected) {
  EXPECT_EQ(connected(sends("halo", sent), [](Exchange&, tasks::Graph&) {}), mismatch("no message"));
}

TEST(ExchangeAgreement, NothingIsSent) {
  const Message message{.peer = zero, .key = 3, .count = 12};
  EXPECT_EQ(connected([](Exchange&, tasks::Graph&) {}, receives<double>("halo", message)),
            Words(2, "MismatchError: " + rank_name(0) + " sends no message, " + rank_name(1) + " expects " +
                         message_name(3, "halo", "12", doubles)));
}

TEST(ExchangeAgreement, AMessageTooFew) {
  const auto two = [](Exchange& exchange, tasks::Graph& graph) {
    Messages messages;
    receive<double>(messages, {.peer = zero, .key = 3, .count = 12});
    receive<double>(messages, {.peer = zero, .key = 5, .count = 1});
    exchange.add(graph, "halo", std::move(messages));
  };
  EXPECT_EQ(connected(sends("halo", sent), two),
            Words(2, "MismatchError: " + rank_name(0) + " sends no message 2, " + rank_name(1) + " expects " +
                         message_name(5, "halo", "1", doubles)));
}

TEST(ExchangeAgreement, OtherRanksHearOfIt) {
  const Message message{.peer = zero, .key = 3, .count = 24};
  const Words words = connected(sends("halo", sent), receives<double>("halo", message), 4);
  EXPECT_EQ(Words(words.begin(), words.begin() + 2), mismatch(message_name(3, "halo", "24", doubles)));
  for (std::uint32_t rank = 2; rank < 4; ++rank) {
    EXPECT_EQ(words[rank], "MismatchError: " + rank_name(rank) + ": " + rank_name(0) +
                               " and another rank have described different messages; they say which");
  }
}

TEST(ExchangeAgreement, OneRankThatDiffersFromAllOthersHearsAndTellsOne) {
  // Rank 3 describes more than the others expect of it.
  const Words words = words_on_ranks(4, [](comm::Communicator& world) {
    tasks::Graph graph;
    Exchange exchange(world);
    Messages messages;
    for (std::uint32_t peer = 0; peer < 4; ++peer) {
      const auto own = number(world.rank());
      const std::size_t count = 10 * own + peer;
      send<double>(messages, {.peer = comm::RankId{peer}, .count = own == 3 ? count + 1 : count});
      receive<double>(messages, {.peer = comm::RankId{peer}, .count = 10 * peer + own});
    }
    exchange.add(graph, "all", std::move(messages));
    exchange.connect();
  });
  for (std::size_t rank = 0; rank < 4; ++rank) {
    EXPECT_NE(words[rank].find("MismatchError: " + rank_name(3) + " sends message 0 of phase 'all': 3"),
              std::string::npos)
        << words[rank];
    if (rank == 3) continue;
    EXPECT_NE(words[rank].find(rank_name(rank) + " expects"), std::string::npos) << words[rank];
  }
}

TEST(ExchangeAgreement, ARankDiffersFromItself) {
  const Words words = words_on_ranks(1, [](comm::Communicator& world) {
    tasks::Graph graph;
    Exchange exchange(world);
    Messages messages;
    send<double>(messages, {.peer = zero, .key = 1, .count = 2});
    receive<double>(messages, {.peer = zero, .key = 1, .count = 3});
    exchange.add(graph, "self", std::move(messages));
    exchange.connect();
  });
  EXPECT_EQ(words[0], "MismatchError: " + rank_name(0) + " sends " + message_name(1, "self", "2", doubles) + ", " +
                          rank_name(0) + " expects " + message_name(1, "self", "3", doubles));
}

TEST(ExchangeAgreement, OtherOptions) {
  const auto with = [](const Options& odd) {
    return words_on_ranks(2, [&](comm::Communicator& world) {
      Exchange exchange(world, number(world.rank()) == 1 ? odd : Options{});
      exchange.connect();
    });
  };
  EXPECT_EQ(with({.slots = 3}),
            Words(2, "MismatchError: " + rank_name(0) + " has an exchange with 2 slots and envelopes of 131072 B, " +
                         rank_name(1) + " with 3 slots and envelopes of 131072 B"));
  EXPECT_EQ(with({.envelope_bytes = 100}),
            Words(2, "MismatchError: " + rank_name(0) + " has an exchange with 2 slots and envelopes of 131072 B, " +
                         rank_name(1) + " with 2 slots and envelopes of 100 B"));
}

}  // namespace
}  // namespace agreement_test
}  // namespace tacit::exchange

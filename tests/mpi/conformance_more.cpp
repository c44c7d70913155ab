// Further checks of the conformance suite: what programs do with connections beside an exchange in step.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <chrono>
#include <numeric>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "mpi/conformance_support.hpp"

namespace tacit::comm::conformance {
namespace {

/// The ranks that the provider of the setting is asked to reach.
std::vector<RankId> peers_of(const Communicator& world, const Setting& setting) {
  if (setting.via == ProviderId::self) return {world.rank()};
  std::vector<RankId> peers;
  for (std::uint32_t rank = 0; rank < world.size(); ++rank) peers.push_back(RankId{rank});
  return peers;
}

/// The other one of a pair of ranks; the last of an odd number is alone with itself.
RankId partner_of(const Communicator& world, const Setting& setting) {
  const std::uint32_t other = number(world.rank()) ^ 1U;
  return setting.via == ProviderId::self || other >= world.size() ? world.rank() : RankId{other};
}

}  // namespace

/// Every rank makes its connections in an order of its own: keys tell them apart.
void check_any_order(Communicator& world, const Setting& setting) {
  constexpr std::uint32_t keys = 4;
  struct Labelled {
    Labelled(Communicator& communicator, RankId peer, std::uint32_t key, const Setting& set)
        : connection(communicator, {.rank = peer, .key = key, .via = set.via}),
          out(connection, {.count = 200}, stream_of(communicator.rank(), peer, key)),
          in(connection, {.count = 200}, stream_of(peer, communicator.rank(), key)) {}
    Connection connection;
    Outgoing out;
    Incoming in;
  };
  std::vector<std::pair<RankId, std::uint32_t>> order;
  for (const RankId peer : peers_of(world, setting)) {
    for (std::uint32_t key = 1; key <= keys; ++key) order.emplace_back(peer, key);
  }
  std::mt19937_64 own(setting.seed + number(world.rank()));
  std::ranges::shuffle(order, own);
  std::vector<std::unique_ptr<Labelled>> all;
  for (const auto& [peer, key] : order) all.push_back(std::make_unique<Labelled>(world, peer, key, setting));
  for (int turn = 0; turn < 5; ++turn) {
    for (auto& one : all) one->in.init();
    for (auto& one : all) one->out.post(200);
    for (auto& one : all) one->in.wait_and_check(200);
    for (auto& one : all) one->out.window().wait();
  }
  world.synchronise();
}

/// Connections end and are made again, without any rank waiting for the others.
void check_made_anew(Communicator& world, const Setting& setting) {
  for (std::size_t turn = 0; turn < 40; ++turn) {
    auto all = exchanges_with_all(world, setting, {.count = 100 + 300 * turn, .depth = turn % 2 == 0 ? 1U : 2U});
    exchange_once(all, 100 + 300 * turn);
  }
  world.synchronise();
}

/// Windows in one direction; the sender runs ahead as far as the depth allows.
void check_one_way(Communicator& world, const Setting& setting) {
  constexpr std::uint32_t depth = 4;
  constexpr std::size_t messages = 200;
  const RankId partner = partner_of(world, setting);
  const bool sends = number(world.rank()) <= number(partner);
  const bool receives = number(world.rank()) >= number(partner);
  Connection connection(world, {.rank = partner, .via = setting.via});
  const Shape shape{.count = 3000, .depth = depth};
  std::optional<Outgoing> out;
  std::optional<Incoming> in;
  if (sends) out.emplace(connection, shape, 17);
  if (receives) in.emplace(connection, shape, 17);
  const auto count = [](std::size_t n) { return n * 37 % 3001; };
  if (receives) {
    for (std::uint32_t i = 0; i < depth; ++i) in->init();
  }
  std::size_t sent = 0;
  for (std::size_t received = 0; (receives && received < messages) || (sends && sent < messages);) {
    // To itself: never more under way than are granted.
    while (sends && sent < messages && (!receives || sent < received + depth)) {
      out->post(count(sent++));
      out->window().wait();
    }
    if (!receives || received == messages) continue;
    in->wait_and_check(count(received++));
    if (received + depth <= messages) in->init();
  }
  world.synchronise();
}

/// Lengths about which a transport may cut messages in pieces, long and short ones in turns, some ahead of others; and
/// the receiver waits for the last window first.
void check_cut_messages(Communicator& world, const Setting& setting) {
  constexpr std::size_t limit = 65536;
  const std::array lengths{2 * limit, limit - 257, limit - 256, limit - 255, std::size_t{8},
                           limit,     5 * limit,   limit - 256, 3 * limit,   std::size_t{0}};
  const RankId partner = partner_of(world, setting);
  for (const std::uint32_t depth : {1U, 3U}) {
    std::vector<std::unique_ptr<Exchange>> all;
    for (std::uint64_t which = 0; which < 3; ++which) {
      const Shape shape{.count = 5 * limit, .depth = depth, .receive = kinds[which == 0 ? 1 : 0]};
      all.push_back(std::make_unique<Exchange>(world, partner, setting, shape, which));
    }
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      for (auto& one : all) one->in.init();
      for (auto& one : all) one->out.post(lengths[i]);
      for (auto one = all.rbegin(); one != all.rend(); ++one) (*one)->in.wait_and_check(lengths[i]);
      for (auto& one : all) one->out.window().wait();
    }
    world.synchronise();
  }
}

/// Messages that are written where prepare() says, in turns with those in data(); granted before, after, or not known.
void check_prepared(Communicator& world, const Setting& setting) {
  const RankId partner = partner_of(world, setting);
  for (const std::uint32_t depth : {1U, 2U}) {
    for (const std::size_t capacity : {std::size_t{96}, std::size_t{97}, std::size_t{200'000}}) {
      Connection connection(world, {.rank = partner, .via = setting.via});
      SendWindow<std::uint8_t> out(connection, capacity, WindowOptions{.depth = depth});
      Incoming in(connection, {.count = capacity, .depth = depth}, stream_of(partner, world.rank(), depth));
      std::vector<std::uint8_t> message;
      for (std::size_t turn = 0; turn < 24; ++turn) {
        const std::size_t count = turn % 4 == 3 ? capacity : turn * 41 % (capacity + 1);
        if (turn % 3 != 0) in.init();
        if (turn % 6 == 1) world.synchronise();
        make_message(stream_of(world.rank(), partner, depth), turn + 1, count, message);
        std::ranges::copy(message, (turn % 5 == 4 ? out.data() : out.prepare()).begin());
        out.post(count);
        if (turn % 3 == 0) in.init();
        in.wait_and_check(count);
        out.wait();
      }
      world.synchronise();
    }
  }
}

/// Messages begin and end at any byte.
void check_alignments(Communicator& world, const Setting& setting) {
  constexpr std::size_t longest = 300;
  for (const std::size_t from : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{63}}) {
    for (const std::size_t to : {std::size_t{0}, std::size_t{3}, std::size_t{61}}) {
      std::vector<std::uint8_t> source(longest + 64);
      std::vector<std::uint8_t> target(longest + 64);
      Connection connection(world, {.rank = partner_of(world, setting), .via = setting.via});
      SendWindow<std::uint8_t> out(connection, std::span<const std::uint8_t>(source).subspan(from, longest));
      RecvWindow<std::uint8_t> in(connection, std::span(target).subspan(to, longest));
      for (const std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{31}, std::size_t{96},
                                       std::size_t{97}, std::size_t{255}, longest}) {
        std::ranges::fill(target, std::uint8_t{0xEE});
        std::iota(source.begin(), source.end(), static_cast<std::uint8_t>(length));
        in.init();
        out.post(length);
        require(in.wait().size() == length, "another length");
        out.wait();
        for (std::size_t i = 0; i < target.size(); ++i) {
          const bool is_message = i >= to && i < to + length;
          const auto expected = is_message ? static_cast<std::uint8_t>(length + from + i - to) : std::uint8_t{0xEE};
          if (i < to || is_message) require(target[i] == expected, fmt::format("byte {} of {} B", i, length));
        }
      }
      world.synchronise();
    }
  }
}

/// A message whose grant comes late goes while its rank waits for all others, or for a communicator of some.
void check_while_synchronising(Communicator& world, const Setting& setting) {
  const RankId partner = partner_of(world, setting);
  if (partner == world.rank()) {
    for (int i = 0; i < 2; ++i) world.synchronise();
    static_cast<void>(world.split(0, 0));
    return world.synchronise();
  }
  Connection connection(world, {.rank = partner, .via = setting.via});
  Outgoing out(connection, {.count = 5000}, stream_of(world.rank(), partner, 3));
  Incoming in(connection, {.count = 5000}, stream_of(partner, world.rank(), 3));
  const bool is_first = number(world.rank()) < number(partner);
  for (int turn = 0; turn < 3; ++turn) {
    const auto meet = [&] {
      if (turn < 2) world.synchronise();
      if (turn == 2) static_cast<void>(world.split(0, 0));
    };
    connection.open();
    if (is_first) {
      out.post(5000);
      meet();
      out.window().wait();
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));  // the post is there, and then its rank is elsewhere
      in.init();
      in.wait_and_check(5000);
      meet();
    }
  }
  world.synchronise();
}

/// Ends that differ in number and direction.
void check_other_windows(Communicator& world, const Setting& setting) {
  const RankId partner = partner_of(world, setting);
  if (partner == world.rank()) {
    for (int i = 0; i < 3; ++i) world.synchronise();
    return;
  }
  const bool is_first = number(world.rank()) < number(partner);
  {
    // Both send, none receives.
    Connection connection(world, {.rank = partner, .via = setting.via});
    const SendWindow<double> out(connection, 5);
    const std::string text = mismatch_of([&] { connection.open(); });
    require(text.find("1 windows that send") != std::string::npos, text);
    require(text.find("0 that receive") != std::string::npos, text);
    world.synchronise();
  }
  {
    // One makes none at all.
    Connection connection(world, {.rank = partner, .via = setting.via});
    std::optional<RecvWindow<double>> in;
    if (is_first) in.emplace(connection, 5);
    const std::string text = mismatch_of([&] { connection.open(); });
    if (is_first) require(text.find("0 that send") != std::string::npos, text);
    world.synchronise();
  }
  {
    // As many bytes, but other elements.
    Connection connection(world, {.rank = partner, .via = setting.via});
    const SendWindow<float> floats(connection, 6);
    const RecvWindow<double> doubles(connection, 3);
    const std::string text = mismatch_of([&] { connection.open(); });
    require(text.find("6 float32") != std::string::npos && text.find("3 float64") != std::string::npos, text);
    world.synchronise();
  }
}

/// Windows go while a message is granted and none is sent, and while one is posted and not granted.
void check_destroyed_under_way(Communicator& world, const Setting& setting) {
  const RankId partner = partner_of(world, setting);
  for (int turn = 0; turn < 20; ++turn) {
    Connection connection(world, {.rank = partner, .via = setting.via});
    SendWindow<double> out(connection, 2000);
    RecvWindow<double> in(connection, 2000);
    connection.open();
    if (turn % 2 == 0) in.init();
    if (turn % 2 == 1) out.post(100);
    world.synchronise();
  }
  auto all = exchanges_with_all(world, setting, {.count = 2000});  // nothing of the above comes here
  exchange_once(all, 1000);
  world.synchronise();
}

}  // namespace tacit::comm::conformance

// Arguments as bytes: they come back as they were, and what is truncated or made up is refused.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tacit/base/vec3.hpp"
#include "unit/actions/crowd.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::actions::record_test {
namespace {

enum class Colour : std::uint8_t { red, green };

struct Nested {
  std::unique_ptr<testing::Parcel> parcel;
  std::vector<std::vector<std::string>> words;
  static constexpr auto record() noexcept {
    return base::record("nested", base::member("parcel", &Nested::parcel), base::member("words", &Nested::words));
  }
};

using Everything =
    std::tuple<double, bool, Colour, base::Vec3, std::string, std::vector<std::uint16_t>, std::vector<bool>,
               std::list<std::pair<int, std::string>>, std::map<std::string, std::set<int>>, std::deque<Colour>,
               std::unordered_map<int, std::optional<double>>, std::optional<std::string>, std::array<std::string, 2>,
               std::array<float, 3>, Nested>;

Everything everything() {
  Nested nested;
  nested.parcel = std::make_unique<testing::Parcel>(testing::Parcel{.label = "p", .rows = {{3, {1.5, 2.5}}, {9, {}}}});
  nested.words = {{"a", ""}, {}, {"long enough not to lie inside of the string itself"}};
  Everything all;  // piece by piece: a tuple with a move-only member takes no braces
  std::get<0>(all) = -0.0;
  std::get<1>(all) = true;
  std::get<2>(all) = Colour::green;
  std::get<3>(all) = {1.0, 2.0, 3.0};
  std::get<4>(all) = std::string("a\0b", 3);
  std::get<5>(all) = {1, 2, 65535};
  std::get<6>(all) = {true, false, true};
  std::get<7>(all) = {{1, "one"}, {2, "two"}};
  std::get<8>(all) = {{"odd", {1, 3}}, {"none", {}}};
  std::get<9>(all) = {Colour::red, Colour::green};
  std::get<10>(all) = {{7, 0.7}, {8, std::nullopt}};
  std::get<11>(all) = "there";
  std::get<12>(all) = {"first", "second"};
  std::get<13>(all) = {1.0F, 2.0F, 3.0F};
  std::get<14>(all) = std::move(nested);
  return all;
}

std::vector<std::byte> written(const Everything& value) {
  std::vector<std::byte> bytes(Codec<Everything>::size(value));
  Writer writer(bytes);
  Codec<Everything>::write(writer, value);
  EXPECT_EQ(writer.left(), 0U);
  return bytes;
}

Everything read(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  Everything value = Codec<Everything>::read(reader);
  reader.end();
  return value;
}

TEST(ActionRecord, ComesBackAsItWas) {
  const Everything before = everything();
  const Everything after = read(written(before));
  const auto without_last = []<std::size_t... i>(const Everything& value, std::index_sequence<i...>) {
    return std::tie(std::get<i>(value)...);
  };
  constexpr auto others = std::make_index_sequence<std::tuple_size_v<Everything> - 1>();
  EXPECT_TRUE(without_last(before, others) == without_last(after, others));
  const auto& [parcel, words] = std::get<Nested>(after);
  EXPECT_EQ(*parcel, *std::get<Nested>(before).parcel);
  EXPECT_EQ(words, std::get<Nested>(before).words);
}

TEST(ActionRecord, IsRefusedAtEveryOtherLength) {
  std::vector<std::byte> bytes = written(everything());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THROW(static_cast<void>(read(std::span(bytes).first(length))), RecordError) << length;
  }
  bytes.push_back({});
  EXPECT_THROW(static_cast<void>(read(bytes)), RecordError);
}

std::string message_of(std::initializer_list<int> values, auto&& function) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  Reader reader(bytes);
  try {
    function(reader);
  } catch (const RecordError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ActionRecord, SaysWhatIsWrong) {
  const auto number = [](Reader& reader) { static_cast<void>(Codec<std::uint32_t>::read(reader)); };
  EXPECT_EQ(message_of({1, 2}, number), "the record ends after 2 B, where 4 B more are expected from byte 0 on");
  const auto text = [](Reader& reader) { static_cast<void>(Codec<std::string>::read(reader)); };
  EXPECT_EQ(message_of({255, 255, 0, 0, 0, 0, 0, 0, 1, 2, 3}, text),
            "the record says 65535 elements of at least 1 B before byte 8, and has 3 B left");
  const auto flag = [](Reader& reader) { static_cast<void>(Codec<std::optional<int>>::read(reader)); };
  EXPECT_EQ(message_of({7}, flag), "byte 0 of the record is 7, where 0 or 1 is expected");
  const auto end = [](Reader& reader) {
    static_cast<void>(Codec<bool>::read(reader));
    reader.end();
  };
  EXPECT_EQ(message_of({1, 0, 0}, end), "the record has 3 B, 2 more than its action takes");
}

/// Another record: some bytes replaced, often by what lengths would be, some left out.
std::vector<std::byte> damaged(std::vector<std::byte> bytes, std::uint64_t seed) {
  const auto draw = [&](std::uint64_t k) { return base::mix64(base::mix64(seed) + k); };
  for (std::uint64_t i = 0; i < 1 + draw(0) % 4; ++i) {
    constexpr std::array<unsigned, 6> values{0, 1, 2, 127, 128, 255};
    const std::uint64_t value = draw(10 * i + 1);
    bytes[draw(10 * i + 2) % bytes.size()] = static_cast<std::byte>(value % 3 == 0 ? value >> 8U : values[value % 6]);
  }
  if (draw(3) % 4 == 0) bytes.resize(draw(4) % bytes.size());
  return bytes;
}

TEST(ActionRecord, IsReadOrRefusedWhateverItIs) {
  const std::vector<std::byte> bytes = written(everything());
  std::size_t refused = 0;
  constexpr std::size_t cases = 20'000;
  for (std::size_t i = 0; i < cases; ++i) {
    try {
      static_cast<void>(read(damaged(bytes, i)));
    } catch (const RecordError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, cases / 4);
  EXPECT_LT(refused, cases);
}

// Whole messages, as another rank could send them: they are taken, or refused as one error.
TEST(ActionRecord, MessagesAreTakenOrRefusedWhateverTheyAre) {
  comm::testing::on_ranks(1, [](comm::Communicator& world) {
    std::size_t refused = 0;
    constexpr std::size_t cases = 3000;
    trace::Recorder recorder(1, 64);
    tasks::Scheduler scheduler(1, recorder);
    Table table;
    table.add<&testing::Tally::note>("note");
    table.add<&testing::Tally::relabel>("relabel");
    table.add<&testing::Tally::reversed>("reversed");
    testing::add_rover(table);
    Actions actions(world, scheduler, table, {.longest_record = 100'000});
    const auto tally = actions.make<testing::Tally>(1U);
    detail::Outbox box(65536);
    const auto add = [&](std::uint16_t action, std::uint16_t flags, const auto&... values) {
      using Fields = detail::ListCodec<std::remove_cvref_t<decltype(values)>...>;
      box.append({.action = action, .flags = flags}, Fields::size(values...),
                 [&](Writer& to) { Fields::write(to, values...); });
    };
    const auto number_of = [&](std::uint32_t function) { return actions.core().action(function); };
    const std::uint16_t reversed = number_of(detail::function_id<&testing::Tally::reversed>);
    add(number_of(detail::function_id<&testing::Tally::note>), 0, tally.id, std::uint64_t{0});
    add(number_of(detail::function_id<&testing::Tally::relabel>), 0, tally.id,
        testing::Parcel{.label = "a", .rows = {{1, {2.0}}}}, std::string("b"));
    add(reversed, detail::FrameHead::goes_on, tally.id);
    add(reversed, detail::FrameHead::continues, std::vector<double>(10, 1.0));
    // An object that comes, a call of it, and where it has gone.
    const std::uint64_t key = detail::object_key(world.rank(), 50);
    add(number_of(detail::function_id<&detail::arrive<testing::Rover>>), 0,
        detail::Arrival{.key = key, .moves = 1, .next = {{0, 3}}, .movers = {}}, testing::Rover(1, 10));
    add(number_of(detail::function_id<&testing::Rover::where>), 0,
        detail::ObjectHead{.key = key, .sequence = 3, .caller = 0, .moves = 1});
    add(actions.core().move_action(), 0, detail::ObjectHead{.key = key, .sequence = 4, .caller = 0, .moves = 1}, 0U);
    std::vector<std::byte> message;
    ASSERT_GT(box.pack([&](std::size_t bytes) {
      message.resize(bytes);
      return std::span(message);
    }),
              0U);
    detail::Port& port = actions.core().calls_to(world.rank());
    actions.core().take(port, message);
    EXPECT_EQ(actions.local(tally)->runs(), 2U);
    EXPECT_EQ(actions.local(tally)->notes(), 1U);
    for (std::size_t i = 0; i < cases; ++i) {
      port.pieces().clear();
      try {
        actions.core().take(port, damaged(message, i));
      } catch (const RecordError& error) {
        EXPECT_NE(std::string(error.what()).find("a message of actions from rank 0 ("), std::string::npos);
        ++refused;
      }
    }
    EXPECT_GT(refused, cases / 10);
    EXPECT_LT(refused, cases);
    // An answer that no call waits for ends the traffic with that rank: all later calls say so, and the end hangs not.
    std::string text;
    try {
      static_cast<void>(actions.call<&testing::Tally::relabel>(tally, testing::Parcel{}, "x").get());
      scheduler.work_until([&] { return port.has_failed(); });
      actions.call<&testing::Tally::relabel>(tally, testing::Parcel{}, "x").get();
    } catch (const RecordError& error) {
      text = error.what();
    }
    EXPECT_NE(text.find("which waits for none"), std::string::npos) << text;
  });
}

}  // namespace
}  // namespace tacit::actions::record_test

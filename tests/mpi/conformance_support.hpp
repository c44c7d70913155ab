// What the checks of the conformance suite have in common: messages that both sides know, and exchanges of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "mpi/conformance.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::comm::conformance {

/// A window's memory, length and depth, drawn alike on both sides.
struct Shape {
  std::size_t count = 0;
  std::uint32_t depth = 1;
  enum class Kind : std::uint8_t { library, user, strided } send = Kind::library, receive = Kind::library;
};

inline void require(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error(what);
}

/// Message n of a stream: known to both sides, different in every message.
inline void make_message(std::uint64_t stream, std::uint64_t n, std::size_t count, std::vector<std::uint8_t>& message) {
  message.resize((count + 7) / 8 * 8);
  for (std::size_t j = 0; j < message.size(); j += 8) {
    std::uint64_t word = (stream * 1'000'003 + n) * 0x9E3779B97F4A7C15U + j * 0xBF58476D1CE4E5B9U;
    word ^= word >> 29U;
    std::memcpy(message.data() + j, &word, sizeof(word));
  }
  message.resize(count);
}

inline constexpr std::size_t block = 24;
inline constexpr std::size_t stride = 40;

/// Bytes of the user, in one piece or in blocks of 24 with gaps of 16.
class Memory {
 public:
  Memory(const Shape& shape, Shape::Kind kind)
      : is_strided_(kind == Shape::Kind::strided), bytes_(is_strided_ ? shape.count / block * stride : shape.count) {}
  /// Calls `function` with each piece of the first `count` bytes, and where in the message it begins.
  template <class Function>
  void for_pieces(std::size_t count, Function&& function) {
    const std::size_t piece = is_strided_ ? block : std::max<std::size_t>(count, 1);
    const std::size_t step = is_strided_ ? stride : piece;
    for (std::size_t j = 0; j < count; j += piece) {
      function(std::span(bytes_).subspan(j / piece * step, std::min(piece, count - j)), j);
    }
  }
  [[nodiscard]] std::span<std::uint8_t> all() { return bytes_; }
  [[nodiscard]] Strided<std::uint8_t> strided() { return {bytes_.data(), bytes_.size() / stride, block, stride}; }
  [[nodiscard]] Strided<const std::uint8_t> strided_const() {
    return {bytes_.data(), bytes_.size() / stride, block, stride};
  }

 private:
  bool is_strided_;
  std::vector<std::uint8_t> bytes_;
};

class Outgoing {
 public:
  Outgoing(Connection& connection, const Shape& shape, std::uint64_t stream)
      : memory_(shape, shape.send), window_(make(connection, shape)), kind_(shape.send), stream_(stream) {}

  void post(std::size_t count) {
    ++sent_;
    make_message(stream_, sent_, count, message_);
    if (kind_ == Shape::Kind::library) {
      std::ranges::copy(message_, window_.data().begin());
    } else {
      memory_.for_pieces(count, [this](std::span<std::uint8_t> piece, std::size_t j) {
        std::copy_n(message_.begin() + static_cast<std::ptrdiff_t>(j), piece.size(), piece.begin());
      });
    }
    window_.post(count);
  }
  [[nodiscard]] SendWindow<std::uint8_t>& window() { return window_; }

 private:
  SendWindow<std::uint8_t> make(Connection& connection, const Shape& shape) {
    const WindowOptions options{.depth = shape.depth};
    if (shape.send == Shape::Kind::library) return {connection, shape.count, options};
    if (shape.send == Shape::Kind::strided) return {connection, memory_.strided_const(), options};
    return {connection, std::span<const std::uint8_t>(memory_.all()), options};
  }
  Memory memory_;
  SendWindow<std::uint8_t> window_;
  Shape::Kind kind_;
  std::uint64_t stream_;
  std::vector<std::uint8_t> message_ = {};
  std::uint64_t sent_ = 0;
};

class Incoming {
 public:
  Incoming(Connection& connection, const Shape& shape, std::uint64_t stream)
      : memory_(shape, shape.receive), window_(make(connection, shape)), kind_(shape.receive), stream_(stream) {}

  void init() { window_.init(); }
  void wait_and_check(std::size_t count) { check(window_.wait(), count); }
  void check(std::span<const std::uint8_t> message, std::size_t count) {
    ++received_;
    require(window_.size() == count,
            fmt::format("message {} of stream {} has {} B instead of {}", received_, stream_, window_.size(), count));
    make_message(stream_, received_, count, expected_);
    bool is_right = true;
    const auto compare = [&](std::span<const std::uint8_t> piece, std::size_t j) {
      is_right = is_right && std::ranges::equal(piece, std::span(expected_).subspan(j, piece.size()));
    };
    if (kind_ == Shape::Kind::strided) {
      memory_.for_pieces(count, compare);
    } else {
      compare(message, 0);
      require(message.size() == count, "the message has another length than it says");
    }
    require(is_right, fmt::format("message {} of stream {} is wrong ({} B)", received_, stream_, count));
  }
  [[nodiscard]] RecvWindow<std::uint8_t>& window() { return window_; }

 private:
  RecvWindow<std::uint8_t> make(Connection& connection, const Shape& shape) {
    const WindowOptions options{.depth = shape.depth};
    if (shape.receive == Shape::Kind::library) return {connection, shape.count, options};
    if (shape.receive == Shape::Kind::strided) return {connection, memory_.strided(), options};
    return {connection, memory_.all(), options};
  }
  Memory memory_;
  RecvWindow<std::uint8_t> window_;
  Shape::Kind kind_;
  std::uint64_t stream_;
  std::vector<std::uint8_t> expected_ = {};
  std::uint64_t received_ = 0;
};

/// A number for the stream from one rank to another, as both know it.
inline std::uint64_t stream_of(RankId from, RankId to, std::uint64_t which) {
  return (std::uint64_t{number(from)} << 40U) + (std::uint64_t{number(to)} << 20U) + which;
}

/// One stream in each direction between this rank and another.
struct Exchange {
  Exchange(Communicator& world, RankId peer, const Setting& setting, const Shape& shape, std::uint64_t which = 0)
      : connection(world, {.rank = peer, .via = setting.via}),
        out(connection, shape, stream_of(world.rank(), peer, which)),
        in(connection, shape, stream_of(peer, world.rank(), which)) {}
  Connection connection;
  Outgoing out;
  Incoming in;
};

inline std::vector<std::unique_ptr<Exchange>> exchanges_with_all(Communicator& world, const Setting& setting,
                                                                 const Shape& shape) {
  std::vector<std::unique_ptr<Exchange>> all;
  for (std::uint32_t peer = 0; peer < world.size(); ++peer) {
    if (setting.via == ProviderId::self && RankId{peer} != world.rank()) continue;
    all.push_back(std::make_unique<Exchange>(world, RankId{peer}, setting, shape));
  }
  return all;
}

/// All at once: grant all, post all, wait for all.
inline void exchange_once(std::vector<std::unique_ptr<Exchange>>& all, std::size_t count) {
  for (auto& one : all) one->in.init();
  for (auto& one : all) one->out.post(count);
  for (auto& one : all) one->in.wait_and_check(count);
  for (auto& one : all) one->out.window().wait();
}

inline constexpr std::array kinds{Shape::Kind::library, Shape::Kind::user, Shape::Kind::strided};

/// The words of the mismatch that `function` throws.
inline std::string mismatch_of(const std::function<void()>& function) {
  try {
    function();
  } catch (const MismatchError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

// Those in conformance_more.cpp.
void check_any_order(Communicator& world, const Setting& setting);
void check_made_anew(Communicator& world, const Setting& setting);
void check_one_way(Communicator& world, const Setting& setting);
void check_cut_messages(Communicator& world, const Setting& setting);
void check_prepared(Communicator& world, const Setting& setting);
void check_alignments(Communicator& world, const Setting& setting);
void check_while_synchronising(Communicator& world, const Setting& setting);
void check_other_windows(Communicator& world, const Setting& setting);
void check_destroyed_under_way(Communicator& world, const Setting& setting);

}  // namespace tacit::comm::conformance

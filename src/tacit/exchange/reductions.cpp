// Packs the numbers of a reduction into elements of one length, which one all-reduce combines.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/exchange/reductions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/comm/collectives/reduce.hpp"

namespace tacit::exchange {
namespace detail {

constexpr std::size_t words_of_sum = sizeof(base::ExactSum) / sizeof(std::uint64_t);
static_assert(words_of_sum * sizeof(std::uint64_t) == sizeof(base::ExactSum));

/// An element of the message: a sum, or words that first hold counts and then maxima. Minima travel as maxima of the
/// numbers with the other sign.
template <std::size_t length>
struct Packet {
  static constexpr std::uint32_t holds_sum = ~0U;
  std::uint32_t counts = 0;  ///< how many of the words are counts; or holds_sum
  std::uint32_t maxima = 0;  ///< how many words behind them are maxima
  std::array<std::uint64_t, length> words{};
};

struct Combined {
  template <std::size_t length>
  Packet<length> operator()(const Packet<length>& a, const Packet<length>& b) const noexcept {
    Packet<length> both = a;
    if constexpr (length == words_of_sum) {
      if (a.counts == Packet<length>::holds_sum) {
        auto sum = std::bit_cast<base::ExactSum>(a.words);
        sum.merge(std::bit_cast<base::ExactSum>(b.words));
        both.words = std::bit_cast<decltype(both.words)>(sum);
        return both;
      }
    }
    for (std::uint32_t i = 0; i < a.counts; ++i) both.words[i] += b.words[i];
    for (std::uint32_t i = a.counts; i < a.counts + a.maxima; ++i) {
      both.words[i] =
          std::bit_cast<std::uint64_t>(larger(std::bit_cast<double>(a.words[i]), std::bit_cast<double>(b.words[i])));
    }
    return both;
  }
};

/// The message and its collective.
template <std::size_t length>
struct Packets {
  Packets(comm::Communicator& world, std::size_t count)
      : packets(count), call(world, std::span<Packet<length>>(packets), Combined{}) {}
  std::vector<Packet<length>> packets;
  comm::AllReduce<Packet<length>> call;

  /// Calls `take(word)` for `count` words behind the sums, `from` words before them passed over.
  template <class Take>
  void for_words(std::size_t sums, std::size_t from, std::size_t count, Take&& take) {
    for (std::size_t i = from; i < from + count; ++i) take(packets[sums + i / length].words[i % length], i - from);
  }
  /// Says of each packet what it holds: it never changes.
  void describe(const ReductionShape& shape) {
    for (std::size_t i = 0; i < shape.sums; ++i) packets[i].counts = Packet<length>::holds_sum;
    const std::size_t numbers = shape.counts + shape.largest + shape.least;
    for (std::size_t first = 0; first < numbers; first += length) {
      Packet<length>& packet = packets[shape.sums + first / length];
      const std::size_t held = std::min(length, numbers - first);
      packet.counts = static_cast<std::uint32_t>(std::min(held, shape.counts > first ? shape.counts - first : 0));
      packet.maxima = static_cast<std::uint32_t>(held) - packet.counts;
    }
  }
};

constexpr std::size_t packets_for(const ReductionShape& shape, std::size_t length) {
  return shape.sums + (shape.counts + shape.largest + shape.least + length - 1) / length;
}

}  // namespace detail

using detail::Packets;
using detail::words_of_sum;

/// Short packets where there is no sum: few numbers then take few bytes.
struct Reduction::Call {
  static constexpr std::size_t few = 7;
  Call(comm::Communicator& world, const ReductionShape& shape) {
    if (shape.sums > 0) {
      with_sums.emplace(world, detail::packets_for(shape, words_of_sum)).describe(shape);
    } else {
      without.emplace(world, detail::packets_for(shape, few)).describe(shape);
    }
  }
  template <class Function>
  void with(Function&& function) {
    if (with_sums) {
      function(*with_sums);
    } else {
      function(*without);
    }
  }
  std::optional<Packets<words_of_sum>> with_sums;
  std::optional<Packets<few>> without;
};

Reduction::Reduction(comm::Communicator& world, const ReductionShape& shape)
    : world_(world), sums_(shape.sums), counts_(shape.counts), largest_(shape.largest), least_(shape.least) {
  if (world.size() > 1 && shape != ReductionShape{}) call_ = std::make_unique<Call>(world, shape);
}
Reduction::~Reduction() = default;

void Reduction::write_message() {
  call_->with([this]<std::size_t length>(Packets<length>& message) {
    if constexpr (length == words_of_sum) {
      for (std::size_t i = 0; i < sums_.size(); ++i) {
        message.packets[i].words = std::bit_cast<decltype(message.packets[i].words)>(sums_[i]);
      }
    }
    const std::size_t sums = sums_.size();
    message.for_words(sums, 0, counts_.size(), [this](std::uint64_t& word, std::size_t i) { word = counts_[i]; });
    message.for_words(sums, counts_.size(), largest_.size(),
                      [this](std::uint64_t& word, std::size_t i) { word = std::bit_cast<std::uint64_t>(largest_[i]); });
    message.for_words(sums, counts_.size() + largest_.size(), least_.size(),
                      [this](std::uint64_t& word, std::size_t i) { word = std::bit_cast<std::uint64_t>(-least_[i]); });
  });
}

void Reduction::read_message() {
  call_->with([this]<std::size_t length>(Packets<length>& message) {
    if constexpr (length == words_of_sum) {
      for (std::size_t i = 0; i < sums_.size(); ++i) {
        sums_[i] = std::bit_cast<base::ExactSum>(message.packets[i].words);
      }
    }
    const std::size_t sums = sums_.size();
    message.for_words(sums, 0, counts_.size(), [this](std::uint64_t& word, std::size_t i) { counts_[i] = word; });
    message.for_words(sums, counts_.size(), largest_.size(),
                      [this](std::uint64_t& word, std::size_t i) { largest_[i] = std::bit_cast<double>(word); });
    message.for_words(sums, counts_.size() + largest_.size(), least_.size(),
                      [this](std::uint64_t& word, std::size_t i) { least_[i] = -std::bit_cast<double>(word); });
  });
}

void Reduction::run() {
  if (call_ == nullptr) return;
  write_message();
  call_->with([](auto& message) { message.call.run(); });
  read_message();
}

std::vector<tasks::TaskId> Reduction::add(tasks::Graph& graph, std::string_view name, const tasks::Accesses& accesses,
                                          Fill fill, double cost) {
  if (graph_ == graph.number()) {
    throw base::PreconditionError(fmt::format("reduction '{}' is added to a graph that has its tasks already", name));
  }
  graph_ = graph.number();
  const tasks::AccessList<1> result = tasks::writes(graph.add_datum());
  const auto begin_call = [this, fill = std::move(fill)](tasks::StepContext& step) {
    if (fill) fill(step);
    if (call_ == nullptr) return;
    if (step.follows_failure()) {
      throw base::PreconditionError("a reduction runs after a run of its graph ended with an error");
    }
    write_message();
    call_->with([this, &step](auto& message) {
      const std::size_t bytes = message.packets.size() * sizeof(message.packets[0]);
      message.call.start();
      message.call.await(step.await(world_.completions(), {.bytes = bytes}));
    });
  };
  const tasks::TaskId begin = graph.add(name, accesses + result, begin_call, {.cost = cost});
  if (call_ == nullptr) return {begin};
  return {begin, graph.add(name, accesses + result, [this](tasks::StepContext& /*step*/) { read_message(); })};
}

void RankReductions::add(std::span<base::ExactSum> sums) {
  if (ranks_.size() == 1 || sums.empty()) return;
  Reduction& reduction = of({.sums = sums.size()});
  std::ranges::copy(sums, reduction.sums().begin());
  reduction.run();
  std::ranges::copy(reduction.sums(), sums.begin());
}

double RankReductions::largest(double mine) {
  if (ranks_.size() == 1) return mine;
  Reduction& reduction = of({.largest = 1});
  reduction.largest()[0] = mine;
  reduction.run();
  return reduction.largest()[0];
}

double RankReductions::least(double mine) {
  if (ranks_.size() == 1) return mine;
  Reduction& reduction = of({.least = 1});
  reduction.least()[0] = mine;
  reduction.run();
  return reduction.least()[0];
}

Reduction& RankReductions::of(const ReductionShape& shape) {
  std::unique_ptr<Reduction>& kept = kept_[shape];
  if (kept == nullptr) kept = std::make_unique<Reduction>(ranks_, shape);
  return *kept;
}

}  // namespace tacit::exchange

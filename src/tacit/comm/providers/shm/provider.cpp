// Finds out which ranks share memory.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/providers/shm/provider.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/topology/cpus.hpp"

namespace tacit::comm::shm {
namespace {

/// What a rank says of itself.
struct Card {
  std::array<char, 64> host{};
  std::array<char, 40> boot{};  ///< of the running kernel: two machines of one name differ in it
  std::int64_t process_id = 0;
  detail::Place probe;                   ///< a file that others try to map
  std::array<std::uint64_t, 16> cpus{};  ///< bits of the processors that the rank may use; those beyond do not count
  std::uint64_t threads = 1;             ///< that its control group grants
  [[nodiscard]] bool is_same_node(const Card& other) const { return host == other.host && boot == other.boot; }
};

template <std::size_t N>
void put(std::array<char, N>& to, const std::string& text) {
  std::copy_n(text.begin(), std::min(text.size(), N - 1), to.begin());
}

Card card_of_this(const Segment& probe) {
  Card card;
  std::array<char, 64> host{};
  gethostname(host.data(), host.size() - 1);
  put(card.host, host.data());
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  put(card.boot, boot);
  card.process_id = getpid();
  card.probe = probe.place(0);
  card.threads = topology::available_threads();
  for (const topology::CpuId cpu : topology::allowed_cpus()) {
    const auto bit = static_cast<std::size_t>(cpu);
    if (bit < 64 * card.cpus.size()) card.cpus[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
  return card;
}

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

std::vector<Card> exchange_cards(Bootstrap& bootstrap, const Card& mine, double deadline_s) {
  std::vector<Card> cards;
  for (const Bytes& bytes : bootstrap.all_gather(bytes_of(mine), deadline_s)) {
    Card card;
    std::memcpy(&card, bytes.data(), std::min(bytes.size(), sizeof(Card)));
    cards.push_back(card);
  }
  return cards;
}

/// The page of another process of this node, if this rank can map it.
std::optional<Segment> map_page(const Card& theirs) {
  try {
    return Segment(theirs.process_id, theirs.probe);
  } catch (const base::SystemError&) {
    return std::nullopt;
  }
}

/// Whether this rank can map memory of each other one; keeps what it has mapped.
Bytes map_pages(const std::vector<Card>& cards, const Card& mine, LifePages& pages) {
  Bytes can;
  for (std::uint32_t rank = 0; rank < cards.size(); ++rank) {
    const Card& theirs = cards[rank];
    bool is_mapped = theirs.is_same_node(mine);
    if (is_mapped && theirs.process_id != mine.process_id) {
      auto page = map_page(theirs);
      is_mapped = page.has_value();
      if (page) pages.others.emplace_back(RankId{rank}, std::move(*page));
    }
    can.push_back(std::byte{is_mapped});
  }
  return can;
}

/// The number of the node of each rank, counted by lowest ranks.
std::vector<std::uint32_t> number_nodes(const std::vector<Card>& cards) {
  std::vector<std::uint32_t> nodes;
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    const auto first =
        std::find_if(cards.begin(), cards.end(), [&](const Card& c) { return c.is_same_node(cards[i]); });
    const auto before = static_cast<std::size_t>(first - cards.begin());
    nodes.push_back(before < i ? nodes[before] : count++);
  }
  return nodes;
}

/// Whether the ranks of our node can each have a processor, of all that any of them may use.
Processors share_processors(const std::vector<Card>& cards, const Card& mine) {
  std::array<std::uint64_t, std::tuple_size_v<decltype(Card::cpus)>> cpus{};
  std::size_t ranks = 0;
  bool is_limited = false;
  for (const Card& card : cards) {
    if (!card.is_same_node(mine)) continue;
    ++ranks;
    std::size_t allowed = 0;
    for (std::size_t i = 0; i < cpus.size(); ++i) {
      cpus[i] |= card.cpus[i];
      allowed += static_cast<std::size_t>(std::popcount(card.cpus[i]));
    }
    is_limited = is_limited || card.threads < allowed;  // the control group grants fewer than the mask names
  }
  std::size_t count = 0;
  for (const std::uint64_t word : cpus) count += static_cast<std::size_t>(std::popcount(word));
  if (is_limited) count = std::min(count, static_cast<std::size_t>(mine.threads));
  return ranks <= count ? Processors::own : Processors::shared;
}

}  // namespace

Locality find_locality(Bootstrap& bootstrap, double deadline_s) {
  LifePages pages{.mine = Segment(static_cast<std::size_t>(sysconf(_SC_PAGESIZE)))};
  const auto cards = exchange_cards(bootstrap, card_of_this(pages.mine), deadline_s);
  const Card& mine = cards[number(bootstrap.rank())];
  const Bytes can = map_pages(cards, mine, pages);
  // Memory is shared only if each can map the other's.
  const auto all = bootstrap.all_gather(can, deadline_s);
  const auto nodes = number_nodes(cards);
  Locality locality{.pages = std::move(pages)};
  locality.processors = share_processors(cards, mine);
  for (std::uint32_t rank = 0; rank < cards.size(); ++rank) {
    const bool both = can[rank] != std::byte{0} && all[rank][number(bootstrap.rank())] != std::byte{0};
    locality.ranks.push_back({.rank = RankId{rank},
                              .host = cards[rank].host.data(),
                              .node = nodes[rank],
                              .shares_memory = both,
                              .process_id = cards[rank].process_id});
  }
  return locality;
}

Provider::Provider(std::span<const RankInfo> ranks) : ranks_(ranks) {
  std::vector<std::int64_t> ids;
  for (const RankInfo& rank : ranks) ids.push_back(rank.process_id);
  memory_ = std::make_unique<Memory>(std::move(ids));
}

}  // namespace tacit::comm::shm

// Finds out which ranks share memory.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/providers/shm/provider.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/topology/cpus.hpp"

namespace tacit::comm::shm {
namespace {

/// What a rank says of itself.
struct PeerInfo {
  std::array<char, 64> host{};
  std::array<char, 40> boot{};  ///< of the running kernel: two machines of one name differ in it
  std::int64_t process_id = 0;
  std::uint64_t process_draw = 0;        ///< random: containers of one name number their processes alike
  detail::Place probe;                   ///< a file that others try to map
  std::array<std::uint64_t, 16> cpus{};  ///< bits of the processors that the rank may use; those beyond do not count
  std::uint64_t threads = 1;             ///< that its control group grants
  [[nodiscard]] auto node() const { return std::pair(host, boot); }
  [[nodiscard]] auto process() const { return std::tuple(host, boot, process_id, process_draw); }
  [[nodiscard]] bool is_same_node(const PeerInfo& other) const { return node() == other.node(); }
};

template <std::size_t N>
void put(std::array<char, N>& to, const std::string& text) {
  std::copy_n(text.begin(), std::min(text.size(), N - 1), to.begin());
}

/// The same for all threads of this process.
std::uint64_t draw_of_process() {
  static const std::uint64_t draw = [] {
    std::random_device random;
    return std::uint64_t{random()} << 32U | random();
  }();
  return draw;
}

PeerInfo info_of_this(const Segment& probe) {
  PeerInfo info;
  std::array<char, 64> host{};
  gethostname(host.data(), host.size() - 1);
  put(info.host, host.data());
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  put(info.boot, boot);
  info.process_id = getpid();
  info.process_draw = draw_of_process();
  info.probe = probe.place(0);
  info.threads = topology::available_threads();
  for (const topology::CpuId cpu : topology::allowed_cpus()) {
    const auto bit = static_cast<std::size_t>(cpu);
    if (bit < 64 * info.cpus.size()) info.cpus[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
  return info;
}

/// The page of another process of this node, if this rank can map it.
std::optional<Segment> map_page(const PeerInfo& theirs) {
  try {
    return Segment(theirs.process_id, theirs.probe);
  } catch (const base::SystemError&) {
    return std::nullopt;
  }
}

/// Whether this rank can map memory of each one of its node, in their order; keeps what it has mapped.
Bytes map_pages(const std::vector<PeerInfo>& infos, const PeerInfo& mine, LivenessPages& pages) {
  Bytes can;
  for (std::uint32_t rank = 0; rank < infos.size(); ++rank) {
    const PeerInfo& theirs = infos[rank];
    if (!theirs.is_same_node(mine)) continue;
    bool is_mapped = true;
    if (theirs.process() != mine.process()) {
      auto page = map_page(theirs);
      is_mapped = page.has_value();
      if (page) pages.others.emplace_back(RankId{rank}, std::move(*page));
    }
    can.push_back(std::byte{is_mapped});
  }
  return can;
}

/// The number of the group of each rank, counted by lowest ranks: ranks with equal keys are a group.
template <class KeyOf>
std::vector<std::uint32_t> number_groups(std::size_t ranks, const KeyOf& key_of) {
  std::map<decltype(key_of(std::size_t{0})), std::uint32_t> numbers;
  std::vector<std::uint32_t> groups;
  for (std::size_t i = 0; i < ranks; ++i) {
    groups.push_back(numbers.emplace(key_of(i), static_cast<std::uint32_t>(numbers.size())).first->second);
  }
  return groups;
}

/// Which ranks of a machine can map each other's memory. Rows are as long as machines have ranks: a run may have 10^5.
class Reach {
 public:
  /// @param can  by rank: which ranks of its machine it can map, in their order
  Reach(std::vector<Bytes> can, const std::vector<PeerInfo>& infos)
      : can_(std::move(can)), machines_(number_groups(infos.size(), [&](std::size_t i) { return infos[i].node(); })) {
    std::vector<std::size_t> counts(infos.size());
    for (const std::uint32_t machine : machines_) places_.push_back(counts[machine]++);
  }
  /// Whether all ranks are on one machine and each can map each.
  [[nodiscard]] bool is_complete() const {
    const bool is_one_machine = std::ranges::all_of(machines_, [](std::uint32_t machine) { return machine == 0; });
    return is_one_machine && std::ranges::all_of(can_, [](const Bytes& row) {
             return std::ranges::find(row, std::byte{0}) == row.end();
           });
  }
  [[nodiscard]] bool is_mutual(std::size_t i, std::size_t j) const {
    return machines_[i] == machines_[j] && can_[i][places_[j]] != std::byte{0} && can_[j][places_[i]] != std::byte{0};
  }

 private:
  std::vector<Bytes> can_;
  std::vector<std::uint32_t> machines_;
  std::vector<std::size_t> places_;  // by rank: its place among those of its machine
};

/// Groups of ranks of a node in which each can map the memory of each other one.
std::vector<std::uint32_t> number_domains(const Reach& reach, const std::vector<std::uint32_t>& nodes) {
  struct Group {
    std::uint32_t number = 0;
    std::vector<std::size_t> members = {};
  };
  std::map<std::uint32_t, std::vector<Group>> groups;  // by node
  std::vector<std::uint32_t> domains;
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::vector<Group>& here = groups[nodes[i]];
    auto found = std::ranges::find_if(here, [&](const Group& group) {
      return std::ranges::all_of(group.members, [&](std::size_t j) { return reach.is_mutual(i, j); });
    });
    if (found == here.end()) found = here.insert(here.end(), {.number = count++});
    found->members.push_back(i);
    domains.push_back(found->number);
  }
  return domains;
}

void require_all_named(std::span<const std::uint32_t> nodes, std::size_t ranks) {
  if (!nodes.empty() && nodes.size() != ranks) {
    throw base::Error(fmt::format("Options::nodes names the nodes of {} ranks, there are {}", nodes.size(), ranks));
  }
}

/// Whether the ranks of our node can each have a processor, of all that any of them may use.
Processors share_processors(const std::vector<PeerInfo>& infos, const PeerInfo& mine) {
  std::array<std::uint64_t, std::tuple_size_v<decltype(PeerInfo::cpus)>> cpus{};
  std::size_t ranks = 0;
  bool is_limited = false;
  for (const PeerInfo& info : infos) {
    if (!info.is_same_node(mine)) continue;
    ++ranks;
    std::size_t allowed = 0;
    for (std::size_t i = 0; i < cpus.size(); ++i) {
      cpus[i] |= info.cpus[i];
      allowed += static_cast<std::size_t>(std::popcount(info.cpus[i]));
    }
    is_limited = is_limited || info.threads < allowed;  // the control group grants fewer than the mask names
  }
  std::size_t count = 0;
  for (const std::uint64_t word : cpus) count += static_cast<std::size_t>(std::popcount(word));
  if (is_limited) count = std::min(count, static_cast<std::size_t>(mine.threads));
  return ranks <= count ? Processors::own : Processors::shared;
}

}  // namespace

Locality find_locality(Bootstrap& bootstrap, double deadline_s, std::span<const std::uint32_t> given) {
  require_all_named(given, bootstrap.size());
  LivenessPages pages{.mine = Segment(static_cast<std::size_t>(sysconf(_SC_PAGESIZE)))};
  const auto infos = all_gather_values(bootstrap, info_of_this(pages.mine), deadline_s);
  const PeerInfo& mine = infos[number(bootstrap.rank())];
  // Memory is shared only if each can map the other's.
  const Reach reach(bootstrap.all_gather(map_pages(infos, mine, pages), deadline_s), infos);
  const auto nodes = given.empty() ? number_groups(infos.size(), [&](std::size_t i) { return infos[i].node(); })
                                   : number_groups(infos.size(), [&](std::size_t i) { return given[i]; });
  const auto domains = number_domains(reach, nodes);
  const auto processes = number_groups(infos.size(), [&](std::size_t i) { return infos[i].process(); });
  Locality locality;
  locality.pages.emplace(std::move(pages));
  locality.processors = share_processors(infos, mine);
  locality.all_share_memory = reach.is_complete();
  for (std::uint32_t rank = 0; rank < infos.size(); ++rank) {
    locality.ranks.push_back({.rank = RankId{rank},
                              .host = infos[rank].host.data(),
                              .node = nodes[rank],
                              .domain = domains[rank],
                              .shares_memory = reach.is_mutual(number(bootstrap.rank()), rank),
                              .process = processes[rank],
                              .process_id = infos[rank].process_id});
  }
  return locality;
}

Locality locality_of(const Locality& whole, std::span<const RankId> members) {
  Locality locality;
  locality.processors = whole.processors;
  for (const RankId member : members) locality.ranks.push_back(whole.ranks[number(member)]);
  const auto info = [&](std::size_t i) -> const RankInfo& { return whole.ranks[number(members[i])]; };
  const auto nodes = number_groups(members.size(), [&](std::size_t i) { return info(i).node; });
  const auto domains = number_groups(members.size(), [&](std::size_t i) { return info(i).domain; });
  const auto processes = number_groups(members.size(), [&](std::size_t i) { return info(i).process; });
  for (std::uint32_t rank = 0; rank < members.size(); ++rank) {
    locality.ranks[rank].rank = RankId{rank};
    locality.ranks[rank].node = nodes[rank];
    locality.ranks[rank].domain = domains[rank];
    locality.ranks[rank].process = processes[rank];
  }
  return locality;
}

Provider::Provider(std::span<const RankInfo> ranks, RankId own) : ranks_(ranks), memory_(ranks, own) {}

}  // namespace tacit::comm::shm

// Lists the parcels of each collective, and turns them into messages between nodes and pieces of shared buffers.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/collectives/detail/plan.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tacit/comm/layout.hpp"

namespace tacit::comm::detail {
namespace {

constexpr std::size_t alignment = 128;  // of what other nodes send, on a shared buffer

std::size_t rounded_up(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// A parcel in a message from node to node.
struct Packed {
  RankId source{};
  Parcel parcel;
  std::size_t at = 0;  ///< in the message [byte]
};

struct Message {
  std::vector<Packed> parcels = {};
  std::size_t bytes = 0;
};

class Planner {
 public:
  Planner(const Team& team, RankId own, const Routes& routes) : team_(team), own_(own), routes_(routes) {}

  Plan make() {
    plan_.brings = routes_.brings(own_);
    for (const RankId source : team_.members()) add_near(source);
    std::vector<std::size_t> ends;  // of each shared buffer of our node, so far
    for (const RankId member : team_.members()) ends.push_back(rounded_up(routes_.brings(member)));
    for (std::uint32_t node = 0; node < team_.nodes.size(); ++node) {
      if (node != team_.node) add_node(node, ends);
    }
    plan_.half = ends[team_.index];
    return std::move(plan_);
  }

 private:
  [[nodiscard]] bool is_ours(RankId source, const Parcel& parcel) const {
    if (routes_.keeps == own_ && source == own_) return false;
    return !parcel.to || *parcel.to == own_;
  }
  [[nodiscard]] std::size_t copied(const Parcel& parcel) const {
    return routes_.reading == Routes::Reading::copies ? parcel.bytes : 0;
  }
  /// What node `from` sends to node `to`: both compute the same.
  [[nodiscard]] Message message(std::uint32_t from, std::uint32_t to) const {
    Message message;
    for (const RankId source : team_.nodes[from]) {
      for (const Parcel& parcel : routes_.parcels(source)) {
        if (parcel.to && team_.node_of[number(*parcel.to)] != to) continue;
        message.parcels.push_back({source, parcel, message.bytes});
        message.bytes += parcel.bytes;
      }
    }
    return message;
  }
  /// A long message goes in parts, divided by source: each goes as soon as its ranks have brought it, and is copied at
  /// the other end while the next one is on its way. Both ends divide alike.
  [[nodiscard]] static std::vector<Message> parts_of(Message whole) {
    constexpr std::size_t longest_whole = std::size_t{64} << 10U;  // what takes half a millisecond at 1 Gbit/s
    constexpr std::size_t shortest_part = std::size_t{16} << 10U;
    std::vector<Message> parts;
    if (whole.parcels.empty()) return parts;
    if (whole.bytes <= longest_whole) return {std::move(whole)};
    for (const Packed& packed : whole.parcels) {
      const bool is_next =
          parts.empty() || (packed.source != parts.back().parcels.back().source && parts.back().bytes >= shortest_part);
      if (is_next) parts.emplace_back();
      Message& part = parts.back();
      part.parcels.push_back({packed.source, packed.parcel, part.bytes});
      part.bytes += packed.parcel.bytes;
    }
    return parts;
  }
  void add_near(RankId source) {
    for (const Parcel& parcel : routes_.parcels(source)) {
      if (!is_ours(source, parcel)) continue;
      plan_.near.push_back({team_.index_of[number(source)], parcel.from, copied(parcel), parcel.lands, source});
    }
  }
  void add_node(std::uint32_t node, std::vector<std::size_t>& ends) {
    const Message out = message(team_.node, node);
    const Message in = message(node, team_.node);
    const std::uint32_t gateway = team_.gateway(team_.node, node);
    for (const Packed& packed : in.parcels) {
      if (!is_ours(packed.source, packed.parcel)) continue;
      plan_.far.push_back(
          {gateway, ends[gateway] + packed.at, copied(packed.parcel), packed.parcel.lands, packed.source});
    }
    if (gateway == team_.index) {
      add_passages(team_.nodes[node][team_.gateway(node, team_.node)], parts_of(out), parts_of(in), ends[gateway]);
    }
    ends[gateway] += rounded_up(in.bytes);
  }

  /// @param lands  where on our shared buffer what is received is put [byte]
  void add_passages(RankId peer, const std::vector<Message>& outs, const std::vector<Message>& ins, std::size_t lands) {
    for (std::size_t i = 0; i < std::max(outs.size(), ins.size()); ++i) {
      Passage passage{.peer = peer, .lands = lands};
      if (i < ins.size()) {
        passage.receives = ins[i].bytes;
        lands += ins[i].bytes;
      }
      if (i < outs.size()) {
        passage.sends = outs[i].bytes;
        for (const auto& [source, parcel, at] : outs[i].parcels) {
          passage.pack.push_back({team_.index_of[number(source)], parcel.from, parcel.bytes, at, source});
        }
      }
      plan_.passages.push_back(std::move(passage));
    }
  }

  const Team& team_;
  RankId own_;
  const Routes& routes_;
  Plan plan_;
};

}  // namespace

Plan make_plan(const Team& team, RankId own, const Routes& routes) { return Planner(team, own, routes).make(); }

Routes routes_all_gather(std::string_view kind, std::size_t bytes, Routes::Reading reading) {
  return {.kind = kind,
          .brings = [bytes](RankId) { return bytes; },
          .parcels = [bytes](RankId rank) -> std::vector<Parcel> {
            return {{.bytes = bytes, .lands = number(rank) * bytes}};
          },
          .reading = reading};
}

Routes routes_broadcast(RankId root, std::size_t bytes) {
  return {.kind = "broadcast",
          .brings = [root, bytes](RankId rank) { return rank == root ? bytes : 0; },
          .parcels = [root, bytes](RankId rank) -> std::vector<Parcel> {
            if (rank != root) return {};
            return {{.bytes = bytes}};
          },
          .keeps = root,
          .root = root};
}

Routes routes_gather(RankId root, std::size_t bytes) {
  return {.kind = "gather",
          .brings = [bytes](RankId) { return bytes; },
          .parcels = [root, bytes](RankId rank) -> std::vector<Parcel> {
            return {{.to = root, .bytes = bytes, .lands = number(rank) * bytes}};
          },
          .root = root};
}

Routes routes_scatter(RankId root, std::size_t ranks, std::size_t bytes) {
  return {.kind = "scatter",
          .brings = [=](RankId rank) { return rank == root ? ranks * bytes : 0; },
          .parcels =
              [=](RankId rank) {
                std::vector<Parcel> parcels;
                if (rank != root) return parcels;
                for (std::uint32_t to = 0; to < ranks; ++to) {
                  parcels.push_back({.to = RankId{to}, .from = to * bytes, .bytes = bytes});
                }
                return parcels;
              },
          .root = root};
}

Routes routes_all_to_all(std::size_t ranks, std::size_t bytes) {
  return {
      .kind = "all-to-all",
      .brings = [=](RankId) { return ranks * bytes; },
      .parcels =
          [=](RankId rank) {
            std::vector<Parcel> parcels;
            parcels.reserve(ranks);
            for (std::uint32_t to = 0; to < ranks; ++to) {
              parcels.push_back({.to = RankId{to}, .from = to * bytes, .bytes = bytes, .lands = number(rank) * bytes});
            }
            return parcels;
          },
      .is_all_to_all = true};
}

Routes routes_all_to_all(std::string_view kind, std::vector<std::vector<std::size_t>> bytes) {
  // Where what each rank gets from `i` begins: the sum over the ranks before.
  std::vector<std::vector<std::size_t>> lands(bytes.size(), std::vector<std::size_t>(bytes.size()));
  for (std::size_t i = 1; i < bytes.size(); ++i) {
    for (std::size_t j = 0; j < bytes.size(); ++j) lands[i][j] = lands[i - 1][j] + bytes[i - 1][j];
  }
  const auto brings = [bytes](RankId rank) {
    const auto& row = bytes[number(rank)];
    return std::accumulate(row.begin(), row.end(), std::size_t{0});
  };
  Routes routes{.kind = kind, .brings = brings, .parcels = {}, .is_all_to_all = true};
  routes.parcels = [bytes = std::move(bytes), lands = std::move(lands)](RankId rank) {
    std::vector<Parcel> parcels;
    std::size_t from = 0;
    for (std::uint32_t to = 0; to < bytes.size(); ++to) {
      const std::size_t size = bytes[number(rank)][to];
      parcels.push_back({.to = RankId{to}, .from = from, .bytes = size, .lands = lands[number(rank)][to]});
      from += size;
    }
    return parcels;
  };
  return routes;
}

Routes routes_all_to_all_view(const std::function<std::size_t(RankId, RankId)>& counts, std::size_t ranks,
                              std::size_t element) {
  const auto parcels = [=](RankId rank) {
    std::vector<Parcel> list;
    list.reserve(ranks);
    std::size_t from = 0;
    for (std::uint32_t to = 0; to < ranks; ++to) {
      const std::size_t bytes = length_of(counts(rank, RankId{to}), element);
      list.push_back({.to = RankId{to}, .from = from, .bytes = bytes});
      from += bytes;
    }
    return list;
  };
  const auto brings = [=](RankId rank) {
    std::size_t sum = 0;
    for (std::uint32_t to = 0; to < ranks; ++to) sum += counts(rank, RankId{to});
    return length_of(sum, element);
  };
  return {.kind = "all-to-all-view", .brings = brings, .parcels = parcels, .reading = Routes::Reading::views};
}

}  // namespace tacit::comm::detail

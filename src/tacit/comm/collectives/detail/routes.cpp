// Lists the parcels of each rank.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/collectives/detail/routes.hpp"

#include <numeric>
#include <utility>

#include "tacit/comm/layout.hpp"

namespace tacit::comm::detail {

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

// Fetches copies of other ranks' cells as a whole, after particles were sorted.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/solvers/sph/cell_copies.hpp"
#include "tacit/solvers/sph/cell_packing.hpp"

namespace tacit::sph {
namespace {

/// Calls f(array of `to`, the same of `from`) for what travels when particles were sorted.
template <class F>
void for_each_fetched(Gas& to, const Gas& from, const F& f) {
  for (const auto array : {&Gas::x, &Gas::y, &Gas::z, &Gas::m, &Gas::thermal_p, &Gas::h, &Gas::rho, &Gas::omega_P}) {
    f(to.*array, from.*array);
  }
  for (const auto array :
       {&Gas::vx_p, &Gas::vy_p, &Gas::vz_p, &Gas::f, &Gas::cs, &Gas::balsara, &Gas::alpha_v, &Gas::alpha_d}) {
    f(to.*array, from.*array);
  }
  f(to.bin, from.bin);
}

template <class T>
void append(std::vector<std::byte>& to, std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  to.insert(to.end(), bytes.begin(), bytes.end());
}

}  // namespace

void CellCopies::fetch(particles::CellTree& tree, const Gas& own) {
  fetch_shapes(tree, own);
  const std::size_t ranks = ranks_.size();
  std::vector<std::uint64_t> coming(ranks, 0);
  std::uint64_t leaving = 0;
  for (const Travelling& cell : sent_) leaving += own.gas_in(tree.range(cell.cell).begin, tree.range(cell.cell).count);
  for (const Travelling& cell : received_) coming[cell.peer] += tree.range(cell.cell).count;
  const std::size_t all = std::accumulate(coming.begin(), coming.end(), std::uint64_t{0});
  // received_ is by rank: where the cells of each begin.
  std::vector<std::size_t> first(ranks + 1, 0);
  for (const Travelling& cell : received_) ++first[cell.peer + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  exchange::FieldRounds rounds(ranks_, leaving, coming);
  for_each_fetched(gas_, own, [&]<class T>(std::vector<T>& copies, const std::vector<T>& array) {
    for (const Travelling& cell : sent_) {
      const auto [begin, count] = tree.range(cell.cell);
      rounds.append(cell.peer, std::span<const T>(array).subspan(begin, own.gas_in(begin, count)));
    }
    if (all > copies.capacity()) copies.reserve(all + all / 32);
    copies.resize(all);
    rounds.add<T>([&](std::size_t rank, std::span<const std::byte> bytes) {
      Taker taker(bytes);
      for (std::size_t k = first[rank]; k < first[rank + 1]; ++k) {
        const auto [begin, count] = tree.range(received_[k].cell);
        taker.take(std::span<T>(copies).subspan(begin, count));
      }
    });
  });
  rounds.finish();
}

/// How many particles of gas others' cells hold, in which groups.
void CellCopies::fetch_shapes(particles::CellTree& tree, const Gas& own) {
  std::vector<std::vector<std::byte>> shapes(ranks_.size());
  for (const Travelling& cell : sent_) {
    const std::size_t gas = own.gas_in(tree.range(cell.cell).begin, tree.range(cell.cell).count);
    auto begins = tree.groups(cell.cell);
    begins = begins.first(static_cast<std::size_t>(std::ranges::upper_bound(begins, gas) - begins.begin()));
    append<std::uint64_t>(shapes[cell.peer], std::array<std::uint64_t, 2>{gas, begins.size() - 1});
    for (std::size_t g = 1; g < begins.size(); ++g) {
      append<std::uint64_t>(shapes[cell.peer], std::array<std::uint64_t, 1>{begins[g] - begins[g - 1]});
    }
  }
  const exchange::Blocks come = exchange::send_blocks(ranks_, shapes);
  // Cells come by (rank, leaf), and stand by leaf.
  const std::size_t first = tree.cells();
  std::vector<std::uint64_t> counts(tree.all_cells() - first, 0);
  std::vector<std::vector<std::uint64_t>> groups(counts.size());
  std::vector<Taker> from;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) from.emplace_back(come.from(rank));
  for (const Travelling& cell : received_) {
    Taker& taker = from[cell.peer];
    counts[cell.cell - first] = taker.take_count();
    groups[cell.cell - first].resize(std::min(taker.take_count(), counts[cell.cell - first]));
    taker.take(std::span(groups[cell.cell - first]));
  }
  std::vector<std::uint64_t> group_sizes;
  for (const auto& sizes : groups) group_sizes.insert(group_sizes.end(), sizes.begin(), sizes.end());
  if (!tree.set_copies(counts, group_sizes)) {
    throw base::Error("another rank sent groups of particles that do not fill its cells");
  }
}

}  // namespace tacit::sph

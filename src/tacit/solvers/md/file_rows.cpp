// Finds who writes which atoms, and in which order.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/file_rows.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "tacit/base/error.hpp"

namespace tacit::md {

/// The ID of each first row is found by halving the numbers that it may be, all of them at once.
FileOrder::FileOrder(std::vector<std::uint64_t> ids, comm::Communicator& ranks) {
  std::array<std::uint64_t, 1> all{ids.size()};
  exchange::add_over(ranks, all);
  atoms_ = all[0];
  std::ranges::sort(ids);
  first_.assign(ranks.size() - 1, 0);
  if (first_.empty()) return;
  std::vector<std::uint64_t> below(first_.size());
  for (unsigned bit = 64; bit-- > 0;) {
    const auto middle = [&](std::size_t k) { return first_[k] + (std::uint64_t{1} << bit); };
    for (std::size_t k = 0; k < first_.size(); ++k) {
      below[k] = static_cast<std::uint64_t>(std::ranges::lower_bound(ids, middle(k)) - ids.begin());
    }
    exchange::add_over(ranks, below);
    for (std::size_t k = 0; k < first_.size(); ++k) {
      if (below[k] <= first_row(k + 1)) first_[k] = middle(k);
    }
  }
}

std::size_t FileOrder::writer_of(std::uint64_t id) const noexcept {
  return static_cast<std::size_t>(std::ranges::upper_bound(first_, id) - first_.begin());
}

FileRows::FileRows(const Atoms& atoms, const FileOrder& order, comm::Communicator& ranks)
    : ranks_(ranks),
      atoms_(order.atoms()),
      first_row_(order.first_row(number(ranks.rank()))),
      leaving_(atoms.by_id()),
      leaves_(ranks.size() + 1, 0) {
  for (const std::uint32_t i : leaving_) ++leaves_[order.writer_of(atoms.id[i]) + 1];
  std::partial_sum(leaves_.begin(), leaves_.end(), leaves_.begin());
  const std::uint64_t rows = order.first_row(number(ranks.rank()) + 1) - first_row_;
  ids_.resize(rows);
  place_.resize(rows);
  std::iota(place_.begin(), place_.end(), std::size_t{0});
  const std::vector<std::uint64_t> come = of([&](std::size_t i) { return atoms.id[i]; });
  std::ranges::sort(place_, {}, [&](std::size_t k) { return come[k]; });
  for (std::size_t row = 0; row < rows; ++row) ids_[row] = come[place_[row]];
}

io::Part FileRows::part(std::uint64_t columns) const {
  if (columns == 0) return {.first = {first_row_}, .count = {ids_.size()}};
  return {.first = {first_row_, 0}, .count = {ids_.size(), columns}};
}

std::vector<std::uint64_t> FileRows::shape(std::uint64_t columns) const {
  if (columns == 0) return {atoms_};
  return {atoms_, columns};
}

}  // namespace tacit::md

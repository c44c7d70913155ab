// Finds who writes which atoms, and in which order.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/file_rows.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tacit/base/error.hpp"

namespace tacit::md {

FileOrder::FileOrder(std::vector<std::uint64_t> ids, std::size_t ranks) : atoms_(ids.size()) {
  for (std::size_t rank = 1; rank < ranks; ++rank) {
    const auto first = ids.begin() + static_cast<std::ptrdiff_t>(atoms_ * rank / ranks);
    if (first == ids.end()) {
      first_.push_back(~std::uint64_t{0});
      continue;
    }
    std::nth_element(ids.begin(), first, ids.end());
    first_.push_back(*first);
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

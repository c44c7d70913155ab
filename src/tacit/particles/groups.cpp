// Lists of groups, one after another in one array.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/particles/groups.hpp"

#include <algorithm>
#include <utility>

namespace tacit::particles {

Groups::Groups(std::size_t cells) { empty_cells(cells); }

void Groups::empty_cells(std::size_t cells) {
  restart(cells, 0);
  for (std::size_t c = 0; c < cells; ++c) open_cell();
}

void Groups::restart(std::size_t cells, std::size_t particles) {
  first_.clear();
  begins_.clear();
  first_.reserve(cells);
  // Room for groups of one: what is never written to takes no memory.
  begins_.reserve(cells + particles);
}

void Groups::open_cell() {
  first_.push_back(begins_.size() - first_.size());
  begins_.push_back(0);
}

void Groups::add_run(std::uint32_t count) {
  cut_run(begins_.back(), count, [this](std::uint32_t end) { begins_.push_back(end); });
}

void Groups::restart(std::span<const std::uint32_t> counts, std::size_t particles) {
  restart(counts.size(), particles);
  std::size_t groups = 0;
  for (const std::uint32_t count : counts) {
    first_.push_back(groups);
    groups += count;
  }
  begins_.resize(counts.size() + groups);
}

void Groups::set_cell(std::size_t cell, std::span<const std::uint32_t> ends) {
  const std::size_t begin = first_[cell] + cell;
  begins_[begin] = 0;
  std::ranges::copy(ends, begins_.begin() + static_cast<std::ptrdiff_t>(begin) + 1);
}

std::span<const std::uint32_t> Groups::of(std::size_t cell) const {
  const std::size_t end = cell + 1 < first_.size() ? first_[cell + 1] + cell + 1 : begins_.size();
  const std::size_t begin = first_[cell] + cell;  // each cell before has one entry more than it has groups
  return std::span(begins_).subspan(begin, end - begin);
}

std::vector<std::uint64_t> Groups::sizes() const {
  std::vector<std::uint64_t> result;
  result.reserve(size());
  for (std::size_t c = 0; c < first_.size(); ++c) {
    const auto begins = of(c);
    for (std::size_t g = 1; g < begins.size(); ++g) result.push_back(begins[g] - begins[g - 1]);
  }
  return result;
}

void Groups::keep(std::size_t cells) {
  if (cells >= first_.size()) return;
  begins_.resize(first_[cells] + cells);
  first_.resize(cells);
}

bool Groups::append(std::span<const std::uint64_t> sizes, std::span<const std::uint64_t> counts) {
  for (const std::uint64_t count : counts) {
    open_cell();
    for (std::uint64_t rest = count; rest > 0; sizes = sizes.subspan(1)) {
      if (sizes.empty() || sizes.front() == 0 || sizes.front() > std::min<std::uint64_t>(rest, most_per_group)) {
        return false;
      }
      add_run(static_cast<std::uint32_t>(sizes.front()));
      rest -= sizes.front();
    }
  }
  return sizes.empty();
}

std::optional<Groups> Groups::restore(std::span<const std::uint64_t> sizes, std::span<const std::uint64_t> counts) {
  Groups groups(0);
  return groups.append(sizes, counts) ? std::optional(std::move(groups)) : std::nullopt;
}

}  // namespace tacit::particles

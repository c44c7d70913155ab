// Gathers the atoms around those of a rank, and sorts them into cells.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/analysis/surroundings.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <type_traits>

#include "tacit/exchange/over_ranks.hpp"

namespace tacit::md {
namespace {

/// What a rank's atoms fill, in units of the edges; empty where it has none.
struct Extent {
  base::Vec3 low, high;
};

template <class T>
std::vector<T> values_in(const exchange::Blocks& blocks) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> result(blocks.bytes.size() / sizeof(T));
  if (!result.empty()) std::memcpy(result.data(), blocks.bytes.data(), sizeof(T) * result.size());
  return result;
}

template <class T>
void append(std::vector<std::byte>& block, const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  block.insert(block.end(), bytes.begin(), bytes.end());
}

}  // namespace

Surroundings::Surroundings(const Atoms& atoms, const Box& box, double reach, comm::Communicator& ranks)
    : atoms_(atoms), box_(box), reach2_(reach * reach) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    margin_[axis] = reach / box.width(axis) * (1.0 + 1e-9) + 1e-9;
    low_[axis] = std::numeric_limits<double>::infinity();
    high_[axis] = -std::numeric_limits<double>::infinity();
  }
  for (std::size_t i = 0; i < atoms.count(); ++i) {
    const base::Vec3 s = box.fraction(atoms.position(i));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      low_[axis] = std::min(low_[axis], s[axis]);
      high_[axis] = std::max(high_[axis], s[axis]);
    }
  }
  gather(ranks);
  sort();
}

/// Each rank sends its atoms, and images of them, to those within whose reach they are.
void Surroundings::gather(comm::Communicator& ranks) {
  std::vector<std::vector<std::byte>> blocks(ranks.size());
  for (auto& block : blocks) append(block, Extent{low_, high_});
  const std::vector<Extent> extents = values_in<Extent>(exchange::send_blocks(ranks, blocks));
  const auto me = static_cast<std::size_t>(number(ranks.rank()));
  for (auto& block : blocks) block.clear();
  for (std::size_t i = 0; i < atoms_.count(); ++i) {
    const base::Vec3 x = atoms_.position(i);
    const base::Vec3 s = box_.fraction(x);
    for (std::size_t rank = 0; rank < blocks.size(); ++rank) {
      const Extent& of = extents[rank];
      ImageCount from{};
      ImageCount to{};
      bool is_near = of.low.x <= of.high.x;
      for (std::size_t axis = 0; axis < 3 && is_near; ++axis) {
        const double low = std::ceil(of.low[axis] - margin_[axis] - s[axis]);
        const double high = std::floor(of.high[axis] + margin_[axis] - s[axis]);
        from[axis] = static_cast<std::int32_t>(box_.periodic[axis] ? low : std::max(low, 0.0));
        to[axis] = static_cast<std::int32_t>(box_.periodic[axis] ? high : std::min(high, 0.0));
        is_near = from[axis] <= to[axis];
      }
      if (!is_near) continue;
      ImageCount n{};
      for (n[2] = from[2]; n[2] <= to[2]; ++n[2]) {
        for (n[1] = from[1]; n[1] <= to[1]; ++n[1]) {
          for (n[0] = from[0]; n[0] <= to[0]; ++n[0]) {
            const bool is_itself = n == ImageCount{};
            append(blocks[rank], Seen{.x = is_itself ? x : x + box_.shift(n),
                                      .id = atoms_.id[i],
                                      .type = atoms_.type[i],
                                      .own = is_itself && rank == me ? static_cast<std::uint32_t>(i) : none});
          }
        }
      }
    }
  }
  seen_ = values_in<Seen>(exchange::send_blocks(ranks, blocks));
}

std::size_t Surroundings::cell_along(std::size_t axis, double fraction) const noexcept {
  const auto cells = static_cast<double>(shape_[axis]);
  const double length = high_[axis] - low_[axis] + 2.0 * margin_[axis];
  const double at = (fraction - low_[axis] + margin_[axis]) / length * cells;
  return static_cast<std::size_t>(std::clamp(std::floor(at), 0.0, cells - 1.0));
}

/// Cells of half the reach, or larger where atoms are few.
void Surroundings::sort() {
  if (atoms_.count() == 0) {
    seen_.clear();
  } else {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double cells = (high_[axis] - low_[axis] + 2.0 * margin_[axis]) / (0.5 * margin_[axis]);
      shape_[axis] = static_cast<std::size_t>(std::clamp(std::floor(cells), 1.0, 1024.0));
    }
    while (shape_[0] * shape_[1] * shape_[2] > 4 * seen_.size() + 64) {
      for (std::size_t& cells : shape_) cells = (cells + 1) / 2;
    }
  }
  std::vector<std::size_t> cell_of(seen_.size());
  first_.assign(shape_[0] * shape_[1] * shape_[2] + 1, 0);
  for (std::size_t k = 0; k < seen_.size(); ++k) {
    const base::Vec3 s = box_.fraction(seen_[k].x);
    cell_of[k] = cell_along(0, s.x) + shape_[0] * (cell_along(1, s.y) + shape_[1] * cell_along(2, s.z));
    ++first_[cell_of[k] + 1];
  }
  for (std::size_t cell = 1; cell < first_.size(); ++cell) first_[cell] += first_[cell - 1];
  std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
  std::vector<Seen> sorted(seen_.size());
  for (std::size_t k = 0; k < seen_.size(); ++k) sorted[next[cell_of[k]]++] = seen_[k];
  seen_ = std::move(sorted);
}

}  // namespace tacit::md

// Divides the cells of a box among ranks.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/division.hpp"

#include <algorithm>
#include <cmath>

#include "tacit/base/error.hpp"

namespace tacit::md {
namespace {

template <class Visit>
void for_each_cell(const CellBox& part, const Visit& visit) {
  std::array<int, 3> i{};
  for (i[2] = part.begin[2]; i[2] < part.end[2]; ++i[2]) {
    for (i[1] = part.begin[1]; i[1] < part.end[1]; ++i[1]) {
      for (i[0] = part.begin[0]; i[0] < part.end[0]; ++i[0]) visit(i);
    }
  }
}

}  // namespace

/// Cells as wide as the reach: half as wide ones would show an atom 0.6 of the volume, but what is copied for the atoms
/// of one cell would be for fewer of them.
std::array<int, 3> Division::shape_for(const Box& box, double reach, std::uint64_t atoms) {
  std::array<double, 3> wanted{};
  double cells = 1.0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    wanted[axis] = std::max(1.0, std::floor(box.width_of_cells(axis) / reach * (1.0 + 1e-12)));
    cells *= wanted[axis];
  }
  // Empty cells of a thin gas would cost more than the atoms.
  const double scale = std::min(1.0, std::cbrt(std::max(1.0, static_cast<double>(atoms)) / cells));
  std::array<int, 3> shape{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    shape[axis] = static_cast<int>(std::clamp(std::floor(wanted[axis] * scale), 1.0, 1e6));
  }
  return shape;
}

Division::Division(const std::array<int, 3>& shape, std::size_t ranks, std::span<const std::uint64_t> weight)
    : shape_(shape), box_of_(ranks) {
  const CellBox whole{.end = shape};
  TACIT_EXPECT(weight.size() == whole.size() && ranks >= 1 && ranks <= whole.size());
  owner_.resize(whole.size());
  cut(whole, 0, ranks, weight);
}

void Division::cut(const CellBox& part, std::size_t first, std::size_t ranks, std::span<const std::uint64_t> weight) {
  if (ranks == 1) {
    box_of_[first] = part;
    for_each_cell(part, [&](const auto& i) { owner_[number_of(i)] = static_cast<std::uint32_t>(first); });
    return;
  }
  std::size_t axis = 2;
  for (const std::size_t other : {1U, 0U}) {
    if (part.extent(other) > part.extent(axis)) axis = other;
  }
  const auto length = static_cast<std::size_t>(part.extent(axis));
  std::vector<double> up_to(length + 1, 0.0);  // weight of so many layers
  for_each_cell(part, [&](const auto& i) {
    up_to[static_cast<std::size_t>(i[axis] - part.begin[axis]) + 1] += static_cast<double>(weight[number_of(i)]);
  });
  for (std::size_t k = 0; k < length; ++k) up_to[k + 1] += up_to[k];
  const double wanted = up_to[length] * static_cast<double>(ranks / 2) / static_cast<double>(ranks);
  std::size_t layers = 1;
  for (std::size_t k = 2; k < length; ++k) {
    if (std::abs(up_to[k] - wanted) < std::abs(up_to[layers] - wanted)) layers = k;
  }
  // As many ranks as the layers have of the weight, if there are cells for them.
  const std::size_t of_layer = part.size() / length;
  const std::size_t rest = (length - layers) * of_layer;
  const double share = up_to[length] > 0.0 ? up_to[layers] / up_to[length] : 0.5;
  const auto fair = static_cast<std::size_t>(std::llround(share * static_cast<double>(ranks)));
  const std::size_t below = std::clamp(fair, ranks > rest ? std::max<std::size_t>(1, ranks - rest) : 1,
                                       std::min(ranks - 1, layers * of_layer));
  CellBox low = part;
  CellBox high = part;
  low.end[axis] = high.begin[axis] = part.begin[axis] + static_cast<int>(layers);
  cut(low, first, below, weight);
  cut(high, first + below, ranks - below, weight);
}

std::vector<std::uint64_t> Division::shares(std::span<const std::uint64_t> weight) const {
  std::vector<std::uint64_t> result(ranks(), 0);
  for (std::size_t cell = 0; cell < cells(); ++cell) result[owner_[cell]] += weight[cell];
  return result;
}

std::array<int, 3> Division::index_of(std::size_t cell) const noexcept {
  const auto x = static_cast<std::size_t>(shape_[0]);
  const auto y = static_cast<std::size_t>(shape_[1]);
  return {static_cast<int>(cell % x), static_cast<int>(cell / x % y), static_cast<int>(cell / (x * y))};
}

std::array<int, 3> Division::index_at(const std::array<int, 3>& shape, const base::Vec3& fraction) noexcept {
  std::array<int, 3> index{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double in_cells = fraction[axis] * shape[axis];
    index[axis] = in_cells > 0.0 ? static_cast<int>(std::min(in_cells, shape[axis] - 1.0)) : 0;
  }
  return index;
}

}  // namespace tacit::md

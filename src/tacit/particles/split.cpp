// Dividing particles among halves until no node is crowded.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/particles/split.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "tacit/base/error.hpp"

namespace tacit::particles {
namespace {

/// Leaves narrower than this part of their particles' support would only make lists long.
constexpr double least_width = 0.5;

/// A particle of a root that may be split: `digits` says which half it lies in, level after level, as `axes` bits each.
struct Item {
  std::uint64_t digits;
  double support;
};

std::uint64_t digits_of(const std::array<double, 3>& fraction, std::size_t axes) {
  std::array<std::uint64_t, 3> along{};
  for (std::size_t axis = 0; axis < axes; ++axis) {
    along[axis] = static_cast<std::uint64_t>(fraction[axis] * static_cast<double>(1U << Forest::deepest));
  }
  std::uint64_t digits = 0;
  for (int bit = Forest::deepest - 1; bit >= 0; --bit) {
    for (std::size_t axis = 0; axis < axes; ++axis) digits = 2 * digits + (along[axis] >> bit & 1U);
  }
  return digits;
}

class Splitter {
 public:
  Splitter(std::size_t axes, double root_width, std::size_t most)
      : axes_(static_cast<int>(axes)), root_width_(root_width), most_(most) {}

  /// Notes the levels of the leaves of one node; reorders its particles.
  void divide(std::span<Item> items, int level) {
    if (!is_to_be_split(items, level)) {
      levels_.push_back(static_cast<std::uint64_t>(level));
      return;
    }
    const auto ends = order_by_child(items, level);
    std::size_t begin = 0;
    for (std::size_t c = 0; c < std::size_t{1} << axes_; ++c) {
      divide(items.subspan(begin, ends[c] - begin), level + 1);
      begin = ends[c];
    }
  }

  [[nodiscard]] std::vector<std::uint64_t> take() { return std::move(levels_); }

 private:
  [[nodiscard]] bool is_to_be_split(std::span<const Item> items, int level) const {
    return level < Forest::deepest && (is_crowded(items, level) || is_coarse(items, level));
  }

  [[nodiscard]] bool is_coarse(std::span<const Item> items, int level) const {
    const double least_support = std::ldexp(root_width_, -level) / widest_in_supports;
    return std::ranges::any_of(items, [=](const Item& item) { return item.support < least_support; });
  }

  [[nodiscard]] bool is_crowded(std::span<const Item> items, int level) const {
    if (items.size() <= most_) return false;
    const double most_support = std::ldexp(root_width_, -level - 1) / least_width;
    const auto narrow = std::ranges::count_if(items, [=](const Item& item) { return item.support <= most_support; });
    return static_cast<std::size_t>(narrow) > items.size() / 2;  // the median is one of these
  }

  /// @return where each child's particles end
  std::array<std::size_t, 8> order_by_child(std::span<Item> items, int level) {
    const int shift = axes_ * (Forest::deepest - 1 - level);
    const auto child_of = [shift, mask = (1U << axes_) - 1](const Item& item) { return item.digits >> shift & mask; };
    std::array<std::size_t, 8> next{};
    for (const Item& item : items) ++next[child_of(item)];
    std::exclusive_scan(next.begin(), next.end(), next.begin(), std::size_t{0});
    unordered_.assign(items.begin(), items.end());
    for (const Item& item : unordered_) items[next[child_of(item)]++] = item;
    return next;
  }

  int axes_;
  double root_width_;
  std::size_t most_;
  std::vector<std::uint64_t> levels_;
  std::vector<Item> unordered_;  // scratch of one node; done with before its children are divided
};

}  // namespace

std::vector<std::uint64_t> split_levels(const Forest& roots, const Positions& positions,
                                        std::span<const double> support, std::size_t most_per_leaf) {
  const auto& [x, y, z] = positions;
  TACIT_EXPECT(y.size() == x.size() && z.size() == x.size() && support.size() == x.size());
  TACIT_EXPECT(roots.leaves() == roots.roots());
  const Forest::Finder find(roots);
  std::vector<std::size_t> counts(roots.roots(), 0);
  std::vector<bool> is_coarse(roots.roots(), false);
  const double least_support = roots.narrowest_root() / widest_in_supports;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t root = find(x[i], y[i], z[i]).leaf;
    ++counts[root];
    if (support[i] < least_support) is_coarse[root] = true;
  }
  const auto may_be_split = [&](std::size_t root) { return counts[root] > most_per_leaf || is_coarse[root]; };

  // The particles of such roots, root after root.
  std::vector<std::size_t> next(roots.roots() + 1, 0);
  for (std::size_t r = 0; r < roots.roots(); ++r) next[r + 1] = next[r] + (may_be_split(r) ? counts[r] : 0);
  std::vector<Item> items(next.back());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto [root, fraction] = find(x[i], y[i], z[i]);
    if (may_be_split(root)) items[next[root]++] = {digits_of(fraction, roots.axes()), support[i]};
  }

  Splitter splitter(roots.axes(), roots.narrowest_root(), most_per_leaf);
  std::size_t begin = 0;
  for (std::size_t r = 0; r < roots.roots(); ++r) {
    splitter.divide(std::span(items).subspan(begin, next[r] - begin), 0);
    begin = next[r];
  }
  return splitter.take();
}

}  // namespace tacit::particles

// Dividing particles among halves until no node is crowded.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/particles/split.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/particles/chunks.hpp"

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

/// Particles of a node that may be split, and what they say about it.
struct Candidate {
  std::size_t begin = 0, end = 0;  ///< of its items
  bool is_split = false;
};

/// Splits nodes level by level: all of one level are decided together, on all ranks.
class Splitter {
 public:
  /// @param items  of the nodes at level 0, one node after the other
  Splitter(std::size_t axes, double root_width, std::size_t most, std::vector<Item> items, std::vector<Candidate> nodes,
           comm::Communicator* ranks, tasks::Scheduler* workers)
      : axes_(static_cast<int>(axes)),
        root_width_(root_width),
        most_(most),
        items_(std::move(items)),
        unordered_(items_.size()),
        levels_{std::move(nodes)},
        ranks_(ranks),
        workers_(workers) {
    while (!levels_.back().empty()) {
      decide();
      divide();
    }
  }

  /// Appends the levels of the leaves of a node, in Morton order.
  void append(std::size_t level, std::size_t node, std::vector<std::uint64_t>& to) const {
    const std::vector<Candidate>& here = levels_[level];
    if (!here[node].is_split) {
      to.push_back(level);
      return;
    }
    const std::size_t first = first_child_[level][node];
    for (std::size_t c = 0; c < children(); ++c) append(level + 1, first + c, to);
  }

 private:
  [[nodiscard]] std::size_t children() const noexcept { return std::size_t{1} << axes_; }
  [[nodiscard]] int level() const noexcept { return static_cast<int>(levels_.size()) - 1; }

  /// Calls visit(n, workers) for each node: one after the other for those that all workers are to share, at once for
  /// the others, whose `workers` is null.
  template <class Visit>
  void for_each_node(std::span<const Candidate> nodes, const Visit& visit) const {
    constexpr std::size_t most_for_one = std::size_t{1} << 15U;
    const auto is_shared = [&](std::size_t n) { return nodes[n].end - nodes[n].begin > most_for_one; };
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      if (is_shared(n)) visit(n, workers_);
    }
    for_parts(workers_, nodes.size(), [&](std::size_t first, std::size_t end) {
      for (std::size_t n = first; n < end; ++n) {
        if (!is_shared(n)) visit(n, nullptr);
      }
    });
  }

  /// Which nodes of the last level are split.
  void decide() {
    std::vector<Candidate>& nodes = levels_.back();
    // Halves would be narrower than this part of their particles' support, or not.
    const double most_support = std::ldexp(root_width_, -level() - 1) / least_width;
    const double least_support = std::ldexp(root_width_, -level()) / widest_in_supports;
    std::vector<std::uint64_t> counts(3 * nodes.size(), 0);  // of each node: particles, narrow ones, too narrow ones
    for_each_node(nodes, [&](std::size_t n, tasks::Scheduler* workers) {
      counts[3 * n] = nodes[n].end - nodes[n].begin;
      for_parts(workers, counts[3 * n], [&](std::size_t first, std::size_t end) {
        std::uint64_t narrow = 0;
        std::uint64_t too_narrow = 0;
        for (const Item& item : std::span(items_).subspan(nodes[n].begin + first, end - first)) {
          narrow += item.support <= most_support ? 1 : 0;
          too_narrow += item.support > 0.0 && item.support < least_support ? 1 : 0;
        }
        std::atomic_ref(counts[3 * n + 1]).fetch_add(narrow, std::memory_order_relaxed);
        std::atomic_ref(counts[3 * n + 2]).fetch_add(too_narrow, std::memory_order_relaxed);
      });
    });
    if (ranks_ != nullptr) exchange::add_over(*ranks_, counts);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      // The median is a narrow one where these are more than half.
      const bool is_crowded = counts[3 * n] > most_ && counts[3 * n + 1] > counts[3 * n] / 2;
      nodes[n].is_split = level() < Forest::deepest && (is_crowded || counts[3 * n + 2] > 0);
    }
  }

  /// Makes the next level of the children of these.
  void divide() {
    const std::vector<Candidate>& nodes = levels_.back();
    std::vector<std::size_t> first_child(nodes.size(), 0);
    std::size_t size = 0;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      first_child[n] = size;
      if (nodes[n].is_split) size += children();
    }
    std::vector<Candidate> next(size);
    for_each_node(nodes, [&](std::size_t n, tasks::Scheduler* workers) {
      if (nodes[n].is_split) order_by_child(nodes[n], std::span(next).subspan(first_child[n], children()), workers);
    });
    first_child_.push_back(std::move(first_child));
    levels_.push_back(std::move(next));
  }

  /// Brings a node's particles into the order of its children, and says which each child has.
  void order_by_child(const Candidate& node, std::span<Candidate> to, tasks::Scheduler* workers) {
    const int shift = axes_ * (Forest::deepest - 1 - level());
    const auto child_of = [shift, mask = (1U << axes_) - 1](const Item& item) { return item.digits >> shift & mask; };
    const std::size_t count = node.end - node.begin;
    const auto items = std::span(items_).subspan(node.begin, count);
    const auto unordered = std::span(unordered_).subspan(node.begin, count);
    constexpr std::size_t least_items = 4096;
    const Chunks chunks(workers, count, least_items);
    ChunkCounts<std::size_t> next;
    next.restart(chunks.count(), children());
    chunks.for_each([&](std::size_t chunk, std::size_t first, std::size_t end) {
      const std::span<std::size_t> counts = next.of(chunk);
      for (std::size_t i = first; i < end; ++i) {
        unordered[i] = items[i];
        ++counts[child_of(items[i])];
      }
    });
    static_cast<void>(next.to_places([&](std::size_t child, std::size_t begin, std::size_t end) {
      to[child] = {node.begin + begin, node.begin + end};
    }));
    chunks.for_each([&](std::size_t chunk, std::size_t first, std::size_t end) {
      const std::span<std::size_t> places = next.of(chunk);
      for (const Item& item : unordered.subspan(first, end - first)) items[places[child_of(item)]++] = item;
    });
  }

  int axes_;
  double root_width_;
  std::size_t most_;
  std::vector<Item> items_, unordered_;
  std::vector<std::vector<Candidate>> levels_;
  std::vector<std::vector<std::size_t>> first_child_;  // of each level, shape (nodes): in the next level
  comm::Communicator* ranks_;
  tasks::Scheduler* workers_;
};

/// Counts the particles in each root: of this rank, chunk by chunk, in `counts`.
/// @return  of each root: its particles, and those of them that it is too wide for
std::vector<std::uint64_t> count_in_roots(const Forest& roots, const Positions& positions,
                                          std::span<const double> support, const Chunks& chunks,
                                          ChunkCounts<std::uint64_t>& counts) {
  const Forest::Finder find(roots);
  counts.restart(chunks.count(), roots.roots());
  std::vector<std::uint64_t> totals(2 * roots.roots(), 0);
  const double least_support = roots.narrowest_root() / widest_in_supports;
  chunks.for_each([&](std::size_t chunk, std::size_t first, std::size_t end) {
    const std::span<std::uint64_t> here = counts.of(chunk);
    for (std::size_t i = first; i < end; ++i) {
      const std::size_t root = find(positions[0][i], positions[1][i], positions[2][i]).leaf;
      ++here[root];
      if (support[i] > 0.0 && support[i] < least_support) {
        std::atomic_ref(totals[2 * root + 1]).fetch_add(1, std::memory_order_relaxed);
      }
    }
  });
  for (std::size_t chunk = 0; chunk < chunks.count(); ++chunk) {
    for (std::size_t r = 0; r < roots.roots(); ++r) totals[2 * r] += counts.of(chunk)[r];
  }
  return totals;
}

}  // namespace

std::vector<std::uint64_t> split_levels(const Forest& roots, const Positions& positions,
                                        std::span<const double> support, std::size_t most_per_leaf,
                                        comm::Communicator* ranks, tasks::Scheduler* workers) {
  const std::size_t n = support.size();
  TACIT_EXPECT(positions[0].size() == n && positions[1].size() == n && positions[2].size() == n);
  TACIT_EXPECT(roots.leaves() == roots.roots());
  const Chunks chunks(workers, n, roots.roots());  // not more counts than particles
  ChunkCounts<std::uint64_t> next;
  std::vector<std::uint64_t> totals = count_in_roots(roots, positions, support, chunks, next);
  if (ranks != nullptr) exchange::add_over(*ranks, totals);
  const auto may_be_split = [&](std::size_t r) { return totals[2 * r] > most_per_leaf || totals[2 * r + 1] > 0; };

  // The particles of such roots, root after root.
  for (std::size_t chunk = 0; chunk < chunks.count(); ++chunk) {
    for (std::size_t r = 0; r < roots.roots(); ++r) {
      if (!may_be_split(r)) next.of(chunk)[r] = 0;
    }
  }
  std::vector<Candidate> nodes;
  std::vector<Item> items(next.to_places([&](std::size_t r, std::uint64_t begin, std::uint64_t end) {
    if (may_be_split(r)) nodes.push_back({begin, end});
  }));
  if (!items.empty()) {
    const Forest::Finder find(roots);
    chunks.for_each([&](std::size_t chunk, std::size_t first, std::size_t end) {
      const std::span<std::uint64_t> places = next.of(chunk);
      for (std::size_t i = first; i < end; ++i) {
        const auto [root, fraction] = find(positions[0][i], positions[1][i], positions[2][i]);
        if (may_be_split(root)) items[places[root]++] = {digits_of(fraction, roots.axes()), support[i]};
      }
    });
  }

  const Splitter splitter(roots.axes(), roots.narrowest_root(), most_per_leaf, std::move(items), std::move(nodes),
                          ranks, workers);
  std::vector<std::uint64_t> levels;
  std::size_t node = 0;
  for (std::size_t r = 0; r < roots.roots(); ++r) {
    if (may_be_split(r)) {
      splitter.append(0, node++, levels);
    } else {
      levels.push_back(0);
    }
  }
  return levels;
}

}  // namespace tacit::particles

// Friends of friends: links within slabs, labels that meet at their borders, and a catalogue in an order free of ranks.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/analysis/groups.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/particles/domain.hpp"

namespace tacit::sph {
namespace {

constexpr std::uint64_t no_label = std::numeric_limits<std::uint64_t>::max();

template <class T>
void append(std::vector<std::byte>& to, const T& value) {
  const auto bytes = std::as_bytes(std::span<const T, 1>(&value, 1));
  to.insert(to.end(), bytes.begin(), bytes.end());
}

template <class T>
std::vector<T> values_of(std::span<const std::byte> bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// From one place to another by the shortest way.
base::Vec3 apart(const base::Vec3& from, const base::Vec3& to, const base::Vec3& box) {
  base::Vec3 d = to - from;
  for (std::size_t axis = 0; axis < 3; ++axis) d[axis] -= std::rint(d[axis] / box[axis]) * box[axis];
  return d;
}

/// Particles by cells that are no smaller than the linking length, so that friends lie in cells that touch.
class Cells {
 public:
  Cells(std::span<const GroupParticle> particles, const base::Vec3& box, double linking) : box_(box) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double most = std::floor(box[axis] / linking);
      count_[axis] = static_cast<std::int64_t>(std::clamp(most, 1.0, 1048576.0));
    }
    order_.resize(particles.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::vector<std::uint64_t> keys(particles.size());
    for (std::size_t i = 0; i < particles.size(); ++i) keys[i] = key(place(particles[i].x));
    std::ranges::sort(order_, {}, [&](std::size_t i) { return std::pair{keys[i], i}; });
    for (std::size_t k = 0; k < order_.size();) {
      const std::uint64_t cell = keys[order_[k]];
      std::size_t end = k;
      while (end < order_.size() && keys[order_[end]] == cell) ++end;
      range_[cell] = {k, end};
      k = end;
    }
  }

  /// Calls visit(i) for all particles of the cells around a place.
  template <class Visit>
  void for_each_near(const base::Vec3& x, const Visit& visit) const {
    const Place middle = place(x);
    std::array<std::array<std::int64_t, 3>, 3> along{};
    std::array<std::size_t, 3> found{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (const std::int64_t by : {-1, 0, 1}) {
        const std::int64_t at = (middle[axis] + by + count_[axis]) % count_[axis];
        const auto end = along[axis].begin() + static_cast<std::ptrdiff_t>(found[axis]);
        if (std::find(along[axis].begin(), end, at) == end) along[axis][found[axis]++] = at;
      }
    }
    for (std::size_t a = 0; a < found[0]; ++a) {
      for (std::size_t b = 0; b < found[1]; ++b) {
        for (std::size_t c = 0; c < found[2]; ++c) {
          const auto cell = range_.find(key({along[0][a], along[1][b], along[2][c]}));
          if (cell == range_.end()) continue;
          for (std::size_t k = cell->second.first; k < cell->second.second; ++k) visit(order_[k]);
        }
      }
    }
  }

 private:
  using Place = std::array<std::int64_t, 3>;
  [[nodiscard]] Place place(const base::Vec3& x) const {
    Place at{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double cells = static_cast<double>(count_[axis]);
      at[axis] = std::clamp(static_cast<std::int64_t>(x[axis] / box_[axis] * cells), std::int64_t{0}, count_[axis] - 1);
    }
    return at;
  }
  [[nodiscard]] std::uint64_t key(const Place& at) const {
    return static_cast<std::uint64_t>((at[0] * count_[1] + at[1]) * count_[2] + at[2]);
  }

  base::Vec3 box_;
  Place count_{};
  std::vector<std::size_t> order_;
  std::unordered_map<std::uint64_t, std::pair<std::size_t, std::size_t>> range_;
};

/// Sets of elements that are joined one by one.
class Sets {
 public:
  explicit Sets(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }
  [[nodiscard]] std::size_t root(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t i, std::size_t j) {
    const std::size_t of_i = root(i);
    const std::size_t of_j = root(j);
    parent_[std::max(of_i, of_j)] = std::min(of_i, of_j);
  }

 private:
  std::vector<std::size_t> parent_;
};

/// What one rank has: the particles of a slab along x, and copies of those that makers of groups on the other side of
/// its borders see.
class Slab {
 public:
  Slab(std::span<const GroupParticle> particles, const base::Vec3& box, double linking, comm::Communicator& ranks)
      : box_(box), linking_(linking), ranks_(ranks) {
    gather(particles);
    fetch_copies();
  }

  /// Labels all particles of the slab: the lowest ID of their group, or no_label.
  void link() {
    const Cells cells(particles_, box_, linking_);
    Sets sets(particles_.size());
    for (std::size_t i = 0; i < particles_.size(); ++i) {
      if (particles_[i].links == 0) continue;
      cells.for_each_near(particles_[i].x, [&](std::size_t j) {
        if (j < i && particles_[j].links != 0 && distance2(i, j) <= linking_ * linking_) sets.join(i, j);
      });
    }
    label_.assign(particles_.size(), no_label);
    for (std::size_t i = 0; i < particles_.size(); ++i)
      label_[i] = particles_[i].links != 0 ? particles_[i].id : no_label;
    std::vector<std::size_t> root(particles_.size());
    for (std::size_t i = 0; i < root.size(); ++i) root[i] = sets.root(i);
    while (spread(root)) {
    }
    for (std::size_t i = 0; i < own_; ++i) {
      if (particles_[i].links == 0) label_[i] = label_of_nearest(cells, i);
    }
  }

  [[nodiscard]] std::span<const GroupParticle> own() const { return std::span(particles_).first(own_); }
  [[nodiscard]] std::uint64_t label(std::size_t i) const { return label_[i]; }

 private:
  [[nodiscard]] double distance2(std::size_t i, std::size_t j) const {
    const base::Vec3 d = apart(particles_[i].x, particles_[j].x, box_);
    return dot(d, d);
  }

  void gather(std::span<const GroupParticle> particles) {
    // A slab is no thinner than what copies reach across.
    const double most =
        std::clamp(std::floor(box_.x / (linking_ * (1.0 + 1e-9))), 1.0, static_cast<double>(ranks_.size()));
    slabs_ = static_cast<std::size_t>(most);
    std::vector<std::vector<std::byte>> blocks(ranks_.size());
    for (const GroupParticle& particle : particles) append(blocks[slab_of(particle.x.x)], particle);
    particles_ = values_of<GroupParticle>(exchange::send_blocks(ranks_, blocks).bytes);
    std::ranges::sort(particles_, {}, &GroupParticle::id);
    own_ = particles_.size();
  }

  [[nodiscard]] std::size_t slab_of(double x) const {
    return std::min(static_cast<std::size_t>(std::max(x, 0.0) / box_.x * static_cast<double>(slabs_)), slabs_ - 1);
  }

  /// Of makers of groups alone: others make no friends.
  void fetch_copies() {
    shown_.resize(ranks_.size());
    std::vector<std::vector<std::byte>> blocks(ranks_.size());
    const std::size_t mine = comm::number(ranks_.rank());
    if (slabs_ > 1 && mine < slabs_) {
      const double width = box_.x / static_cast<double>(slabs_);
      const double near = linking_ * (1.0 + 1e-9);
      const std::size_t below = (mine + slabs_ - 1) % slabs_;
      const std::size_t above = (mine + 1) % slabs_;
      for (std::size_t i = 0; i < own_; ++i) {
        if (particles_[i].links == 0) continue;
        const double in = particles_[i].x.x - width * static_cast<double>(mine);
        const bool is_low = in <= near;
        const bool is_high = in >= width - near;
        if (is_low) show(i, below, blocks);
        if (is_high && !(is_low && below == above)) show(i, above, blocks);
      }
    }
    const exchange::Blocks come = exchange::send_blocks(ranks_, blocks);
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      const auto copies = values_of<GroupParticle>(come.from(rank));
      first_copy_.push_back(particles_.size());
      particles_.insert(particles_.end(), copies.begin(), copies.end());
    }
    first_copy_.push_back(particles_.size());
  }
  void show(std::size_t i, std::size_t rank, std::vector<std::vector<std::byte>>& blocks) {
    shown_[rank].push_back(i);
    append(blocks[rank], particles_[i]);
  }

  /// Gives all of a set its lowest label, and copies those of what they are copies of. Friends across a border are
  /// copied both ways, so that each side learns of the other's.
  /// @return whether any rank has learnt of a lower one
  bool spread(const std::vector<std::size_t>& root) {
    std::vector<std::uint64_t> lowest(root.size(), no_label);
    for (std::size_t i = 0; i < root.size(); ++i) lowest[root[i]] = std::min(lowest[root[i]], label_[i]);
    for (std::size_t i = 0; i < root.size(); ++i) label_[i] = lowest[root[i]];
    std::vector<std::vector<std::byte>> to_copies(ranks_.size());
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      for (const std::size_t i : shown_[rank]) append(to_copies[rank], label_[i]);
    }
    const exchange::Blocks labels = exchange::send_blocks(ranks_, to_copies);
    std::array<std::uint64_t, 1> learnt{0};
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      std::size_t copy = first_copy_[rank];
      for (const std::uint64_t label : values_of<std::uint64_t>(labels.from(rank))) {
        if (label < label_[copy]) learnt[0] = 1;
        label_[copy] = std::min(label_[copy], label);
        ++copy;
      }
    }
    exchange::add_over(ranks_, learnt);
    return learnt[0] > 0;
  }

  [[nodiscard]] std::uint64_t label_of_nearest(const Cells& cells, std::size_t i) const {
    std::pair<double, std::uint64_t> nearest{linking_ * linking_, no_label};
    std::uint64_t label = no_label;
    cells.for_each_near(particles_[i].x, [&](std::size_t j) {
      if (particles_[j].links == 0) return;
      const std::pair candidate{distance2(i, j), particles_[j].id};
      if (candidate >= nearest) return;
      nearest = candidate;
      label = label_[j];
    });
    return label;
  }

  base::Vec3 box_;
  double linking_;
  comm::Communicator& ranks_;
  std::size_t slabs_ = 1;
  std::size_t own_ = 0;
  std::vector<GroupParticle> particles_;         // own ones, by ID, and behind them copies by the rank they are from
  std::vector<std::uint64_t> label_;             // of all
  std::vector<std::vector<std::size_t>> shown_;  // to each rank: which of ours it has copies of
  std::vector<std::size_t> first_copy_;          // from each rank, and where the last ones end
};

struct Member {
  std::uint64_t group = 0;
  GroupParticle particle;
};

/// In the order of IDs, so that sums are the same wherever particles come from.
Group group_of(std::span<const Member> members, const base::Vec3& box) {
  Group group{.id = members.front().group};
  const auto first = std::ranges::find(members, group.id, [](const Member& member) { return member.particle.id; });
  const base::Vec3 origin = first->particle.x;
  base::Vec3 moment;
  base::Vec3 momentum;
  for (const auto& [label, particle] : members) {
    (particle.links != 0 ? group.particles : group.joined) += 1;
    group.mass += particle.m;
    if (particle.links == 0) group.joined_mass += particle.m;
    moment = moment + particle.m * apart(origin, particle.x, box);
    momentum = momentum + particle.m * particle.v;
  }
  group.centre = origin + (1.0 / group.mass) * moment;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    group.centre[axis] = particles::wrap(group.centre[axis], 0.0, box[axis]);
  }
  group.velocity = (1.0 / group.mass) * momentum;
  return group;
}

}  // namespace

std::vector<Group> find_groups(std::span<const GroupParticle> particles, const base::Vec3& box, double linking,
                               std::uint64_t least, comm::Communicator& ranks) {
  TACIT_EXPECT(linking > 0.0 && 2.0 * linking <= std::min({box.x, box.y, box.z}));
  Slab slab(particles, box, linking, ranks);
  slab.link();

  // All particles of a group to one rank, which sums them up.
  std::vector<std::vector<std::byte>> blocks(ranks.size());
  for (std::size_t i = 0; i < slab.own().size(); ++i) {
    const std::uint64_t label = slab.label(i);
    if (label != no_label) append(blocks[label % ranks.size()], Member{label, slab.own()[i]});
  }
  auto members = values_of<Member>(exchange::send_blocks(ranks, blocks).bytes);
  std::ranges::sort(members, {}, [](const Member& member) { return std::pair{member.group, member.particle.id}; });
  std::vector<std::byte> rows;
  for (auto first = members.begin(); first != members.end();) {
    const auto end =
        std::find_if(first, members.end(), [&](const Member& member) { return member.group != first->group; });
    const Group group = group_of({first, end}, box);
    if (group.particles >= least) append(rows, group);
    first = end;
  }
  auto all = values_of<Group>(exchange::send_blocks(ranks, std::vector(ranks.size(), rows)).bytes);
  std::ranges::sort(all, [](const Group& a, const Group& b) {
    return std::tuple{-a.mass, a.id} < std::tuple{-b.mass, b.id};
  });
  return all;
}

}  // namespace tacit::sph

// Gravity of a Plummer sphere on one core, from its tree to its accelerations, beside its error.
// SPDX-License-Identifier: Apache-2.0
#include "fmm/sphere.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "support/body_clouds.hpp"
#include "support/body_octree.hpp"
#include "tacit/base/cpu_features.hpp"
#include "tacit/base/pack_memory.hpp"
#include "tacit/fmm/acceptance.hpp"
#include "tacit/fmm/kernels/m2l_loops.hpp"
#include "tacit/fmm/walk.hpp"

namespace tacit::bench {
namespace {

using base::Vec3;
using fmm::test::Sums;

constexpr int order = 4;
constexpr double tolerance = 1e-3;
constexpr std::size_t most_per_leaf = 32;
using Operators = fmm::Operators<order>;
using Terms = fmm::Terms<order>;
using Tree = fmm::test::Octree<order>;

/// Who acts on each cell.
struct Lists {
  std::vector<std::vector<std::uint32_t>> expanded, summed;
};

/// Each cell gathers, so that cells could do so on any threads; multipoles are those of the tree.
class SphereGravity {
 public:
  SphereGravity(const fmm::test::Cloud& cloud, const Tree& tree, const fmm::Softening& softening)
      : cloud_(cloud), tree_(tree), softening_(softening), near_(set_) {}

  /// @param a  of the step before
  void solve(const Sums& a, Sums& sums) {
    look_at_cells(a);
    lists_ = {};
    lists_.expanded.resize(tree_.cells.size());
    lists_.summed.resize(tree_.cells.size());
    fmm::walk(tree_, std::size_t{0}, *this);
    translate();
    sums = Sums(cloud_.size());
    for (std::size_t c = 0; c < tree_.cells.size(); ++c) {
      for (const std::size_t child : tree_.children(c)) {
        Operators::l2l(L(c), centre(child) - centre(c), L(child));
      }
      if (tree_.is_leaf(c)) finish(c, sums);
    }
  }

  [[nodiscard]] bool accepts(std::size_t a, std::size_t b) const { return is_accurate(a, b) && is_accurate(b, a); }
  void expand(std::size_t a, std::size_t b) {
    lists_.expanded[a].push_back(static_cast<std::uint32_t>(b));
    lists_.expanded[b].push_back(static_cast<std::uint32_t>(a));
  }
  void sum(std::size_t a, std::size_t b) {
    lists_.summed[a].push_back(static_cast<std::uint32_t>(b));
    lists_.summed[b].push_back(static_cast<std::uint32_t>(a));
  }
  void sum(std::size_t leaf) { lists_.summed[leaf].push_back(static_cast<std::uint32_t>(leaf)); }

 private:
  [[nodiscard]] Vec3 centre(std::size_t c) const { return fmm::centre_of(tree_.multipoles[c]); }
  [[nodiscard]] Terms L(std::size_t c) { return Terms(L_.data() + c * fmm::terms(order), fmm::terms(order)); }
  [[nodiscard]] fmm::Bodies bodies(std::size_t c) const {
    return cloud_.some(tree_.cells[c].begin, tree_.cells[c].count);
  }
  [[nodiscard]] bool is_accurate(std::size_t sink, std::size_t source) const {
    const Vec3 R = centre(sink) - centre(source);
    return fmm::is_accurate<order>(powers_[source], tree_.radius(source), tree_.radius(sink), softening_.reach(),
                                   dot(R, R), tolerance, smallest_[sink]);
  }
  void look_at_cells(const Sums& a) {
    powers_.clear();
    smallest_.assign(tree_.cells.size(), std::numeric_limits<double>::max());
    for (const auto& multipole : tree_.multipoles) powers_.push_back(fmm::powers_of<order>(fmm::terms_of(multipole)));
    for (std::size_t c = tree_.cells.size(); c-- > 0;) {
      const auto& cell = tree_.cells[c];
      for (const std::size_t child : cell.children) smallest_[c] = std::min(smallest_[c], smallest_[child]);
      if (!tree_.is_leaf(c)) continue;
      for (std::size_t b = cell.begin; b < cell.begin + cell.count; ++b)
        smallest_[c] = std::min(smallest_[c], norm(a.a(b)));
    }
  }
  void translate() {
    L_.assign(tree_.cells.size() * fmm::terms(order), 0.0);
    const auto add = fmm::kernels::m2l_loops(set_).add[order];
    for (std::size_t c = 0; c < tree_.cells.size(); ++c) {
      const auto& sources = lists_.expanded[c];
      if (sources.empty()) continue;
      const Vec3 at = centre(c);
      add({.multipoles = &tree_.multipoles[0].x,
           .sources = sources.data(),
           .count = sources.size(),
           .x = at.x,
           .y = at.y,
           .z = at.z,
           .softening2 = softening_.epsilon2(),
           .L = L(c).data()});
    }
  }
  void finish(std::size_t leaf, Sums& sums) {
    const auto& multipole = tree_.multipoles[leaf];
    double extent = multipole.radius;  // of all that are added: a leaf of one body has a radius of 0
    for (const std::uint32_t source : lists_.summed[leaf]) {
      extent = std::max(extent, norm(centre(source) - centre(leaf)) + tree_.radius(source));
    }
    near_.restart(fmm::Frame::around(centre(leaf), extent, multipole.M[0]));
    fmm::Group own;
    for (const std::uint32_t source : lists_.summed[leaf]) {
      const fmm::Group group = near_.add(bodies(source));
      if (source == leaf) own = group;
    }
    near_.add_forces(own, {0, near_.size()}, softening_);
    const fmm::Fields fields = sums.some(tree_.cells[leaf].begin, tree_.cells[leaf].count);
    near_.add_to(own, fields);
    for (std::size_t b = 0; b < own.count; ++b) {
      const fmm::Field far = Operators::l2p(L(leaf), bodies(leaf).at(b) - centre(leaf));
      fields.potential[b] += far.potential;
      fields.ax[b] += far.acceleration.x;
      fields.ay[b] += far.acceleration.y;
      fields.az[b] += far.acceleration.z;
    }
  }

  base::InstructionSet set_ = base::chosen_instruction_set();
  const fmm::test::Cloud& cloud_;
  const Tree& tree_;
  fmm::Softening softening_;
  fmm::NearBodies<float> near_;
  Lists lists_;
  std::vector<fmm::Powers<order>> powers_;
  std::vector<double> smallest_;
  std::vector<double> L_;
};

/// Root of the mean square of the errors relative to each acceleration.
double rms_error(const Sums& sums, const Sums& exact) {
  double sum = 0.0;
  for (std::size_t i = 0; i < exact.ax.size(); ++i) {
    sum += std::pow(norm(sums.a(i) - exact.a(i)) / norm(exact.a(i)), 2);
  }
  return std::sqrt(sum / static_cast<double>(exact.ax.size()));
}

}  // namespace

void measure_sphere(Session& session) {
  const std::size_t count = session.size(32768, 2048);
  fmm::test::Cloud cloud = fmm::test::plummer_sphere(count, 1);
  const Tree tree(cloud, most_per_leaf);
  const fmm::Softening softening = fmm::Softening::wendland_c2(0.004);
  Sums exact(count);
  fmm::NearBodies<double> all(base::chosen_instruction_set());
  all.add_forces_within(all.add(cloud.all()), softening);
  all.add_to({0, count}, exact.all());
  SphereGravity gravity(cloud, tree, softening);
  Sums sums(count);
  std::vector<double> rates;
  for (std::size_t sample = 0; sample < session.size(11, 2); ++sample) {
    const auto begin = std::chrono::steady_clock::now();
    gravity.solve(exact, sums);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    rates.push_back(static_cast<double>(count) / seconds.count());
  }
  session.add({.name = "plummer_32k_bodies_per_s",
               .unit = "1/s",
               .better = Better::higher,
               .ours = summarise(std::move(rates))});
  session.add({.name = "plummer_32k_rms_error", .unit = "1", .ours = summarise({rms_error(sums, exact)})});
}

}  // namespace tacit::bench

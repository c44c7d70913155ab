// Mass assignment that is exact in any order, and means over shells of modes.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/analysis/matter_power.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <numbers>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/base/exact_sum.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/fft/transform.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::sph {
namespace {

constexpr std::size_t reach = 4;  // points along an axis

/// Along one axis: the points that a particle reaches, and its share of each.
struct Reached {
  std::array<std::size_t, reach> point;
  std::array<double, reach> share;
};
Reached reached(double x, double side, std::size_t n) {
  const double s = x / side * static_cast<double>(n);
  const double low = std::floor(s);
  const double f = s - low;
  const double g = 1.0 - f;
  Reached result{
      {},
      {g * g * g / 6.0, (4.0 - 3.0 * f * f * (2.0 - f)) / 6.0, (4.0 - 3.0 * g * g * (2.0 - g)) / 6.0, f * f * f / 6.0}};
  const auto first = static_cast<std::int64_t>(low) - 1 + 2 * static_cast<std::int64_t>(n);
  for (std::size_t i = 0; i < reach; ++i) {
    result.point[i] = static_cast<std::size_t>(first + static_cast<std::int64_t>(i)) % n;
  }
  return result;
}

/// Masses on a mesh that ranks share as a transform does.
class Mesh {
 public:
  Mesh(const base::Vec3& box, std::size_t n, tasks::Scheduler& scheduler, comm::Communicator& ranks)
      : box_(box),
        n_(n),
        scheduler_(scheduler),
        ranks_(ranks),
        transform_({n, n, n}, scheduler, {.rigor = fft::Rigor::estimate, .keeps_modes = false}, ranks) {}

  /// Leaves the modes of the density over its mean.
  /// @param all  the mass of all ranks [mass]
  void assign(std::span<const PointMass> particles, double all) {
    // So that the sum of all fits into 63 bits with its sign, and a bit to spare.
    const double unit = std::ldexp(1.0, 61 - std::ilogb(all));
    std::vector<std::int64_t> masses(transform_.pencils().physical_size(), 0);
    add(with_those_of_others(particles), unit, masses);
    const double mean = all / std::pow(static_cast<double>(n_), 3);
    const std::span<double> points = transform_.points(0);
    tasks::parallel_for(scheduler_, 0, masses.size(), [&](std::size_t first, std::size_t end) {
      for (std::size_t p = first; p < end; ++p) points[p] = static_cast<double>(masses[p]) / unit / mean - 1.0;
    });
    transform_.to_modes();
  }

  [[nodiscard]] const fft::Pencils& pencils() const noexcept { return transform_.pencils(); }
  [[nodiscard]] std::span<const std::complex<double>> modes() const { return std::as_const(transform_).modes(0); }

 private:
  /// Every particle that reaches a point of this rank.
  [[nodiscard]] std::vector<PointMass> with_those_of_others(std::span<const PointMass> particles) const {
    if (ranks_.size() == 1) return {particles.begin(), particles.end()};
    const fft::ProcessGrid& grid = pencils().grid();
    const std::vector<std::size_t> column_of_z = owners(grid.column_size);
    const std::vector<std::size_t> row_of_y = owners(grid.row_size);
    std::vector<std::vector<std::byte>> blocks(ranks_.size());
    for (const PointMass& particle : particles) {
      const Reached y = reached(particle.x.y, box_.y, n_);
      const Reached z = reached(particle.x.z, box_.z, n_);
      std::array<std::size_t, reach * reach> to{};
      std::size_t count = 0;
      for (const std::size_t k : z.point) {
        for (const std::size_t j : y.point) to[count++] = column_of_z[k] * grid.row_size + row_of_y[j];
      }
      std::ranges::sort(to);
      const auto end = std::unique(to.begin(), to.end());
      const auto bytes = std::as_bytes(std::span<const PointMass, 1>(&particle, 1));
      for (auto rank = to.begin(); rank != end; ++rank) {
        blocks[*rank].insert(blocks[*rank].end(), bytes.begin(), bytes.end());
      }
    }
    const exchange::Blocks come = exchange::send_blocks(ranks_, blocks);
    std::vector<PointMass> all(come.bytes.size() / sizeof(PointMass));
    std::memcpy(all.data(), come.bytes.data(), come.bytes.size());
    return all;
  }

  /// Of each point along an axis, the place of who has it among so many.
  [[nodiscard]] std::vector<std::size_t> owners(std::size_t places) const {
    std::vector<std::size_t> owner(n_);
    for (std::size_t place = 0; place < places; ++place) {
      const fft::Range range = fft::split(n_, places, place);
      for (std::size_t i = range.begin; i < range.end; ++i) owner[i] = place;
    }
    return owner;
  }

  void add(const std::vector<PointMass>& particles, double unit, std::vector<std::int64_t>& masses) const {
    const fft::Range ys = pencils().y();
    const fft::Range zs = pencils().z();
    tasks::parallel_for(scheduler_, 0, particles.size(), [&](std::size_t p) {
      const PointMass& particle = particles[p];
      const Reached x = reached(particle.x.x, box_.x, n_);
      const Reached y = reached(particle.x.y, box_.y, n_);
      const Reached z = reached(particle.x.z, box_.z, n_);
      for (std::size_t k = 0; k < reach; ++k) {
        if (z.point[k] < zs.begin || z.point[k] >= zs.end) continue;
        for (std::size_t j = 0; j < reach; ++j) {
          if (y.point[j] < ys.begin || y.point[j] >= ys.end) continue;
          const std::size_t row = ((z.point[k] - zs.begin) * ys.size() + (y.point[j] - ys.begin)) * n_;
          const double share = particle.m * unit * (z.share[k] * y.share[j]);
          for (std::size_t i = 0; i < reach; ++i) {
            const std::atomic_ref<std::int64_t> mass(masses[row + x.point[i]]);
            mass.fetch_add(std::llrint(share * x.share[i]), std::memory_order_relaxed);
          }
        }
      }
    });
  }

  base::Vec3 box_;
  std::size_t n_;
  tasks::Scheduler& scheduler_;
  comm::Communicator& ranks_;
  fft::Transform<double> transform_;
};

/// The transform of the spline along one axis.
double window(std::int64_t waves, std::size_t n) {
  if (waves == 0) return 1.0;
  const double x = std::numbers::pi * static_cast<double>(waves) / static_cast<double>(n);
  const double sinc = std::sin(x) / x;
  return sinc * sinc * sinc * sinc;
}

/// What is summed over the modes of a shell.
struct Shell {
  base::BufferedSum k, power, expected;
  std::uint64_t modes = 0;
};

}  // namespace

MatterPower matter_power(std::span<const PointMass> particles, const base::Vec3& box, std::size_t n,
                         const std::function<double(double)>& expected, tasks::Scheduler& scheduler,
                         comm::Communicator& ranks) {
  TACIT_EXPECT(n >= 8);
  exchange::RankReductions reductions(ranks);
  base::BufferedSum mass;
  base::BufferedSum squares;
  for (const PointMass& particle : particles) {
    mass.add(particle.m);
    squares.add(particle.m * particle.m);
  }
  std::array<base::ExactSum, 2> totals{mass.sum(), squares.sum()};
  reductions.add(totals);
  const double all = totals[0].value();
  TACIT_EXPECT(all > 0.0);

  Mesh mesh(box, n, scheduler, ranks);
  mesh.assign(particles, all);

  const std::array<double, 3> unit{2.0 * std::numbers::pi / box.x, 2.0 * std::numbers::pi / box.y,
                                   2.0 * std::numbers::pi / box.z};
  const double lowest = std::ranges::min(unit);
  // Shells that lie within |k_i| < n/2 along each axis as a whole.
  const auto shells = static_cast<std::size_t>((static_cast<double>(n) - 1.0) / 2.0);
  std::vector<Shell> sums(shells + 1);
  const fft::Pencils& pencils = mesh.pencils();
  const fft::Modes& modes = pencils.modes();
  const double volume = box.x * box.y * box.z;
  for (std::size_t x = pencils.kx().begin; x < pencils.kx().end; ++x) {
    for (std::size_t z = 0; z < modes.count(2); ++z) {
      for (std::size_t y = pencils.ky().begin; y < pencils.ky().end; ++y) {
        const std::array<std::int64_t, 3> waves{modes.wave_number(0, x), modes.wave_number(1, y),
                                                modes.wave_number(2, z)};
        double k2 = 0.0;
        double W = 1.0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          k2 += std::pow(unit[axis] * static_cast<double>(waves[axis]), 2);
          W *= window(waves[axis], n);
        }
        const double k = std::sqrt(k2);
        const auto shell = static_cast<std::size_t>(std::lround(k / lowest));
        if (shell < 1 || shell >= shells) continue;
        const double twice = waves[0] == 0 ? 1.0 : 2.0;  // the opposite wave is not stored
        sums[shell].modes += waves[0] == 0 ? 1 : 2;
        sums[shell].k.add(twice * k);
        sums[shell].power.add(twice * std::norm(mesh.modes()[pencils.spectral_place(x, y, z)]) / (W * W));
        if (expected) sums[shell].expected.add(twice * expected(k));
      }
    }
  }

  std::vector<base::ExactSum> exact;
  std::vector<std::uint64_t> counts;
  for (Shell& shell : sums) {
    for (base::BufferedSum* sum : {&shell.k, &shell.power, &shell.expected}) exact.push_back(sum->sum());
    counts.push_back(shell.modes);
  }
  reductions.add(exact);
  exchange::add_over(ranks, counts);
  MatterPower found{
      .k = {}, .power = {}, .modes = {}, .expected = {}, .shot_noise = volume * totals[1].value() / (all * all)};
  for (std::size_t shell = 1; shell < shells; ++shell) {
    if (counts[shell] == 0) continue;  // of a box with unequal sides
    const auto count = static_cast<double>(counts[shell]);
    found.k.push_back(exact[3 * shell].value() / count);
    found.power.push_back(volume * exact[3 * shell + 1].value() / count);
    found.modes.push_back(counts[shell]);
    if (expected) found.expected.push_back(exact[3 * shell + 2].value() / count);
  }
  return found;
}

}  // namespace tacit::sph

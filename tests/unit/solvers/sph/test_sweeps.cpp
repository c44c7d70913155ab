// Sweeps over sorted cells against the scalar loops, for every instruction set that this machine has.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "sphenix_samples.hpp"
#include "tacit/solvers/sph/kernels/vector/results.hpp"
#include "tacit/solvers/sph/sweep_room.hpp"

namespace tacit::sph::sweeps_test {

using namespace vector_test;
using kernels::vector::GasView;
using kernels::vector::Results;
using kernels::vector::SweepSum;
using particles::Axis;
using particles::Steps;

namespace {

/// Partial sums are rounded in other places than in the sums for one particle: into a block, and from there twice into
/// the cell. That is 3 roundings more, where each term is allowed 40.
constexpr double of_blocks = 43.0 / 40.0;
/// What particles move after they were sorted.
constexpr double drift = 0.05;

/// Some particles of a cloud, with all that a sweep needs of them.
struct Half {
  Cloud cloud;
  std::vector<std::size_t> whose;  ///< of each its index among all
  Frame frame;
  base::PackVector<float> records, sums;
  std::vector<float> keys;
  std::vector<std::uint32_t> orders;
  PackedCell cell;
  SweepReach reach;

  Half(const Vec3& middle, int dimension) : frame(middle, 2.4, {}, {1.0, 0.5}, dimension) {}

  void add(const Cloud& all, std::size_t i, const Vec3& at, const Vec3& sign) {
    cloud.add(at, 0);
    whose.push_back(i);
    const std::size_t k = cloud.size() - 1;
    const auto copy = [&](auto field) { (cloud.*field)[k] = (all.*field)[i]; };
    for (auto field : {&Cloud::m, &Cloud::H, &Cloud::rho, &Cloud::omega_P, &Cloud::u}) copy(field);
    for (auto field : {&Cloud::cs, &Cloud::balsara, &Cloud::f, &Cloud::alpha_v, &Cloud::alpha_d}) copy(field);
    cloud.vx[k] = static_cast<float>(sign.x) * all.vx[i];
    cloud.vy[k] = static_cast<float>(sign.y) * all.vy[i];
    cloud.vz[k] = static_cast<float>(sign.z) * all.vz[i];
  }

  void pack(const PairLoops& loops, SweepRoom& room) {
    room.pack(loops.kernels().fill, {cloud.x, cloud.y, cloud.z, cloud.m, cloud.vx, cloud.vy, cloud.vz}, gas_of(cloud),
              frame, cell);
  }

  /// Orders are made where particles were `drift` ago, so that they are as stale as the slack allows.
  void prepare(const PairLoops& loops, SweepRoom& room) {
    const std::size_t n = cloud.size();
    const std::size_t stride = 4 * (n + packing_room);
    records.assign(4 * stride, 0.0F);
    sums.assign(n * kernels::vector::sweep_sums, 0.0F);
    keys.resize(Axis::count * n);
    orders.resize(Axis::count * n);
    cell = {n,  records.data(), records.data() + stride, records.data() + 2 * stride, records.data() + 3 * stride,
            {}, sums.data()};
    for (std::size_t axis = 0; axis < Axis::count; ++axis) {
      cell.along[axis] = {std::span(keys).subspan(axis * n, n), std::span(orders).subspan(axis * n, n)};
    }
    const Cloud now = cloud;
    for (std::size_t i = 0; i < n; ++i) {
      cloud.x[i] += drift / std::sqrt(3.0) * (i % 2 == 0 ? 1.0 : -1.0);
      cloud.y[i] += drift / std::sqrt(3.0) * (i % 3 == 0 ? 1.0 : -1.0);
      cloud.z[i] += drift / std::sqrt(3.0) * (i % 5 == 0 ? 1.0 : -1.0);
    }
    pack(loops, room);
    for (std::size_t axis = 0; axis < Axis::count; ++axis) room.sort(cell, axis, SweepRoom::Order::none);
    cloud = now;
    pack(loops, room);
    for (const double H : cloud.H) reach.H_max = std::max(reach.H_max, frame.length(H) * (1.0F + 0x1p-20F));
    reach.slack = frame.length(drift);
  }

  void clear() { std::ranges::fill(sums, 0.0F); }
  [[nodiscard]] float sum(std::size_t k, SweepSum which) const {
    return sums[kernels::vector::sweep_sums * k + static_cast<std::size_t>(which)];
  }
};

/// Of particles in both cells together, around the packs' widths.
constexpr std::array<std::size_t, 15> numbers{0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 65, 120};

/// How two cells lie to each other.
struct Layout {
  Steps steps{};       ///< from the first to the second
  Vec3 sign{1, 1, 1};  ///< of the image through which the first sees the second
  Vec3 shift{};        ///< of the image; on quanta
};

/// A cloud divided into two cells along some direction, a few particles on the wrong side.
struct TwoCells {
  const PairLoops& loops;
  const Cloud& all;
  Half near, far;
  SweepImage image;
  SweepRoom room;
  Vec3 back;  ///< takes vectors of the second cell to the frame of the first

  TwoCells(const PairLoops& pair_loops, const Cloud& cloud, const Layout& layout)
      : loops(pair_loops),
        all(cloud),
        near({-0.25, 0.5, 0.125}, pair_loops.space().dimension),
        far(stored({0.5, -0.25, 0.0}, layout), pair_loops.space().dimension),
        back(layout.sign) {
    Steps of_far = layout.steps;
    for (std::size_t axis = 0; axis < 3; ++axis) of_far[axis] *= layout.sign[axis] < 0.0 ? -1 : 1;
    image.near = particles::axis_of(layout.steps);
    image.far = particles::axis_of(of_far);
    const Vec3 n = double{image.near.sign} * particles::direction_of(image.near.index);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool is_far = (dot(all.at(i), n) > 0.0) != (i % 5 == 4);
      if (is_far) {
        far.add(all, i, stored(all.at(i), layout), layout.sign);
      } else {
        near.add(all, i, all.at(i), {1, 1, 1});
      }
    }
    const auto number = [](double value) { return static_cast<float>(value); };
    image.sign = {number(back.x), number(back.y), number(back.z)};
    image.offset = near.frame.place(stored({0.5, -0.25, 0.0}, layout), {layout.sign, layout.shift});
    const Vec3 offset{double{image.offset.x}, double{image.offset.y}, double{image.offset.z}};
    image.key_offset = number(dot(n, offset));
    near.prepare(loops, room);
    far.prepare(loops, room);
  }

  /// Where a particle is whose image is seen at x.
  static Vec3 stored(const Vec3& x, const Layout& layout) {
    Vec3 at;
    for (std::size_t axis = 0; axis < 3; ++axis) at[axis] = layout.sign[axis] * (x[axis] - layout.shift[axis]);
    return at;
  }

  void sweep(const SweepKind& kind) {
    near.clear();
    far.clear();
    room.sweep_self(kind, near.cell, 2, near.reach);
    room.sweep_self(kind, far.cell, 0, far.reach);
    room.sweep_pair(kind, near.cell, far.cell, image, near.reach, far.reach);
  }

  /// Calls check(half, k, cloud with that particle first, what takes its vectors back) for all particles.
  template <class Check>
  void for_each(const Check& check) const {
    for (const Half* half : {&near, &far}) {
      for (std::size_t k = 0; k < half->cloud.size(); ++k) {
        Cloud first = all;
        const std::size_t i = half->whose[k];
        const auto exchange = [&](auto field) { std::swap((first.*field)[0], (first.*field)[i]); };
        for (auto field :
             {&Cloud::x, &Cloud::y, &Cloud::z, &Cloud::m, &Cloud::H, &Cloud::rho, &Cloud::omega_P, &Cloud::u}) {
          exchange(field);
        }
        for (auto field : {&Cloud::vx, &Cloud::vy, &Cloud::vz, &Cloud::cs, &Cloud::balsara, &Cloud::f, &Cloud::alpha_v,
                           &Cloud::alpha_d}) {
          exchange(field);
        }
        check(*half, k, first, half == &near ? Vec3{1, 1, 1} : back);
      }
    }
  }
};

/// Calls `check(kernel, two cells, space)` for every instruction set, space and size, and cells on all sides.
template <class Check>
void for_each_pair(const Check& check) {
  for (const InstructionSet set : base::usable_instruction_sets()) {
    for_each_space([&]<class Kernel>(Kernel kernel, int dimension) {
      const Space& space = kernels::space_of<Kernel>(dimension);
      const PairLoops loops(kernels::vector::pair_kernels<Kernel>(set), space);
      std::size_t turn = 0;
      for (const std::size_t n : numbers) {
        SCOPED_TRACE(std::string(name_of(set)) + ", " + std::to_string(dimension) + "-D, n = " + std::to_string(n));
        const Cloud cloud = random_cloud(n, n, dimension);
        const auto digit = [&](std::size_t axis, std::size_t value) {
          return axis < static_cast<std::size_t>(dimension) ? static_cast<int>(value % 3) - 1 : 0;
        };
        Steps steps{digit(0, turn), digit(1, turn / 3 + turn), digit(2, turn / 2)};
        if (steps == Steps{}) steps[0] = 1;
        Layout layout;
        layout.steps = steps;
        if (turn % 3 == 1) layout.shift = {4.0, dimension > 1 ? -2.0 : 0.0, 0.0};
        if (turn % 3 == 2) layout = {steps, {-1, dimension > 1 ? -1.0 : 1.0, 1}, {2.0, 0.0, 0.0}};
        ++turn;
        TwoCells cells(loops, cloud, layout);
        check(kernel, cells, space);
      }
    });
  }
}

SweepKind kind_of(const PairLoops& loops, const kernels::vector::SweepLoop& loop, double viscosity, bool is_sphenix) {
  const Space& space = loops.space();
  return {loops.kernels().sweep,
          loop,
          {static_cast<float>(viscosity), static_cast<float>(space.norm), space.dimension},
          is_sphenix,
          false};
}

void expect_vector(const Vec3& found, const Vec3& expected, double tolerance) {
  for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_NEAR(found[axis], expected[axis], tolerance);
}

}  // namespace

TEST(Sweeps, DensitiesAndGradientsEqualTheScalarSums) {
  for_each_pair([]<class Kernel>(Kernel, TwoCells& cells, const Space& space) {
    SweepKind kind = kind_of(cells.loops, cells.loops.kernels().sweep.density, 0.0, false);
    kind.sums_curls = true;
    cells.sweep(kind);
    cells.for_each([&](const Half& half, std::size_t k, const Cloud& cloud, const Vec3& sign) {
      auto oracle = scalar_cache(cloud, space);
      kernels::find_within(oracle, {cloud.x[0], cloud.y[0], cloud.z[0]}, cloud.H[0]);
      const double h = cloud.H[0] / space.gamma;
      const auto density = kernels::density_sum<Kernel>(oracle, h, space);
      const auto gradients = kernels::velocity_gradients<Kernel>(oracle, {cloud.x[0], cloud.y[0], cloud.z[0]},
                                                                 cloud.v(0), h, cloud.rho[0], space);
      const Results results{half.frame, space};
      const double own = Kernel::w(0.0) * double{half.frame.mass(cloud.m[0])};
      const auto found = results.density({own + double{half.sum(k, SweepSum::a)}, double{half.sum(k, SweepSum::b)}}, h);
      const auto found_gradients = results.gradients(
          {half.sum(k, SweepSum::c), half.sum(k, SweepSum::x), half.sum(k, SweepSum::y), half.sum(k, SweepSum::z)}, h,
          cloud.rho[0]);
      const Tolerances error = tolerances<Kernel>(cloud, space, oracle);
      EXPECT_NEAR(found.rho, density.rho, of_blocks * error.density);
      EXPECT_NEAR(found.drho_dh, density.drho_dh, of_blocks * error.slope);
      EXPECT_NEAR(found_gradients.div_v, gradients.div_v, of_blocks * error.gradient);
      const double turn = sign.x * sign.y * sign.z;  // a mirror turns curls the other way round
      const Vec3 curl{turn * sign.x * gradients.curl_v.x, turn * sign.y * gradients.curl_v.y,
                      turn * sign.z * gradients.curl_v.z};
      expect_vector(found_gradients.curl_v, curl, of_blocks * error.gradient);
    });
  });
}

TEST(Sweeps, ForcesEqualTheScalarSums) {
  for_each_pair([]<class Kernel>(Kernel, TwoCells& cells, const Space& space) {
    cells.sweep(kind_of(cells.loops, cells.loops.kernels().sweep.force, alpha, false));
    cells.for_each([&](const Half& half, std::size_t k, const Cloud& cloud, const Vec3& sign) {
      auto oracle = scalar_cache(cloud, space);
      kernels::find_within_either(oracle, {cloud.x[0], cloud.y[0], cloud.z[0]}, cloud.H[0], space.gamma);
      const auto expected = kernels::force_sum<Kernel>(oracle, target(cloud, space), alpha, space);
      const auto found = Results{half.frame, space}.force(
          {half.sum(k, SweepSum::x), half.sum(k, SweepSum::y), half.sum(k, SweepSum::z), half.sum(k, SweepSum::a),
           half.sum(k, SweepSum::largest)},
          double{cloud.cs[0]});
      const Tolerances error = tolerances<Kernel>(cloud, space, oracle);
      expect_vector(found.a, {sign.x * expected.a.x, sign.y * expected.a.y, sign.z * expected.a.z},
                    of_blocks * error.acceleration);
      EXPECT_NEAR(found.dissipation, expected.dissipation, of_blocks * error.dissipation);
      EXPECT_NEAR(found.v_sig, expected.v_sig, error_of_term * 8.0);  // these signal velocities are below 8
    });
  });
}

TEST(Sweeps, SphenixGradientsEqualTheScalarSums) {
  for_each_pair([]<class Kernel>(Kernel, TwoCells& cells, const Space& space) {
    cells.sweep(kind_of(cells.loops, cells.loops.kernels().sweep.sphenix_gradient, beta_v, true));
    cells.for_each([&](const Half& half, std::size_t k, const Cloud& cloud, const Vec3&) {
      auto oracle = scalar_cache(cloud, space);
      kernels::find_within(oracle, {cloud.x[0], cloud.y[0], cloud.z[0]}, cloud.H[0]);
      const auto i = sphenix_target(cloud, space);
      const auto expected = kernels::sphenix_gradients<Kernel>(oracle, i, beta_v, space);
      const auto found = Results{half.frame, space}.sphenix_gradients(
          {half.sum(k, SweepSum::a), half.sum(k, SweepSum::largest), half.sum(k, SweepSum::other_largest)},
          cloud.H[0] / space.gamma, double{cloud.cs[0]}, double{cloud.alpha_v[0]});
      EXPECT_NEAR(found.laplace_u, expected.laplace_u, of_blocks * (errors<Kernel>(cloud, space, oracle).laplace));
      EXPECT_NEAR(found.v_sig, expected.v_sig, error_of_term * 8.0);
      EXPECT_EQ(found.alpha_v, expected.alpha_v);
    });
  });
}

TEST(Sweeps, SphenixForcesEqualTheScalarSums) {
  for_each_pair([]<class Kernel>(Kernel, TwoCells& cells, const Space& space) {
    cells.sweep(kind_of(cells.loops, cells.loops.kernels().sweep.sphenix_force, beta_v, true));
    cells.for_each([&](const Half& half, std::size_t k, const Cloud& cloud, const Vec3& sign) {
      auto oracle = scalar_cache(cloud, space);
      kernels::find_within_either(oracle, {cloud.x[0], cloud.y[0], cloud.z[0]}, cloud.H[0], space.gamma);
      const auto i = sphenix_target(cloud, space);
      const auto expected = kernels::sphenix_force<Kernel>(oracle, i, beta_v, space);
      const auto found = Results{half.frame, space}.sphenix_force(
          {half.sum(k, SweepSum::x), half.sum(k, SweepSum::y), half.sum(k, SweepSum::z), half.sum(k, SweepSum::a),
           half.sum(k, SweepSum::largest)},
          double{cloud.cs[0]});
      const SphenixErrors error = errors<Kernel>(cloud, space, oracle);
      expect_vector(found.a, {sign.x * expected.a.x, sign.y * expected.a.y, sign.z * expected.a.z},
                    of_blocks * error.acceleration);
      EXPECT_NEAR(found.du_dt, expected.du_dt, of_blocks * error.du_dt);
      EXPECT_NEAR(found.v_sig, expected.v_sig, error_of_term * 8.0);
    });
  });
}

}  // namespace tacit::sph::sweeps_test

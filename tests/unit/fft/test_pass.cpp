// Passes from modes to points and back.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <numbers>
#include <vector>

#include "tacit/base/random.hpp"
#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/fft/pass.hpp"

namespace tacit::fft::pass_test {

using Complex = std::complex<double>;

/// One field, or its square, from modes to points to modes.
class Squares final : public PassWork<double> {
 public:
  Squares(const Modes& modes, bool is_squaring)
      : modes_(modes),
        pencils_(modes, {}, 0),
        is_squaring_(is_squaring),
        in(pencils_.spectral_size()),
        out(in.size()),
        points(pencils_.physical_size()) {
    fill();
  }
  void load(std::size_t /*field*/, const ColumnBlock& block, Complex* lines) const override {
    for (std::size_t kz = 0; kz < modes_.count(2); ++kz) {
      for (std::size_t lane = 0; lane < block.count; ++lane) {
        lines[modes_.place(2, kz) * lanes + lane] = in[pencils_.spectral_place(block.kx, block.ky + lane, kz)];
      }
    }
  }
  void rows(std::size_t /*worker*/, std::size_t y, std::size_t z, std::span<double* const> from,
            std::span<double* const> to) const override {
    const std::size_t n = modes_.points()[0];
    for (std::size_t x = 0; x < n; ++x) {
      points[(z * modes_.points()[1] + y) * n + x] = from[0][x];
      to[0][x] = is_squaring_ ? from[0][x] * from[0][x] : from[0][x];
    }
  }
  void store(std::size_t /*worker*/, const ColumnBlock& block, std::span<Complex* const> lines) const override {
    for (std::size_t kz = 0; kz < modes_.count(2); ++kz) {
      for (std::size_t lane = 0; lane < block.count; ++lane) {
        out[pencils_.spectral_place(block.kx, block.ky + lane, kz)] =
            lines[0][modes_.place(2, kz) * lanes + lane] / static_cast<double>(pencils_.physical_size());
      }
    }
  }
  [[nodiscard]] const Pencils& pencils() const { return pencils_; }

 private:
  /// Random modes of a real field: those with kx = 0 come in conjugate pairs; those without a partner stay zero.
  void fill() {
    const auto value = [this](std::int64_t kx, std::int64_t ky, std::int64_t kz) -> Complex {
      if (!modes_.holds(kx, ky, kz) || !modes_.holds(kx, -ky, -kz)) return {};
      if (2 * kx == static_cast<std::int64_t>(modes_.points()[0])) return {};
      const bool is_partner = kx == 0 && (kz < 0 || (kz == 0 && ky < 0));
      const std::int64_t sign = is_partner ? -1 : 1;
      for (std::size_t axis = 1; axis < 3; ++axis) {
        if (2 * (axis == 1 ? std::abs(ky) : std::abs(kz)) == static_cast<std::int64_t>(modes_.points()[axis]))
          return {};
      }
      const auto key = static_cast<std::uint64_t>((kx * 1000 + sign * ky + 100) * 1000 + sign * kz + 100);
      const Complex random(base::uniform(4, key, 0) - 0.5, base::uniform(4, key, 1) - 0.5);
      if (kx == 0 && ky == 0 && kz == 0) return random.real();
      return is_partner ? std::conj(random) : random;
    };
    for (std::size_t x = 0; x < modes_.count(0); ++x) {
      for (std::size_t y = 0; y < modes_.count(1); ++y) {
        for (std::size_t z = 0; z < modes_.count(2); ++z) {
          in[pencils_.spectral_place(x, y, z)] =
              value(modes_.wave_number(0, x), modes_.wave_number(1, y), modes_.wave_number(2, z));
        }
      }
    }
  }
  Modes modes_;
  Pencils pencils_;
  bool is_squaring_;

 public:
  std::vector<Complex> in;
  mutable std::vector<Complex> out;
  mutable std::vector<double> points;
};

void run(Squares& work, std::size_t workers) {
  trace::Recorder recorder(workers);
  tasks::Scheduler scheduler(workers, recorder);
  comm::Communicator world(comm::bootstrap_alone());
  GridCommunicators ranks(world, {}, scheduler);
  Pass<double> pass(work.pencils(), {.in = 1, .out = 1, .mixed = 1}, work, scheduler, Rigor::estimate, ranks);
  pass.run({});
}

/// The value at a point, from the definition.
double slow_value(const Squares& work, const Modes& modes, std::size_t x, std::size_t y, std::size_t z) {
  double sum = 0.0;
  for (std::size_t kx = 0; kx < modes.count(0); ++kx) {
    for (std::size_t ky = 0; ky < modes.count(1); ++ky) {
      for (std::size_t kz = 0; kz < modes.count(2); ++kz) {
        const Complex mode = work.in[work.pencils().spectral_place(kx, ky, kz)];
        double turns = 0.0;
        const std::array<std::size_t, 3> k{kx, ky, kz};
        const std::array<std::size_t, 3> at{x, y, z};
        for (std::size_t axis = 0; axis < 3; ++axis) {
          turns += static_cast<double>(modes.wave_number(axis, k[axis])) * static_cast<double>(at[axis]) /
                   static_cast<double>(modes.points()[axis]);
        }
        sum += (kx == 0 ? 1.0 : 2.0) * (mode * std::polar(1.0, 2.0 * std::numbers::pi * turns)).real();
      }
    }
  }
  return sum;
}

TEST(Pass, PointsAreWhatTheModesMean) {
  for (const auto truncation : {Truncation::none, Truncation::two_thirds, Truncation::spherical}) {
    const Modes modes({12, 10, 14}, truncation);
    Squares work(modes, false);
    run(work, 1);
    for (std::size_t i = 0; i < 40; ++i) {
      const std::size_t x = i * 7 % 12;
      const std::size_t y = i * 3 % 10;
      const std::size_t z = i * 5 % 14;
      // 1700 terms of at most 1.4, each rounded, and their phases.
      EXPECT_NEAR(work.points[(z * 10 + y) * 12 + x], slow_value(work, modes, x, y, z), 1700 * 1.4 * 2.3e-16);
    }
  }
}

TEST(Pass, ModesComeBack) {
  for (const Shape& shape : {Shape{8, 8, 8}, Shape{16, 12, 18}, Shape{9, 15, 11}, Shape{2, 3, 4}, Shape{48, 40, 36}}) {
    for (const auto truncation : {Truncation::none, Truncation::two_thirds}) {
      Squares work(Modes(shape, truncation), false);
      run(work, 1);
      double worst = 0.0;
      for (std::size_t i = 0; i < work.in.size(); ++i) worst = std::max(worst, std::abs(work.in[i] - work.out[i]));
      // Three transforms each way, of log2(n) <= 6 roundings of numbers below 1.
      EXPECT_LT(worst, 36 * 2.3e-16 * 4) << shape[0];
    }
  }
}

/// The modes of the square of a field by the definition: sum over p + q = k.
TEST(Pass, SquaresWithThirdsAreFreeOfAliases) {
  const Modes modes({12, 12, 12}, Truncation::two_thirds);
  Squares work(modes, true);
  run(work, 1);
  const auto mode_of = [&](std::int64_t kx, std::int64_t ky, std::int64_t kz) -> Complex {
    if (!modes.holds(kx, ky, kz)) return {};
    if (kx < 0) {
      kx = -kx, ky = -ky, kz = -kz;
      const auto index = [](std::int64_t k, std::size_t count) {
        return static_cast<std::size_t>(k < 0 ? k + static_cast<std::int64_t>(count) : k);
      };
      return std::conj(work.in[work.pencils().spectral_place(static_cast<std::size_t>(kx), index(ky, modes.count(1)),
                                                             index(kz, modes.count(2)))]);
    }
    const auto index = [](std::int64_t k, std::size_t count) {
      return static_cast<std::size_t>(k < 0 ? k + static_cast<std::int64_t>(count) : k);
    };
    return work.in[work.pencils().spectral_place(static_cast<std::size_t>(kx), index(ky, modes.count(1)),
                                                 index(kz, modes.count(2)))];
  };
  const std::int64_t top = modes.highest(0);
  for (std::int64_t kx = 0; kx <= top; ++kx) {
    for (std::int64_t ky = -top; ky <= top; ++ky) {
      Complex sum;
      for (std::int64_t px = -top; px <= top; ++px) {
        for (std::int64_t py = -top; py <= top; ++py) {
          for (std::int64_t pz = -top; pz <= top; ++pz) {
            sum += mode_of(px, py, pz) * mode_of(kx - px, ky - py, 1 - pz);
          }
        }
      }
      const std::size_t y = static_cast<std::size_t>(ky < 0 ? ky + 2 * top + 1 : ky);
      const Complex found = work.out[work.pencils().spectral_place(static_cast<std::size_t>(kx), y, 1)];
      // 343 products of at most 0.5, added in either order.
      EXPECT_NEAR(std::abs(found - sum), 0.0, 343 * 0.5 * 2.3e-16 * 4);
    }
  }
}

TEST(Pass, ThreadsGiveIdenticalResults) {
  const Modes modes({24, 20, 18}, Truncation::two_thirds);
  Squares one(modes, true);
  run(one, 1);
  for (const std::size_t workers : {2U, 4U}) {
    Squares more(modes, true);
    run(more, workers);
    EXPECT_EQ(0, std::memcmp(one.out.data(), more.out.data(), one.out.size() * sizeof(Complex))) << workers;
  }
}

}  // namespace tacit::fft::pass_test

// Sums over modes by shell and by plane, and what follows from them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/statistics/spectra.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "tacit/fft/lane_copies.hpp"

namespace tacit::dns {
namespace {

/// The smallest wave number of the box.
double width_of(const Flow& flow) {
  const base::Vec3& box = flow.parameters().box;
  return 2.0 * std::numbers::pi / std::max({box.x, box.y, box.z});
}

std::size_t shell_of(double k2, double width) { return static_cast<std::size_t>(std::lround(std::sqrt(k2) / width)); }

/// Where each sum stands among all: four by shell, then five by plane of each axis.
class Places {
 public:
  enum Shell : std::size_t { energy, dissipation, helicity, transfer, by_shell };
  enum Plane : std::size_t { square_x, square_y, square_z, longitudinal, mixed, by_plane };

  explicit Places(const Flow& flow) {
    const fft::Modes& modes = flow.pencils().modes();
    double k2 = 0.0;
    std::size_t next = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto highest = static_cast<std::size_t>(modes.highest(axis));
      const double k = flow.wave_number(axis, highest);
      k2 += k * k;
      planes_[axis] = highest + 1;
    }
    shells_ = shell_of(k2, width_of(flow)) + 1;
    next = by_shell * shells_;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      first_[axis] = next;
      next += by_plane * planes_[axis];
    }
    count_ = next;
  }
  [[nodiscard]] std::size_t shells() const noexcept { return shells_; }
  [[nodiscard]] std::size_t planes(std::size_t axis) const noexcept { return planes_[axis]; }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] std::size_t shell(std::size_t which, std::size_t n) const noexcept { return which * shells_ + n; }
  [[nodiscard]] std::size_t plane(std::size_t axis, std::size_t which, std::size_t n) const noexcept {
    return first_[axis] + which * planes_[axis] + n;
  }

 private:
  std::size_t shells_ = 0;
  std::size_t count_ = 0;
  std::array<std::size_t, 3> planes_{};
  std::array<std::size_t, 3> first_{};
};

/// Which of xx, yy, zz, xy, xz, yz the product of two components is.
constexpr std::size_t product(std::size_t i, std::size_t j) noexcept { return i == j ? i : i + j + 2; }

/// A mode of the velocity and of its products u_i u_j.
struct Mode {
  WaveVector k{};
  std::array<Complex, 3> u{};
  std::array<Complex, 6> uu{};
};

double dot(const Complex& a, const Complex& b) { return a.real() * b.real() + a.imag() * b.imag(); }
/// The imaginary part of conj(a) b.
double cross(const Complex& a, const Complex& b) { return a.real() * b.imag() - a.imag() * b.real(); }

/// The rate at which the mode gains u . u / 2: the real part of conj(u_i) (-i k_j) (u_i u_j).
double gain(const Mode& m) {
  double sum = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    Complex push = 0.0;
    for (std::size_t j = 0; j < 3; ++j) push += m.k[j] * m.uu[product(i, j)];
    sum += cross(m.u[i], push);
  }
  return sum;
}

/// u . omega, omega = i k x u.
double helicity_of(const Mode& m) {
  double sum = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    const std::size_t l = (i + 2) % 3;
    sum -= cross(m.u[i], m.k[j] * m.u[l] - m.k[l] * m.u[j]);
  }
  return sum;
}

/// What a mode brings to the five sums of its plane across an axis. A mode and its conjugate bring the same.
std::array<double, Places::by_plane> to_plane(const Mode& m, std::size_t axis, double weight) {
  std::array<double, Places::by_plane> terms{};
  const double sign = m.k[axis] < 0.0 ? -weight : weight;
  for (std::size_t c = 0; c < 3; ++c) {
    terms[c] = weight * dot(m.u[c], m.u[c]);
    if (c == axis) continue;
    const double squares = cross(m.uu[product(c, c)], m.u[axis]);
    const double products = cross(m.u[c], m.uu[product(axis, c)]);
    terms[Places::mixed] += 0.5 * sign * (squares - 2.0 * products);
  }
  terms[Places::longitudinal] = sign * cross(m.uu[product(axis, axis)], m.u[axis]);
  return terms;
}

/// The products of the velocity with itself, to modes, and all sums over them.
class Summing final : public fft::PassWork<double> {
 public:
  Summing(const Flow& flow, const Places& places, Sums& sums)
      : flow_(flow),
        places_(places),
        sums_(sums),
        width_(width_of(flow)),
        scale_(1.0 / static_cast<double>(fft::product(flow.parameters().points))) {}

  void load(std::size_t field, const fft::ColumnBlock& block, Complex* lines) const override {
    const fft::Pencils& pencils = flow_.pencils();
    copier_.gather_columns(pencils.modes(), flow_.modes(field).data() + pencils.spectral_place(block.kx, block.ky, 0),
                           pencils.ky().size(), block.count, lines);
  }

  void rows(std::size_t /*worker*/, std::size_t /*y*/, std::size_t /*z*/, std::span<double* const> in,
            std::span<double* const> out) const override {
    const std::size_t n = flow_.parameters().points[0];
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = i; j < 3; ++j) {
        const double* const a = in[i];
        const double* const b = in[j];
        double* const to = out[product(i, j)];
        for (std::size_t x = 0; x < n; ++x) to[x] = a[x] * b[x];
      }
    }
  }

  void store(std::size_t worker, const fft::ColumnBlock& block, std::span<Complex* const> lines) const override {
    for (std::size_t lane = 0; lane < block.count; ++lane) add_column(worker, block, lane, lines);
  }

 private:
  /// Planes across x and y get one term per column, so that nothing depends on which columns a rank has.
  void add_column(std::size_t worker, const fft::ColumnBlock& block, std::size_t lane,
                  std::span<Complex* const> lines) const {
    const fft::Modes& modes = flow_.pencils().modes();
    const std::size_t ky = block.ky + lane;
    const double weight = block.kx == 0 ? 1.0 : 2.0;  // the other half of the modes is not stored
    std::array<std::array<double, Places::by_plane>, 2> column{};
    Mode m;
    for (std::size_t kz = 0; kz < modes.count(2); ++kz) {
      if (!holds(modes, block.kx, ky, kz)) continue;
      const std::size_t at = flow_.pencils().spectral_place(block.kx, ky, kz);
      m.k = flow_.wave_vector(block.kx, ky, kz);
      for (std::size_t c = 0; c < 3; ++c) m.u[c] = flow_.modes(c)[at];
      for (std::size_t p = 0; p < 6; ++p) m.uu[p] = scale_ * lines[p][modes.place(2, kz) * fft::lanes + lane];
      add_to_shell(worker, m, weight);
      for (std::size_t axis = 0; axis < 2; ++axis) {
        const auto terms = to_plane(m, axis, weight);
        for (std::size_t i = 0; i < terms.size(); ++i) column[axis][i] += terms[i];
      }
      add_to_plane(worker, 2, kz, to_plane(m, 2, weight));
    }
    add_to_plane(worker, 0, block.kx, column[0]);
    add_to_plane(worker, 1, ky, column[1]);
  }

  void add_to_shell(std::size_t worker, const Mode& m, double weight) const {
    const double k2 = square(m.k);
    const std::size_t n = shell_of(k2, width_);
    const double energy = 0.5 * weight * (dot(m.u[0], m.u[0]) + dot(m.u[1], m.u[1]) + dot(m.u[2], m.u[2]));
    sums_.add(worker, places_.shell(Places::energy, n), energy);
    sums_.add(worker, places_.shell(Places::dissipation, n), 2.0 * flow_.parameters().viscosity * k2 * energy);
    sums_.add(worker, places_.shell(Places::helicity, n), weight * helicity_of(m));
    sums_.add(worker, places_.shell(Places::transfer, n), weight * gain(m));
  }

  void add_to_plane(std::size_t worker, std::size_t axis, std::size_t index,
                    const std::array<double, Places::by_plane>& terms) const {
    const std::int64_t k = flow_.pencils().modes().wave_number(axis, index);
    const auto n = static_cast<std::size_t>(k < 0 ? -k : k);
    for (std::size_t i = 0; i < terms.size(); ++i) sums_.add(worker, places_.plane(axis, i, n), terms[i]);
  }

  const Flow& flow_;
  const Places& places_;
  Sums& sums_;  // each worker adds to its own
  double width_;
  double scale_;
  fft::LaneCopier<double> copier_;
};

Shells shells_from(const Places& places, std::span<const double> sums) {
  Shells shells;
  const auto part = [&](std::size_t which) {
    const auto begin = sums.begin() + static_cast<std::ptrdiff_t>(places.shell(which, 0));
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(places.shells()));
  };
  shells.energy = part(Places::energy);
  shells.dissipation = part(Places::dissipation);
  shells.helicity = part(Places::helicity);
  shells.transfer = part(Places::transfer);
  double through = 0.0;
  for (const double gained : shells.transfer) shells.flux.push_back(through -= gained);
  return shells;
}

/// Sums over planes k of 2 (1 - cos k r) E and of sin(k r) B; the docstrings of StructureFunctions say of what.
StructureFunctions structures_from(const Places& places, std::span<const double> sums, std::size_t axis,
                                   std::size_t points, double side) {
  StructureFunctions result;
  for (std::size_t i = 0; i <= points / 2; ++i) {
    std::array<double, 4> s{};
    for (std::size_t n = 0; n < places.planes(axis); ++n) {
      const double angle = 2.0 * std::numbers::pi * static_cast<double>(n * i % points) / static_cast<double>(points);
      const auto at = [&](std::size_t which) { return sums[places.plane(axis, which, n)]; };
      const double across = 0.5 * (at((axis + 1) % 3) + at((axis + 2) % 3));
      s[0] += 2.0 * (1.0 - std::cos(angle)) * at(axis);
      s[1] += 2.0 * (1.0 - std::cos(angle)) * across;
      s[2] -= 6.0 * std::sin(angle) * at(Places::longitudinal);
      s[3] -= 2.0 * std::sin(angle) * at(Places::mixed);
    }
    result.separation.push_back(side * static_cast<double>(i) / static_cast<double>(points));
    result.longitudinal2.push_back(s[0]);
    result.transverse2.push_back(s[1]);
    result.longitudinal3.push_back(s[2]);
    result.mixed3.push_back(s[3]);
  }
  return result;
}

}  // namespace

Spectra spectra_of(const Flow& flow) {
  const Places places(flow);
  Sums sums(places.count(), flow);
  const Summing summing(flow, places, sums);
  flow.run_pass({.in = 3, .out = 6, .mixed = 6}, summing);
  const std::vector<double> values = sums.values();
  Spectra spectra;
  spectra.shells = shells_from(places, values);
  spectra.shells.shell_width = width_of(flow);
  const base::Vec3& box = flow.parameters().box;
  const std::array<double, 3> sides{box.x, box.y, box.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t n = 0; n < places.planes(axis); ++n) {
        spectra.lines[axis][c].push_back(values[places.plane(axis, c, n)]);
      }
    }
    spectra.structures[axis] = structures_from(places, values, axis, flow.parameters().points[axis], sides[axis]);
  }
  return spectra;
}

std::vector<double> spectrum(const Flow& flow) {
  const fft::Pencils& pencils = flow.pencils();
  const fft::Modes& modes = pencils.modes();
  const double width = width_of(flow);
  const auto shell = [&](std::size_t x, std::size_t y, std::size_t z) {
    return shell_of(square(flow.wave_vector(x, y, z)), width);
  };
  const auto top = [&](std::size_t axis) { return static_cast<std::size_t>(modes.highest(axis)); };
  const std::size_t shells = shell(top(0), top(1), top(2)) + 1;
  return flow.sum_over_columns(shells, [&](std::size_t x, std::size_t y, std::span<double> energy) {
    const double weight = x == 0 ? 0.5 : 1.0;  // the other half of the modes is not stored
    for (std::size_t z = 0; z < modes.count(2); ++z) {
      const std::size_t at = pencils.spectral_place(x, y, z);
      double& sum = energy[shell(x, y, z)];
      for (std::size_t c = 0; c < 3; ++c) sum += weight * std::norm(flow.modes(c)[at]);
    }
  });
}

}  // namespace tacit::dns

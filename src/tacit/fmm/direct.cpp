// Direct sums over pairs of bodies.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fmm/direct.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacit/base/error.hpp"
#include "tacit/fmm/kernels/softening.hpp"

namespace tacit::fmm {
namespace {

using base::Vec3;
using Double = base::Pack<double, base::isa::scalar>;

/// Calls function(formula) for what softens.
template <class Function>
void with_softening(const Softening& softening, const Function& function) {
  switch (softening.kind) {
    case SofteningKind::none:
      return function(kernels::Newtonian<Double>(0.0));
    case SofteningKind::plummer:
      return function(kernels::Plummer<Double>(softening.length));
    case SofteningKind::wendland_c2:
      return function(kernels::WendlandC2<Double>(softening.length));
  }
}

/// Adds what a mass that is d away does.
void add_to(const Fields& to, std::size_t i, double m, const Vec3& d, const kernels::PairGravity<Double>& pair) {
  if (!to.potential.empty()) to.potential[i] -= m * pair.potential.value();
  const double f = m * pair.force_over_r.value();
  to.ax[i] += f * d.x;
  to.ay[i] += f * d.y;
  to.az[i] += f * d.z;
}

/// The power of two at or below x > 0, or 1.
double power_of_two(double x) noexcept { return x > 0.0 && std::isfinite(x) ? std::ldexp(1.0, std::ilogb(x)) : 1.0; }

}  // namespace

void add_pairs(const Bodies& a, const Bodies& b, const Softening& softening, const Fields& of_a, const Fields& of_b) {
  with_softening(softening, [&](const auto& formula) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t j = 0; j < b.size(); ++j) {
        const Vec3 d = b.at(j) - a.at(i);
        const auto pair = formula(Double(dot(d, d)));
        add_to(of_a, i, b.m[j], d, pair);
        add_to(of_b, j, -a.m[i], d, {-pair.potential, pair.force_over_r});
      }
    }
  });
}

void add_pairs(const Bodies& bodies, const Softening& softening, const Fields& fields) {
  with_softening(softening, [&](const auto& formula) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      for (std::size_t j = i + 1; j < bodies.size(); ++j) {
        const Vec3 d = bodies.at(j) - bodies.at(i);
        const auto pair = formula(Double(dot(d, d)));
        add_to(fields, i, bodies.m[j], d, pair);
        add_to(fields, j, -bodies.m[i], d, {-pair.potential, pair.force_over_r});
      }
    }
  });
}

Field field_at(const Vec3& point, const Bodies& bodies, const Softening& softening) {
  Field field;
  with_softening(softening, [&](const auto& formula) {
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      const Vec3 d = bodies.at(b) - point;
      const auto pair = formula(Double(dot(d, d)));
      field.potential -= bodies.m[b] * pair.potential.value();
      field.acceleration = field.acceleration + (bodies.m[b] * pair.force_over_r.value()) * d;
    }
  });
  return field;
}

Frame Frame::around(const Vec3& centre, double extent, double m) noexcept {
  return {centre, power_of_two(extent), power_of_two(m)};
}

void CloseBodies::restart(const Bodies& bodies) {
  places_.clear();
  for (std::size_t b = 0; b < bodies.size(); ++b) places_.push_back(bodies.at(b));
  std::ranges::sort(places_, {}, &Vec3::x);
}

bool CloseBodies::any_within(const Bodies& others, double distance, const Vec3& shift) const {
  const double distance2 = distance * distance;
  for (std::size_t b = 0; b < others.size(); ++b) {
    const Vec3 at = others.at(b) + shift;
    for (auto near = std::ranges::lower_bound(places_, at.x - distance, {}, &Vec3::x);
         near != places_.end() && near->x <= at.x + distance; ++near) {
      const Vec3 d = *near - at;
      const double r2 = dot(d, d);
      if (r2 < distance2 && *near != at) return true;
    }
  }
  return false;
}

template <class Real>
void NearBodies<Real>::restart(const Frame& frame) noexcept {
  frame_ = frame;
  count_ = 0;
}

template <class Real>
Group NearBodies<Real>::add(const Bodies& bodies, const Vec3& shift) {
  const Group group{count_, bodies.size()};
  count_ = group.end();
  const std::size_t room = count_ + kernels::DirectLoops<Real>::widest;
  for (auto* array : {&x_, &y_, &z_, &m_, &psi_, &ax_, &ay_, &az_}) {
    if (array->size() < room) array->resize(room + room / 2);
  }
  // Array by array, which compilers make packs of.
  const auto fill = [&](std::span<const double> from, double origin, double unit, Real* to) {
    const double per_unit = 1.0 / unit;
    for (std::size_t b = 0; b < from.size(); ++b) to[b] = static_cast<Real>((from[b] - origin) * per_unit);
  };
  const Vec3 origin = frame_.centre - shift;
  fill(bodies.x, origin.x, frame_.length, x_.data() + group.begin);
  fill(bodies.y, origin.y, frame_.length, y_.data() + group.begin);
  fill(bodies.z, origin.z, frame_.length, z_.data() + group.begin);
  fill(bodies.m, 0.0, frame_.mass, m_.data() + group.begin);
  for (auto* array : {&psi_, &ax_, &ay_, &az_}) {
    std::fill_n(array->begin() + static_cast<std::ptrdiff_t>(group.begin), group.count, Real(0));
  }
  return group;
}

template <class Real>
kernels::BodyArrays<Real> NearBodies<Real>::bodies(const Softening& softening) const noexcept {
  // The loops take its cube's inverse, and multiply that by 0 for a body and itself. Places are known to less.
  const double least = std::sqrt(std::sqrt(double{std::numeric_limits<Real>::min()}));
  return {.x = x_.data(),
          .y = y_.data(),
          .z = z_.data(),
          .m = m_.data(),
          .softening = softening.kind,
          .length = static_cast<Real>(std::max(softening.length / frame_.length, least))};
}

template <class Real>
void NearBodies<Real>::add_forces(Group sinks, Group sources, const Softening& softening) {
  TACIT_EXPECT(sinks.end() <= count_ && sources.end() <= count_);
  loops_.add(bodies(softening), sinks, sources, sums());
}

template <class Real>
void NearBodies<Real>::add_forces_between(Group a, Group b, const Softening& softening) {
  TACIT_EXPECT(a.end() <= count_ && b.end() <= count_ && (a.end() <= b.begin || b.end() <= a.begin));
  if (a.count == 0 || b.count == 0) return;  // which could begin where the other does
  loops_.add_mutual(bodies(softening), a, b, sums());
}

template <class Real>
void NearBodies<Real>::add_forces_within(Group a, const Softening& softening) {
  TACIT_EXPECT(a.end() <= count_);
  loops_.add_mutual(bodies(softening), a, a, sums());
}

template <class Real>
void NearBodies<Real>::add_to(Group group, const Fields& fields) const {
  TACIT_EXPECT(group.end() <= count_ && fields.ax.size() == group.count);
  const double unit = frame_.mass / frame_.length;
  const auto add = [&](const base::PackVector<Real>& from, double factor, std::span<double> to) {
    for (std::size_t k = 0; k < to.size(); ++k) to[k] += factor * static_cast<double>(from[group.begin + k]);
  };
  add(psi_, -unit, fields.potential);
  add(ax_, unit / frame_.length, fields.ax);
  add(ay_, unit / frame_.length, fields.ay);
  add(az_, unit / frame_.length, fields.az);
}

template class NearBodies<float>;
template class NearBodies<double>;

}  // namespace tacit::fmm

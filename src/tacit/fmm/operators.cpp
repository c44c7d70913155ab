// The operators of the fast multipole method on single expansions.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fmm/operators.hpp"

#include <algorithm>
#include <cmath>

#include "tacit/fmm/kernels/field_terms.hpp"

namespace tacit::fmm {
namespace {

using base::Vec3;
using kernels::pair_table;
using kernels::place_of;
using kernels::term_table;
using Double = base::Pack<double, base::isa::scalar>;

/// r^n / n! of all |n| <= p.
template <int p>
struct Monomials {
  double of[terms(p)];

  explicit Monomials(const Vec3& r) noexcept {
    double along[3][p + 1];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      along[axis][0] = 1.0;
      for (int k = 1; k <= p; ++k) along[axis][k] = along[axis][k - 1] * r[axis] / k;
    }
    for (std::size_t n = 0; n < terms(p); ++n) {
      const auto& [x, y, z] = term_table<p>.index[n];
      of[n] = along[0][x] * along[1][y] * along[2][z];
    }
  }
};

template <int p>
void load(ConstTerms<p> from, Double (&to)[terms(p)]) noexcept {
  for (std::size_t n = 0; n < terms(p); ++n) to[n] = Double(from[n]);
}

template <int p>
void store(const Double (&from)[terms(p)], Terms<p> to) noexcept {
  for (std::size_t n = 0; n < terms(p); ++n) to[n] = from[n].value();
}

template <int q>
struct Derivatives {
  Double of[terms(q)];
  Derivatives(const Vec3& R, double softening2) noexcept {
    kernels::derivatives<q>(kernels::Vector<Double>{Double(R.x), Double(R.y), Double(R.z)}, Double(softening2), of);
  }
};

/// Adds to L what M gives where the derivatives were taken: m2l.
template <int p>
void add_local(ConstTerms<p> M, const Derivatives<p>& d, Terms<p> L) noexcept {
  Double source[terms(p)];
  Double sink[terms(p)];
  load<p>(M, source);
  load<p>(L, sink);
  kernels::flip_odd_orders<p>(source);
  kernels::contract<p>(source, d.of, sink);
  store<p>(sink, L);
}

/// Sets the centre, and says where the mass is: sum of m x over sum of m, or the mean where there is no mass.
class CentreOfMass {
 public:
  void add(double m, const Vec3& x) noexcept {
    m_ += m;
    m_x_ = m_x_ + m * x;
    x_ = x_ + x;
    count_ += 1.0;
  }
  [[nodiscard]] Vec3 value() const noexcept { return m_ > 0.0 ? (1.0 / m_) * m_x_ : (1.0 / count_) * x_; }

 private:
  double m_ = 0.0;
  Vec3 m_x_;
  Vec3 x_;
  double count_ = 0.0;
};

template <int p>
void set_centre(const Vec3& centre, Multipole<p>& of) noexcept {
  of.x = centre.x;
  of.y = centre.y;
  of.z = centre.z;
}

}  // namespace

template <int p>
void Operators<p>::p2m(const Bodies& bodies, const Vec3& centre, Terms<p> M) noexcept {
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const Monomials<p> powers(bodies.at(b) - centre);
    for (std::size_t n = 0; n < terms(p); ++n) M[n] += bodies.m[b] * powers.of[n];
  }
}

template <int p>
void Operators<p>::m2m(ConstTerms<p> from, const Vec3& shift, Terms<p> to) noexcept {
  const Monomials<p> powers(shift);
  for (const auto& [n, m, sum] : pair_table<p>.pairs) to[sum] += from[n] * powers.of[m];
}

template <int p>
void Operators<p>::m2l(ConstTerms<p> M, const Vec3& R, double softening2, Terms<p> L) noexcept {
  add_local<p>(M, Derivatives<p>(R, softening2), L);
}

template <int p>
void Operators<p>::m2l_mutual(ConstTerms<p> M_A, ConstTerms<p> M_B, const Vec3& R, double softening2, Terms<p> L_A,
                              Terms<p> L_B) noexcept {
  Derivatives<p> d(R, softening2);
  add_local<p>(M_B, d, L_A);
  // D(-R) is D(R) with odd orders turned.
  kernels::flip_odd_orders<p>(d.of);
  double sum[terms(p)] = {};
  add_local<p>(M_A, d, Terms<p>(sum));
  for (std::size_t n = 0; n < terms(p); ++n) L_B[n] += sum[n];
}

template <int p>
void Operators<p>::l2l(ConstTerms<p> from, const Vec3& shift, Terms<p> to) noexcept {
  const Monomials<p> powers(shift);
  for (const auto& [n, m, sum] : pair_table<p>.pairs) to[n] += from[sum] * powers.of[m];
}

template <int p>
Field Operators<p>::l2p(ConstTerms<p> L, const Vec3& r) noexcept {
  const Monomials<p> powers(r);
  double psi = 0.0;
  for (std::size_t n = 0; n < terms(p); ++n) psi += L[n] * powers.of[n];
  Field field{-psi, {}};
  for (std::size_t n = 0; n < terms(p - 1); ++n) {
    const auto& [x, y, z] = term_table<p>.index[n];
    field.acceleration =
        field.acceleration +
        powers.of[n] * Vec3{L[place_of({x + 1, y, z})], L[place_of({x, y + 1, z})], L[place_of({x, y, z + 1})]};
  }
  return field;
}

template <int p>
Field Operators<p>::m2p(ConstTerms<p> M, const Vec3& R, double softening2) noexcept {
  const Derivatives<p + 1> d(R, softening2);
  Field field;
  for (std::size_t m = 0; m < terms(p); ++m) {
    const double signed_M = term_table<p>.order[m] % 2 == 0 ? M[m] : -M[m];
    const auto& [x, y, z] = term_table<p>.index[m];
    field.potential -= signed_M * d.of[m].value();
    field.acceleration = field.acceleration + signed_M * Vec3{d.of[place_of({x + 1, y, z})].value(),
                                                              d.of[place_of({x, y + 1, z})].value(),
                                                              d.of[place_of({x, y, z + 1})].value()};
  }
  return field;
}

template <int p>
Multipole<p> Operators<p>::multipole_of(const Bodies& bodies) noexcept {
  CentreOfMass centre;
  for (std::size_t b = 0; b < bodies.size(); ++b) centre.add(bodies.m[b], bodies.at(b));
  Multipole<p> multipole;
  set_centre(centre.value(), multipole);
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    multipole.radius = std::max(multipole.radius, norm(bodies.at(b) - centre.value()));
  }
  p2m(bodies, centre.value(), terms_of(multipole));
  return multipole;
}

template <int p>
Multipole<p> Operators<p>::multipole_of(std::span<const Multipole<p>> parts) noexcept {
  CentreOfMass centre;
  for (const Multipole<p>& part : parts) centre.add(part.M[0], centre_of(part));
  Multipole<p> multipole;
  set_centre(centre.value(), multipole);
  for (const Multipole<p>& part : parts) {
    const Vec3 shift = centre_of(part) - centre.value();
    multipole.radius = std::max(multipole.radius, norm(shift) + part.radius);
    m2m(terms_of(part), shift, terms_of(multipole));
  }
  return multipole;
}

template struct Operators<0>;
template struct Operators<1>;
template struct Operators<2>;
template struct Operators<3>;
template struct Operators<4>;
template struct Operators<5>;

}  // namespace tacit::fmm

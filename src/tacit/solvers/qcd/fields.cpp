// Runs the loops of vectors on all workers, and adds their sums up exactly.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/fields.hpp"

#include <algorithm>
#include <cmath>

#include "tacit/base/error.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::qcd {

template <class T>
FieldSpace<T>::FieldSpace(const Division& division, const kernels::Loops<T>& loops, tasks::Scheduler& scheduler)
    : division_(division),
      lattice_(division.part(), loops.lanes),
      loops_(loops),
      scheduler_(scheduler),
      sums_(lattice_.half_blocks() * loops.lanes),
      imaginary_(sums_.size()) {
  if (division.ranks() == nullptr) return;
  reductions_.emplace(*division.ranks());
  // Made now, as a solve allocates nothing.
  for (const std::size_t sums : {1U, 2U}) static_cast<void>(reductions_->of({.sums = sums}));
}

template <class T>
std::size_t FieldSpace<T>::half_blocks(const Field<T>& field) const noexcept {
  return field.size() / (kernels::spinor_numbers * Lattice::sites_of_half_block * lattice_.lanes());
}

template <class T>
std::size_t FieldSpace<T>::place(const Coordinates& at) const noexcept {
  const Place found = lattice_.place(at);
  return found.site * kernels::spinor_numbers * lattice_.lanes() + found.lane;
}

template <class T>
Spinor FieldSpace<T>::get(const Field<T>& field, const Coordinates& at) const {
  const T* from = field.data() + place(at);
  const std::size_t lanes = lattice_.lanes();
  Spinor value;
  for (std::size_t i = 0; i < value.size(); ++i) {
    value[i] = {static_cast<double>(from[2 * i * lanes]), static_cast<double>(from[(2 * i + 1) * lanes])};
  }
  return value;
}

template <class T>
void FieldSpace<T>::set(Field<T>& field, const Coordinates& at, const Spinor& value) const {
  T* const to = field.data() + place(at);
  const std::size_t lanes = lattice_.lanes();
  for (std::size_t i = 0; i < value.size(); ++i) {
    to[2 * i * lanes] = static_cast<T>(value[i].real());
    to[(2 * i + 1) * lanes] = static_cast<T>(value[i].imag());
  }
}

template <class T>
void FieldSpace<T>::copy_out(const Field<T>& field, std::size_t first, std::span<double> out) const {
  for (std::size_t at = 0; at < out.size(); at += kernels::spinor_numbers) {
    const Spinor value = get(field, lattice_.part().at(first++));
    for (std::size_t i = 0; i < value.size(); ++i) {
      out[at + 2 * i] = value[i].real();
      out[at + 2 * i + 1] = value[i].imag();
    }
  }
}

template <class T>
void FieldSpace<T>::copy_in(std::span<const double> in, Field<T>& field) const {
  TACIT_EXPECT(in.size() == size());
  for (std::size_t site = 0; site < lattice_.part().own.sites(); ++site) {
    Spinor value;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::size_t at = site * kernels::spinor_numbers + 2 * i;
      value[i] = {in[at], in[at + 1]};
    }
    set(field, lattice_.part().at(site), value);
  }
}

template <class T>
void FieldSpace<T>::add_over_ranks(std::span<base::ExactSum> sums) const {
  if (reductions_) reductions_->add(sums);
}

template <class T>
double FieldSpace<T>::least_of_ranks(double mine) const {
  return reductions_ ? reductions_->least(mine) : mine;
}

template <class T>
double FieldSpace<T>::total(std::span<const double> sums) const {
  base::ExactSum sum;
  sum.add(sums);
  add_over_ranks({&sum, 1});
  return sum.value();
}

template <class T>
double FieldSpace<T>::norm2(const Field<T>& x) {
  const std::size_t blocks = half_blocks(x);
  tasks::parallel_for(scheduler_, 0, blocks,
                      [&](std::size_t first, std::size_t last) { loops_.norm2(x.data(), sums_.data(), first, last); });
  return total(std::span(sums_).first(blocks * lattice_.lanes()));
}

/// Between the bounds no square that counts is denormal, and none is infinite; beyond them numbers are taken in units
/// of a power of two near the largest one.
template <class T>
double FieldSpace<T>::norm(const Field<T>& x) {
  constexpr double least = 1e-200;
  constexpr double most = 1e200;
  const double squares = norm2(x);
  if ((squares >= least && squares <= most) || std::isnan(squares)) return std::sqrt(squares);
  double largest = 0.0;
  for (const T value : x) largest = std::max(largest, std::abs(static_cast<double>(value)));
  largest = -least_of_ranks(-largest);
  if (largest == 0.0 || !std::isfinite(largest)) return largest;
  const int power = std::ilogb(largest);
  Field<T> scaled(x.size());
  std::ranges::transform(x, scaled.begin(), [&](T value) { return std::ldexp(value, -power); });
  return std::ldexp(std::sqrt(norm2(scaled)), power);
}

template <class T>
Complex FieldSpace<T>::dot(const Field<T>& x, const Field<T>& y) {
  TACIT_EXPECT(x.size() == y.size());
  const std::size_t blocks = half_blocks(x);
  tasks::parallel_for(scheduler_, 0, blocks, [&](std::size_t first, std::size_t last) {
    loops_.dot(x.data(), y.data(), sums_.data(), imaginary_.data(), first, last);
  });
  const std::size_t count = blocks * lattice_.lanes();
  std::array<base::ExactSum, 2> both;
  both[0].add(std::span(sums_).first(count));
  both[1].add(std::span(imaginary_).first(count));
  add_over_ranks(both);
  return {both[0].value(), both[1].value()};
}

template <class T>
void FieldSpace<T>::axpy(const Complex& a, const Field<T>& x, Field<T>& y) const {
  TACIT_EXPECT(x.size() == y.size());
  tasks::parallel_for(scheduler_, 0, half_blocks(x), [&](std::size_t first, std::size_t last) {
    loops_.axpy(static_cast<T>(a.real()), static_cast<T>(a.imag()), x.data(), y.data(), first, last);
  });
}

template <class T>
void FieldSpace<T>::xpay(const Field<T>& x, const Complex& a, Field<T>& y) const {
  TACIT_EXPECT(x.size() == y.size());
  tasks::parallel_for(scheduler_, 0, half_blocks(x), [&](std::size_t first, std::size_t last) {
    loops_.xpay(x.data(), static_cast<T>(a.real()), static_cast<T>(a.imag()), y.data(), first, last);
  });
}

template <class T>
double FieldSpace<T>::advance(double a, const Field<T>& p, const Field<T>& w, Field<T>& x, Field<T>& r) {
  TACIT_EXPECT(p.size() == w.size() && p.size() == x.size() && p.size() == r.size());
  const std::size_t blocks = half_blocks(x);
  tasks::parallel_for(scheduler_, 0, blocks, [&](std::size_t first, std::size_t last) {
    loops_.advance(static_cast<T>(a), p.data(), w.data(), x.data(), r.data(), sums_.data(), first, last);
  });
  return total(std::span(sums_).first(blocks * lattice_.lanes()));
}

/// A site lies elsewhere in the other folding, but in that of the same lanes.
template <class From, class To>
void convert(const FieldSpace<From>& from, const Field<From>& in, double factor, const FieldSpace<To>& to,
             Field<To>& out) {
  TACIT_EXPECT(in.size() == out.size());
  const Lattice& lattice = to.lattice();
  const std::size_t count = out.size() / (kernels::spinor_numbers * lattice.lanes());
  const std::size_t first = lattice.sites() - count;
  const std::size_t first_in = first * lattice.lanes() / from.lattice().lanes();
  tasks::parallel_for(to.scheduler(), 0, count, [&](std::size_t site) {
    for (std::size_t lane = 0; lane < lattice.lanes(); ++lane) {
      const Place place = from.lattice().lanes() == lattice.lanes()
                              ? Place{first + site, lane}
                              : from.lattice().place(lattice.site_at({first + site, lane}));
      const From* const source =
          in.data() + (place.site - first_in) * kernels::spinor_numbers * from.lattice().lanes() + place.lane;
      To* const target = out.data() + site * kernels::spinor_numbers * lattice.lanes() + lane;
      for (std::size_t i = 0; i < kernels::spinor_numbers; ++i) {
        target[i * lattice.lanes()] = static_cast<To>(factor * static_cast<double>(source[i * from.lattice().lanes()]));
      }
    }
  });
}
template void convert(const FieldSpace<double>&, const Field<double>&, double, const FieldSpace<float>&, Field<float>&);
template void convert(const FieldSpace<float>&, const Field<float>&, double, const FieldSpace<double>&, Field<double>&);

template class FieldSpace<double>;
template class FieldSpace<float>;

}  // namespace tacit::qcd

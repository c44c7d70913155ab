// Folds the gauge field and its clover term, and applies operators on all workers.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/dirac_operator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>

#include "tacit/base/error.hpp"
#include "tacit/engine/error.hpp"
#include "tacit/solvers/qcd/clover.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::qcd {

template <class T>
DiracOperator<T>::DiracOperator(FieldSpace<T>& space, const GaugeField& field, const DiracParameters& parameters)
    : space_(space), parameters_(parameters), tasks_(std::make_unique<HoppingTasks<T>>(space)) {
  TACIT_EXPECT(field.extents.n == space.lattice().extents().n);
  fold_links(field);
  if (parameters.csw != 0.0) fold_clover(field);
}

template <class T>
void DiracOperator<T>::fold_links(const GaugeField& field) {
  const Lattice& lattice = space_.lattice();
  const std::size_t lanes = lattice.lanes();
  links_.resize(lattice.sites() * lanes * axes * kernels::link_numbers);
  for (std::size_t number = 0; number < lattice.part().own.sites() * axes; ++number) {
    const Coordinates x = lattice.part().at(number / axes);
    const std::size_t mu = number % axes;
    const Matrix3& link = field.at(x, mu);
    const bool turns = parameters_.boundary == BoundaryT::antiperiodic && mu == 3 && x[3] + 1 == field.extents.n[3];
    const double sign = turns ? -1.0 : 1.0;
    const Place place = lattice.place(x);
    T* const to = links_.data() + (place.site * axes + mu) * kernels::link_numbers * lanes + place.lane;
    for (std::size_t i = 0; i < 9; ++i) {
      to[2 * i * lanes] = static_cast<T>(sign * link.m[i].real());
      to[(2 * i + 1) * lanes] = static_cast<T>(sign * link.m[i].imag());
    }
  }
}

/// The boundary's signs come twice in each plaquette, so that links without them do.
template <class T>
void DiracOperator<T>::fold_clover(const GaugeField& field) {
  const Lattice& lattice = space_.lattice();
  const std::size_t lanes = lattice.lanes();
  clover_.resize(lattice.sites() * lanes * kernels::clover_numbers);
  tasks::parallel_for(space_.scheduler(), 0, lattice.part().own.sites(), [&](std::size_t number) {
    const Coordinates x = lattice.part().at(number);
    const CloverTerm term = clover_term(field, x, parameters_.mass, parameters_.csw);
    const Place place = lattice.place(x);
    T* const to = clover_.data() + place.site * kernels::clover_numbers * lanes + place.lane;
    for (std::size_t i = 0; i < term.size(); ++i) to[i * lanes] = static_cast<T>(term[i]);
  });
}

template <class T>
base::PackVector<T> DiracOperator<T>::inverse_of_even() const {
  base::PackVector<T> result;
  if (!has_clover()) return result;
  const Lattice& lattice = space_.lattice();
  const std::size_t lanes = lattice.lanes();
  result.resize(clover_.size() / 2);
  constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::atomic<std::size_t> first_singular{none};  // in the order of files, alike on any threads and ranks
  tasks::parallel_for(space_.scheduler(), 0, lattice.sites() / 2, [&](std::size_t site) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::size_t place = site * kernels::clover_numbers * lanes + lane;
      CloverTerm term{};
      for (std::size_t i = 0; i < term.size(); ++i) term[i] = static_cast<double>(clover_[place + i * lanes]);
      const auto found = inverse(term);
      if (!found) {
        const std::size_t number = lattice.extents().index(lattice.site_at({site, lane}));
        std::size_t before = first_singular.load();
        while (number < before && !first_singular.compare_exchange_weak(before, number)) {
        }
        continue;
      }
      for (std::size_t i = 0; i < term.size(); ++i) result[place + i * lanes] = static_cast<T>((*found)[i]);
    }
  });
  constexpr double nowhere = std::numeric_limits<double>::infinity();
  const std::size_t mine = first_singular.load();
  const double first = space_.least_of_ranks(mine == none ? nowhere : static_cast<double>(mine));
  if (first != nowhere) {
    const Coordinates x = lattice.extents().at(static_cast<std::size_t>(first));
    throw engine::NumericsError(fmt::format(
        "the clover term at (x, y, z, t) = ({}, {}, {}, {}) is singular: there is no Schur complement; take "
        "solve.even_odd = false, or another mass",
        x[0], x[1], x[2], x[3]));
  }
  return result;
}

template <class T>
kernels::Hopping<T> DiracOperator<T>::hopping() const noexcept {
  return {.links = links_.data(),
          .neighbours = space_.lattice().neighbours(),
          .strides = space_.lattice().strides().data(),
          .clover = clover_.data(),
          .term = has_clover() ? kernels::LocalTerm::clover : kernels::LocalTerm::mass,
          .mass = static_cast<T>(4.0 + parameters_.mass),
          .hopping = static_cast<T>(-0.5)};
}

template <class T>
void DiracOperator<T>::apply(const Field<T>& in, Field<T>& out, Conjugate conjugate) const {
  TACIT_EXPECT(in.size() == space_.size() && out.size() == space_.size() && in.data() != out.data());
  kernels::Hopping<T> by = hopping();
  by.in = by.local = in.data();
  by.out = out.data();
  run(by, conjugate, Target::both);
}

template <class T>
SchurOperator<T>::SchurOperator(const DiracOperator<T>& dirac)
    : dirac_(dirac), inverse_(dirac.inverse_of_even()), even_(dirac.space().make_half()) {
  if (!dirac.has_clover() && 4.0 + dirac.parameters().mass == 0.0) {
    throw engine::NumericsError(
        "4 + m0 = 0: there is no Schur complement; take solve.even_odd = false, or another mass");
  }
}

template <class T>
void SchurOperator<T>::to_even(const Field<T>& odd, Field<T>& even, Conjugate conjugate,
                               kernels::LocalTerm term) const {
  kernels::Hopping<T> by = dirac_.hopping();
  by.in = odd.data();
  by.first_in = half();
  by.out = even.data();
  by.term = term;
  by.clover = inverse_.data();
  if (term == kernels::LocalTerm::after && inverse_.empty()) {
    by.term = kernels::LocalTerm::none;
    by.hopping /= by.mass;
  }
  dirac_.run(by, conjugate, Target::even);
}

template <class T>
void SchurOperator<T>::apply(const Field<T>& in, Field<T>& out, Conjugate conjugate) const {
  to_even(in, even_, conjugate, kernels::LocalTerm::after);
  kernels::Hopping<T> by = dirac_.hopping();
  by.in = even_.data();
  by.out = out.data();
  by.local = in.data();
  by.first_out = half();
  by.hopping = -by.hopping;
  dirac_.run(by, conjugate, Target::odd);
}

template <class T>
void SchurOperator<T>::apply_inverse(Field<T>& even) const {
  const auto factor = static_cast<T>(1.0 / (4.0 + dirac_.parameters().mass));
  constexpr std::size_t eight = Lattice::sites_of_half_block;
  tasks::parallel_for(space().scheduler(), 0, half() / eight, [&](std::size_t first, std::size_t last) {
    space().loops().local(inverse_.empty() ? nullptr : inverse_.data(), factor, even.data(), first * eight,
                          last * eight);
  });
}

template <class T>
void SchurOperator<T>::prepare(const Field<T>& b, Field<T>& odd) const {
  const auto middle = b.begin() + static_cast<std::ptrdiff_t>(b.size() / 2);
  std::copy(b.begin(), middle, even_.begin());
  apply_inverse(even_);
  kernels::Hopping<T> by = dirac_.hopping();
  by.in = even_.data();
  by.out = odd.data();
  by.first_out = half();
  by.hopping = -by.hopping;
  by.local = b.data() + b.size() / 2;
  by.mass = 1;
  by.term = kernels::LocalTerm::mass;
  dirac_.run(by, Conjugate::no, Target::odd);
}

template <class T>
void SchurOperator<T>::reconstruct(const Field<T>& b, const Field<T>& odd, Field<T>& x) const {
  kernels::Hopping<T> by = dirac_.hopping();
  by.in = odd.data();
  by.first_in = half();
  by.out = even_.data();
  by.hopping = -by.hopping;
  by.local = b.data();
  by.mass = 1;
  by.term = kernels::LocalTerm::mass;
  dirac_.run(by, Conjugate::no, Target::even);
  apply_inverse(even_);
  std::ranges::copy(odd, std::ranges::copy(even_, x.begin()).out);
}

template class DiracOperator<double>;
template class DiracOperator<float>;
template class SchurOperator<double>;
template class SchurOperator<float>;

}  // namespace tacit::qcd

// Folds the gauge field, and applies the operator on all workers.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/dirac_operator.hpp"

#include "tacit/base/error.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::qcd {

template <class T>
DiracOperator<T>::DiracOperator(FieldSpace<T>& space, const GaugeField& field, const DiracParameters& parameters)
    : space_(space),
      parameters_(parameters),
      links_(space.size() / kernels::spinor_numbers * axes * kernels::link_numbers) {
  const Lattice& lattice = space.lattice();
  TACIT_EXPECT(field.extents.n == lattice.extents().n);
  const std::size_t lanes = lattice.lanes();
  for (std::size_t number = 0; number < field.links.size(); ++number) {
    const Coordinates x = field.extents.at(number / axes);
    const std::size_t mu = number % axes;
    const bool turns = parameters.boundary == BoundaryT::antiperiodic && mu == 3 && x[3] + 1 == field.extents.n[3];
    const double sign = turns ? -1.0 : 1.0;
    const Place place = lattice.place(x);
    T* const to = links_.data() + (place.site * axes + mu) * kernels::link_numbers * lanes + place.lane;
    for (std::size_t i = 0; i < 9; ++i) {
      to[2 * i * lanes] = static_cast<T>(sign * field.links[number].m[i].real());
      to[(2 * i + 1) * lanes] = static_cast<T>(sign * field.links[number].m[i].imag());
    }
  }
}

template <class T>
kernels::Hopping<T> DiracOperator<T>::hopping() const noexcept {
  return {.links = links_.data(),
          .neighbours = space_.lattice().neighbours(),
          .strides = space_.lattice().strides().data(),
          .mass = static_cast<T>(4.0 + parameters_.mass),
          .hopping = static_cast<T>(-0.5)};
}

template <class T>
void DiracOperator<T>::run(const kernels::Hopping<T>& by, Conjugate conjugate, std::size_t first,
                           std::size_t last) const {
  constexpr std::size_t eight = Lattice::sites_of_half_block;
  tasks::parallel_for(space_.scheduler(), first / eight, last / eight, [&](std::size_t begin, std::size_t end) {
    space_.loops().hop(by, conjugate, begin * eight, end * eight);
  });
}

template <class T>
void DiracOperator<T>::apply(const Field<T>& in, Field<T>& out, Conjugate conjugate) const {
  TACIT_EXPECT(in.size() == space_.size() && out.size() == space_.size() && in.data() != out.data());
  kernels::Hopping<T> by = hopping();
  by.in = by.local = in.data();
  by.out = out.data();
  run(by, conjugate, 0, space_.lattice().sites());
}

template class DiracOperator<double>;
template class DiracOperator<float>;

}  // namespace tacit::qcd

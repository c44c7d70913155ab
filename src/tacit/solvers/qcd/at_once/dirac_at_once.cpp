// Applies D to several fields at once.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/at_once/dirac_at_once.hpp"

#include "tacit/base/error.hpp"

namespace tacit::qcd {

template <class T>
DiracAtOnce<T>::DiracAtOnce(const DiracOperator<T>& D, std::size_t most) : D_(D), most_(most) {
  by_.reserve(most);
  if (most > 1) tasks_.emplace(D.space(), most);
}

template <class T>
void DiracAtOnce<T>::apply(InFields<T> in, OutFields<T> out) {
  TACIT_EXPECT(in.size() == out.size() && in.size() <= most_);
  if (!tasks_) {
    for (std::size_t i = 0; i < in.size(); ++i) D_.apply(*in[i], *out[i], Conjugate::no);
    return;
  }
  by_.clear();
  for (std::size_t i = 0; i < in.size(); ++i) {
    kernels::Hopping<T> by = D_.hopping();
    by.in = by.local = in[i]->data();
    by.out = out[i]->data();
    by_.push_back(by);
  }
  if (!by_.empty()) tasks_->run(by_, Conjugate::no, Target::both);
}

template class DiracAtOnce<double>;
template class DiracAtOnce<float>;

}  // namespace tacit::qcd

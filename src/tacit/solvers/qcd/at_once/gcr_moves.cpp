// Moves of GCR.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/at_once/gcr_moves.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

namespace tacit::qcd {
namespace {

/// A scalar product that is smaller than this part of what it may be is rounding.
template <class T>
constexpr double breakdown = 45.0 * static_cast<double>(std::numeric_limits<T>::epsilon());

template <class T>
Field<T>& present_p(const GcrMove<T>& one) {
  return one.directions->p[one.k];
}
template <class T>
Field<T>& present_q(const GcrMove<T>& one) {
  return one.directions->q[one.k];
}

}  // namespace

template <class T>
GcrMoves<T>::GcrMoves(FieldSpace<T>& space, std::size_t most, Apply apply, Preconditioner<T>* preconditioner)
    : on_(space, most), apply_(std::move(apply)), preconditioner_(preconditioner) {
  moving_.reserve(most);
  some_.reserve(most);
  in_.reserve(most);
  out_.reserve(most);
  pairs_.reserve(most);
  updates_.reserve(2 * most);
}

/// to(one) <- |field(one)|^2
template <class T>
void GcrMoves<T>::add_norms(const Moves& of, const Field<T>& (*field)(const GcrMove<T>&), double& (*to)(GcrMove<T>&)) {
  in_.clear();
  for (const GcrMove<T>* const one : of) in_.push_back(&field(*one));
  const std::span<const double> norms = on_.norms2(in_);
  for (std::size_t i = 0; i < of.size(); ++i) to(*of[i]) = norms[i];
}

/// From r, or M r; and |D p|^2 of these.
template <class T>
void GcrMoves<T>::begin_directions(const Moves& of) {
  in_.clear();
  out_.clear();
  for (GcrMove<T>* const one : of) {
    in_.push_back(one->r);
    out_.push_back(&present_p(*one));
  }
  if (preconditioner_ == nullptr) {
    for (std::size_t i = 0; i < of.size(); ++i) std::ranges::copy(*in_[i], out_[i]->begin());
  } else if (!of.empty()) {
    preconditioner_->apply(in_, out_);
    for (std::size_t i = 0; i < of.size(); ++i) of[i]->failure = preconditioner_->failure(i);
  }
  in_.clear();
  out_.clear();
  for (const GcrMove<T>* const one : of) {
    in_.push_back(&present_p(*one));
    out_.push_back(&present_q(*one));
  }
  if (!of.empty()) apply_(in_, out_);
  add_norms(
      of, [](const GcrMove<T>& one) -> const Field<T>& { return present_q(one); },
      [](GcrMove<T>& one) -> double& { return one.size; });
}

template <class T>
void GcrMoves<T>::drop_failed(Moves& of) const {
  std::erase_if(of, [](const GcrMove<T>* one) { return !one->failure.empty(); });
}

template <class T>
void GcrMoves<T>::make_orthogonal(const Moves& of) {
  std::size_t most = 0;
  for (const GcrMove<T>* const one : of) most = std::max(most, one->k);
  for (std::size_t j = 0; j < most; ++j) {
    pairs_.clear();
    updates_.clear();
    for (const GcrMove<T>* const one : of) {
      if (j < one->k) pairs_.push_back({.x = &one->directions->q[j], .y = &present_q(*one)});
    }
    const std::span<const Complex> products = on_.dots(pairs_);
    std::size_t i = 0;
    for (const GcrMove<T>* const one : of) {
      if (j >= one->k) continue;
      GcrDirections<T>& by = *one->directions;
      const Complex part = products[i++] / by.qq[j];
      updates_.push_back({.a = -part, .x = &by.q[j], .y = &present_q(*one)});
      updates_.push_back({.a = -part, .x = &by.p[j], .y = &present_p(*one)});
    }
    on_.axpy(updates_);
  }
}

/// Where what is left of D r is rounding.
template <class T>
void GcrMoves<T>::start_again_where_spanned(Moves& of) {
  some_.clear();
  std::ranges::copy_if(of, std::back_inserter(some_), [](const GcrMove<T>* one) { return one->k > 0; });
  add_norms(
      some_, [](const GcrMove<T>& one) -> const Field<T>& { return present_q(one); },
      [](GcrMove<T>& one) -> double& { return one.directions->qq[one.k]; });
  std::erase_if(some_, [](const GcrMove<T>* one) {
    return !(one->directions->qq[one->k] <= breakdown<T> * breakdown<T> * one->size);
  });
  for (GcrMove<T>* const one : some_) one->k = 0;
  begin_directions(some_);
  drop_failed(of);
  for (GcrMove<T>* const one : of) {
    if (one->k == 0) one->directions->qq[0] = one->size;
  }
}

template <class T>
void GcrMoves<T>::move(std::span<GcrMove<T>> all) {
  moving_.clear();
  for (GcrMove<T>& one : all) {
    one.rr = 0.0;
    one.failure.clear();
    one.k = static_cast<std::size_t>(one.directions->count) % one.directions->qq.size();
    moving_.push_back(&one);
  }
  begin_directions(moving_);
  drop_failed(moving_);
  make_orthogonal(moving_);
  start_again_where_spanned(moving_);
  pairs_.clear();
  for (const GcrMove<T>* const one : moving_) pairs_.push_back({.x = &present_q(*one), .y = one->r});
  const std::span<const Complex> along = on_.dots(pairs_);
  for (std::size_t i = 0; i < moving_.size(); ++i) moving_[i]->factor = along[i];
  some_.clear();
  std::ranges::copy_if(moving_, std::back_inserter(some_), [](const GcrMove<T>* one) { return one->k == 0; });
  add_norms(
      some_, [](const GcrMove<T>& one) -> const Field<T>& { return *one.r; },
      [](GcrMove<T>& one) -> double& { return one.rr; });
  for (GcrMove<T>* const one : some_) {
    if (!(std::abs(one->factor) <= breakdown<T> * std::sqrt(one->size * one->rr))) continue;
    one->failure = "(D r, r) = 0, as D is singular or indefinite: GCR cannot go on; take solve.method = \"cgnr\"";
    one->rr = 0.0;
  }
  drop_failed(moving_);
  updates_.clear();
  for (const GcrMove<T>* const one : moving_) {
    const Complex step = one->factor / one->directions->qq[one->k];
    updates_.push_back({.a = step, .x = &present_p(*one), .y = one->x});
    updates_.push_back({.a = -step, .x = &present_q(*one), .y = one->r});
  }
  on_.axpy(updates_);
  for (GcrMove<T>* const one : moving_) {
    one->directions->count = static_cast<double>((one->k + 1) % one->directions->qq.size());
  }
  add_norms(
      moving_, [](const GcrMove<T>& one) -> const Field<T>& { return *one.r; },
      [](GcrMove<T>& one) -> double& { return one.rr; });
}

template class GcrMoves<double>;
template class GcrMoves<float>;

}  // namespace tacit::qcd

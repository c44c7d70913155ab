// Runs the loops of vectors for several fields at once.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/at_once/fields_at_once.hpp"

#include "tacit/base/error.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::qcd {

template <class T>
FieldsAtOnce<T>::FieldsAtOnce(FieldSpace<T>& space, std::size_t most)
    : space_(space),
      most_(most),
      terms_(2 * most * space.lattice().half_blocks() * space.lattice().lanes()),
      sums_(2 * most),
      norms_(most),
      dots_(most) {
  // Messages of each length that may be needed are made now.
  for (std::size_t count = 1; count <= most; ++count) {
    space.add_over_ranks(std::span(sums_).first(count));
    space.add_over_ranks(std::span(sums_).first(2 * count));
  }
}

template <class T>
std::size_t FieldsAtOnce<T>::half_blocks(const Field<T>& field) const noexcept {
  return field.size() / (kernels::spinor_numbers * Lattice::sites_of_half_block * space_.lattice().lanes());
}

/// The first `count` sums, each of so many terms, in the memory of as many as there may be.
template <class T>
void FieldsAtOnce<T>::add_up(std::size_t count, std::size_t terms) {
  const std::size_t room = terms_.size() / (2 * most_);
  tasks::parallel_for(space_.scheduler(), 0, count, [&](std::size_t sum) {
    sums_[sum] = {};
    sums_[sum].add(std::span(terms_).subspan(sum * room, terms));
  });
  space_.add_over_ranks(std::span(sums_).first(count));
}

template <class T>
std::span<const double> FieldsAtOnce<T>::norms2(InFields<T> fields) {
  TACIT_EXPECT(fields.size() <= most_);
  if (fields.empty()) return {};
  const std::size_t room = terms_.size() / (2 * most_);
  const std::size_t blocks = half_blocks(*fields.front());
  tasks::parallel_for(space_.scheduler(), 0, blocks, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      space_.loops().norm2(fields[i]->data(), terms_.data() + i * room, first, last);
    }
  });
  add_up(fields.size(), blocks * space_.lattice().lanes());
  for (std::size_t i = 0; i < fields.size(); ++i) norms_[i] = sums_[i].value();
  return std::span(norms_).first(fields.size());
}

template <class T>
std::span<const Complex> FieldsAtOnce<T>::dots(std::span<const Pair> pairs) {
  TACIT_EXPECT(pairs.size() <= most_);
  if (pairs.empty()) return {};
  const std::size_t room = terms_.size() / (2 * most_);
  const std::size_t blocks = half_blocks(*pairs.front().x);
  tasks::parallel_for(space_.scheduler(), 0, blocks, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      double* const real = terms_.data() + 2 * i * room;
      space_.loops().dot(pairs[i].x->data(), pairs[i].y->data(), real, real + room, first, last);
    }
  });
  add_up(2 * pairs.size(), blocks * space_.lattice().lanes());
  for (std::size_t i = 0; i < pairs.size(); ++i) dots_[i] = {sums_[2 * i].value(), sums_[2 * i + 1].value()};
  return std::span(dots_).first(pairs.size());
}

template <class T>
void FieldsAtOnce<T>::axpy(std::span<const Update> updates) const {
  if (updates.empty()) return;
  tasks::parallel_for(space_.scheduler(), 0, half_blocks(*updates.front().x), [&](std::size_t first, std::size_t last) {
    for (const Update& by : updates) {
      space_.loops().axpy(static_cast<T>(by.a.real()), static_cast<T>(by.a.imag()), by.x->data(), by.y->data(), first,
                          last);
    }
  });
}

template <class T>
void FieldsAtOnce<T>::xpay(std::span<const Update> updates) const {
  if (updates.empty()) return;
  tasks::parallel_for(space_.scheduler(), 0, half_blocks(*updates.front().x), [&](std::size_t first, std::size_t last) {
    for (const Update& by : updates) {
      space_.loops().xpay(by.x->data(), static_cast<T>(by.a.real()), static_cast<T>(by.a.imag()), by.y->data(), first,
                          last);
    }
  });
}

template class FieldsAtOnce<double>;
template class FieldsAtOnce<float>;

}  // namespace tacit::qcd

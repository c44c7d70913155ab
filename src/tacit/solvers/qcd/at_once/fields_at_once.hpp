// Operations of vectors on several fields at once, with one sum over ranks for all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tacit/base/exact_sum.hpp"
#include "tacit/solvers/qcd/fields.hpp"

namespace tacit::qcd {

/// Fields that are read, and fields that are written.
template <class T>
using InFields = std::span<const Field<T>* const>;
template <class T>
using OutFields = std::span<Field<T>* const>;

/// What FieldSpace does to a field or two, for several at once: each with the bits that it has alone, all in one loop
/// on all workers and with one sum over ranks. After set-up nothing is allocated. One call at a time.
template <class T>
class FieldsAtOnce {
 public:
  /// @param space  outlives this   @param most  fields at once at most. All ranks make it, and make the same calls
  FieldsAtOnce(FieldSpace<T>& space, std::size_t most);

  struct Pair {
    const Field<T>* x = nullptr;
    const Field<T>* y = nullptr;
  };
  struct Update {
    Complex a;
    const Field<T>* x = nullptr;
    Field<T>* y = nullptr;
  };

  [[nodiscard]] FieldSpace<T>& space() const noexcept { return space_; }
  [[nodiscard]] std::size_t most() const noexcept { return most_; }
  /// |x|^2 of each, of all ranks. @return valid until the next call, as of `dots`
  [[nodiscard]] std::span<const double> norms2(InFields<T> fields);
  /// x^+ y of each
  [[nodiscard]] std::span<const Complex> dots(std::span<const Pair> pairs);
  /// y <- y + a x of each
  void axpy(std::span<const Update> updates) const;
  /// y <- x + a y of each
  void xpay(std::span<const Update> updates) const;

 private:
  [[nodiscard]] std::size_t half_blocks(const Field<T>& field) const noexcept;
  void add_up(std::size_t count, std::size_t terms);

  FieldSpace<T>& space_;
  std::size_t most_;
  std::vector<double> terms_;  // of half blocks: [sum][half block][lane]
  std::vector<base::ExactSum> sums_;
  std::vector<double> norms_;
  std::vector<Complex> dots_;
};

}  // namespace tacit::qcd

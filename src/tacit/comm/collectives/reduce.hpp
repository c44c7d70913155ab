// Reductions: to all ranks or to one, with any function; and sums of doubles that no order changes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tacit/base/exact_sum.hpp"
#include "tacit/comm/collectives/detail/make.hpp"
#include "tacit/comm/collectives/detail/reduction.hpp"
#include "tacit/comm/collectives/handle.hpp"
#include "tacit/comm/window.hpp"

namespace tacit::comm {

/// Combines two elements; associative as far as the caller minds, and it does not throw.
template <class F, class T>
concept ReduceFunction = std::copyable<F> && std::is_invocable_r_v<T, const F&, const T&, const T&>;

namespace detail {

/// Whether `value` is a number: false for NaN alone.
template <class T>
[[nodiscard]] constexpr bool is_number(const T& value) noexcept {
  if constexpr (std::floating_point<T>) return value == value;
  return true;
}

}  // namespace detail

/// The lesser of two. NaN wins over any number, whichever rank has it: every comparison with it is false, so that a
/// plain one would keep or drop it by the order of the ranks.
struct Minimum {
  template <class T>
  [[nodiscard]] constexpr T operator()(const T& a, const T& b) const noexcept {
    return b < a || !detail::is_number(b) ? b : a;
  }
};
/// The greater of two; NaN wins over any number.
struct Maximum {
  template <class T>
  [[nodiscard]] constexpr T operator()(const T& a, const T& b) const noexcept {
    return a < b || !detail::is_number(b) ? b : a;
  }
};

namespace detail {

template <Element T, ReduceFunction<T> F>
[[nodiscard]] Combine combine_with(F function) {
  return [function = std::move(function)](std::byte* accumulated, const std::byte* other, std::size_t count) {
    T* a = reinterpret_cast<T*>(accumulated);
    const T* b = reinterpret_cast<const T*>(other);
    for (std::size_t i = 0; i < count; ++i) a[i] = function(a[i], b[i]);
  };
}

}  // namespace detail

/// Combines element i of all ranks into element i of the result, which all ranks get.
///
///     comm::AllReduce<double> shortest(world, std::span(&dt, 1), comm::Minimum{});
///     shortest.run();                              // dt is now the least of all ranks
///
/// All ranks get bitwise identical results, every time: elements are combined in the order of ranks on a node, then of
/// nodes. With another number of ranks the order is another one; see ExactSums.
template <Element T>
class AllReduce : public CollectiveHandle<detail::Reduction> {
 public:
  /// @param in, out  the same length on all ranks; may be the same memory; both outlive this
  template <ReduceFunction<T> F>
  AllReduce(Communicator& communicator, std::span<const T> in, std::span<T> out, F function,
            const CollectiveOptions& options = {})
      : CollectiveHandle(
            detail::make_reduction(communicator.core(),
                                   detail::ReductionSpec{.kind = "all-reduce",
                                                         .elements = detail::elements_of<T>(in.size()),
                                                         .combine = detail::combine_with<T>(std::move(function)),
                                                         .function = detail::name_of_function<F>()},
                                   options, std::as_bytes(in), std::as_writable_bytes(out))) {}
  template <ReduceFunction<T> F>
  AllReduce(Communicator& communicator, std::span<T> data, F function, const CollectiveOptions& options = {})
      : AllReduce(communicator, data, data, std::move(function), options) {}
};

/// The same for one rank. @see AllReduce
template <Element T>
class Reduce : public CollectiveHandle<detail::Reduction> {
 public:
  /// @param out  unused but on the root
  template <ReduceFunction<T> F>
  Reduce(Communicator& communicator, RankId root, std::span<const T> in, std::span<T> out, F function,
         const CollectiveOptions& options = {})
      : CollectiveHandle(
            detail::make_reduction(communicator.core(),
                                   detail::ReductionSpec{.kind = "reduce",
                                                         .elements = detail::elements_of<T>(in.size()),
                                                         .combine = detail::combine_with<T>(std::move(function)),
                                                         .root = root,
                                                         .function = detail::name_of_function<F>()},
                                   options, std::as_bytes(in), std::as_writable_bytes(out))) {}
};

/// Sums of doubles over all ranks, exact and rounded once: bitwise identical however the terms are distributed over
/// ranks.
///
///     comm::ExactSums energy(world, 1);
///     for (const Particle& p : mine) energy.add(0, p.energy);
///     energy.run();
///     use(energy.value(0));
///     energy.clear();
///
/// @see base::ExactSum; a sum takes 560 B of a message
class ExactSums : public CollectiveHandle<detail::Reduction> {
 public:
  /// @param count  of sums
  explicit ExactSums(Communicator& communicator, std::size_t count, const CollectiveOptions& options = {});

  /// Adds a term of this rank. @pre no call is under way
  void add(std::size_t sum, double term) noexcept { terms_[sum].add(term); }
  /// Forgets the terms of this rank.
  void clear();
  /// Over all ranks, after a call; infinite or NaN if a term is, or beyond the range of double.
  [[nodiscard]] double value(std::size_t sum) const noexcept { return sums_[sum].value(); }

 private:
  using Sums = std::vector<base::ExactSum>;
  ExactSums(Communicator& communicator, Sums terms, Sums sums, const CollectiveOptions& options);
  Sums terms_;
  Sums sums_;
};

}  // namespace tacit::comm

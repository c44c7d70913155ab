// Splits and joins the modes of real lines; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fft/kernels/halves.hpp"

#include <utility>

#include "tacit/base/pack.hpp"

namespace tacit::fft::kernels {
// Nothing here may be visible to the linker but what carries the instruction set in its name.
namespace {

using Isa = base::isa::TACIT_ISA;

/// One complex number.
template <class Real>
struct One {
  static constexpr std::size_t count = 1;
  [[gnu::always_inline]] static One load(const Real* from) noexcept { return {from[0], from[1]}; }
  [[gnu::always_inline]] static One load_mirrored(const Real* from) noexcept { return {from[0], -from[1]}; }
  [[gnu::always_inline]] void store(Real* to) const noexcept {
    to[0] = real;
    to[1] = imaginary;
  }
  friend One operator+(One a, One b) noexcept { return {a.real + b.real, a.imaginary + b.imaginary}; }
  friend One operator-(One a, One b) noexcept { return {a.real - b.real, a.imaginary - b.imaginary}; }
  [[gnu::always_inline]] One halved() const noexcept { return {real * Real(0.5), imaginary * Real(0.5)}; }
  [[gnu::always_inline]] One times(const Real* reals, const Real* imaginaries) const noexcept {
    return {real * reals[0] + imaginary * imaginaries[0], imaginary * reals[1] + real * imaginaries[1]};
  }

  Real real, imaginary;
};

/// The complex numbers of a register.
template <class Real>
class Some {
 public:
  using P = base::Pack<Real, Isa>;
  static constexpr std::size_t count = P::width / 2;
  [[gnu::always_inline]] static Some load(const Real* from) noexcept { return Some(P::load(from)); }
  /// Conjugates, the last first.
  [[gnu::always_inline]] static Some load_mirrored(const Real* from) noexcept {
    return Some(mirrored(P::load(from), std::make_index_sequence<P::width>()));
  }
  [[gnu::always_inline]] void store(Real* to) const noexcept { value_.store(to); }
  friend Some operator+(const Some& a, const Some& b) noexcept { return Some(a.value_ + b.value_); }
  friend Some operator-(const Some& a, const Some& b) noexcept { return Some(a.value_ - b.value_); }
  [[gnu::always_inline]] Some halved() const noexcept { return Some(value_ * P(0.5)); }
  /// Each by a factor, as they stand in a table.
  [[gnu::always_inline]] Some times(const Real* reals, const Real* imaginaries) const noexcept {
    const P swapped = exchanged(value_, std::make_index_sequence<P::width>());
    return Some(value_ * P::load(reals) + swapped * P::load(imaginaries));
  }

 private:
  explicit Some(const P& value) noexcept : value_(value) {}

  template <std::size_t... i>
  [[gnu::always_inline]] static P mirrored(const P& a, std::index_sequence<i...> /*lanes*/) noexcept {
    constexpr Real signs[] = {(i % 2 == 0 ? Real(1) : Real(-1))...};
    const auto lanes = a.value().data;
    return P(typename P::Register(
               decltype(lanes)(__builtin_shufflevector(lanes, lanes, (P::width - 2 - i + 2 * (i % 2))...)))) *
           P::load(signs);
  }
  template <std::size_t... i>
  [[gnu::always_inline]] static P exchanged(const P& a, std::index_sequence<i...> /*lanes*/) noexcept {
    const auto lanes = a.value().data;
    return P(typename P::Register(decltype(lanes)(__builtin_shufflevector(lanes, lanes, (i ^ 1U)...))));
  }

  P value_;
};

/// body(k, a type of complex numbers) for all k from begin to end, as many at once as fit; the last ones once more
/// where they do not come out even.
template <class Real, class Body>
[[gnu::always_inline]] inline void over(std::size_t begin, std::size_t end, Body body) noexcept {
  std::size_t k = begin;
  if constexpr (base::Pack<Real, Isa>::width > 1) {
    constexpr std::size_t count = Some<Real>::count;
    for (; k + count <= end; k += count) body.template operator()<Some<Real>>(k);
    if (k < end && end - begin >= count) {
      body.template operator()<Some<Real>>(end - count);
      return;
    }
  }
  for (; k < end; ++k) body.template operator()<One<Real>>(k);
}

template <class Real>
void split(std::size_t h, const Real* factors, const Real* halves, std::size_t begin, std::size_t end, Real* modes) {
  over<Real>(begin, end, [=]<class Numbers>(std::size_t k) {
    const Numbers z = Numbers::load(halves + 2 * k);
    const Numbers mirrored = Numbers::load_mirrored(halves + 2 * (h + 1 - k - Numbers::count));
    const Numbers odd = (z - mirrored).times(factors + 2 * k, factors + 2 * (h + 1 + k));
    ((z + mirrored).halved() + odd).store(modes + 2 * (k - begin));
  });
}

template <class Real>
void join(std::size_t h, const Real* factors, const Real* modes, Real* halves) {
  halves[0] = modes[0] + modes[2 * h];
  halves[1] = modes[0] - modes[2 * h];
  over<Real>(1, h, [=]<class Numbers>(std::size_t k) {
    const Numbers x = Numbers::load(modes + 2 * k);
    const Numbers mirrored = Numbers::load_mirrored(modes + 2 * (h + 1 - k - Numbers::count));
    const Numbers odd = (x - mirrored).times(factors + 2 * k, factors + 2 * (h + 1 + k));
    (x + mirrored + odd).store(halves + 2 * k);
  });
}

}  // namespace

template <class Real, class>
Halves<Real> halves_of() noexcept {
  return {&split<Real>, &join<Real>};
}
template Halves<double> halves_of<double, Isa>() noexcept;
template Halves<float> halves_of<float, Isa>() noexcept;

}  // namespace tacit::fft::kernels

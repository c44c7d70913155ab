// Every operation of packs; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "unit/base/pack_probe.hpp"

#include "tacit/base/pack_records.hpp"

namespace tacit::base::pack_test {
namespace {

using Isa = isa::TACIT_ISA;

template <class T>
void write_lanes(const Operands<T>& in, T* out) {
  using P = Pack<T, Isa>;
  for (std::size_t k = 0; k < in.n; k += P::width) {
    const P a = P::load(in.a + k);
    const P b = P::load(in.b + k);
    const P c = P::load(in.c + k);
    const auto put = [&](Operation operation, const P& value) { value.store(out + operation * in.n + k); };
    put(add, a + b);
    put(subtract, a - b);
    put(multiply, a * b);
    put(divide, a / b);
    put(negate, -a);
    put(fused, fma(a, b, c));
    put(smaller, min(a, b));
    put(larger, max(a, b));
    put(root, sqrt(c));
    put(inverse, reciprocal(a));
    put(where_less, select(a < b, a, c));
    put(where_at_most, select(a <= b, a, c));
    put(where_greater, select(a > b, a, c));
    put(where_at_least, select(a >= b, a, c));
    put(where_equal, select(a == b, a, c));
    put(where_both, select((a < b) & (b < c), a, c));
    put(where_either, select((a < b) | (b < c), a, c));
    put(where_not, select(!(a < b), a, c));
    put(cube, positive_power<3>(a));
  }
}

template <class T>
void write_records(const Operands<T>& in, T* out) {
  using P = Pack<T, Isa>;
  for (std::size_t k = 0; k < in.n; k += P::width) {
    const auto four = gather4<P>(in.records, in.index + k);
    four.a.store(out + lane_0_of_4 * in.n + k);
    four.b.store(out + lane_1_of_4 * in.n + k);
    four.c.store(out + lane_2_of_4 * in.n + k);
    four.d.store(out + lane_3_of_4 * in.n + k);
  }
}

void lanes_of_floats(const Operands<float>& in, float* out) {
  write_lanes(in, out);
  write_records(in, out);
}
void lanes_of_doubles(const Operands<double>& in, double* out) {
  write_lanes(in, out);
  write_records(in, out);
}

template <class T>
void reductions(const Operands<T>& in, double* sums, T* largest) {
  using P = Pack<T, Isa>;
  for (std::size_t k = 0; k < in.n; k += P::width) {
    *sums++ = sum_of(P::load(in.a + k));
    *largest++ = largest_of(P::load(in.a + k));
  }
}

template <class T>
void first(const T* from, std::size_t count, T* all_lanes, T* stored) {
  const auto pack = Pack<T, Isa>::load_first(from, count);
  pack.store(all_lanes);
  (pack + Pack<T, Isa>(1)).store_first(stored, count);
}

template <class T>
std::uint32_t mask_bits(const Operands<T>& in) {
  using P = Pack<T, Isa>;
  const auto mask = P::load(in.a) < P::load(in.b);
  return any(mask) ? bits(mask) : 0U;
}

std::size_t list(const Operands<float>& in, std::uint32_t first_index, std::uint32_t* to) {
  using P = Pack<float, Isa>;
  std::size_t count = 0;
  for (std::size_t k = 0; k < in.n; k += P::width) {
    const auto mask = P::load(in.a + k) < P::load(in.b + k);
    count += store_indices(to + count, first_index + static_cast<std::uint32_t>(k), mask);
  }
  return count;
}

std::size_t compress(const Operands<float>& in, float* to) {
  using P = Pack<float, Isa>;
  std::size_t count = 0;
  for (std::size_t k = 0; k < in.n; k += P::width) {
    const P a = P::load(in.a + k);
    const auto mask = a < P::load(in.b + k);
    store_compressed(to + count, a, mask);
    count += static_cast<std::size_t>(__builtin_popcount(bits(mask)));
  }
  return count;
}

std::size_t compress_numbers(const Operands<float>& in, const std::uint32_t* numbers, std::uint32_t* to) {
  using P = Pack<float, Isa>;
  std::size_t kept = 0;
  for (std::size_t k = 0; k < in.n; k += P::width) {
    const auto mask = P::load(in.a + k) < P::load(in.b + k);
    store_compressed(to + kept, numbers + k, mask);
    kept += count(mask);
  }
  return kept;
}

void records(const Operands<float>& in, float* to) {
  using P = Pack<float, Isa>;
  for (std::size_t k = 0; k < in.n; k += P::width) {
    store_records(to + 4 * k, P::load(in.a + k), P::load(in.b + k), P::load(in.c + k), P::load(in.a + k));
  }
}

void halves(const double* from, std::size_t n, float* to) {
  using P = Pack<float, Isa>;
  using Doubles = Pack<double, Isa>;
  for (std::size_t k = 0; k < n; k += P::width) {
    narrowed<P>(from + k, [](const Doubles& x) { return Doubles(0.5) * x; }).store(to + k);
  }
}

}  // namespace

template <>
Probe<float> probe_of<float, Isa>() noexcept {
  return {Isa::set,
          Pack<float, Isa>::width,
          &lanes_of_floats,
          &reductions<float>,
          &first<float>,
          &mask_bits<float>,
          &list,
          &compress,
          &compress_numbers,
          &records,
          &halves};
}
template <>
Probe<double> probe_of<double, Isa>() noexcept {
  return {Isa::set,
          Pack<double, Isa>::width,
          &lanes_of_doubles,
          &reductions<double>,
          &first<double>,
          &mask_bits<double>,
          nullptr,
          nullptr,
          nullptr,
          nullptr,
          nullptr};
}

}  // namespace tacit::base::pack_test

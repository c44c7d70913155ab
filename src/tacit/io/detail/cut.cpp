// Goes through the runs of a box: the longest pieces that lie one after the other on both sides.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/detail/cut.hpp"

#include <algorithm>
#include <cstring>

#include "tacit/io/detail/convert.hpp"

namespace tacit::io::detail {
namespace {

bool has_sign(Number type) noexcept { return type >= Number::int8 && type <= Number::int64; }
bool is_unsigned(Number type) noexcept { return type >= Number::uint8 && type <= Number::uint64; }

template <class To>
void widen_integers(Number from, std::span<const std::byte> in, std::span<std::byte> out) noexcept {
  switch (from) {
    case Number::int8:
      return convert_numbers<std::int8_t, To>(in, out);
    case Number::int16:
      return convert_numbers<std::int16_t, To>(in, out);
    case Number::int32:
      return convert_numbers<std::int32_t, To>(in, out);
    case Number::int64:
      return convert_numbers<std::int64_t, To>(in, out);
    case Number::uint8:
      return convert_numbers<std::uint8_t, To>(in, out);
    case Number::uint16:
      return convert_numbers<std::uint16_t, To>(in, out);
    case Number::uint32:
      return convert_numbers<std::uint32_t, To>(in, out);
    default:
      return convert_numbers<std::uint64_t, To>(in, out);
  }
}

/// A box whose runs are copied one by one.
struct Copy {
  const RowsInMemory& rows;
  const Cut& cut;
  const Target& target;
  std::size_t run_axis;       // of which a run takes all that the box has, and all of the axes behind it
  std::uint64_t run_numbers;  // of it

  /// @param from, to  numbers before those that are meant, on both sides
  void axis(std::size_t axis, std::uint64_t first, std::uint64_t count, std::uint64_t from, std::uint64_t to) const {
    if (axis == run_axis) return run(first, from, to, count * run_numbers);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::size_t next = axis + 1;
      this->axis(next, cut.from.first[next], cut.from.count[next], (from + first + i) * rows.shape[next],
                 (to + i) * target.shape[next] + cut.to[next]);
    }
  }
  void run(std::uint64_t first, std::uint64_t from, std::uint64_t to, std::uint64_t numbers) const {
    const std::size_t in_bytes = bytes_of(rows.type);
    const std::size_t out_bytes = bytes_of(target.type);
    widen(rows.type, rows.numbers.subspan((from + first) * run_numbers * in_bytes, numbers * in_bytes), target.type,
          target.out.subspan(to * run_numbers * out_bytes, numbers * out_bytes));
  }
};

/// The first axis behind which a box takes all of the array and of the target.
std::size_t first_run_axis(std::span<const std::uint64_t> shape, const Cut& cut, const Target& target) noexcept {
  std::size_t axis = shape.size() - 1;
  while (axis > 0 && cut.from.count[axis] == shape[axis] && target.shape[axis] == shape[axis]) --axis;
  return axis;
}

}  // namespace

bool can_widen(Number from, Number to) noexcept {
  return from == to || to == Number::float64 || (to == Number::int64 && has_sign(from)) ||
         (to == Number::uint64 && is_unsigned(from));
}

void widen(Number from, std::span<const std::byte> in, Number to, std::span<std::byte> out) noexcept {
  if (from == to) {
    if (!out.empty()) std::memcpy(out.data(), in.data(), out.size());
  } else if (to == Number::int64) {
    widen_integers<std::int64_t>(from, in, out);
  } else if (to == Number::uint64) {
    widen_integers<std::uint64_t>(from, in, out);
  } else if (from == Number::float32) {
    convert_numbers<float, double>(in, out);
  } else {
    widen_integers<double>(from, in, out);
  }
}

void copy_cut(const RowsInMemory& rows, const Cut& cut, const Target& target) noexcept {
  const std::uint64_t begin = std::max(rows.first, cut.from.first[0]);
  const std::uint64_t end = std::min(rows.first + rows.count, cut.from.first[0] + cut.from.count[0]);
  if (begin >= end || cut.from.is_empty()) return;
  const std::size_t run_axis = first_run_axis(rows.shape, cut, target);
  std::uint64_t run_numbers = 1;
  for (std::size_t axis = run_axis + 1; axis < rows.shape.size(); ++axis) run_numbers *= rows.shape[axis];
  Copy{rows, cut, target, run_axis, run_numbers}.axis(0, begin - rows.first, end - begin, 0,
                                                      cut.to[0] + begin - cut.from.first[0]);
}

std::byte* place_of_rows(std::uint64_t first, std::uint64_t count, Number type, std::span<const std::uint64_t> shape,
                         const Cut& cut, const Target& target) noexcept {
  const bool is_inside = first >= cut.from.first[0] && first + count <= cut.from.first[0] + cut.from.count[0];
  if (type != target.type || !is_inside || first_run_axis(shape, cut, target) != 0) return nullptr;
  std::uint64_t row_bytes = bytes_of(type);
  for (const std::uint64_t n : shape.subspan(1)) row_bytes *= n;
  return target.out.data() + (cut.to[0] + first - cut.from.first[0]) * row_bytes;
}

}  // namespace tacit::io::detail

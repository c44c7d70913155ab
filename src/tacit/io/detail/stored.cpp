// HDF5 types and shapes as those of io/file.hpp.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <string>

#include "tacit/io/detail/hdf5.hpp"

namespace tacit::io::detail {
namespace {

struct TypeName {
  Number number;
  std::string_view name;
};
constexpr std::array<TypeName, 12> type_names{{{Number::float32, "float32"},
                                               {Number::float64, "float64"},
                                               {Number::int8, "int8"},
                                               {Number::int16, "int16"},
                                               {Number::int32, "int32"},
                                               {Number::int64, "int64"},
                                               {Number::uint8, "uint8"},
                                               {Number::uint16, "uint16"},
                                               {Number::uint32, "uint32"},
                                               {Number::uint64, "uint64"},
                                               {Number::text, "text"},
                                               {Number::other, "values of another type"}}};

/// Where the bits of numbers of a type are: a damaged header may describe what sends the conversion astray.
struct Layout {
  std::size_t bits = 0;   // of the memory of a number
  std::size_t first = 0;  // bit that is used
  std::size_t used = 0;   // bits
};

Layout layout_of(hid_t type) {
  const int first = H5Tget_offset(type);
  return {8 * H5Tget_size(type), first < 0 ? SIZE_MAX : static_cast<std::size_t>(first), H5Tget_precision(type)};
}

constexpr std::size_t most_bits = 128;  // of a number with its padding

bool is_sound(const Layout& layout) {
  return layout.bits <= most_bits && layout.used > 0 && layout.first <= layout.bits &&
         layout.used <= layout.bits - layout.first;
}

/// The integers of this machine that hold those of a type.
Number integer_of(hid_t type) {
  const Layout layout = layout_of(type);
  const H5T_order_t order = H5Tget_order(type);
  const H5T_sign_t sign = H5Tget_sign(type);
  const bool has_order = order == H5T_ORDER_LE || order == H5T_ORDER_BE;
  if (!is_sound(layout) || layout.used > 64 || !has_order || (sign != H5T_SGN_NONE && sign != H5T_SGN_2)) {
    return Number::other;
  }
  const bool has_sign = sign == H5T_SGN_2;
  if (layout.used <= 8) return has_sign ? Number::int8 : Number::uint8;
  if (layout.used <= 16) return has_sign ? Number::int16 : Number::uint16;
  if (layout.used <= 32) return has_sign ? Number::int32 : Number::uint32;
  return has_sign ? Number::int64 : Number::uint64;
}

/// The real numbers of this machine that hold those of a type, or come nearest to them.
Number real_of(hid_t type) {
  std::size_t sign = 0, exponent = 0, exponent_bits = 0, mantissa = 0, mantissa_bits = 0;
  const Layout layout = layout_of(type);
  const H5T_order_t order = H5Tget_order(type);
  const bool has_order = order == H5T_ORDER_LE || order == H5T_ORDER_BE || order == H5T_ORDER_VAX;
  if (!is_sound(layout) || !has_order ||
      H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits) < 0) {
    return Number::other;
  }
  // The library gives the places of the fields within the bits that are used.
  const auto lies_within = [&](std::size_t first, std::size_t bits) {
    return bits > 0 && first <= layout.used && bits <= layout.used - first;
  };
  const auto are_apart = [](std::size_t a, std::size_t bits_a, std::size_t b, std::size_t bits_b) {
    return a + bits_a <= b || b + bits_b <= a;
  };
  constexpr std::size_t most_exponent_bits = 15;  // of float128
  const bool is_real = lies_within(sign, 1) && lies_within(exponent, exponent_bits) &&
                       lies_within(mantissa, mantissa_bits) && exponent_bits <= most_exponent_bits &&
                       are_apart(sign, 1, exponent, exponent_bits) && are_apart(sign, 1, mantissa, mantissa_bits) &&
                       are_apart(exponent, exponent_bits, mantissa, mantissa_bits) &&
                       H5Tget_ebias(type) < std::size_t{1} << exponent_bits;
  if (!is_real) return Number::other;
  return exponent_bits <= 8 && mantissa_bits <= 23 ? Number::float32 : Number::float64;
}

}  // namespace

std::string_view name_of(Number number) {
  return std::find_if(type_names.begin(), type_names.end(), [&](const auto& type) { return type.number == number; })
      ->name;
}

Number number_of(hid_t type) {
  const auto is = [type](hid_t little, hid_t big) { return H5Tequal(type, little) > 0 || H5Tequal(type, big) > 0; };
  if (H5Tget_class(type) == H5T_STRING) return Number::text;
  if (is(H5T_IEEE_F32LE, H5T_IEEE_F32BE)) return Number::float32;
  if (is(H5T_IEEE_F64LE, H5T_IEEE_F64BE)) return Number::float64;
  if (is(H5T_STD_I64LE, H5T_STD_I64BE)) return Number::int64;
  if (is(H5T_STD_U64LE, H5T_STD_U64BE)) return Number::uint64;
  if (is(H5T_STD_I32LE, H5T_STD_I32BE)) return Number::int32;
  if (is(H5T_STD_U32LE, H5T_STD_U32BE)) return Number::uint32;
  if (is(H5T_STD_I16LE, H5T_STD_I16BE)) return Number::int16;
  if (is(H5T_STD_U16LE, H5T_STD_U16BE)) return Number::uint16;
  if (is(H5T_STD_I8LE, H5T_STD_I8BE)) return Number::int8;
  if (is(H5T_STD_U8LE, H5T_STD_U8BE)) return Number::uint8;
  // The library converts all others, and truth values, which h5py stores as enumerations.
  if (H5Tget_class(type) == H5T_INTEGER) return integer_of(type);
  if (H5Tget_class(type) == H5T_FLOAT) return real_of(type);
  if (H5Tget_class(type) != H5T_ENUM) return Number::other;
  const Type base(H5Tget_super(type));
  return base ? integer_of(base.get()) : Number::other;
}

std::string description_of(hid_t type) {
  if (const Number number = number_of(type); number != Number::other) return std::string(name_of(number));
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return fmt::format("integers of {} bits in {} bytes", H5Tget_precision(type), H5Tget_size(type));
    case H5T_FLOAT:
      return fmt::format("real numbers of {} bits in {} bytes, which have no layout that can be converted",
                         H5Tget_precision(type), H5Tget_size(type));
    case H5T_COMPOUND:
      return "records of several fields (a compound type)";
    case H5T_BITFIELD:
      return "bit fields";
    case H5T_OPAQUE:
      return "opaque bytes";
    case H5T_REFERENCE:
      return "references";
    case H5T_ENUM:
      return "an enumeration";
    case H5T_ARRAY:
      return "small arrays (an array type)";
    case H5T_VLEN:
      return "sequences of any length";
    default:
      return std::string(name_of(Number::other));
  }
}

bool is_number(Number number) { return number != Number::text && number != Number::other; }
bool is_integer(Number number) { return is_number(number) && number != Number::float32 && number != Number::float64; }

std::vector<std::uint64_t> shape_of(hid_t space) {
  const int rank = H5Sget_simple_extent_ndims(space);
  std::vector<hsize_t> dims(static_cast<std::size_t>(std::max(rank, 0)));
  if (rank > 0) H5Sget_simple_extent_dims(space, dims.data(), nullptr);
  return {dims.begin(), dims.end()};
}

std::uint64_t times(std::uint64_t a, std::uint64_t b) { return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b; }

std::uint64_t element_count(std::span<const std::uint64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, times);
}

}  // namespace tacit::io::detail

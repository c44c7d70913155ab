// HDF5 types and shapes as those of io/file.hpp.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <numeric>

#include "tacit/io/detail/hdf5.hpp"

namespace tacit::io::detail {
namespace {

struct TypeName {
  Number number;
  std::string_view name;
};
constexpr std::array<TypeName, 13> type_names{{{Number::float32, "float32"},
                                               {Number::float64, "float64"},
                                               {Number::int8, "int8"},
                                               {Number::int16, "int16"},
                                               {Number::int32, "int32"},
                                               {Number::int64, "int64"},
                                               {Number::uint8, "uint8"},
                                               {Number::uint16, "uint16"},
                                               {Number::uint32, "uint32"},
                                               {Number::uint64, "uint64"},
                                               {Number::float16, "float16"},
                                               {Number::text, "text"},
                                               {Number::other, "values of another type"}}};

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
  return H5Tget_class(type) == H5T_FLOAT && H5Tget_size(type) == 2 ? Number::float16 : Number::other;
}

bool is_number(Number number) { return number != Number::float16 && number != Number::text && number != Number::other; }
std::string_view expectation(Number found) { return found == Number::float16 ? "numbers of 32 or 64 bits" : "numbers"; }
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

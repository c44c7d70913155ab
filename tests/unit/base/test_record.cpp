// Descriptions of what travels between ranks: another hash for another type, and no description for what cannot travel.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <complex>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/base/record.hpp"

namespace tacit::base {
namespace record_test {
namespace {

/// A record of that name with members of these types and names.
#define TACIT_TEST_RECORD(type, text, first_type, first, second_type, second)                              \
  struct type {                                                                                            \
    first_type first{};                                                                                    \
    second_type second{};                                                                                  \
    static constexpr auto record() noexcept {                                                              \
      return base::record(text, base::member(#first, &type::first), base::member(#second, &type::second)); \
    }                                                                                                      \
  }
TACIT_TEST_RECORD(Usual, "usual", std::uint64_t, id, double, mass);
TACIT_TEST_RECORD(Same, "usual", std::uint64_t, id, double, mass);
TACIT_TEST_RECORD(Renamed, "unusual", std::uint64_t, id, double, mass);
TACIT_TEST_RECORD(OtherMember, "usual", std::uint64_t, id, double, weight);
TACIT_TEST_RECORD(OtherType, "usual", std::uint64_t, id, std::int64_t, mass);
TACIT_TEST_RECORD(Signed, "usual", std::int64_t, id, double, mass);
TACIT_TEST_RECORD(OtherOrder, "usual", double, mass, std::uint64_t, id);
TACIT_TEST_RECORD(Narrow, "usual", std::uint64_t, id, float, mass);  // as long, because of its padding
TACIT_TEST_RECORD(Nested, "nested", Usual, inner, double, mass);
TACIT_TEST_RECORD(NestedOther, "nested", OtherMember, inner, double, mass);
using Three = std::array<std::uint16_t, 3>;
using Four = std::array<std::uint16_t, 4>;
TACIT_TEST_RECORD(WithThree, "arrays", Three, tags, double, mass);
TACIT_TEST_RECORD(WithFour, "arrays", Four, tags, double, mass);  // as long
TACIT_TEST_RECORD(WithPointer, "pointer", double*, where, double, mass);
TACIT_TEST_RECORD(WithText, "text", std::string, name, double, mass);
TACIT_TEST_RECORD(WithUndescribed, "undescribed", std::unique_ptr<int>, owned, double, mass);
#undef TACIT_TEST_RECORD

struct BuiltIn {
  std::int32_t values[3];
  static constexpr auto record() noexcept { return base::record("built-in", base::member("values", &BuiltIn::values)); }
};
struct Plain {
  double mass;
};
enum class Small : std::uint8_t { none };
enum class Large : std::uint32_t { none };

template <class T>
constexpr std::uint64_t hash_of() {
  return schema_of<T>().hash;
}

TEST(BaseRecord, TheHashChangesWithNamesOrderAndTypes) {
  const std::array hashes{hash_of<Usual>(),     hash_of<Renamed>(),     hash_of<OtherMember>(), hash_of<OtherType>(),
                          hash_of<Signed>(),    hash_of<OtherOrder>(),  hash_of<Narrow>(),      hash_of<Nested>(),
                          hash_of<WithThree>(), hash_of<NestedOther>(), hash_of<WithFour>(),    hash_of<BuiltIn>()};
  EXPECT_EQ(std::set(hashes.begin(), hashes.end()).size(), hashes.size());
  static_assert(hash_of<Usual>() == hash_of<Same>());
  static_assert(sizeof(Narrow) == sizeof(Usual) && sizeof(WithThree) == sizeof(WithFour));
}

TEST(BaseRecord, TheHashChangesWithTheElement) {
  const std::array hashes{hash_of<std::byte>(),
                          hash_of<bool>(),
                          hash_of<char>(),
                          hash_of<std::int8_t>(),
                          hash_of<std::uint8_t>(),
                          hash_of<std::int16_t>(),
                          hash_of<std::uint16_t>(),
                          hash_of<std::int32_t>(),
                          hash_of<std::uint32_t>(),
                          hash_of<std::int64_t>(),
                          hash_of<std::uint64_t>(),
                          hash_of<float>(),
                          hash_of<double>(),
                          hash_of<std::complex<float>>(),
                          hash_of<std::complex<double>>(),
                          hash_of<Vec3>(),
                          hash_of<Small>(),
                          hash_of<Large>(),
                          hash_of<std::array<double, 3>>(),
                          hash_of<std::array<double, 4>>(),
                          hash_of<std::array<std::array<double, 2>, 3>>(),
                          hash_of<std::array<std::array<double, 3>, 2>>()};
  EXPECT_EQ(std::set(hashes.begin(), hashes.end()).size(), hashes.size());
}

TEST(BaseRecord, TypesAreNamedAlikeByAllCompilers) {
  static_assert(schema_of<double>().name == "float64" && schema_of<double>().bytes == 8);
  static_assert(schema_of<std::uint16_t>().name == "uint16" && schema_of<std::int64_t>().name == "int64");
  static_assert(schema_of<long>().name == "int64" && schema_of<long long>().name == "int64");
  static_assert(hash_of<long>() == hash_of<long long>());
  static_assert(schema_of<std::byte>().name == "byte" && schema_of<Small>().name == "enum");
  static_assert(schema_of<Vec3>().name == "vec3" && schema_of<std::complex<double>>().name == "complex");
  static_assert(schema_of<Three>().name == "array" && schema_of<Usual>().name == "usual");
  static_assert(schema_of<Usual>().bytes == sizeof(Usual));
  // A change here means that files or ranks of two versions no longer agree. FNV-1a of what hash_type adds, computed
  // apart from this code.
  if constexpr (std::endian::native == std::endian::little) {
    EXPECT_EQ(hash_of<double>(), 0x9d883cc2a1466887ULL);
    EXPECT_EQ(hash_of<Usual>(), 0x8a7912d8f039dfa6ULL);
  }
}

TEST(BaseRecord, BuiltInArraysAreArrays) {
  static_assert(Described<BuiltIn> && Described<std::int32_t[3]>);
  static_assert(hash_of<std::int32_t[3]>() == hash_of<std::array<std::int32_t, 3>>());
}

TEST(BaseRecord, SchemasAreComparedByHashAndLength) {
  EXPECT_EQ(schema_of<Usual>(), schema_of<Same>());
  EXPECT_FALSE(schema_of<Usual>() == schema_of<OtherMember>());
  Schema longer = schema_of<Usual>();
  ++longer.bytes;
  EXPECT_FALSE(longer == schema_of<Usual>());
}

TEST(BaseRecord, WhatCannotTravelIsNotDescribed) {
  static_assert(Described<Usual> && Described<Nested> && Described<WithThree> && Described<Vec3>);
  static_assert(Described<std::array<Nested, 2>> && Described<Small> && Described<std::complex<float>>);
  static_assert(!Described<double*> && !Described<const char*> && !Described<void>);
  static_assert(!Described<Plain>, "a struct says what it consists of");
  static_assert(!Described<std::string> && !Described<std::vector<double>> && !Described<std::string_view>);
  static_assert(!Described<WithPointer> && !Described<WithText> && !Described<WithUndescribed>);
  static_assert(!Described<std::array<Plain, 2>> && !Described<std::array<double*, 2>>);
  SUCCEED() << "the compiler has looked at it";
}

}  // namespace
}  // namespace record_test
}  // namespace tacit::base

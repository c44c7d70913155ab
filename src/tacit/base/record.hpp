// What a record that travels between ranks consists of: members with names and types, and a hash that both ends
// compare. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "tacit/base/vec3.hpp"

namespace tacit::base {

/// The element of a message as both ends must know it.
struct Schema {
  std::string_view name;   ///< "float64", or that of a record: "tracer"; a literal
  std::uint64_t hash = 0;  ///< of names and types of all members, and of the byte order
  std::size_t bytes = 0;   ///< of an element
  friend constexpr bool operator==(const Schema& a, const Schema& b) noexcept {
    return a.hash == b.hash && a.bytes == b.bytes;
  }
};

/// A member of a record: its name, and where it is.
template <class Record, class Value>
struct Member {
  std::string_view name;
  Value Record::*where;
};
template <class Record, class Value>
[[nodiscard]] constexpr Member<Record, Value> member(std::string_view name, Value Record::*where) noexcept {
  return {name, where};
}

/// The members of a record by name, in order. A struct that travels says so:
///
///     struct Tracer {
///       std::uint64_t id;
///       base::Vec3 position;
///       static constexpr auto record() noexcept {
///         return base::record("tracer", base::member("id", &Tracer::id), base::member("position", &Tracer::position));
///       }
///     };
template <class... Members>
struct RecordMembers {
  std::string_view name;
  std::tuple<Members...> members;
};
template <class... Members>
[[nodiscard]] constexpr RecordMembers<Members...> record(std::string_view name, Members... members) noexcept {
  return {name, {members...}};
}

namespace detail {

/// FNV-1a, which a compiler can compute and every compiler computes alike.
class TypeHash {
 public:
  constexpr void add(std::string_view text) noexcept {
    for (const char letter : text) add_byte(static_cast<unsigned char>(letter));
    add_byte(0);
  }
  constexpr void add(std::uint64_t number) noexcept {
    for (int i = 0; i < 8; ++i) add_byte(static_cast<unsigned char>(number >> (8 * i)));
  }
  [[nodiscard]] constexpr std::uint64_t value() const noexcept { return hash_; }

 private:
  constexpr void add_byte(unsigned char byte) noexcept { hash_ = (hash_ ^ byte) * 0x100000001b3ULL; }
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

template <class T>
[[nodiscard]] constexpr std::string_view number_name() noexcept {
  if constexpr (std::is_same_v<T, std::byte>) return "byte";
  if constexpr (std::is_same_v<T, bool>) return "bool";
  if constexpr (std::is_same_v<T, char>) return "char";
  if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 8 ? "float64" : sizeof(T) == 4 ? "float32" : "float";
  if constexpr (std::is_integral_v<T>) {
    constexpr std::array<std::string_view, 4> is_signed{"int8", "int16", "int32", "int64"};
    constexpr std::array<std::string_view, 4> is_unsigned{"uint8", "uint16", "uint32", "uint64"};
    constexpr auto power = static_cast<std::size_t>(std::countr_zero(sizeof(T)));
    return std::is_signed_v<T> ? is_signed[power] : is_unsigned[power];
  }
  return {};
}

template <class T>
struct IsArray : std::false_type {};
template <class T, std::size_t N>
struct IsArray<std::array<T, N>> : std::true_type {
  using Element = T;
  static constexpr std::size_t count = N;
};
template <class T, std::size_t N>
struct IsArray<T[N]> : std::true_type {
  using Element = T;
  static constexpr std::size_t count = N;
};
template <class T>
struct IsComplex : std::false_type {};
template <class T>
struct IsComplex<std::complex<T>> : std::true_type {};

template <class T>
concept HasRecord = requires { T::record().members; };

template <class T>
[[nodiscard]] consteval bool is_described();

template <class T>
struct MembersDescribed : std::false_type {};
template <class... Records, class... Values>
struct MembersDescribed<RecordMembers<Member<Records, Values>...>>
    : std::bool_constant<(is_described<Values>() && ...)> {};

template <class T>
consteval bool is_described() {
  if constexpr (IsArray<T>::value) {
    return is_described<typename IsArray<T>::Element>();
  } else if constexpr (IsComplex<T>::value || std::is_enum_v<T> || std::is_same_v<T, Vec3>) {
    return true;
  } else if constexpr (HasRecord<T>) {
    return std::is_trivially_copyable_v<T> && MembersDescribed<decltype(T::record())>::value;
  } else {
    return !number_name<T>().empty();
  }
}

}  // namespace detail

/// What a message can consist of: numbers, enumerations, arrays of them, complex numbers, vectors, and structs with
/// `record()` of these.
template <class T>
concept Described = detail::is_described<T>();

namespace detail {

template <class T>
constexpr void hash_type(TypeHash& hash);

template <class T>
constexpr void hash_type(TypeHash& hash) {
  hash.add(sizeof(T));
  if constexpr (IsArray<T>::value) {
    hash.add("array");
    hash.add(IsArray<T>::count);
    hash_type<typename IsArray<T>::Element>(hash);
  } else if constexpr (IsComplex<T>::value) {
    hash.add("complex");
    hash_type<typename T::value_type>(hash);
  } else if constexpr (std::is_same_v<T, Vec3>) {
    hash.add("vec3");
  } else if constexpr (HasRecord<T>) {
    constexpr auto description = T::record();
    hash.add(description.name);
    std::apply(
        [&hash]<class... Values>(const Member<T, Values>&... members) {
          const auto one = [&hash]<class Value>(const Member<T, Value>& member) {
            hash.add(member.name);
            hash_type<Value>(hash);
          };
          (one(members), ...);
        },
        description.members);
  } else if constexpr (std::is_enum_v<T> && !std::is_same_v<T, std::byte>) {
    hash.add("enum");
    hash_type<std::underlying_type_t<T>>(hash);
  } else {
    hash.add(number_name<T>());
  }
}

template <class T>
[[nodiscard]] constexpr std::string_view type_name() noexcept {
  if constexpr (IsArray<T>::value)
    return "array";
  else if constexpr (IsComplex<T>::value)
    return "complex";
  else if constexpr (std::is_same_v<T, Vec3>)
    return "vec3";
  else if constexpr (HasRecord<T>)
    return T::record().name;
  else if constexpr (std::is_enum_v<T> && !std::is_same_v<T, std::byte>)
    return "enum";
  else
    return number_name<T>();
}

}  // namespace detail

/// What both ends of a message of T compare. The same with every compiler; another where a member is renamed, moved in
/// the list, or of another type, and on a machine with the other byte order.
template <Described T>
[[nodiscard]] constexpr Schema schema_of() noexcept {
  detail::TypeHash hash;
  hash.add(std::endian::native == std::endian::little ? "little" : "big");
  detail::hash_type<T>(hash);
  return {.name = detail::type_name<T>(), .hash = hash.value(), .bytes = sizeof(T)};
}

}  // namespace tacit::base

// How arguments and results travel: as bytes whose every length is checked when they are read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "tacit/actions/error.hpp"
#include "tacit/base/record.hpp"

namespace tacit::actions {

/// Fills memory whose length was counted before.
class Writer {
 public:
  explicit Writer(std::span<std::byte> to) noexcept : to_(to) {}
  void write(const void* data, std::size_t bytes) {
    if (bytes > to_.size()) throw_longer();
    if (bytes > 0) std::memcpy(to_.data(), data, bytes);
    to_ = to_.subspan(bytes);
  }
  template <class Number>
  void number(Number value) {
    write(&value, sizeof(value));
  }
  [[nodiscard]] std::size_t left() const noexcept { return to_.size(); }

 private:
  [[noreturn]] static void throw_longer();
  std::span<std::byte> to_;
};

/// Takes a record apart. Trusts nothing that it reads.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> from) noexcept : from_(from), bytes_(from.size()) {}
  [[nodiscard]] std::size_t left() const noexcept { return from_.size(); }
  /// @throws RecordError if there are not as many bytes
  [[nodiscard]] std::span<const std::byte> take(std::size_t bytes) {
    if (bytes > from_.size()) throw_truncated(bytes);
    const auto taken = from_.first(bytes);
    from_ = from_.subspan(bytes);
    return taken;
  }
  void read(void* to, std::size_t bytes) {
    const auto from = take(bytes);
    if (bytes > 0) std::memcpy(to, from.data(), bytes);
  }
  template <class Number>
  [[nodiscard]] Number number() {
    Number value;
    read(&value, sizeof(value));
    return value;
  }
  /// A number of elements that each take at least so many bytes, so that no memory is asked for that was not sent.
  [[nodiscard]] std::size_t count(std::size_t least_bytes) {
    const auto elements = number<std::uint64_t>();
    if (elements > left() / least_bytes) throw_count(elements, least_bytes);
    return static_cast<std::size_t>(elements);
  }
  /// A byte that is 0 or 1.
  [[nodiscard]] bool flag() {
    const auto value = number<std::uint8_t>();
    if (value > 1) throw_flag(value);
    return value == 1;
  }
  /// @throws RecordError if something is left
  void end() const {
    if (!from_.empty()) throw_left();
  }

 private:
  [[noreturn]] void throw_truncated(std::size_t bytes) const;
  [[noreturn]] void throw_count(std::uint64_t elements, std::size_t least_bytes) const;
  [[noreturn]] void throw_flag(unsigned value) const;
  [[noreturn]] void throw_left() const;
  std::span<const std::byte> from_;
  std::size_t bytes_;
};

/// How a T travels: `least_bytes`, `size(value)`, `write(writer, value)`, `read(reader)` and `add_type(hash)`. Defined
/// for what is trivially copyable, containers of the standard library, std::string, optional, unique_ptr, pair, tuple,
/// array, and structs with `record()` (base/record.hpp) of these; a specialisation adds a class of its own.
template <class T>
struct Codec;

/// What can be an argument or a result.
template <class T>
concept Sendable = requires(const T& value, Writer& writer, Reader& reader, base::detail::TypeHash& hash) {
  { Codec<T>::size(value) } -> std::same_as<std::size_t>;
  Codec<T>::write(writer, value);
  { Codec<T>::read(reader) } -> std::same_as<T>;
  Codec<T>::add_type(hash);
};

namespace detail {

template <class T>
struct IsRefused : std::bool_constant<std::is_pointer_v<T> || std::is_member_pointer_v<T> || std::is_reference_v<T>> {};
template <class... T>
struct IsRefused<std::basic_string_view<T...>> : std::true_type {};
template <class T, std::size_t N>
struct IsRefused<std::span<T, N>> : std::true_type {};
template <class T>
struct IsRefused<std::reference_wrapper<T>> : std::true_type {};

template <class T>
struct HasOwnForm : std::false_type {};  // trivially copyable or not
template <class T>
struct HasOwnForm<std::optional<T>> : std::true_type {};
template <class... T>
struct HasOwnForm<std::tuple<T...>> : std::true_type {};
template <class A, class B>
struct HasOwnForm<std::pair<A, B>> : std::true_type {};

template <class T>
struct IsPlain;
template <class T, std::size_t N>
struct IsPlain<std::array<T, N>> : IsPlain<T> {};
template <class T>
struct IsPlain : std::bool_constant<std::is_trivially_copyable_v<T> && !IsRefused<T>::value && !HasOwnForm<T>::value &&
                                    !std::is_same_v<T, bool>> {};

/// Its bytes travel as they are.
template <class T>
concept Plain = IsPlain<T>::value;

template <class T>
concept Container = !Plain<T> && !IsRefused<T>::value && std::ranges::sized_range<T> && requires(T c) {
  typename T::value_type;
  c.insert(c.end(), std::declval<typename T::value_type>());
};
/// One that is filled by one copy.
template <class T>
concept PlainContainer = Container<T> && std::ranges::contiguous_range<T> && Plain<typename T::value_type> &&
                         requires(T c) { c.resize(std::size_t{1}); };

/// The element of a container as a value of its own: keys of maps are const in it.
template <class T>
struct Element {
  using Type = T;
};
template <class A, class B>
struct Element<std::pair<const A, B>> {
  using Type = std::pair<A, B>;
};

template <class T>
std::size_t size_of(const T& value) {
  return Codec<T>::size(value);
}

}  // namespace detail

template <detail::Plain T>
struct Codec<T> {
  static constexpr std::size_t least_bytes = sizeof(T);
  static std::size_t size(const T& /*value*/) noexcept { return sizeof(T); }
  static void write(Writer& to, const T& value) { to.write(&value, sizeof(T)); }
  static T read(Reader& from) {
    alignas(T) std::array<std::byte, sizeof(T)> bytes;
    from.read(bytes.data(), sizeof(T));
    return std::bit_cast<T>(bytes);
  }
  static void add_type(base::detail::TypeHash& hash) {
    if constexpr (base::Described<T>) {
      hash.add(base::schema_of<T>().hash);
    } else {
      hash.add("bytes");
      hash.add(sizeof(T));
      hash.add(typeid(T).name());
    }
  }
};

template <>
struct Codec<bool> {
  static constexpr std::size_t least_bytes = 1;
  static std::size_t size(bool /*value*/) noexcept { return 1; }
  static void write(Writer& to, bool value) { to.number<std::uint8_t>(value ? 1 : 0); }
  static bool read(Reader& from) { return from.flag(); }
  static void add_type(base::detail::TypeHash& hash) { hash.add("bool"); }
};

template <detail::Container T>
struct Codec<T> {
  using Element = typename detail::Element<typename T::value_type>::Type;
  static constexpr std::size_t least_bytes = 8;
  static std::size_t size(const T& values) {
    if constexpr (detail::Plain<typename T::value_type>) {
      return 8 + std::ranges::size(values) * sizeof(typename T::value_type);
    } else {
      std::size_t sum = 8;
      for (const auto& value : values) sum += size_of(value);
      return sum;
    }
  }
  static void write(Writer& to, const T& values) {
    to.number<std::uint64_t>(std::ranges::size(values));
    if constexpr (detail::PlainContainer<T>) {
      to.write(std::ranges::data(values), std::ranges::size(values) * sizeof(typename T::value_type));
    } else {
      for (const auto& value : values) write_one(to, value);
    }
  }
  static T read(Reader& from) {
    const std::size_t count = from.count(Codec<Element>::least_bytes);
    T values;
    if constexpr (detail::PlainContainer<T>) {
      values.resize(count);
      from.read(values.data(), count * sizeof(typename T::value_type));
    } else {
      for (std::size_t i = 0; i < count; ++i) values.insert(values.end(), Codec<Element>::read(from));
    }
    return values;
  }
  static void add_type(base::detail::TypeHash& hash) {
    // A list may be taken as a vector: what travels is the same.
    hash.add("many");
    Codec<Element>::add_type(hash);
  }

 private:
  template <class Value>
  static std::size_t size_of(const Value& value) {
    if constexpr (requires { value.first; } && !std::is_same_v<Value, Element>) {
      return detail::size_of(value.first) + detail::size_of(value.second);
    } else {
      return Codec<Element>::size(value);
    }
  }
  template <class Value>
  static void write_one(Writer& to, const Value& value) {
    if constexpr (requires { value.first; } && !std::is_same_v<Value, Element>) {
      Codec<std::remove_cvref_t<decltype(value.first)>>::write(to, value.first);
      Codec<std::remove_cvref_t<decltype(value.second)>>::write(to, value.second);
    } else {
      Codec<Element>::write(to, value);
    }
  }
};

namespace detail {

/// A value that may be absent.
template <class T, class Held>
struct MaybeCodec {
  static constexpr std::size_t least_bytes = 1;
  static std::size_t size(const T& value) { return value ? 1 + Codec<Held>::size(*value) : 1; }
  static void write(Writer& to, const T& value) {
    to.number<std::uint8_t>(value ? 1 : 0);
    if (value) Codec<Held>::write(to, *value);
  }
  static void add_type(base::detail::TypeHash& hash) {
    hash.add("maybe");
    Codec<Held>::add_type(hash);
  }
};

/// Values one after the other.
template <class... T>
struct ListCodec {
  static constexpr std::size_t least_bytes = (std::size_t{0} + ... + Codec<T>::least_bytes);
  static std::size_t size(const T&... values) { return (std::size_t{0} + ... + Codec<T>::size(values)); }
  static void write(Writer& to, const T&... values) { (Codec<T>::write(to, values), ...); }
  static std::tuple<T...> read(Reader& from) { return std::tuple<T...>{Codec<T>::read(from)...}; }  // in this order
  static void add_type(base::detail::TypeHash& hash) {
    hash.add("list");
    hash.add(sizeof...(T));
    (Codec<T>::add_type(hash), ...);
  }
};

template <class T, class Members>
struct MembersCodec;
template <class T, class... Values>
struct MembersCodec<T, base::RecordMembers<base::Member<T, Values>...>> {
  static_assert(sizeof...(Values) > 0, "a struct that travels has a member");
  static constexpr std::size_t least_bytes = (std::size_t{0} + ... + Codec<Values>::least_bytes);
  static std::size_t size(const T& value) {
    return std::apply(
        [&](const auto&... member) { return (std::size_t{0} + ... + Codec<Values>::size(value.*member.where)); },
        T::record().members);
  }
  static void write(Writer& to, const T& value) {
    std::apply([&](const auto&... member) { (Codec<Values>::write(to, value.*member.where), ...); },
               T::record().members);
  }
  static T read(Reader& from) {
    T value{};
    std::apply([&](const auto&... member) { ((value.*member.where = Codec<Values>::read(from)), ...); },
               T::record().members);
    return value;
  }
  static void add_type(base::detail::TypeHash& hash) {
    hash.add(T::record().name);
    std::apply([&](const auto&... member) { ((hash.add(member.name), Codec<Values>::add_type(hash)), ...); },
               T::record().members);
  }
};

}  // namespace detail

template <class T>
struct Codec<std::optional<T>> : detail::MaybeCodec<std::optional<T>, T> {
  static std::optional<T> read(Reader& from) {
    if (!from.flag()) return std::nullopt;
    return Codec<T>::read(from);
  }
};
template <class T>
struct Codec<std::unique_ptr<T>> : detail::MaybeCodec<std::unique_ptr<T>, T> {
  static std::unique_ptr<T> read(Reader& from) {
    if (!from.flag()) return nullptr;
    return std::make_unique<T>(Codec<T>::read(from));
  }
};
template <class A, class B>
struct Codec<std::pair<A, B>> : detail::ListCodec<A, B> {
  static std::size_t size(const std::pair<A, B>& value) {
    return detail::ListCodec<A, B>::size(value.first, value.second);
  }
  static void write(Writer& to, const std::pair<A, B>& value) {
    detail::ListCodec<A, B>::write(to, value.first, value.second);
  }
  static std::pair<A, B> read(Reader& from) { return std::pair<A, B>{Codec<A>::read(from), Codec<B>::read(from)}; }
};
template <class... T>
  requires(sizeof...(T) > 0)
struct Codec<std::tuple<T...>> : detail::ListCodec<T...> {
  static std::size_t size(const std::tuple<T...>& value) {
    return std::apply([](const T&... one) { return detail::ListCodec<T...>::size(one...); }, value);
  }
  static void write(Writer& to, const std::tuple<T...>& value) {
    std::apply([&](const T&... one) { detail::ListCodec<T...>::write(to, one...); }, value);
  }
};
template <class T, std::size_t N>
  requires(!detail::Plain<T> && N > 0)
struct Codec<std::array<T, N>> {
  static constexpr std::size_t least_bytes = N * Codec<T>::least_bytes;
  static std::size_t size(const std::array<T, N>& values) {
    std::size_t sum = 0;
    for (const T& value : values) sum += Codec<T>::size(value);
    return sum;
  }
  static void write(Writer& to, const std::array<T, N>& values) {
    for (const T& value : values) Codec<T>::write(to, value);
  }
  static std::array<T, N> read(Reader& from) {
    std::array<T, N> values{};
    for (T& value : values) value = Codec<T>::read(from);
    return values;
  }
  static void add_type(base::detail::TypeHash& hash) {
    hash.add("array");
    hash.add(N);
    Codec<T>::add_type(hash);
  }
};
template <class T>
  requires(!detail::Plain<T> && base::detail::HasRecord<T>)
struct Codec<T> : detail::MembersCodec<T, decltype(T::record())> {};

}  // namespace tacit::actions

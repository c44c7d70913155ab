// What a function that is an action takes and gives, as its type says.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>

#include "tacit/actions/record.hpp"
#include "tacit/tasks/coroutine.hpp"

namespace tacit::actions {
class Context;
}

namespace tacit::actions::detail {

/// The value behind a result that may come later.
template <class R>
struct Result {
  using Value = std::decay_t<R>;
  static constexpr bool is_task = false;
};
template <class T>
struct Result<tasks::Task<T>> {
  using Value = T;
  static constexpr bool is_task = true;
};

/// @tparam A  parameters that travel
template <class C, class R, bool takes_context, class... A>
struct SignatureOf {
  using Object = C;  ///< void for free functions
  using Value = typename Result<R>::Value;
  using Arguments = std::tuple<std::decay_t<A>...>;
  using Fields = ListCodec<std::decay_t<A>...>;
  static constexpr bool is_task = Result<R>::is_task;
  static constexpr bool has_context = takes_context;
  static constexpr std::size_t count = sizeof...(A);
  static_assert((Sendable<std::decay_t<A>> && ...),
                "the parameters of an action travel: values, containers, structs with record(), no pointers or views");
  static_assert(((!std::is_lvalue_reference_v<A> || std::is_const_v<std::remove_reference_t<A>>)&&...),
                "an action cannot change its caller's arguments: take values or const references");
  static_assert(!Result<R>::is_task || !(std::is_reference_v<A> || ...),
                "a coroutine that is an action takes values: its arguments are gone when it goes on");
  static_assert(std::is_void_v<typename Result<R>::Value> || Sendable<typename Result<R>::Value>,
                "the result of an action travels: a value, a container, a struct with record(), no pointer or view");
};

template <class C, class R, class... A>
struct Split : SignatureOf<C, R, false, A...> {};
template <class C, class R, class... A>
struct Split<C, R, Context, A...> : SignatureOf<C, R, true, A...> {};

template <class F>
struct SignatureFor;
template <class R, class... A>
struct SignatureFor<R (*)(A...)> : Split<void, R, A...> {};
template <class R, class... A>
struct SignatureFor<R (*)(A...) noexcept> : Split<void, R, A...> {};
template <class R, class C, class... A>
struct SignatureFor<R (C::*)(A...)> : Split<C, R, A...> {};
template <class R, class C, class... A>
struct SignatureFor<R (C::*)(A...) noexcept> : Split<C, R, A...> {};
template <class R, class C, class... A>
struct SignatureFor<R (C::*)(A...) const> : Split<C, R, A...> {};
template <class R, class C, class... A>
struct SignatureFor<R (C::*)(A...) const noexcept> : Split<C, R, A...> {};

template <auto function>
using Signature = SignatureFor<decltype(function)>;

template <auto function>
inline constexpr bool is_member = !std::is_void_v<typename Signature<function>::Object>;

}  // namespace tacit::actions::detail

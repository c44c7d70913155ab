// Objects that can go to another rank.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

namespace tacit::actions {

/// The base of classes whose objects Actions::move takes to another rank, where they are built from what Codec writes
/// of them: their members, as record() lists them, or a specialisation of their own.
///
///     class Counter : public actions::Movable {
///      public:
///       void add(std::int64_t n) { sum_ += n; }
///       static constexpr auto record() noexcept {
///         return base::record("counter", base::member("sum", &Counter::sum_));
///       }
///      private:
///       std::int64_t sum_ = 0;
///     };
///     table.add_object<Counter>("counter");
///
/// Calls of its objects cost some 50 ns and 24 B more than those of others: they are numbered, as they may come by
/// several ways.
class Movable {
 protected:
  Movable() = default;
  Movable(const Movable&) = default;
  Movable(Movable&&) = default;
  Movable& operator=(const Movable&) = default;
  Movable& operator=(Movable&&) = default;
  ~Movable() = default;
};

/// A class whose objects can move, if they travel: that is known only behind its record().
template <class T>
concept CanMove = std::derived_from<T, Movable>;

}  // namespace tacit::actions

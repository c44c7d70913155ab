// The actions of a program by name: which functions other ranks may call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/actions/detail/signature.hpp"
#include "tacit/actions/movable.hpp"
#include "tacit/comm/rank.hpp"

namespace tacit::actions {

class Actions;
class Table;

namespace detail {

class Core;
struct MovableObject;

/// A call that has come, before its arguments are read.
struct Incoming {
  Core* core = nullptr;
  comm::RankId from{};
  std::uint64_t call = 0;  ///< of the caller; 0: it wants no answer
  std::uint16_t action = 0;
  MovableObject* pinned = nullptr;  ///< the object that it runs on, if that can move: it stays meanwhile
};

/// Reads the arguments of a call and runs it. @throws what the action or its reading throws, if nothing has been
/// answered
using Run = void (*)(const Incoming& call, Reader& arguments);

struct Entry {
  std::string name;
  std::uint32_t function = 0;  ///< see function_id
  std::uint64_t types = 0;     ///< hash of arguments and result
  Run run = nullptr;
  bool is_of_movable = false;  ///< an ObjectHead comes before the arguments
};

[[nodiscard]] std::uint32_t next_function_id() noexcept;
/// A number of the function in this process.
template <auto function>
inline const std::uint32_t function_id = next_function_id();

template <auto function>
void run(const Incoming& call, Reader& arguments);

/// Builds an object that comes from another rank.
template <class T>
void arrive(const Incoming& call, Reader& object);

template <class T>
class ChannelState;

template <auto function>
[[nodiscard]] std::uint64_t hash_of_types() {
  using Of = Signature<function>;
  base::detail::TypeHash hash;
  if constexpr (CanMove<typename Of::Object>) {
    hash.add("movable");
  } else {
    hash.add(is_member<function> ? "member" : "free");
  }
  Of::Fields::add_type(hash);
  if constexpr (std::is_void_v<typename Of::Value>) {
    hash.add("void");
  } else {
    Codec<typename Of::Value>::add_type(hash);
  }
  return hash.value();
}

}  // namespace detail

/// What an action knows of its call, if its first parameter is a Context.
class Context {
 public:
  Context(Actions& actions, comm::RankId caller) noexcept : actions_(&actions), caller_(caller) {}
  /// Of the rank where the action runs.
  [[nodiscard]] Actions& actions() const noexcept { return *actions_; }
  [[nodiscard]] comm::RankId caller() const noexcept { return caller_; }

 private:
  Actions* actions_;
  comm::RankId caller_;
};

/// The functions that other ranks may call, by name. All ranks make the same; the order does not matter.
///
///     double density(std::uint32_t cell);
///     tasks::Task<double> mass_below(Context context, std::uint32_t node);      // may await calls of its own
///
///     actions::Table table;
///     table.add<&density>("density");
///     table.add<&mass_below>("mass below");
///     table.add<&Histogram::insert>("histogram insert");
class Table {
 public:
  /// @tparam function  a free or a member function, plain or a coroutine (tasks::Task). Its parameters are values or
  ///                   const references of what Codec describes, the first may be a Context
  /// @throws base::PreconditionError if the name or the function is there already
  template <auto function>
  void add(std::string_view name) {
    add({.name = std::string(name),
         .function = detail::function_id<function>,
         .types = detail::hash_of_types<function>(),
         .run = &detail::run<function>,
         .is_of_movable = CanMove<typename detail::Signature<function>::Object>});
  }
  /// Objects of a class that Actions::move takes to other ranks. Throws likewise.
  template <CanMove T>
  void add_object(std::string_view name) {
    static_assert(Sendable<T>, "an object that moves travels: it needs record(), or a specialisation of Codec");
    base::detail::TypeHash hash;
    hash.add("object");
    Codec<T>::add_type(hash);
    add({.name = std::string(name),
         .function = detail::function_id<&detail::arrive<T>>,
         .types = hash.value(),
         .run = &detail::arrive<T>});
  }

  /// Channels whose values are T (channel.hpp). Throws likewise.
  template <class T>
  void add_channel(std::string_view name) {
    add<&detail::ChannelState<T>::put>(name);
  }

  /// By name.
  [[nodiscard]] const std::vector<detail::Entry>& entries() const noexcept { return entries_; }

 private:
  friend class detail::Core;
  void add(detail::Entry entry);
  std::vector<detail::Entry> entries_;
};

}  // namespace tacit::actions

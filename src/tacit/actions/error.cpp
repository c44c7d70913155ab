// The texts of errors, and the names of their classes.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/actions/error.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <typeinfo>

namespace tacit::actions {

RemoteError::RemoteError(const comm::RankInfo& where, std::string_view action, std::string_view type,
                         std::string_view text)
    : base::Error(fmt::format("{}: action '{}': {}: {}", comm::describe(where), action, type, text)),
      rank_(where.rank),
      type_(type),
      text_(text) {}

namespace detail {
namespace {

std::string name_of(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(abi::__cxa_demangle(type.name(), nullptr, nullptr, &status),
                                                         &std::free);
  return name != nullptr ? name.get() : type.name();
}

}  // namespace

Thrown thrown_by(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& thrown) {
    return {name_of(typeid(thrown)), thrown.what()};
  } catch (...) {
    const std::type_info* const type = abi::__cxa_current_exception_type();
    return {type != nullptr ? name_of(*type) : "unknown", "an exception that is no std::exception"};
  }
}

}  // namespace detail
}  // namespace tacit::actions

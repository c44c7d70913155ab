// Objects of this rank by number.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tacit/actions/detail/core.hpp"

namespace tacit::actions::detail {

std::uint64_t Core::keep(std::shared_ptr<void> object, std::type_index type) {
  const std::lock_guard guard(objects_mutex_);
  objects_.emplace(next_object_, std::pair{std::move(object), type});
  return next_object_++;
}

std::shared_ptr<void> Core::drop(std::uint64_t id) {
  const std::lock_guard guard(objects_mutex_);
  const auto found = objects_.find(id);
  if (found == objects_.end()) return nullptr;
  std::shared_ptr<void> object = std::move(found->second.first);
  objects_.erase(found);
  return object;
}

std::shared_ptr<void> Core::find(std::uint64_t id, std::type_index type) const {
  const std::lock_guard guard(objects_mutex_);
  const auto found = objects_.find(id);
  if (found == objects_.end()) {
    throw ObjectError(fmt::format("{}: object {} is gone, or was never there", comm::describe(world_.own()), id));
  }
  if (found->second.second != type) {
    throw ObjectError(fmt::format("{}: object {} is of another class", comm::describe(world_.own()), id));
  }
  return found->second.first;
}

}  // namespace tacit::actions::detail

// An arena for the callables of a graph, so that adding a task allocates nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace tacit::tasks::detail {

/// Objects of any type, one after the other in large blocks; they live as long as the store and never move.
class ObjectStore {
 public:
  ObjectStore() = default;
  ObjectStore(ObjectStore&& other) noexcept
      : blocks_(std::move(other.blocks_)),
        destructors_(std::move(other.destructors_)),
        next_(std::exchange(other.next_, nullptr)),
        left_(std::exchange(other.left_, 0)) {}
  ObjectStore& operator=(ObjectStore&& other) noexcept {
    std::swap(blocks_, other.blocks_);
    std::swap(destructors_, other.destructors_);
    std::swap(next_, other.next_);
    std::swap(left_, other.left_);
    return *this;
  }
  ~ObjectStore() {
    for (auto last = destructors_.rbegin(); last != destructors_.rend(); ++last) last->destroy(last->object);
  }

  template <class T, class... Arguments>
  T* emplace(Arguments&&... arguments) {
    static_assert(alignof(T) <= alignof(std::max_align_t), "callables of tasks need no more than common alignment");
    if constexpr (!std::is_trivially_destructible_v<T>) destructors_.reserve(grown(destructors_));
    T* const object = ::new (allocate(sizeof(T))) T(std::forward<Arguments>(arguments)...);
    if constexpr (!std::is_trivially_destructible_v<T>) {
      destructors_.push_back({[](void* at) { static_cast<T*>(at)->~T(); }, object});
    }
    return object;
  }
  /// Takes over all objects of another store.
  void append(ObjectStore&& other) {
    destructors_.insert(destructors_.end(), other.destructors_.begin(), other.destructors_.end());
    other.destructors_.clear();
    // New objects go on filling the last block; what is left of the other's is given up.
    blocks_.insert(blocks_.end(), std::make_move_iterator(other.blocks_.begin()),
                   std::make_move_iterator(other.blocks_.end()));
    other.blocks_.clear();
    other.next_ = nullptr;
    other.left_ = 0;
  }

 private:
  struct Destructor {
    void (*destroy)(void* object);
    void* object;
  };
  static constexpr std::size_t block_bytes = 1U << 16U;

  /// Room for one more without asking for a new block each time.
  static std::size_t grown(const std::vector<Destructor>& list) {
    return list.size() < list.capacity() ? list.capacity() : std::max<std::size_t>(16, 2 * list.size());
  }

  void* allocate(std::size_t bytes) {
    constexpr std::size_t alignment = alignof(std::max_align_t);
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    if (rounded > left_) {
      const std::size_t size = std::max(block_bytes, rounded);
      blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
      next_ = blocks_.back().get();
      left_ = size;
    }
    left_ -= rounded;
    return std::exchange(next_, next_ + rounded);
  }

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::vector<Destructor> destructors_;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace tacit::tasks::detail

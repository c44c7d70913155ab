// What a launch does on its device, as it is written down.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/gpu/device.hpp"

namespace tacit::gpu {

/// Everything in memory of a launch begins at a multiple of this [byte].
inline constexpr std::size_t memory_alignment = 256;
/// What so many bytes take of it.
[[nodiscard]] constexpr std::size_t aligned_bytes(std::size_t bytes) noexcept {
  return (bytes + memory_alignment - 1) / memory_alignment * memory_alignment;
}

/// Operations of one launch, in their order, and its memory. It belongs to a slot, which uses it again: after some
/// launches nothing is allocated.
///
///     launch.post(step.await(slots), [=](gpu::Program& on) {
///       double* const x = on.copy_in(std::span<const double>(host));
///       on.run(Scale{2.0, x, x, n}, (n + 255) / 256);
///       on.copy_out(x, host);
///     });
class Program {
 public:
  Program() { operations_.reserve(16); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Memory of the device for `count` numbers, which has no defined content.
  /// @throws base::PreconditionError if the launch has said that it needs less
  template <class T>
  [[nodiscard]] T* memory(std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= memory_alignment);
    return reinterpret_cast<T*>(take(device_, used_of_device_, count * sizeof(T)));
  }
  /// The same of the host, which copies are fastest from and to.
  template <class T>
  [[nodiscard]] T* pinned(std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= memory_alignment);
    return reinterpret_cast<T*>(take(pinned_, used_of_pinned_, count * sizeof(T)));
  }
  /// Copies to new memory of the device. @param host  stays as it is until the launch has completed
  template <class T>
  [[nodiscard]] T* copy_in(std::span<const T> host) {
    T* const device = memory<T>(host.size());
    copy_in({.from = as_bytes(host.data()), .to = as_bytes(device), .row_bytes = host.size_bytes()});
    return device;
  }
  void copy_in(const Copy& copy) { operations_.push_back({.what = Operation::What::copy_in, .copy = copy}); }
  /// Copies results, behind all kernels: devices of CUDA take nothing behind such a copy. Nothing that a launch reads
  /// may be overwritten by them before it all has been read.
  template <class T>
  void copy_out(const T* device, std::span<T> host) {
    copy_out({.from = as_bytes(device), .to = as_bytes(host.data()), .row_bytes = host.size_bytes()});
  }
  void copy_out(const Copy& copy) { operations_.push_back({.what = Operation::What::copy_out, .copy = copy}); }
  /// Sets each byte. @param device  shape (count)
  template <class T>
  void fill(T* device, std::size_t count, std::uint8_t value) {
    operations_.push_back({.what = Operation::What::fill,
                           .copy = {.to = as_bytes(device), .row_bytes = count * sizeof(T)},
                           .value = value});
  }
  /// Runs a kernel; its arguments are copied. @throws base::PreconditionError if there are too many kernels
  template <Kernel K>
  void run(const K& kernel, std::size_t blocks) {
    void* const place = take_arguments(sizeof(K));
    operations_.push_back({.what = Operation::What::kernel, .kernel = call_of(*::new (place) K(kernel), blocks)});
  }

  template <class T>
  [[nodiscard]] static const std::byte* as_bytes(const T* numbers) noexcept {
    return reinterpret_cast<const std::byte*>(numbers);
  }
  template <class T>
  [[nodiscard]] static std::byte* as_bytes(T* numbers) noexcept {
    return reinterpret_cast<std::byte*>(numbers);
  }

  // For those who own it.
  void give_memory(std::span<std::byte> device, std::span<std::byte> pinned) noexcept {
    device_ = device;
    pinned_ = pinned;
  }
  /// Fills the memory that follows with NaNs. @pre nothing has been taken
  void poison(std::size_t bytes) { fill(device_.data(), std::min(bytes, device_.size()), 0xff); }
  void clear() noexcept {
    operations_.clear();
    used_of_device_ = used_of_pinned_ = used_of_arguments_ = 0;
  }
  [[nodiscard]] std::span<const Operation> operations() const noexcept { return operations_; }

 private:
  [[nodiscard]] static std::byte* take(std::span<std::byte> memory, std::size_t& used, std::size_t bytes) {
    const std::size_t begin = used;
    if (bytes > memory.size() || begin > memory.size() - bytes) {
      throw base::PreconditionError("a launch takes more memory than it has asked for");
    }
    used += aligned_bytes(bytes);
    return memory.data() + begin;
  }
  [[nodiscard]] void* take_arguments(std::size_t bytes) {
    constexpr std::size_t alignment = alignof(std::max_align_t);
    const std::size_t begin = used_of_arguments_;
    if (begin + bytes > arguments_.size()) {
      throw base::PreconditionError("the kernels of one launch have too many arguments");
    }
    used_of_arguments_ += (bytes + alignment - 1) / alignment * alignment;
    return arguments_.data() + begin;
  }

  std::vector<Operation> operations_;
  std::span<std::byte> device_;
  std::span<std::byte> pinned_;
  std::size_t used_of_device_ = 0;
  std::size_t used_of_pinned_ = 0;
  std::size_t used_of_arguments_ = 0;
  alignas(std::max_align_t) std::array<std::byte, 4 * most_arguments> arguments_;
};

}  // namespace tacit::gpu

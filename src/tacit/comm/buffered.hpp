// Windows with a buffer between the message and the data: values are inserted and extracted piece by piece.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tacit/comm/window.hpp"

namespace tacit::comm {

namespace detail {
[[noreturn]] void throw_full(std::size_t filled, std::size_t more, std::size_t capacity);
[[noreturn]] void throw_exhausted(std::size_t extracted, std::size_t more, std::size_t size);

/// Calls `function` with the begin of each block, and how many elements there are before it.
template <class T, class Function>
void for_blocks(const Strided<T>& memory, Function&& function) {
  for (std::size_t i = 0; i < memory.blocks; ++i) function(memory.data + i * memory.stride, i * memory.block);
}
}  // namespace detail

/// Sends what was inserted: no memory of the caller is ever on loan. One thread at a time uses it.
///
///     comm::BufferedSendWindow<double> faces(connection, 1000);
///     for (const Block& block : blocks) faces.insert(block.face());
///     faces.post();                                                  // the blocks may change at once
template <Element T>
class BufferedSendWindow {
 public:
  /// @param count  elements of the longest message
  BufferedSendWindow(Connection& connection, std::size_t count, const WindowOptions& options = {})
      : window_(connection, count, options) {}

  [[nodiscard]] std::size_t capacity() const noexcept { return window_.capacity(); }
  /// Elements that were inserted since the last `post`.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Appends values to the next message. Waits first while the message before is still in the buffer.
  /// @throws base::Error if they do not fit; what `wait` throws
  void insert(std::span<const T> values) { std::ranges::copy(values, extend(values.size()).begin()); }
  void insert(const T& value) { insert(std::span(&value, 1)); }
  void insert(const Strided<const T>& values) {
    const std::span<T> to = extend(values.count());
    detail::for_blocks(values,
                       [&](const T* block, std::size_t at) { std::copy_n(block, values.block, to.data() + at); });
  }
  /// Appends values[which[0]], values[which[1]] and so on. @pre all of them exist
  void insert(std::span<const T> values, std::span<const std::uint32_t> which) {
    const std::span<T> to = extend(which.size());
    for (std::size_t i = 0; i < which.size(); ++i) {
      TACIT_EXPECT(which[i] < values.size());
      to[i] = values[which[i]];
    }
  }

  /// Sends what was inserted, maybe nothing, as soon as the receiver grants it; does not block but for a message
  /// before.
  /// @throws as `SendWindow::post`
  void post() {
    wait_for_buffer();
    window_.post(size_);
    is_under_way_ = true;
    size_ = 0;
  }
  /// Whether the buffer is free again. True means waited for.
  [[nodiscard]] bool test() {
    if (is_under_way_ && window_.test()) is_under_way_ = false;
    return !is_under_way_;
  }
  /// Waits until the buffer is free again; `insert` and `post` do it, too. @throws as `SendWindow::wait`
  void wait(double deadline_s = 0.0) {
    if (is_under_way_) window_.wait(deadline_s);
    is_under_way_ = false;
  }

 private:
  void wait_for_buffer() {
    if (is_under_way_) wait();
  }
  /// Room for `more` elements behind those that are there.
  [[nodiscard]] std::span<T> extend(std::size_t more) {
    wait_for_buffer();
    if (more > capacity() - size_) detail::throw_full(size_, more, capacity());
    const std::span<T> room = window_.data().subspan(size_, more);
    size_ += more;
    return room;
  }

  SendWindow<T> window_;
  std::size_t size_ = 0;
  bool is_under_way_ = false;
};

/// Receives messages and hands them out piece by piece, in the order in which they were inserted. One thread at a time
/// uses it.
///
///     faces.init();
///     faces.wait();
///     for (Block& block : blocks) faces.extract(block.ghosts());
template <Element T>
class BufferedRecvWindow {
 public:
  /// @param count  elements of the longest message
  BufferedRecvWindow(Connection& connection, std::size_t count, const WindowOptions& options = {})
      : window_(connection, count, options) {}

  [[nodiscard]] std::size_t capacity() const noexcept { return window_.capacity(); }
  /// Elements of the message that were not extracted yet.
  [[nodiscard]] std::size_t remaining() const noexcept { return left_.size(); }

  /// Grants one message more; what was not extracted of the last is gone. @throws as `RecvWindow::init`
  void init() {
    left_ = {};
    window_.init();
  }
  /// Takes the next message if it has come. @pre one is granted
  [[nodiscard]] bool test() {
    if (!window_.test()) return false;
    begin(window_.message());
    return true;
  }
  /// Waits for the next message and takes it. @pre one is granted
  /// @return  its elements  @throws as `RecvWindow::wait`
  std::size_t wait(double deadline_s = 0.0) {
    begin(window_.wait(deadline_s));
    return remaining();
  }

  /// Copies the next elements out of the message.
  /// @throws base::Error if it has not as many
  void extract(std::span<T> values) { std::ranges::copy(take(values.size()), values.begin()); }
  [[nodiscard]] T extract() { return take(1).front(); }
  void extract(const Strided<T>& values) {
    const std::span<const T> from = take(values.count());
    detail::for_blocks(values, [&](T* block, std::size_t at) { std::copy_n(from.data() + at, values.block, block); });
  }
  /// To values[which[0]], values[which[1]] and so on. @pre all of them exist
  void extract(std::span<T> values, std::span<const std::uint32_t> which) {
    const std::span<const T> from = take(which.size());
    for (std::size_t i = 0; i < which.size(); ++i) {
      TACIT_EXPECT(which[i] < values.size());
      values[which[i]] = from[i];
    }
  }

 private:
  void begin(std::span<const T> message) noexcept {
    left_ = message;
    size_ = message.size();
  }
  [[nodiscard]] std::span<const T> take(std::size_t more) {
    if (more > left_.size()) detail::throw_exhausted(size_ - left_.size(), more, size_);
    const std::span<const T> taken = left_.first(more);
    left_ = left_.subspan(more);
    return taken;
  }

  RecvWindow<T> window_;
  std::span<const T> left_ = {};
  std::size_t size_ = 0;
};

}  // namespace tacit::comm

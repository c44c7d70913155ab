// Persistent one-sided messages: windows that are set up once and then used again and again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>

#include "tacit/base/completion.hpp"
#include "tacit/comm/connection.hpp"
#include "tacit/comm/connections/ends.hpp"
#include "tacit/comm/layout.hpp"

namespace tacit::comm {

/// What travels: its bytes mean the same on every rank.
template <class T>
concept Element = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && alignof(T) <= alignof(std::max_align_t);

struct WindowOptions {
  std::uint32_t depth = 1;  ///< messages that may be granted and not taken yet
};

namespace detail {

template <class T>
[[nodiscard]] constexpr std::string_view kind_of() noexcept {
  if constexpr (std::is_same_v<T, std::byte>) return "byte";
  if constexpr (std::is_floating_point_v<T>) return "float";
  if constexpr (std::is_integral_v<T>) return std::is_signed_v<T> ? "int" : "uint";
  return {};
}

/// "float64", or the compiler's name of a class.
template <class T>
[[nodiscard]] Elements elements_of(std::size_t count) {
  std::string name(kind_of<T>());
  if (name.empty()) {
    name = typeid(T).name();
  } else if (name != "byte") {
    name += std::to_string(8 * sizeof(T));
  }
  Elements elements{.count = count, .bytes = sizeof(T)};
  name.resize(std::min(name.size(), elements.type.size() - 1));
  std::ranges::copy(name, elements.type.begin());
  return elements;
}

template <class T>
[[nodiscard]] WindowSpec spec_of(const Strided<T>& memory, const WindowOptions& options) {
  const Layout layout = layout_of(memory);
  return {.depth = options.depth, .bytes = layout.bytes(), .owner = Owner::user, .memory = layout};
}

template <class T>
[[nodiscard]] WindowSpec spec_of(std::size_t count, const WindowOptions& options) {
  return {.depth = options.depth, .bytes = length_of(count, sizeof(T))};
}

}  // namespace detail

/// The end that sends. One thread at a time uses it.
///
///     comm::SendWindow<double> faces(connection, 1024);    // memory of the library
///     fill(faces.data());
///     faces.post();                                        // now the memory is on loan
///     ...                                                  // compute
///     faces.wait();                                        // now it is ours again
template <Element T>
class SendWindow {
 public:
  /// Memory of the library. @param count  elements of the longest message
  SendWindow(Connection& connection, std::size_t count, const WindowOptions& options = {})
      : end_(make(connection, detail::spec_of<T>(count, options), count)) {}
  /// Memory of the user, on loan from `post` to the end of `wait`; it must outlive the window.
  SendWindow(Connection& connection, std::span<const T> memory, const WindowOptions& options = {})
      : SendWindow(connection, Strided<const T>{memory.data(), 1, memory.size(), memory.size()}, options) {}
  SendWindow(Connection& connection, const Strided<const T>& memory, const WindowOptions& options = {})
      : end_(make(connection, detail::spec_of(memory, options), memory.count())) {}

  /// Elements of the longest message.
  [[nodiscard]] std::size_t capacity() const noexcept { return end_->spec().bytes / sizeof(T); }
  /// The memory to fill. @pre the library's
  [[nodiscard]] std::span<T> data() {
    TACIT_EXPECT(end_->spec().owner == Owner::library);
    return {reinterpret_cast<T*>(end_->memory().data), capacity()};
  }

  /// Memory to fill in place of data(), for the next `post` alone: where the ranks share memory and the receiver has
  /// granted the message already, it is that from which the receiver reads, and `post` copies nothing, unless the
  /// message is so long that a copy past the caches is faster. Write it rather than read it: reading memory of
  /// another rank is slow. The whole message goes there: what was written to data(), or to what an earlier call
  /// returned, is not sent by that `post`.
  /// @param count  elements of that message at most; also the length of what is returned
  /// @pre the memory is the library's, and what was posted before has been waited for; count <= capacity()
  /// @throws as `post`
  [[nodiscard]] std::span<T> prepare(std::size_t count) {
    TACIT_EXPECT(end_->spec().owner == Owner::library && count <= capacity());
    return {reinterpret_cast<T*>(end_->prepare(count * sizeof(T))), count};
  }
  [[nodiscard]] std::span<T> prepare() { return prepare(capacity()); }

  /// Sends the first `count` elements as soon as the receiver grants it; does not block.
  /// @pre what was posted before has been waited for
  /// @throws ArgumentError if `count` exceeds the capacity; ProviderError; at the first use of the connection
  ///         MismatchError, DeadlineError
  void post(std::size_t count) { end_->post(detail::length_of(count, sizeof(T))); }
  void post() { end_->post(end_->spec().bytes); }
  /// Whether the memory may be used again. True means waited for.
  [[nodiscard]] bool test() { return end_->test(); }
  /// Waits until the memory may be used again: the message is on its way, not necessarily received.
  /// @param deadline_s  0: that of the communicator
  /// @throws DeadlineError that names the receiver; ProviderError
  void wait(double deadline_s = 0.0) { end_->wait(deadline_s); }
  /// Instead of waiting: Communicator::completions() reports the token when the memory may be used again.
  ///
  ///     window.post();
  ///     window.await(step.await(world.completions()));     // in a task
  void await(base::Token token) { end_->await(token); }

 private:
  static std::unique_ptr<detail::SendEnd> make(Connection& connection, const WindowSpec& spec, std::size_t count) {
    return std::make_unique<detail::SendEnd>(connection.core(), spec, detail::elements_of<T>(count));
  }
  std::unique_ptr<detail::SendEnd> end_;
};

/// The end that receives. One thread at a time uses it.
///
///     comm::RecvWindow<double> faces(connection, 1024);
///     faces.init();                                        // grants one message
///     ...                                                  // compute
///     use(faces.wait());                                   // valid until the next init
template <Element T>
class RecvWindow {
 public:
  /// Memory of the library: where a transport can, messages are never copied on this side.
  RecvWindow(Connection& connection, std::size_t count, const WindowOptions& options = {})
      : end_(make(connection, detail::spec_of<T>(count, options), count)) {}
  /// Memory of the user, which holds the message that was taken last; on loan from `init` to the end of `wait`; it must
  /// outlive the window.
  RecvWindow(Connection& connection, std::span<T> memory, const WindowOptions& options = {})
      : RecvWindow(connection, Strided<T>{memory.data(), 1, memory.size(), memory.size()}, options) {}
  RecvWindow(Connection& connection, const Strided<T>& memory, const WindowOptions& options = {})
      : end_(make(connection, detail::spec_of(memory, options), memory.count())) {}

  [[nodiscard]] std::size_t capacity() const noexcept { return end_->spec().bytes / sizeof(T); }

  /// Grants one message more; does not block.
  /// @pre fewer than `depth` messages are granted and not taken
  /// @throws MismatchError, DeadlineError at the first use of the connection
  void init() { end_->init(); }
  /// Takes the next message if it has come. @pre one is granted
  [[nodiscard]] bool test() { return end_->test(); }
  /// Waits for the next message and takes it. @pre one is granted
  /// @param deadline_s  0: that of the communicator
  /// @return  the message, valid until the next `init`; empty where the user's memory is strided, see size()
  /// @throws DeadlineError that names the sender; ProviderError
  std::span<T> wait(double deadline_s = 0.0) {
    end_->wait(deadline_s);
    return message();
  }
  /// Instead of waiting: Communicator::completions() reports the token when the next message has been taken.
  /// @pre one is granted; no other is awaited so
  void await(base::Token token) { end_->await(token); }

  /// Elements of the message that was taken last.
  [[nodiscard]] std::size_t size() noexcept { return end_->bytes() / sizeof(T); }
  /// The message that was taken last; empty where the user's memory is strided.
  [[nodiscard]] std::span<T> message() noexcept {
    const WindowSpec& spec = end_->spec();
    if (spec.owner == Owner::library) return {reinterpret_cast<T*>(end_->data()), size()};
    if (!spec.memory.is_contiguous()) return {};
    return {reinterpret_cast<T*>(spec.memory.data), size()};
  }

 private:
  static std::unique_ptr<detail::ReceiveEnd> make(Connection& connection, const WindowSpec& spec, std::size_t count) {
    return std::make_unique<detail::ReceiveEnd>(connection.core(), spec, detail::elements_of<T>(count));
  }
  std::unique_ptr<detail::ReceiveEnd> end_;
};

}  // namespace tacit::comm

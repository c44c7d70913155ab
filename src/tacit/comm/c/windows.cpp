// The C interface: windows.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/c/handles.hpp"
#include "tacit/comm/layout.hpp"

namespace tacit::comm::c {
namespace {

/// Memory of the caller, or of the library where `memory` is NULL.
WindowSpec spec_of(const Type& type, std::size_t count, const void* memory, std::uint32_t depth) {
  WindowSpec spec{.depth = depth, .bytes = detail::length_of(count, type.bytes)};
  if (memory == nullptr) return spec;
  spec.owner = Owner::user;
  // Only a receiving window writes there, and its maker has given it as not const.
  spec.memory = Layout::contiguous(static_cast<std::byte*>(const_cast<void*>(memory)), spec.bytes);
  return spec;
}

WindowSpec spec_of(const Type& type, const tacit_strided& memory, std::uint32_t depth) {
  const std::size_t count = detail::length_of(memory.blocks, memory.block);
  require(memory.data != nullptr || count == 0, "strided memory is the caller's, but it is NULL");
  require(memory.blocks <= 1 || memory.stride >= memory.block, "blocks overlap: the stride is shorter than a block");
  if (memory.blocks <= 1 || memory.stride == memory.block) return spec_of(type, count, memory.data, depth);
  const std::size_t stride = detail::length_of(memory.stride, type.bytes);
  static_cast<void>(detail::length_of(memory.blocks, stride));
  return {.depth = depth,
          .bytes = detail::length_of(count, type.bytes),
          .owner = Owner::user,
          .memory = {static_cast<std::byte*>(memory.data), memory.blocks, memory.block * type.bytes, stride}};
}

/// Makes either kind of window.
template <class Window>
std::unique_ptr<Window> window_of(tacit_connection* connection, const WindowSpec& spec, const Type& type) {
  require(spec.depth > 0, "a window needs a depth of at least 1");
  using End = decltype(Window::end);
  auto made = std::unique_ptr<Window>(
      new Window{.connection = connection,
                 .end = End(connection->connection.core(), spec, elements_of(type, spec.bytes / type.bytes)),
                 .element_bytes = type.bytes});
  ++connection->windows;
  return made;
}

template <class Window>
tacit_status create(tacit_connection* connection, tacit_type type, std::size_t count, const void* memory,
                    std::uint32_t depth, Window** window) {
  return make(window, [&] {
    require(connection != nullptr, "there is no connection: NULL");
    const Type& of = type_of(type);
    return window_of<Window>(connection, spec_of(of, count, memory, depth), of);
  });
}

template <class Window>
tacit_status create(tacit_connection* connection, tacit_type type, const tacit_strided* memory, std::uint32_t depth,
                    Window** window) {
  return make(window, [&] {
    require(connection != nullptr && memory != nullptr, "there is no connection or no memory: NULL");
    const Type& of = type_of(type);
    return window_of<Window>(connection, spec_of(of, *memory, depth), of);
  });
}

template <class Window>
tacit_status free_window(Window** window) {
  return guarded([&] {
    if (window == nullptr || *window == nullptr) return;
    --(*window)->connection->windows;
    delete std::exchange(*window, nullptr);
  });
}

/// Whether the end of what was posted has come; then the window is free for the next.
bool end_if(tacit_send_window& window, bool is_over) {
  if (is_over) window.is_under_way = false;
  return is_over;
}

}  // namespace
}  // namespace tacit::comm::c

namespace c = tacit::comm::c;

tacit_status tacit_send_window_create(tacit_connection* connection, tacit_type type, size_t count, const void* memory,
                                      uint32_t depth, tacit_send_window** window) {
  return c::create(connection, type, count, memory, depth, window);
}
tacit_status tacit_send_window_create_strided(tacit_connection* connection, tacit_type type,
                                              const tacit_strided* memory, uint32_t depth, tacit_send_window** window) {
  return c::create(connection, type, memory, depth, window);
}
tacit_status tacit_send_window_free(tacit_send_window** window) { return c::free_window(window); }

void* tacit_send_data(tacit_send_window* window) {
  if (window->end.spec().owner == tacit::comm::Owner::user) return nullptr;
  return window->end.memory().data;
}
size_t tacit_send_capacity(const tacit_send_window* window) { return window->end.spec().bytes / window->element_bytes; }

tacit_status tacit_send_post(tacit_send_window* window) {
  if (window == nullptr) return tacit_send_post_part(window, 0);
  return tacit_send_post_part(window, tacit_send_capacity(window));
}

tacit_status tacit_send_post_part(tacit_send_window* window, size_t count) {
  return c::guarded([&] {
    c::require(window != nullptr, "there is no window: NULL");
    c::require(!window->is_under_way, "the message before this one has not been waited for");
    window->end.post(tacit::comm::detail::length_of(count, window->element_bytes));
    window->is_under_way = true;
  });
}

tacit_status tacit_send_test(tacit_send_window* window) {
  return c::guarded([&]() -> bool {
    c::require(window != nullptr, "there is no window: NULL");
    return c::end_if(*window, window->end.test());
  });
}

tacit_status tacit_send_wait(tacit_send_window* window) {
  return c::guarded([&] {
    c::require(window != nullptr, "there is no window: NULL");
    window->end.wait(0.0);
    window->is_under_way = false;
  });
}

tacit_status tacit_recv_window_create(tacit_connection* connection, tacit_type type, size_t count, void* memory,
                                      uint32_t depth, tacit_recv_window** window) {
  return c::create(connection, type, count, memory, depth, window);
}
tacit_status tacit_recv_window_create_strided(tacit_connection* connection, tacit_type type,
                                              const tacit_strided* memory, uint32_t depth, tacit_recv_window** window) {
  return c::create(connection, type, memory, depth, window);
}
tacit_status tacit_recv_window_free(tacit_recv_window** window) { return c::free_window(window); }
size_t tacit_recv_capacity(const tacit_recv_window* window) { return window->end.spec().bytes / window->element_bytes; }

tacit_status tacit_recv_init(tacit_recv_window* window) {
  return c::guarded([&] {
    c::require(window != nullptr, "there is no window: NULL");
    c::require(window->granted < window->end.spec().depth, "as many messages are granted as the window is deep");
    window->end.init();
    ++window->granted;
  });
}

tacit_status tacit_recv_test(tacit_recv_window* window) {
  return c::guarded([&]() -> bool {
    c::require(window != nullptr, "there is no window: NULL");
    c::require(window->granted > 0, "no message is granted: tacit_recv_init comes first");
    if (!window->end.test()) return false;
    --window->granted;
    return true;
  });
}

tacit_status tacit_recv_wait(tacit_recv_window* window) {
  return c::guarded([&] {
    c::require(window != nullptr, "there is no window: NULL");
    c::require(window->granted > 0, "no message is granted: tacit_recv_init comes first");
    window->end.wait(0.0);
    --window->granted;
  });
}

const void* tacit_recv_message(tacit_recv_window* window) {
  const tacit::comm::WindowSpec& spec = window->end.spec();
  if (spec.owner == tacit::comm::Owner::library) return window->end.data();
  return spec.memory.is_contiguous() ? spec.memory.data : nullptr;
}
size_t tacit_recv_count(tacit_recv_window* window) { return window->end.bytes() / window->element_bytes; }

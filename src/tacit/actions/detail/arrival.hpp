// Builds an object that comes from another rank.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "tacit/actions/actions.hpp"

namespace tacit::actions::detail {

template <class T>
[[nodiscard]] Transport transport_of(std::uint16_t arrive) noexcept {
  return {.arrive = arrive,
          .size = [](const void* object) { return Codec<T>::size(*static_cast<const T*>(object)); },
          .write = [](Writer& to, const void* object) { Codec<T>::write(to, *static_cast<const T*>(object)); }};
}

template <class T>
void arrive(const Incoming& call, Reader& reader) {
  const Arrival arrival = Codec<Arrival>::read(reader);
  auto object = std::make_shared<T>(Codec<T>::read(reader));
  reader.end();
  call.core->arrive(arrival, std::move(object), typeid(T), transport_of<T>(call.action));
  call.core->answer(call);
}

}  // namespace tacit::actions::detail

// The halo of fields on a block grid as messages of an exchange.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tacit/base/record.hpp"
#include "tacit/exchange/messages.hpp"
#include "tacit/mesh/block_grid.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::mesh {

/// What the tasks of a halo touch, per neighbour and in the order of the neighbours. See Tiles for a way to get it.
struct HaloAccesses {
  std::vector<tasks::Accesses> pack;    ///< reads of the points that are sent
  std::vector<tasks::Accesses> unpack;  ///< writes of the ghost points
};

/// Whom with, and how much.
struct HaloMessages {
  std::span<const Neighbour> neighbours;  ///< as BlockGrid::neighbours gives them
  std::size_t elements_per_point = 1;     ///< of a message
  /// Messages have the keys first_key to first_key + directions - 1: another one for each halo of a phase.
  std::uint32_t first_key = 0;
};

/// Adds a send to, and a receive from, each neighbour, with functions of the caller: half of a spinor, another sign at
/// a boundary, less precision.
///
/// @param pack    (StepContext&, const Neighbour& to, std::span<T>): fills all of the message, elements_per_point for
///                each point of to.send
/// @param unpack  (StepContext&, const Neighbour& from, std::span<const T>): takes what that rank has packed, for the
///                points of from.receive
/// @param accesses  as many as neighbours
template <base::Described T, class Pack, class Unpack>
  requires std::invocable<Pack&, tasks::StepContext&, const Neighbour&, std::span<T>> &&
           std::invocable<Unpack&, tasks::StepContext&, const Neighbour&, std::span<const T>>
void add_packed_halo(exchange::Messages& messages, const HaloMessages& halo, const HaloAccesses& accesses,
                     const Pack& pack, const Unpack& unpack) {
  TACIT_EXPECT(accesses.pack.size() == halo.neighbours.size() && accesses.unpack.size() == halo.neighbours.size());
  for (std::size_t i = 0; i < halo.neighbours.size(); ++i) {
    const Neighbour& neighbour = halo.neighbours[i];
    if (neighbour.send.is_empty()) continue;  // no ghosts: nothing to say
    exchange::Message message{.peer = neighbour.rank, .count = halo.elements_per_point * neighbour.send.points()};
    message.key = halo.first_key + neighbour.send_key;
    messages.send<T>(
        message, accesses.pack[i],
        [neighbour, pack = pack](tasks::StepContext& step, std::span<T> to) mutable { pack(step, neighbour, to); });
    message.key = halo.first_key + neighbour.receive_key;
    messages.receive<T>(message, accesses.unpack[i],
                        [neighbour, unpack = unpack](tasks::StepContext& step, std::span<const T> from) mutable {
                          unpack(step, neighbour, from);
                        });
  }
}

/// Adds messages that fill the ghost points of one or more fields from the neighbours' own points. All fields travel in
/// one message per neighbour, one behind the other.
///
///     exchange::Messages halo;
///     mesh::add_halo<double>(halo, grid, {.neighbours = tiles.neighbours}, mesh::halo_accesses(tiles, u_data),
///                            [&](StepContext&) { return std::span(u_now()); });    // asked in every step
///
/// @tparam T      of a point: base::Described, such as double or std::array<std::complex<double>, 12>
/// @param fields  (StepContext&) -> std::span<T>, shape grid.layout().size(); called by each task. Fields may swap
///                between steps.
template <base::Described T, class... Fields>
  requires(sizeof...(Fields) > 0) && (std::is_invocable_r_v<std::span<T>, Fields&, tasks::StepContext&> && ...)
void add_halo(exchange::Messages& messages, const BlockGrid& grid, const HaloMessages& halo,
              const HaloAccesses& accesses, const Fields&... fields) {
  HaloMessages of_all = halo;
  of_all.elements_per_point = sizeof...(Fields);
  const Layout layout = grid.layout();
  const std::tuple<Fields...> all(fields...);
  add_packed_halo<T>(
      messages, of_all, accesses,
      [layout, all](tasks::StepContext& step, const Neighbour& to, std::span<T> message) mutable {
        const auto one = [&](auto& field) {
          const std::span<T> points = field(step);
          message = message.subspan(pack<T>(layout, to.send, points, message));
        };
        std::apply([&one](auto&... each) { (one(each), ...); }, all);
      },
      [layout, all](tasks::StepContext& step, const Neighbour& from, std::span<const T> message) mutable {
        const auto one = [&](auto& field) {
          const std::span<T> points = field(step);
          message = message.subspan(unpack<T>(layout, from.receive, points, message));
        };
        std::apply([&one](auto&... each) { (one(each), ...); }, all);
      });
}

}  // namespace tacit::mesh

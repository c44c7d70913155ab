// A small stencil in one dimension, periodic, on any number of ranks: whose bits must not depend on how many there are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tacit/exchange/exchange.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::exchange::testing {

inline constexpr std::size_t cells = 48;
inline constexpr std::size_t width = 2;  // ghosts on each side
inline constexpr std::array weights{0.11, 0.23, 0.31, 0.19, 0.16};

/// How ghosts are unpacked: a mistake that a comparison has to find.
enum class Unpack : std::uint8_t { as_sent, reversed };

[[nodiscard]] inline double begin_at(std::size_t cell) noexcept { return 1.0 / static_cast<double>(3 * cell + 1); }

/// u'_i = sum_k w_k u_(i + k - 2) of cells with ghosts on both sides.
inline void apply_weights(std::span<const double> u, std::span<double> next) noexcept {
  for (std::size_t i = width; i + width < u.size(); ++i) {
    next[i] = 0.0;
    for (std::size_t k = 0; k < weights.size(); ++k) next[i] += weights[k] * u[i + k - width];
  }
}

/// All cells after some steps, by a plain loop.
[[nodiscard]] inline std::vector<double> stencil_alone(std::size_t steps) {
  std::vector<double> u(cells + 2 * width);
  std::vector<double> next(u.size());
  for (std::size_t i = 0; i < cells; ++i) u[width + i] = begin_at(i);
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < width; ++i) {
      u[i] = u[cells + i];
      u[cells + width + i] = u[width + i];
    }
    apply_weights(u, next);
    std::swap(u, next);
  }
  return {u.begin() + width, u.end() - width};
}

/// The cells of this rank after some steps, with ghosts from its neighbours. @pre the ranks divide the cells
[[nodiscard]] inline std::vector<double> stencil_on(comm::Communicator& world, std::size_t threads, std::size_t steps,
                                                    Unpack how) {
  const auto ranks = static_cast<std::uint32_t>(world.size());
  const std::uint32_t own = number(world.rank());
  const std::size_t mine = cells / ranks;
  std::vector<double> u(mine + 2 * width);
  std::vector<double> next(u.size());
  for (std::size_t i = 0; i < mine; ++i) u[width + i] = begin_at(own * mine + i);
  tasks::Graph graph;
  const tasks::DatumId inner = graph.add_datum();
  const std::array ghosts{graph.add_datum(), graph.add_datum()};
  Messages messages;
  for (std::uint32_t side = 0; side < 2; ++side) {
    const comm::RankId peer{(own + (side == 0 ? ranks - 1 : 1)) % ranks};
    const std::size_t rim = side == 0 ? width : mine;
    const std::size_t ghost = side == 0 ? 0 : mine + width;
    // With one or two ranks both messages are with the same: a message is named by the side that it comes to.
    messages.send<double>({.peer = peer, .key = 1 - side, .count = width}, tasks::reads(inner),
                          [&u, rim](tasks::StepContext&, std::span<double> to) {
                            std::ranges::copy(std::span(u).subspan(rim, width), to.begin());
                          });
    messages.receive<double>({.peer = peer, .key = side, .count = width}, tasks::writes(ghosts[side]),
                             [&u, ghost, how](tasks::StepContext&, std::span<const double> from) {
                               std::ranges::copy(from, u.begin() + static_cast<std::ptrdiff_t>(ghost));
                               if (how == Unpack::reversed) std::ranges::reverse(std::span(u).subspan(ghost, width));
                             });
  }
  trace::Recorder recorder(threads, 1024);
  tasks::Scheduler scheduler(threads, recorder);
  scheduler.attach(world.completions());
  {
    Exchange exchange(world);
    exchange.add(graph, "ghosts", std::move(messages));
    graph.add("advance", tasks::reads(ghosts[0], ghosts[1]) + tasks::writes(inner), [&](tasks::StepContext&) {
      apply_weights(u, next);
      std::swap(u, next);
    });
    exchange.connect();
    tasks::Activation all = graph.activate_all();
    for (std::size_t step = 0; step < steps; ++step) scheduler.run(graph, all, {});
  }
  scheduler.detach(world.completions());
  return {u.begin() + width, u.end() - width};
}

}  // namespace tacit::exchange::testing

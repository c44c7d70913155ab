// Which ranks need which planes, and their messages.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/tracers/ghost_planes.hpp"

#include <array>
#include <span>
#include <utility>

namespace tacit::dns {

std::vector<GhostPlanes::Copy> GhostPlanes::copies(const fft::Range& givers, const fft::Range& takers,
                                                   std::size_t points) {
  std::vector<Copy> copies;
  if (takers.size() == 0) return copies;
  const std::size_t first_above = below + takers.size();
  const std::array<std::pair<std::size_t, std::size_t>, both> beside{{{(takers.begin + points - 1) % points, 0},
                                                                      {takers.end % points, first_above},
                                                                      {(takers.end + 1) % points, first_above + 1}}};
  for (std::uint32_t i = 0; i < both; ++i) {
    const auto& [number, local] = beside[i];
    if (number < givers.begin || number >= givers.end) continue;
    copies.push_back({.from = number - givers.begin + below, .to = local, .key = i});
  }
  return copies;
}

GhostPlanes::GhostPlanes(const PlaneDivision& division, comm::Communicator& ranks, tasks::Scheduler& scheduler,
                         Give give, Take take)
    : scheduler_(scheduler),
      give_(std::move(give)),
      take_(std::move(take)),
      exchange_(ranks, {.slots = 1}) {  // planes are long: room for one under way, and for one of the next run
  const std::size_t points = division.ranges.back().end;
  add_own(division, points);
  if (ranks.size() > 1) {
    add_messages(division, points);
    exchange_.connect();
    exchange_.time_transfers();
  }
  activation_ = graph_.activate_all();
}

void GhostPlanes::add_messages(const PlaneDivision& division, std::size_t points) {
  const fft::Range& own = division.ranges[division.place];
  exchange::Messages messages;
  for (std::uint32_t place = 0; place < division.ranges.size(); ++place) {
    if (place == division.place) continue;
    const fft::Range& other = division.ranges[place];
    for (const Copy& copy : copies(own, other, points)) {
      messages.send<double>(
          {.peer = comm::RankId{place}, .key = copy.key, .count = division.size}, {},
          [this, copy](tasks::StepContext& /*step*/, std::span<double> to) { give_(copy.from, to.data()); });
    }
    for (const Copy& copy : copies(other, own, points)) {
      messages.receive<double>(
          {.peer = comm::RankId{place}, .key = copy.key, .count = division.size}, {},
          [this, copy](tasks::StepContext& /*step*/, std::span<const double> from) { take_(copy.to, from.data()); });
    }
  }
  exchange_.add(graph_, "ghost planes", std::move(messages));
}

/// Where a rank is its own neighbour, or has few planes.
void GhostPlanes::add_own(const PlaneDivision& division, std::size_t points) {
  const fft::Range& own = division.ranges[division.place];
  const std::vector<Copy> all = copies(own, own, points);
  buffer_.resize(all.size() * division.size);
  for (std::size_t i = 0; i < all.size(); ++i) {
    graph_.add("ghost planes copy", {},
               [this, copy = all[i], buffer = buffer_.data() + i * division.size](tasks::StepContext& /*step*/) {
                 give_(copy.from, buffer);
                 take_(copy.to, buffer);
               },
               {.key = all[i].key});
  }
}

}  // namespace tacit::dns

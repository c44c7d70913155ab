// Which ranks need which planes, and their exchange.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/tracers/ghost_planes.hpp"

#include <array>

namespace tacit::dns {
namespace {

struct GhostPlane {
  std::size_t number = 0;  ///< of the whole axis
  std::size_t local = 0;
};

/// What is beside a range that is not empty, in the order in which it is sent.
std::array<GhostPlane, GhostPlanes::both> planes_beside(const fft::Range& range, std::size_t points) {
  const std::size_t first_above = GhostPlanes::below + range.size();
  return {{{(range.begin + points - 1) % points, 0},
           {range.end % points, first_above},
           {(range.end + 1) % points, first_above + 1}}};
}

bool contains(const fft::Range& range, std::size_t number) { return range.begin <= number && number < range.end; }

}  // namespace

GhostPlanes::GhostPlanes(const std::vector<fft::Range>& ranges, std::size_t place, std::size_t size,
                         comm::Communicator& ranks)
    : size_(size) {
  const fft::Range& own = ranges[place];
  const std::size_t points = ranges.back().end;
  std::vector<std::size_t> counts(ranges.size());
  for (std::size_t peer = 0; peer < ranges.size(); ++peer) {
    if (ranges[peer].size() == 0) continue;
    for (const GhostPlane& plane : planes_beside(ranges[peer], points)) {
      if (!contains(own, plane.number)) continue;
      gives_.push_back(plane.number - own.begin + below);
      counts[peer] += size;
    }
  }
  for (const fft::Range& theirs : ranges) {
    if (own.size() == 0) break;
    for (const GhostPlane& plane : planes_beside(own, points)) {
      if (contains(theirs, plane.number)) takes_.push_back(plane.local);
    }
  }
  if (ranks.size() > 1) {
    exchange_.emplace(ranks, counts);
  } else {
    buffer_.resize(gives_.size() * size);
  }
}

void GhostPlanes::fill(const Give& give, const Take& take) {
  double* to = exchange_ ? exchange_->input().data() : buffer_.data();
  for (const std::size_t plane : gives_) {
    give(plane, to);
    to += size_;
  }
  if (exchange_) exchange_->run();
  const double* from = exchange_ ? exchange_->output().data() : buffer_.data();
  for (const std::size_t plane : takes_) {
    take(plane, from);
    from += size_;
  }
}

}  // namespace tacit::dns

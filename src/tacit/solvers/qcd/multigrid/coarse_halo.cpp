// Connects faces, and passes their messages.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/multigrid/coarse_halo.hpp"

namespace tacit::qcd::multigrid {
namespace {

/// Of the connection across a cut of an axis: two ranks that are neighbours at both ends have two, one of which goes
/// round the lattice.
std::uint32_t key_of(std::uint32_t number, std::size_t axis, bool goes_round) {
  constexpr std::uint32_t first = 0x51431000U;
  return first + 8 * number + 2 * static_cast<std::uint32_t>(axis) + (goes_round ? 1U : 0U);
}

}  // namespace

CoarseHalo::CoarseHalo(const Aggregates& aggregates, std::size_t numbers) : aggregates_(aggregates), numbers_(numbers) {
  std::size_t ghosts = 0;
  for (std::size_t number = 0; number < aggregates.faces().size(); ++number) {
    const CoarseFace& face = aggregates.faces()[number];
    if (!face.sites.empty()) sending_[face.group].push_back(number);
    ghosts += face.ghosts;
  }
  ghosts_.resize(ghosts);
}

void CoarseHalo::take(std::size_t face, const float* message) {
  const CoarseFace& from = aggregates_.faces()[face];
  for (std::size_t k = 0; k < from.ghosts; ++k) ghosts_[from.first_ghost + k] = message + k * numbers_;
}

/// Both ends make their windows in the order of groups; faces of an end follow each other.
WindowHalo::WindowHalo(const Aggregates& aggregates, const Division& division, std::size_t numbers,
                       std::uint32_t number_of_halo, std::optional<comm::ProviderId> via)
    : CoarseHalo(aggregates, numbers), ends_(aggregates.faces().size()) {
  const LatticePart& part = division.part();
  const CoarseFace* before = nullptr;
  for (std::size_t number = 0; number < ends_.size(); ++number) {
    const CoarseFace& face = aggregates.faces()[number];
    if (before == nullptr || before->axis != face.axis || before->is_high != face.is_high) {
      const bool goes_round = face.is_high ? part.begin[face.axis] + part.own.n[face.axis] == part.whole.n[face.axis]
                                           : part.begin[face.axis] == 0;
      Face end;
      end.axis = face.axis;
      end.is_high = face.is_high;
      connections_.push_back(std::make_unique<comm::Connection>(
          *division.ranks(),
          comm::Target{
              .rank = division.beyond(end), .key = key_of(number_of_halo, face.axis, goes_round), .via = via}));
    }
    before = &face;
    Ends& ends = ends_[number];
    if (!face.sites.empty()) ends.send.emplace(*connections_.back(), face.sites.size() * numbers);
    if (face.ghosts > 0) ends.receive.emplace(*connections_.back(), face.ghosts * numbers);
  }
  for (const auto& connection : connections_) connection->open();
  for (Ends& ends : ends_) {
    if (ends.receive) ends.receive->init();
  }
}

void WindowHalo::receive(std::size_t group) {
  for (std::size_t number = 0; number < ends_.size(); ++number) {
    if (aggregates().faces()[number].group == group && ends_[number].receive) {
      take(number, ends_[number].receive->wait().data());
    }
  }
  for (const std::size_t face : sending(group)) ends_[face].send->wait();
}

void WindowHalo::release(std::size_t group) {
  for (std::size_t number = 0; number < ends_.size(); ++number) {
    if (aggregates().faces()[number].group == group && ends_[number].receive) ends_[number].receive->init();
  }
}

}  // namespace tacit::qcd::multigrid

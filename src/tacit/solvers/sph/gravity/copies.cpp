// Fetches counts when particles were sorted, and sends multipoles and particles in each step.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/gravity/copies.hpp"

#include <algorithm>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/solvers/sph/cell_copies.hpp"
#include "tacit/solvers/sph/gravity/field.hpp"
#include "tacit/solvers/sph/pair_tasks.hpp"

namespace tacit::sph {
namespace {

constexpr std::size_t numbers = 4;  // of a particle

}  // namespace

void GravityCopies::find(const particles::CellTree& tree, std::span<const std::uint32_t> owner) {
  TACIT_EXPECT(owner.size() == tree.leaves());
  owner_.assign(owner.begin(), owner.end());
  leaves_.assign(ranks_.size(), {});
  for (std::uint32_t leaf = 0; leaf < owner_.size(); ++leaf) leaves_[owner_[leaf]].push_back(leaf);
}

void GravityCopies::fetch(const particles::CellTree& tree) {
  const std::uint32_t me = comm::number(ranks_.rank());
  counts_.assign(tree.leaves(), 0);
  for (std::size_t c = 0; c < tree.cells(); ++c) counts_[tree.leaf(c)] = tree.range(c).count;
  exchange::add_over(ranks_, counts_);
  first_.assign(tree.leaves(), 0);
  begins_.assign(1, 0);
  sizes_.assign(ranks_.size(), 0);
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    for (const std::uint32_t leaf : leaves_[rank]) {
      first_[leaf] = begins_.back() + sizes_[rank];
      sizes_[rank] += counts_[leaf];
    }
    begins_.push_back(begins_.back() + (rank == me ? 0 : sizes_[rank]));
  }
  for (auto* values : {&x_, &y_, &z_, &m_}) values->resize(begins_.back());
}

void GravityCopies::give_room() {
  rooms_.clear();
  for (const std::uint64_t size : sizes_) rooms_.push_back(CellCopies::room_for(size));
}

bool GravityCopies::have_room() const {
  return std::ranges::equal(sizes_, rooms_, [](std::uint64_t size, std::uint64_t room) { return size <= room; });
}

fmm::Bodies GravityCopies::bodies(std::size_t leaf) const {
  const auto of = [&](const std::vector<double>& values) {
    return std::span<const double>(values).subspan(first_[leaf], counts_[leaf]);
  };
  return {of(x_), of(y_), of(z_), of(m_)};
}

std::vector<tasks::TaskId> GravityCopies::add_messages(tasks::Graph& graph, const StepData& data) {
  std::vector<tasks::TaskId> all;
  data_.clear();
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) data_.push_back(graph.add_datum());
  add_bodies(graph, data, all);
  add_multipoles(graph, data, all);
  return all;
}

std::vector<tasks::DatumId> GravityCopies::multipoles_of(const GravityField& field, std::size_t rank) const {
  std::vector<tasks::DatumId> all;
  for (const std::uint32_t leaf : leaves_[rank]) all.push_back(field.multipoles[field.tree().node_of_leaf(leaf)]);
  return all;
}

void GravityCopies::add_multipoles(tasks::Graph& graph, const StepData& data, std::vector<tasks::TaskId>& to) {
  GravityField& field = *data.gravity;
  const std::size_t size = field.packed_size();
  const std::uint32_t me = comm::number(ranks_.rank());
  const auto message_of = [&](std::size_t peer, std::size_t rank) {
    return exchange::Message{
        .peer = comm::RankId{static_cast<std::uint32_t>(peer)}, .key = 0, .count = size * leaves_[rank].size()};
  };
  exchange::Messages messages;
  for (std::size_t peer = 0; peer < ranks_.size(); ++peer) {
    if (peer == me) continue;
    if (!leaves_[me].empty()) {
      messages.send<double>(message_of(peer, me), tasks::reads_all(multipoles_of(field, me)),
                            [this, &field, me, size](tasks::StepContext& /*step*/, std::span<double> out) {
                              for (std::size_t k = 0; k < leaves_[me].size(); ++k) {
                                field.pack(leaves_[me][k], out.subspan(k * size, size));
                              }
                            });
    }
    if (leaves_[peer].empty()) continue;
    tasks::Accesses accesses = tasks::reads_all(multipoles_of(field, peer));
    for (tasks::Access& access : accesses) access.mode = tasks::AccessMode::write;
    messages.receive<double>(message_of(peer, peer), accesses,
                             [this, &field, peer, size](tasks::StepContext& /*step*/, std::span<const double> in) {
                               for (std::size_t k = 0; k < leaves_[peer].size(); ++k) {
                                 field.unpack(leaves_[peer][k], in.subspan(k * size, size));
                               }
                             });
  }
  const auto tasks = data.copies->add(graph, "multipoles", std::move(messages), 40.0 * data.fullest()).all();
  to.insert(to.end(), tasks.begin(), tasks.end());
}

/// One message to each rank: x of all particles, then y, z, and the masses.
void GravityCopies::add_bodies(tasks::Graph& graph, const StepData& data, std::vector<tasks::TaskId>& to) {
  const std::uint32_t me = comm::number(ranks_.rank());
  const GravityField& field = *data.gravity;
  const tasks::Accesses of_own = tasks::reads_all(multipoles_of(field, me));
  const auto message_of = [this](std::size_t peer, std::size_t rank) {
    return exchange::Message{.peer = comm::RankId{static_cast<std::uint32_t>(peer)},
                             .key = 0,
                             .count = numbers * rooms_[rank],
                             .length = exchange::Length::variable};
  };
  exchange::Messages messages;
  for (std::size_t peer = 0; peer < ranks_.size(); ++peer) {
    if (peer == me) continue;
    if (!leaves_[me].empty()) {
      messages.send<double>(message_of(peer, me), of_own,
                            [&field](tasks::StepContext& /*step*/, std::span<double> out) {
                              const fmm::Bodies own = field.own_bodies();
                              std::size_t at = 0;
                              for (const auto& values : {own.x, own.y, own.z, own.m}) {
                                std::ranges::copy(values, out.begin() + static_cast<std::ptrdiff_t>(at));
                                at += values.size();
                              }
                              return at;
                            });
    }
    if (leaves_[peer].empty()) continue;
    messages.receive<double>(message_of(peer, peer), tasks::writes(data_[peer]),
                             [this, peer](tasks::StepContext& /*step*/, std::span<const double> in) {
                               const std::size_t n = particles_of(peer);
                               if (in.size() != numbers * n) throw base::Error("another rank sent too few places");
                               std::size_t at = 0;
                               for (auto* values : {&x_, &y_, &z_, &m_}) {
                                 const auto begin = static_cast<std::ptrdiff_t>(begins_[peer]);
                                 std::ranges::copy(in.subspan(at, n), values->begin() + begin);
                                 at += n;
                               }
                             });
  }
  const auto tasks = data.copies->add(graph, "bodies", std::move(messages), 40.0 * data.fullest()).all();
  to.insert(to.end(), tasks.begin(), tasks.end());
}

}  // namespace tacit::sph

// Finds which particles of this rank act one by one on those of others, and sends them.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/solvers/sph/cell_copies.hpp"
#include "tacit/solvers/sph/gravity/copies.hpp"
#include "tacit/solvers/sph/gravity/field_of.hpp"

namespace tacit::sph {

/// The walk that the other rank will do (find_sources), of pairs whose sink has leaves of that rank and whose source
/// has some of this one: with the same numbers in the same order, so that it comes to the same end.
template <int p>
void GravityFieldOf<p>::find_near(std::uint32_t rank, const StepData& data, const tasks::StepContext& step,
                                  std::span<std::uint8_t> is_near) {
  std::ranges::fill(is_near, std::uint8_t{0});
  const std::uint32_t me = copies->this_rank();
  const auto holds_any_of = [&](std::size_t node, std::uint32_t whose) {
    const std::uint32_t owner = copies->rank_of(nodes_.is_octant(node) ? nodes_.parent_of(node) : node);
    return owner == whose || owner == GravityCopies::several;
  };
  std::vector<SeenPair>& waiting = rooms_[step.worker()].pairs;
  const auto look_at = [&](const SeenPair& pair) {
    const auto& [sink, seen] = pair;
    if (!nodes_.state(sink).is_active || nodes_.state(seen.node).is_empty) return;
    if (!holds_any_of(sink, rank) || !holds_any_of(seen.node, me)) return;
    const bool is_own = seen.node == sink;  // itself, or an image of it
    if (!(is_own && seen.image == 0) && nodes_.accepts(sink, seen.node, shift_of(seen))) return;
    const Children of_sink = nodes_.children_of(sink);
    const Children of_source = nodes_.children_of(seen.node);
    if (of_sink.count == 0 && of_source.count == 0) {
      is_near[data.grid.cell_of_leaf(nodes_.leaf_of(seen.node))] = 1;
    } else if (is_own) {
      for (std::uint32_t i = 0; i < of_sink.count; ++i) {
        for (std::uint32_t k = 0; k < of_source.count; ++k) {
          waiting.push_back({of_sink.first + i, {of_source.first + k, seen.image}});
        }
      }
    } else if (nodes_.is_opened_first(sink, seen.node)) {
      for (std::uint32_t i = 0; i < of_sink.count; ++i) waiting.push_back({of_sink.first + i, seen});
    } else {
      for (std::uint32_t k = 0; k < of_source.count; ++k) {
        waiting.push_back({sink, {of_source.first + k, seen.image}});
      }
    }
  };
  waiting.clear();
  const std::size_t images = images_ ? images_->near().size() : 1;
  for (std::uint32_t image = 0; image < images; ++image) waiting.push_back({0, {0, image}});
  while (!waiting.empty()) {
    const SeenPair next = waiting.back();
    waiting.pop_back();
    look_at(next);
  }
}

template void GravityFieldOf<0>::find_near(std::uint32_t, const StepData&, const tasks::StepContext&,
                                           std::span<std::uint8_t>);
template void GravityFieldOf<1>::find_near(std::uint32_t, const StepData&, const tasks::StepContext&,
                                           std::span<std::uint8_t>);
template void GravityFieldOf<2>::find_near(std::uint32_t, const StepData&, const tasks::StepContext&,
                                           std::span<std::uint8_t>);
template void GravityFieldOf<3>::find_near(std::uint32_t, const StepData&, const tasks::StepContext&,
                                           std::span<std::uint8_t>);
template void GravityFieldOf<4>::find_near(std::uint32_t, const StepData&, const tasks::StepContext&,
                                           std::span<std::uint8_t>);
template void GravityFieldOf<5>::find_near(std::uint32_t, const StepData&, const tasks::StepContext&,
                                           std::span<std::uint8_t>);

namespace {

constexpr std::size_t numbers = 4;  // of a particle

}  // namespace

/// How many leaves, which ones, and of the particles of all of these x, y, z and masses. @return how many numbers
std::size_t GravityCopies::pack(const StepData& data, std::size_t peer, const Block& block,
                                std::span<double> out) const {
  const fmm::Bodies own = data.gravity->own_bodies();
  std::size_t at = 1;
  for (std::size_t c = block.begin; c < block.end; ++c) {
    if (near_[peer][c] != 0) out[at++] = static_cast<double>(leaves_[block.rank][c]);
  }
  out[0] = static_cast<double>(at - 1);
  for (const auto& values : {own.x, own.y, own.z, own.m}) {
    for (std::size_t c = block.begin; c < block.end; ++c) {
      if (near_[peer][c] == 0) continue;
      const auto [begin, count] = data.grid.range(c);
      std::ranges::copy(values.subspan(begin, count), out.begin() + static_cast<std::ptrdiff_t>(at));
      at += count;
    }
  }
  return at;
}

void GravityCopies::unpack(Block& block, std::span<const double> in) {
  for (const std::uint32_t leaf : leaves_of(block)) first_[leaf] = not_here;
  block.came = 0;
  const std::size_t leaves = in.empty() ? block.end : static_cast<std::size_t>(in[0]);
  if (leaves >= in.size()) throw base::Error("another rank sent too few leaves");
  for (const double number : in.subspan(1, leaves)) {
    const auto leaf = static_cast<std::size_t>(number);
    if (leaf >= owner_.size() || &blocks_[block_of_[leaf]] != &block)
      throw base::Error("another rank sent other leaves");
    first_[leaf] = static_cast<std::uint32_t>(block.came);
    block.came += counts_[leaf];
  }
  const std::span<const double> bodies = in.subspan(1 + leaves);
  if (bodies.size() != numbers * block.came) throw base::Error("another rank sent too few places");
  block.bodies.assign(bodies.begin(), bodies.end());
}

void GravityCopies::send_bodies(exchange::Messages& messages, const StepData& data, std::size_t peer,
                                const Block& block) {
  messages.send<double>({.peer = comm::RankId{static_cast<std::uint32_t>(peer)},
                         .key = block.number,
                         .count = 1 + (block.end - block.begin) + numbers * block.room,
                         .length = exchange::Length::variable},
                        {{near_data_[peer], tasks::AccessMode::read}},
                        [this, &data, peer, &block](tasks::StepContext& /*step*/, std::span<double> out) {
                          return pack(data, peer, block, out);
                        });
}

void GravityCopies::receive_bodies(exchange::Messages& messages, Block& block) {
  messages.receive<double>(
      {.peer = comm::RankId{block.rank},
       .key = block.number,
       .count = 1 + (block.end - block.begin) + numbers * block.room,
       .length = exchange::Length::variable},
      tasks::writes(block.datum),
      [this, &block](tasks::StepContext& /*step*/, std::span<const double> in) { unpack(block, in); });
}

std::vector<tasks::TaskId> GravityCopies::add_bodies(tasks::Graph& graph, const StepData& data) {
  const GravityField& field = *data.gravity;
  const std::uint32_t me = this_rank();
  const tasks::TaskKind kind = graph.kind("near leaves");
  std::vector<tasks::TaskId> all;
  near_data_.assign(ranks_.size(), tasks::DatumId::none);
  near_.resize(ranks_.size());
  exchange::Messages messages;
  std::vector<tasks::DatumId> came;
  for (std::uint32_t peer = 0; peer < ranks_.size(); ++peer) {
    if (peer == me || !has_leaves(me) || !has_leaves(peer)) continue;
    near_[peer].assign(leaves_[me].size(), 0);
    near_data_[peer] = graph.add_datum();
    all.push_back(graph.add(
        kind, tasks::reads(field.multipoles[0]) + tasks::writes(near_data_[peer]),
        [this, &data, peer](tasks::StepContext& step) { data.gravity->find_near(peer, data, step, near_[peer]); },
        {.cost = static_cast<double>(leaves_[me].size()), .key = peer}));
    for (Block& block : blocks_) {
      if (block.rank == me) send_bodies(messages, data, peer, block);
      if (block.rank != peer) continue;
      block.datum = graph.add_datum();
      came.push_back(block.datum);
      receive_bodies(messages, block);
    }
  }
  const auto tasks = data.copies->add(graph, "bodies", std::move(messages), 40.0 * data.fullest()).all();
  all.insert(all.end(), tasks.begin(), tasks.end());
  arrived_ = graph.add_datum();
  all.push_back(graph.add(graph.kind("bodies here"), tasks::reads_all(came) + tasks::writes(arrived_),
                          [](tasks::StepContext& /*step*/) {}, {.cost = 0.1, .key = 0}));
  return all;
}

}  // namespace tacit::sph

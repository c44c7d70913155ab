// Finds the cells that travel, and chooses among them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/cell_copies.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace tacit::sph {

CellCopies::CellCopies(const Physics& physics, comm::Communicator& ranks)
    : physics_(physics), ranks_(ranks), exchange_(ranks) {}

void CellCopies::clear() {
  exchange_.clear();
  tasks_ = {};
  sent_.clear();
  received_.clear();
}

void CellCopies::find(const particles::CellTree& tree, std::span<const std::uint32_t> owner) {
  sent_.clear();
  received_.clear();
  for (std::size_t c = tree.cells(); c < tree.all_cells(); ++c) {
    const auto leaf = static_cast<std::uint32_t>(tree.leaf(c));
    received_.push_back({owner[leaf], static_cast<std::uint32_t>(c), leaf});
  }
  for (std::size_t c = 0; c < tree.cells(); ++c) {
    const auto leaf = static_cast<std::uint32_t>(tree.leaf(c));
    for (const auto& neighbour : tree.neighbours(c)) {
      if (neighbour.cell < tree.cells()) continue;
      sent_.push_back({owner[tree.leaf(neighbour.cell)], static_cast<std::uint32_t>(c), leaf});
    }
  }
  const auto order = [](const Travelling& t) { return std::tuple(t.peer, t.leaf); };
  std::ranges::sort(received_, {}, order);
  std::ranges::sort(sent_, {}, order);
  sent_.erase(std::unique(sent_.begin(), sent_.end()), sent_.end());
  peer_of_.assign(tree.all_cells(), comm::number(ranks_.rank()));
  for (const Travelling& cell : received_) peer_of_[cell.cell] = cell.peer;
  has_copy_.assign(tree.cells(), 0);
  for (const Travelling& cell : sent_) has_copy_[cell.cell] = 1;
  by_cell_.resize(sent_.size());
  std::iota(by_cell_.begin(), by_cell_.end(), 0U);
  std::ranges::stable_sort(by_cell_, {}, [this](std::uint32_t k) { return sent_[k].cell; });
  first_sent_.assign(tree.cells() + 1, 0);
  for (const Travelling& cell : sent_) ++first_sent_[cell.cell + 1];
  std::partial_sum(first_sent_.begin(), first_sent_.end(), first_sent_.begin());
  choose_all();
}

void CellCopies::choose_all() {
  is_sent_.assign(sent_.size(), 1);
  is_chosen_ = has_copy_;
  goes_to_.assign(ranks_.size(), 1);
  comes_from_.assign(ranks_.size(), 1);
}

void CellCopies::choose_none() {
  is_sent_.assign(sent_.size(), 0);
  is_chosen_.assign(has_copy_.size(), 0);
  goes_to_.assign(ranks_.size(), 0);
  comes_from_.assign(ranks_.size(), 0);
}

void CellCopies::choose_to_send(std::size_t cell, std::uint32_t peer) {
  for (std::uint32_t k = first_sent_[cell]; k < first_sent_[cell + 1]; ++k) {
    if (sent_[by_cell_[k]].peer == peer) is_sent_[by_cell_[k]] = 1;
  }
  is_chosen_[cell] = 1;
  goes_to_[peer] = 1;
}

void CellCopies::choose_seen(const StepData& data) {
  choose_none();
  const auto is_active = [&data](std::size_t c) { return data.is_gas_active(c); };
  for (std::size_t c = 0; c < data.grid.cells(); ++c) {
    if (has_copy_[c] == 0) continue;
    for (const auto& neighbour : data.grid.neighbours(c)) {
      if (neighbour.cell < data.grid.cells()) continue;
      const std::uint32_t peer = peer_of_[neighbour.cell];
      if (is_active(neighbour.cell)) choose_to_send(c, peer);
      if (is_active(c)) comes_from_[peer] = 1;
    }
  }
}

bool CellCopies::choose_quick(const StepData& data) {
  choose_none();
  bool has_any = false;
  for (std::size_t c = 0; c < data.grid.cells(); ++c) {
    if (has_copy_[c] == 0) continue;
    for (const auto& neighbour : data.grid.neighbours(c)) {
      if (neighbour.cell < data.grid.cells()) continue;
      const std::uint32_t peer = peer_of_[neighbour.cell];
      const bool goes = is_too_quick(data, data.reports[c], data.reports[neighbour.cell]);
      const bool comes = is_too_quick(data, data.reports[neighbour.cell], data.reports[c]);
      if (goes) choose_to_send(c, peer);
      if (comes) comes_from_[peer] = 1;
      has_any |= goes || comes;
    }
  }
  return has_any;
}

void CellCopies::append_chosen(Phase phase, std::vector<tasks::TaskId>& to) const {
  const auto append_if = [&to](const std::vector<exchange::PeerTasks>& peers,
                               const std::vector<std::uint8_t>& is_active) {
    for (const auto& [peer, tasks] : peers) {
      if (is_active[comm::number(peer)] != 0) to.insert(to.end(), tasks.begin(), tasks.end());
    }
  };
  // Who looks at others' cells is active, and tells them of its steps.
  const bool is_back = phase == Phase::bins;
  append_if(tasks_of(phase).send, is_back ? comes_from_ : goes_to_);
  append_if(tasks_of(phase).receive, is_back ? goes_to_ : comes_from_);
}

namespace {

/// What a cell of this rank shows to others.
std::size_t gas_in(const particles::CellTree& tree, const Gas& own, std::size_t cell) {
  const auto [begin, count] = tree.range(cell);
  return own.gas_in(begin, count);
}

}  // namespace

void CellCopies::give_room(const particles::CellTree& tree, const Gas& own) {
  for (Travelling& cell : sent_) cell.room = room_for(gas_in(tree, own, cell.cell));
  for (Travelling& cell : received_) cell.room = room_for(tree.range(cell.cell).count);
}

bool CellCopies::have_room(const particles::CellTree& tree, const Gas& own) const {
  return std::ranges::all_of(sent_, [&](const Travelling& cell) { return gas_in(tree, own, cell.cell) <= cell.room; });
}

}  // namespace tacit::sph

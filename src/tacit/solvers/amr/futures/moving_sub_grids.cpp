// How a sub-grid becomes an object, moves, and becomes cells again.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/amr/futures/moving_sub_grids.hpp"

#include <algorithm>
#include <string>

#include "tacit/base/error.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/tasks/future.hpp"

namespace tacit::amr {

void Landing::put(std::size_t leaf, std::vector<double> cells) {
  const std::lock_guard lock(mutex_);
  cells_.insert_or_assign(leaf, std::move(cells));
}

std::map<std::size_t, std::vector<double>> Landing::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(cells_, {});
}

void MovingSubGrid::land(actions::Context context, actions::Handle<Landing> landing,
                         actions::Handle<MovingSubGrid> self) {
  context.actions().local(landing)->put(leaf_, std::move(cells_));
  context.actions().remove(self);
}

void MovingSubGrids::add_to(actions::Table& table) {
  table.add_object<MovingSubGrid>("sub-grid");
  table.add<&MovingSubGrid::land>("sub-grid: land");
}

MovingSubGrids::MovingSubGrids(actions::Actions& actions, comm::Communicator& ranks)
    : actions_(actions), landing_(actions.make<Landing>()), landing_of_(exchange::gather_all(ranks, landing_.id)) {}

void MovingSubGrids::move(const std::set<std::pair<comm::RankId, std::size_t>>& leaving, SubGrids& grids) {
  std::vector<tasks::Future<void>> ends;
  ends.reserve(leaving.size());
  for (const auto& [rank, leaf] : leaving) ends.push_back(tasks::spawn(actions_.scheduler(), take(leaf, rank, grids)));
  for (const tasks::Future<void>& end : ends) end.wait();
  actions_.quiet();  // all have landed, everywhere
  for (const tasks::Future<void>& end : ends) end.get();
  const std::map<std::size_t, std::vector<double>> landed = actions_.local(landing_)->take();
  for (const std::size_t leaf : grids.copied()) {
    const auto found = landed.find(leaf);
    if (found == landed.end() || found->second.size() != grids.fields_count() * grids.cells())
      throw base::Error("sub-grid " + std::to_string(leaf) + " has not come from its rank");
    std::ranges::copy(found->second, grids.copy(leaf).first);
  }
}

tasks::Task<> MovingSubGrids::take(std::size_t leaf, comm::RankId to, const SubGrids& grids) {
  const std::span<const double> cells(grids.now(leaf).first, grids.fields_count() * grids.cells());
  const actions::Handle<MovingSubGrid> object = actions_.make<MovingSubGrid>(leaf, cells);
  co_await actions_.move(object, to);
  const actions::Handle<Landing> landing{to, landing_of_[number(to)]};
  co_await actions_.call<&MovingSubGrid::land>(object, landing, object);
}

}  // namespace tacit::amr

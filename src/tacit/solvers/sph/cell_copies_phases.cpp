// The messages of a step that keep copies of cells up to date, phase by phase.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "tacit/base/record.hpp"
#include "tacit/solvers/sph/cell_copies.hpp"
#include "tacit/solvers/sph/cell_packing.hpp"
#include "tacit/solvers/sph/integrate.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::sph {
namespace {

using tasks::StepContext;

std::size_t bytes_of_one(const Halves& /*type*/) { return sizeof(std::uint32_t); }
template <class T>
std::size_t bytes_of_one(std::span<T> /*type*/) {
  return sizeof(T);
}

// What neighbours look at, in the order in which it travels. SPHENIX looks at more.

template <class F>
void for_each_array(const Motion& motion, bool is_sphenix, const F& f) {
  for (const auto* array : {&motion.x, &motion.y, &motion.z}) f(*array);
  if (is_sphenix) f(Halves{motion.thermal_p});
  for (const auto* array : {&motion.vx_p, &motion.vy_p, &motion.vz_p}) f(*array);
}
template <class F>
void for_each_array(const Hydro& hydro, bool is_sphenix, const F& f) {
  for (const auto* array : {&hydro.h, &hydro.rho, &hydro.omega_P}) f(Halves{*array});
  for (const auto* array : {&hydro.cs, &hydro.balsara}) f(*array);
  if (!is_sphenix) return;
  for (const auto* array : {&hydro.f, &hydro.alpha_v}) f(*array);
}
template <class F>
void for_each_array(const Gradients& gradients, bool /*is_sphenix*/, const F& f) {
  f(gradients.alpha_d);
}

/// Bytes of a particle in all these.
template <class View>
std::size_t bytes_of(bool is_sphenix) {
  std::size_t bytes = 0;
  for_each_array(View{}, is_sphenix, [&](const auto& array) { bytes += bytes_of_one(array); });
  return bytes;
}

}  // namespace

std::vector<std::size_t> CellCopies::phase_bytes(Scheme scheme) {
  const bool is_sphenix = scheme == Scheme::sphenix;
  std::vector<std::size_t> bytes{bytes_of<Motion>(is_sphenix), bytes_of<Hydro>(is_sphenix)};
  if (is_sphenix) bytes.push_back(bytes_of<Gradients>(true));
  return bytes;
}

std::size_t CellCopies::bytes_of_particle() const {
  const auto bytes = phase_bytes(physics_.scheme);
  return std::accumulate(bytes.begin(), bytes.end(), std::size_t{0});
}

/// @param access_of  (cell, is_written) -> Accesses
/// @param view_of    (step, cell, is_written) -> the view whose arrays travel
/// @param after      (step, cell): when they have come
template <class Access, class ViewOf>
exchange::PhaseTasks CellCopies::add_phase(tasks::Graph& graph, const StepData& data, const char* name,
                                           const Access& access_of, std::size_t bytes_of_particle,
                                           const ViewOf& view_of,
                                           const std::function<void(StepContext&, std::size_t)>& after) {
  const bool is_sphenix = physics_.scheme == Scheme::sphenix;
  exchange::Messages messages;
  const auto message_of = [bytes_of_particle](const Travelling& cell) {
    return exchange::Message{.peer = comm::RankId{cell.peer},
                             .key = cell.leaf,
                             .count = bytes_of_particle * cell.room,
                             .length = exchange::Length::variable};
  };
  for (std::size_t k = 0; k < sent_.size(); ++k) {
    const std::size_t c = sent_[k].cell;
    messages.send<std::byte>(message_of(sent_[k]), access_of(c, false),
                             [this, &data, view_of, is_sphenix, c, k](StepContext& step, std::span<std::byte> to) {
                               std::size_t at = 0;
                               if (is_sent_[k] == 0) return at;
                               const std::size_t gas = data.cells[c].motion.between_runs().gas();
                               for_each_array(view_of(step, c, false), is_sphenix, [&](const auto& array) {
                                 at += put(to.subspan(at), first_of(array, gas));
                               });
                               return at;
                             });
  }
  for (const Travelling& cell : received_) {
    messages.receive<std::byte>(
        message_of(cell), access_of(cell.cell, true),
        [view_of, after, is_sphenix, c = std::size_t{cell.cell}](StepContext& step, std::span<const std::byte> from) {
          if (from.empty()) return;  // it did not travel, or is empty itself
          Taker taker(from);
          for_each_array(view_of(step, c, true), is_sphenix, [&](const auto& array) { taker.take(array); });
          after(step, c);
        });
  }
  // More than what is to be done in between: cells that others see come first, and the rest while messages travel.
  const double transfer = 40.0 * data.fullest();
  return exchange_.add(graph, name, std::move(messages), transfer);
}

void CellCopies::add_motion(tasks::Graph& graph, const StepData& data) {
  const auto access_of = [&data](std::size_t c, bool is_written) {
    const CellData& cell = data.cells[c];
    return is_written ? tasks::Accesses(tasks::writes(cell.motion, cell.hydro))
                      : tasks::Accesses(tasks::reads(cell.motion));
  };
  const auto view_of = [&data](StepContext& step, std::size_t c, bool is_written) -> const Motion& {
    return is_written ? step.write(data.cells[c].motion) : step.read(data.cells[c].motion);
  };
  const auto after = [&data](StepContext& step, std::size_t c) {
    data.bounds[c] = bound_groups(step.write(data.cells[c].motion), step.write(data.cells[c].hydro),
                                  data.loops.kernels().drift.bound);
  };
  tasks_of(Phase::motion) =
      add_phase(graph, data, "motion", access_of, bytes_of<Motion>(physics_.scheme == Scheme::sphenix), view_of, after);
}

void CellCopies::add_hydro(tasks::Graph& graph, const StepData& data) {
  const auto access_of = [&data](std::size_t c, bool is_written) {
    const CellData& cell = data.cells[c];
    return is_written ? tasks::reads(cell.motion) + tasks::Accesses(tasks::writes(cell.hydro))
                      : tasks::Accesses(tasks::reads(cell.hydro));
  };
  const auto view_of = [&data](StepContext& step, std::size_t c, bool is_written) -> const Hydro& {
    return is_written ? step.write(data.cells[c].hydro) : step.read(data.cells[c].hydro);
  };
  const auto after = [&data](StepContext& step, std::size_t c) {
    const Motion& motion = step.read(data.cells[c].motion);
    const Hydro& hydro = step.write(data.cells[c].hydro);
    double longest = 0.0;
    for (std::size_t g = 0; g + 1 < motion.groups.size(); ++g) {
      const auto of_group = hydro.h.subspan(motion.groups[g], motion.groups[g + 1] - motion.groups[g]);
      hydro.group_h[g] = std::ranges::max(of_group);
      longest = std::max(longest, hydro.group_h[g]);
    }
    data.bounds[c].h = longest;
  };
  tasks_of(Phase::hydro) =
      add_phase(graph, data, "hydro", access_of, bytes_of<Hydro>(physics_.scheme == Scheme::sphenix), view_of, after);
}

void CellCopies::add_gradients(tasks::Graph& graph, const StepData& data) {
  const auto access_of = [&data](std::size_t c, bool is_written) {
    const CellData& cell = data.cells[c];
    return is_written ? tasks::Accesses(tasks::writes(cell.gradients)) : tasks::Accesses(tasks::reads(cell.gradients));
  };
  const auto view_of = [&data](StepContext& step, std::size_t c, bool is_written) -> const Gradients& {
    return is_written ? step.write(data.cells[c].gradients) : step.read(data.cells[c].gradients);
  };
  tasks_of(Phase::gradients) = add_phase(graph, data, "gradients", access_of, bytes_of<Gradients>(true), view_of,
                                         [](StepContext&, std::size_t) {});
}

namespace {

/// What others are told of the steps of a cell's gas.
struct BinReport {
  std::uint8_t lowest = 0, highest = 0;
  std::uint8_t lowest_active = 0;
  std::uint8_t is_active = 0;  ///< now
  static constexpr auto record() noexcept {
    return base::record(
        "bins", base::member("lowest", &BinReport::lowest), base::member("highest", &BinReport::highest),
        base::member("lowest_active", &BinReport::lowest_active), base::member("is_active", &BinReport::is_active));
  }
};

}  // namespace

static_assert(sizeof(BinReport) == CellCopies::report_bytes);

/// One message to each rank.
void CellCopies::add_bins(tasks::Graph& graph, const StepData& data) {
  const auto cells_of = [](const std::vector<Travelling>& list, std::uint32_t peer) {
    std::vector<std::size_t> cells;
    for (const Travelling& cell : list) {
      if (cell.peer == peer) cells.push_back(cell.cell);
    }
    return cells;
  };
  exchange::Messages messages;
  for (std::uint32_t peer = 0; peer < ranks_.size(); ++peer) {
    const auto sent = cells_of(sent_, peer);
    const auto received = cells_of(received_, peer);
    const auto message_of = [peer](const std::vector<std::size_t>& cells) {
      return exchange::Message{.peer = comm::RankId{peer}, .key = 0, .count = cells.size()};
    };
    if (!sent.empty()) {
      tasks::Accesses accesses;
      for (const std::size_t c : sent) accesses.push_back(tasks::reads(data.cells[c].integrated).items[0]);
      messages.send<BinReport>(message_of(sent), accesses, [&data, sent](StepContext&, std::span<BinReport> to) {
        for (std::size_t k = 0; k < sent.size(); ++k) {
          const CellReport& report = data.reports[sent[k]];
          to[k] = {report.lowest_gas_bin, report.highest_gas_bin, report.lowest_active_bin,
                   report.active_at == data.clock.now ? std::uint8_t{1} : std::uint8_t{0}};
        }
      });
    }
    if (!received.empty()) {
      tasks::Accesses accesses;
      for (const std::size_t c : received) accesses.push_back(tasks::writes(data.cells[c].integrated).items[0]);
      messages.receive<BinReport>(message_of(received), accesses,
                                  [&data, received](StepContext&, std::span<const BinReport> from) {
                                    for (std::size_t k = 0; k < received.size(); ++k) {
                                      CellReport& report = data.reports[received[k]];
                                      report.lowest_bin = report.lowest_gas_bin = from[k].lowest;
                                      report.highest_bin = report.highest_gas_bin = from[k].highest;
                                      report.lowest_active_bin = from[k].lowest_active;
                                      report.active_at = from[k].is_active != 0 ? data.clock.now : -1;
                                    }
                                  });
    }
  }
  tasks_of(Phase::bins) = exchange_.add(graph, "bins", std::move(messages));
}

namespace {

/// What the limits of others' steps look at.
struct QuickView {
  std::span<double> x, y, z, h;
  std::span<std::uint8_t> bin;
};
template <class F>
void for_each_array(const QuickView& quick, bool /*is_sphenix*/, const F& f) {
  for (const auto* array : {&quick.x, &quick.y, &quick.z}) f(*array);
  f(Halves{quick.h});
  f(quick.bin);
}

}  // namespace

void CellCopies::add_quick(tasks::Graph& graph, const StepData& data) {
  const auto access_of = [&data](std::size_t c, bool is_written) {
    const CellData& cell = data.cells[c];
    return is_written ? tasks::Accesses(tasks::writes(cell.motion, cell.hydro, cell.integrated))
                      : tasks::Accesses(tasks::reads(cell.motion, cell.hydro, cell.integrated));
  };
  const auto view_of = [&data](StepContext& step, std::size_t c, bool is_written) {
    const CellData& cell = data.cells[c];
    const Motion& motion = is_written ? step.write(cell.motion) : step.read(cell.motion);
    const Hydro& hydro = is_written ? step.write(cell.hydro) : step.read(cell.hydro);
    const Integrated& state = is_written ? step.write(cell.integrated) : step.read(cell.integrated);
    return QuickView{motion.x, motion.y, motion.z, hydro.h, state.bin};
  };
  const auto after = [&data](StepContext& step, std::size_t c) {
    data.bounds[c] = bound_groups(step.write(data.cells[c].motion), step.write(data.cells[c].hydro),
                                  data.loops.kernels().drift.bound);
  };
  tasks_of(Phase::quick) = add_phase(graph, data, "quick", access_of, bytes_of<QuickView>(false), view_of, after);
}

}  // namespace tacit::sph

// Finds the cells that travel, packs and unpacks them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/cell_copies.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/base/record.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/solvers/sph/integrate.hpp"
#include "tacit/solvers/sph/kernels/upper_half.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::sph {
namespace {

using tasks::StepContext;

/// Doubles that were rounded to their upper halves, of which just these travel.
struct Halves {
  std::span<double> values;
};

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

/// Calls f(array of `to`, the same of `from`) for what travels when particles were sorted.
template <class F>
void for_each_fetched(Gas& to, const Gas& from, const F& f) {
  for (const auto array : {&Gas::x, &Gas::y, &Gas::z, &Gas::m, &Gas::thermal_p, &Gas::h, &Gas::rho, &Gas::omega_P}) {
    f(to.*array, from.*array);
  }
  for (const auto array :
       {&Gas::vx_p, &Gas::vy_p, &Gas::vz_p, &Gas::f, &Gas::cs, &Gas::balsara, &Gas::alpha_v, &Gas::alpha_d}) {
    f(to.*array, from.*array);
  }
  f(to.bin, from.bin);
}

template <class T>
void append(std::vector<std::byte>& to, std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  to.insert(to.end(), bytes.begin(), bytes.end());
}

/// Writes numbers to the front of bytes. @return how many bytes
template <class T>
std::size_t put(std::span<std::byte> to, std::span<T> values) {
  TACIT_EXPECT(values.size_bytes() <= to.size());
  if (!values.empty()) std::memcpy(to.data(), values.data(), values.size_bytes());
  return values.size_bytes();
}
std::size_t put(std::span<std::byte> to, const Halves& halves) {
  const std::size_t bytes = halves.values.size() * sizeof(std::uint32_t);
  TACIT_EXPECT(bytes <= to.size());
  std::byte* at = to.data();
  for (const double value : halves.values) {
    const std::uint32_t bits = kernels::upper_half(value);
    std::memcpy(at, &bits, sizeof(bits));
    at += sizeof(bits);
  }
  return bytes;
}

/// Takes numbers off the front of bytes.
class Taker {
 public:
  explicit Taker(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <class T>
  void take(std::span<T> to) {
    const auto bytes = next(to.size_bytes());
    if (!bytes.empty()) std::memcpy(to.data(), bytes.data(), bytes.size());
  }
  void take(const Halves& to) {
    const std::byte* at = next(to.values.size() * sizeof(std::uint32_t)).data();
    for (double& value : to.values) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, at, sizeof(bits));
      value = kernels::from_upper_half(bits);
      at += sizeof(bits);
    }
  }
  [[nodiscard]] std::uint64_t take_count() {
    std::array<std::uint64_t, 1> count{};
    take(std::span<std::uint64_t>(count));
    return count[0];
  }

 private:
  std::span<const std::byte> next(std::size_t size) {
    if (size > bytes_.size()) throw base::Error("another rank sent less of its cells than they hold");
    const auto first = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return first;
  }

  std::span<const std::byte> bytes_;
};

}  // namespace

CellCopies::CellCopies(const Physics& physics, comm::Communicator& ranks)
    : physics_(physics), ranks_(ranks), exchange_(ranks) {}

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
  const auto is_active = [&data](std::size_t c) { return data.grid.range(c).count > 0 && data.is_active(c); };
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

void CellCopies::fetch(particles::CellTree& tree, const Gas& own) {
  fetch_shapes(tree);
  const std::size_t ranks = ranks_.size();
  std::vector<std::uint64_t> coming(ranks, 0);
  std::uint64_t leaving = 0;
  for (const Travelling& cell : sent_) leaving += tree.range(cell.cell).count;
  for (const Travelling& cell : received_) coming[cell.peer] += tree.range(cell.cell).count;
  const std::size_t all = std::accumulate(coming.begin(), coming.end(), std::uint64_t{0});
  // received_ is by rank: where the cells of each begin.
  std::vector<std::size_t> first(ranks + 1, 0);
  for (const Travelling& cell : received_) ++first[cell.peer + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  exchange::FieldRounds rounds(ranks_, leaving, coming);
  for_each_fetched(gas_, own, [&]<class T>(std::vector<T>& copies, const std::vector<T>& array) {
    for (const Travelling& cell : sent_) {
      const auto [begin, count] = tree.range(cell.cell);
      rounds.append(cell.peer, std::span<const T>(array).subspan(begin, count));
    }
    if (all > copies.capacity()) copies.reserve(all + all / 32);
    copies.resize(all);
    rounds.add<T>([&](std::size_t rank, std::span<const std::byte> bytes) {
      Taker taker(bytes);
      for (std::size_t k = first[rank]; k < first[rank + 1]; ++k) {
        const auto [begin, count] = tree.range(received_[k].cell);
        taker.take(std::span<T>(copies).subspan(begin, count));
      }
    });
  });
  rounds.finish();
}

/// How many particles others' cells hold, in which groups.
void CellCopies::fetch_shapes(particles::CellTree& tree) {
  std::vector<std::vector<std::byte>> shapes(ranks_.size());
  for (const Travelling& cell : sent_) {
    const auto begins = tree.groups(cell.cell);
    append<std::uint64_t>(shapes[cell.peer],
                          std::array<std::uint64_t, 2>{tree.range(cell.cell).count, begins.size() - 1});
    for (std::size_t g = 1; g < begins.size(); ++g) {
      append<std::uint64_t>(shapes[cell.peer], std::array<std::uint64_t, 1>{begins[g] - begins[g - 1]});
    }
  }
  const exchange::Blocks come = exchange::send_blocks(ranks_, shapes);
  // Cells come by (rank, leaf), and stand by leaf.
  const std::size_t first = tree.cells();
  std::vector<std::uint64_t> counts(tree.all_cells() - first, 0);
  std::vector<std::vector<std::uint64_t>> groups(counts.size());
  std::vector<Taker> from;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) from.emplace_back(come.from(rank));
  for (const Travelling& cell : received_) {
    Taker& taker = from[cell.peer];
    counts[cell.cell - first] = taker.take_count();
    groups[cell.cell - first].resize(std::min(taker.take_count(), counts[cell.cell - first]));
    taker.take(std::span(groups[cell.cell - first]));
  }
  std::vector<std::uint64_t> group_sizes;
  for (const auto& sizes : groups) group_sizes.insert(group_sizes.end(), sizes.begin(), sizes.end());
  if (!tree.set_copies(counts, group_sizes)) {
    throw base::Error("another rank sent groups of particles that do not fill its cells");
  }
}

void CellCopies::give_room(const particles::CellTree& tree) {
  const auto room_of = [&](const Travelling& cell) { return room_for(tree.range(cell.cell).count); };
  for (Travelling& cell : sent_) cell.room = room_of(cell);
  for (Travelling& cell : received_) cell.room = room_of(cell);
}

bool CellCopies::have_room(const particles::CellTree& tree) const {
  return std::ranges::all_of(sent_, [&](const Travelling& cell) { return tree.range(cell.cell).count <= cell.room; });
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
                             [this, view_of, is_sphenix, c, k](StepContext& step, std::span<std::byte> to) {
                               std::size_t at = 0;
                               if (is_sent_[k] == 0) return at;
                               for_each_array(view_of(step, c, false), is_sphenix,
                                              [&](const auto& array) { at += put(to.subspan(at), array); });
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

/// What others are told of a cell's steps.
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
          to[k] = {report.lowest_bin, report.highest_bin, report.lowest_active_bin,
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
                                      report.lowest_bin = from[k].lowest;
                                      report.highest_bin = from[k].highest;
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

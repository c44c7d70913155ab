// Tries ways of a pass, and has all ranks agree on the fastest.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fft/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "tacit/base/clock.hpp"
#include "tacit/base/error.hpp"
#include "tacit/comm/collectives/reduce.hpp"
#include "tacit/fft/detail/first_rank.hpp"
#include "tacit/fft/detail/pass_ways.hpp"
#include "tacit/fft/process_grid.hpp"
#include "tacit/topology/cpu_model.hpp"

namespace tacit::fft {
namespace {

/// A pass of zeros: it takes as long as any other, but for what its user does between the transforms.
template <class Real>
class NoWork final : public PassWork<Real> {
 public:
  using Complex = std::complex<Real>;
  explicit NoWork(const Modes& modes) : modes_(modes) {}
  [[nodiscard]] std::string_view label() const override { return "tuning: "; }
  void load(std::size_t /*field*/, const ColumnBlock& /*block*/, Complex* lines) const override {
    std::fill_n(lines, modes_.points()[2] * lanes, Complex{});
  }
  void rows(std::size_t /*worker*/, std::size_t /*y*/, std::size_t /*z*/, std::span<Real* const> /*in*/,
            std::span<Real* const> out) const override {
    for (Real* const row : out) std::fill_n(row, modes_.points()[0], Real{});
  }
  void store(std::size_t /*worker*/, const ColumnBlock& /*block*/, std::span<Complex* const> /*lines*/) const override {
  }

 private:
  const Modes& modes_;
};

class Trials {
 public:
  Trials(const PassQuestion& question, tasks::Scheduler& scheduler, comm::Communicator& ranks)
      : question_(question),
        scheduler_(scheduler),
        ranks_(ranks),
        slowest_(ranks, std::span(&seconds_, 1), comm::Maximum{}) {}

  /// The first of some ways, unless another is clearly faster: times scatter by some per cent.
  template <class Real>
  PassWay fastest(const std::vector<PassWay>& ways) {
    constexpr double clearly = 0.95;
    if (ways.size() == 1) return ways.front();
    std::vector<double> seconds;
    for (const PassWay& way : ways) seconds.push_back(time<Real>(way));
    const auto least = std::ranges::min_element(seconds);
    return *least < clearly * seconds.front() ? ways[static_cast<std::size_t>(least - seconds.begin())] : ways.front();
  }

 private:
  /// Seconds of the best of some passes, on the slowest rank.
  template <class Real>
  double time(const PassWay& way) {
    const Pencils pencils(question_.modes, way.grid, number(ranks_.rank()));
    const NoWork<Real> work(question_.modes);
    GridCommunicators grid(ranks_, way.grid, scheduler_);
    Pass<Real> pass(pencils, question_.fields, work, scheduler_, question_.rigor, grid, way.division);
    pass.time_exchanges();
    pass.run({});  // touches the memory
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 3; ++i) {
      seconds_ = 0.0;
      slowest_.run();  // all begin together
      const base::Stopwatch watch;
      pass.run({});
      best = std::min(best, watch.seconds());
    }
    seconds_ = best;
    slowest_.run();
    return seconds_;
  }

  const PassQuestion& question_;
  tasks::Scheduler& scheduler_;
  comm::Communicator& ranks_;
  double seconds_ = 0.0;
  comm::AllReduce<double> slowest_;
};

template <class Real>
PassWay measure(const PassQuestion& question, const PassWay& wanted, tasks::Scheduler& scheduler,
                comm::Communicator& ranks) {
  Trials trials(question, scheduler, ranks);
  std::vector<PassWay> ways;
  if (wanted.grid.ranks() != 0) {
    ways.push_back(wanted);
  } else {
    for (const ProcessGrid& grid : grids_to_try(question.modes, ranks)) ways.push_back({grid, wanted.division});
  }
  const PassWay best = trials.fastest<Real>(ways);
  ways = {best};
  for (const std::size_t chunks : {1U, 2U, 4U, 8U}) {
    for (const std::size_t groups : {1U, 2U, 4U}) {
      if (wanted.division.chunks != 0 && wanted.division.chunks != chunks) continue;
      if (wanted.division.groups != 0 && wanted.division.groups != groups) continue;
      if (best.grid.column_size == 1 && groups > 1) continue;  // nothing is exchanged by groups
      ways.push_back({best.grid, {.chunks = chunks, .groups = groups}});
    }
  }
  return trials.fastest<Real>(ways);
}

/// What a time depends on.
template <class Real>
std::string key_of(const PassQuestion& question, const PassWay& wanted, const tasks::Scheduler& scheduler,
                   const comm::Communicator& ranks) {
  static constexpr std::array<std::string_view, 3> truncations{"all modes", "two_thirds", "spherical"};
  std::uint32_t nodes = 0;
  for (const comm::RankInfo& rank : ranks.ranks()) nodes = std::max(nodes, rank.node + 1);
  const Shape& n = question.modes.points();
  std::string text =
      fmt::format("{}, {} ranks on {} nodes, {} threads: {} x {} x {} points, {}, fields {} {} {}, {} bits",
                  topology::cpu_model(), ranks.size(), nodes, scheduler.workers(), n[0], n[1], n[2],
                  truncations[static_cast<std::size_t>(question.modes.truncation())], question.fields.in,
                  question.fields.out, question.fields.mixed, 8 * sizeof(Real));
  if (wanted != PassWay{}) text += ", given " + detail::words_of(wanted);
  return text;
}

}  // namespace

std::vector<ProcessGrid> grids_to_try(const Modes& modes, const comm::Communicator& ranks) {
  constexpr std::size_t most = 8;
  std::vector<ProcessGrid> grids{choose_grid(modes, ranks)};
  for (std::size_t row = 1; row <= ranks.size() && grids.size() < most; ++row) {
    if (ranks.size() % row != 0) continue;
    const ProcessGrid grid{.row_size = row, .column_size = ranks.size() / row};
    if (grid != grids.front() && has_work_for_all(modes, grid)) grids.push_back(grid);
  }
  return grids;
}

template <class Real>
PassWay choose_way(const PassQuestion& question, const PassWay& wanted, tasks::Scheduler& scheduler,
                   comm::Communicator& ranks, const std::filesystem::path& file) {
  const bool is_settled = wanted.grid.ranks() != 0 && wanted.division.chunks != 0 && wanted.division.groups != 0;
  if (ranks.size() == 1 || is_settled) return wanted;
  const std::string key = key_of<Real>(question, wanted, scheduler, ranks);
  const std::string known =
      detail::of_first_rank(ranks, "read the tunings", [&] { return detail::find_pass_way(file, key); });
  if (!known.empty()) return detail::pass_way_of(known);
  const PassWay way = measure<Real>(question, wanted, scheduler, ranks);
  static_cast<void>(detail::of_first_rank(ranks, "write the tunings", [&] {
    detail::keep_pass_way(file, key, way);
    return std::string();
  }));
  return way;
}

template PassWay choose_way<double>(const PassQuestion&, const PassWay&, tasks::Scheduler&, comm::Communicator&,
                                    const std::filesystem::path&);
template PassWay choose_way<float>(const PassQuestion&, const PassWay&, tasks::Scheduler&, comm::Communicator&,
                                   const std::filesystem::path&);

}  // namespace tacit::fft

// Tries algorithms of a pass, and has all ranks agree on the fastest.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fft/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <sstream>
#include <string_view>

#include "tacit/base/clock.hpp"
#include "tacit/comm/choose_fastest.hpp"
#include "tacit/comm/collectives/reduce.hpp"
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

  /// Seconds of the best of some passes, on the slowest rank.
  template <class Real>
  double time(const PassAlgorithm& algorithm) {
    const Pencils pencils(question_.modes, algorithm.grid, number(ranks_.rank()));
    const NoWork<Real> work(question_.modes);
    GridCommunicators grid(ranks_, algorithm.grid, scheduler_);
    Pass<Real> pass(pencils, question_.fields, work, scheduler_, question_.rigor, grid, algorithm.division);
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

 private:
  const PassQuestion& question_;
  tasks::Scheduler& scheduler_;
  comm::Communicator& ranks_;
  double seconds_ = 0.0;
  comm::AllReduce<double> slowest_;
};

template <class Real>
PassAlgorithm measure(const PassQuestion& question, const PassAlgorithm& wanted, tasks::Scheduler& scheduler,
                      comm::Communicator& ranks) {
  Trials trials(question, scheduler, ranks);
  const auto seconds_of = [&](const PassAlgorithm& algorithm) { return trials.time<Real>(algorithm); };
  std::vector<PassAlgorithm> candidates;
  if (wanted.grid.ranks() != 0) {
    candidates.push_back(wanted);
  } else {
    for (const ProcessGrid& grid : grids_to_try(question.modes, ranks)) candidates.push_back({grid, wanted.division});
  }
  const PassAlgorithm best = comm::fastest_of(candidates, seconds_of);
  candidates = {best};
  for (const std::size_t chunks : {1U, 2U, 4U, 8U}) {
    for (const std::size_t groups : {1U, 2U, 4U}) {
      if (wanted.division.chunks != 0 && wanted.division.chunks != chunks) continue;
      if (wanted.division.groups != 0 && wanted.division.groups != groups) continue;
      if (best.grid.column_size == 1 && groups > 1) continue;  // nothing is exchanged by groups
      candidates.push_back({best.grid, {.chunks = chunks, .groups = groups}});
    }
  }
  return comm::fastest_of(candidates, seconds_of);
}

std::string words_of(const PassAlgorithm& algorithm) {
  return fmt::format("{} {} {} {}", algorithm.grid.row_size, algorithm.grid.column_size, algorithm.division.chunks,
                     algorithm.division.groups);
}

/// What was measured names a grid; messages may be left to be chosen.
bool take_algorithm(std::istream& words, PassAlgorithm& algorithm) {
  return words >> algorithm.grid.row_size >> algorithm.grid.column_size >> algorithm.division.chunks >>
             algorithm.division.groups &&
         algorithm.grid.ranks() != 0;
}

/// What a time depends on.
template <class Real>
std::string key_of(const PassQuestion& question, const PassAlgorithm& wanted, const tasks::Scheduler& scheduler,
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
  if (wanted != PassAlgorithm{}) text += ", given " + words_of(wanted);
  return text;
}

}  // namespace

const base::TuningFormat pass_tunings{
    .first_line = "# tacit passes 1: ranks of a row, of a column, chunks, groups, what for",
    .name = "a file of passes",
    .remedy = "; remove it",
    .wrong_line =
        "is not four numbers (ranks of a row, of a column, chunks, groups) and what they are for; remove "
        "the line",
    .cannot_read = "cannot read the algorithms of passes",
    .cannot_write = "cannot write the algorithms of passes; name another file, or none",
    .takes_answer = [](std::istream& words) {
      PassAlgorithm algorithm;
      return take_algorithm(words, algorithm);
    }};

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
PassAlgorithm choose_algorithm(const PassQuestion& question, const PassAlgorithm& wanted, tasks::Scheduler& scheduler,
                               comm::Communicator& ranks, const std::filesystem::path& file) {
  const bool is_settled = wanted.grid.ranks() != 0 && wanted.division.chunks != 0 && wanted.division.groups != 0;
  if (ranks.size() == 1 || is_settled) return wanted;
  base::TuningCache cache(file);
  std::istringstream words(
      comm::choose_fastest(ranks.core(), cache, pass_tunings, key_of<Real>(question, wanted, scheduler, ranks),
                           [&] { return words_of(measure<Real>(question, wanted, scheduler, ranks)); }));
  PassAlgorithm algorithm;
  take_algorithm(words, algorithm);
  return algorithm;
}

template PassAlgorithm choose_algorithm<double>(const PassQuestion&, const PassAlgorithm&, tasks::Scheduler&,
                                                comm::Communicator&, const std::filesystem::path&);
template PassAlgorithm choose_algorithm<float>(const PassQuestion&, const PassAlgorithm&, tasks::Scheduler&,
                                               comm::Communicator&, const std::filesystem::path&);

}  // namespace tacit::fft

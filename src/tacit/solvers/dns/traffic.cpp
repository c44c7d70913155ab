// Adds up the exchanges of the passes of a step.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/traffic.hpp"

#include <algorithm>
#include <cmath>

#include "tacit/base/error.hpp"
#include "tacit/fft/process_grid.hpp"
#include "tacit/fft/traffic.hpp"
#include "tacit/solvers/dns/physics/physics_terms.hpp"
#include "tacit/solvers/dns/substep.hpp"

namespace tacit::dns {
namespace {

constexpr std::size_t most_ranks_looked_at = 512;
constexpr std::size_t most_ranks = 16384;

fft::ProcessGrid grid_of(const FlowParameters& parameters, const fft::Modes& modes, std::size_t ranks) {
  const std::size_t row = parameters.algorithm.grid.row_size;
  if (row != 0 && ranks % row == 0) return {.row_size = row, .column_size = ranks / row};
  return fft::choose_grid(modes, ranks, 1);
}

std::size_t substages(const FlowParameters& parameters) { return parameters.scheme == Scheme::rk4 ? 4 : 2; }

}  // namespace

engine::StepTraffic count_traffic(const FlowParameters& parameters, std::size_t ranks) {
  const fft::Modes modes(parameters.points, parameters.truncation);
  const fft::ProcessGrid grid = grid_of(parameters, modes, ranks);
  const fft::PassFields fields =
      with_scalars(velocity_fields(parameters.form), parameters.physics.all_scalars().size());
  const std::uint64_t passes = substages(parameters);
  engine::StepTraffic step{.ranks = ranks, .row_ranks = grid.row_size};
  const std::size_t looked_at = ranks <= most_ranks_looked_at ? ranks : 1;
  std::uint64_t messages = 0;
  for (std::size_t rank = 0; rank < looked_at; ++rank) {
    const fft::PassTraffic one =
        fft::traffic_of_rank(fft::Pencils(modes, grid, rank), fields, parameters.algorithm.division);
    messages += passes * one.messages;
    step.most_messages = std::max(step.most_messages, passes * one.messages);
    step.most_bytes = std::max(step.most_bytes, passes * one.bytes());
  }
  step.messages = messages * (ranks / looked_at);
  const fft::PassTraffic all = fft::bytes_of_all_ranks(modes, grid, fields);
  step.bytes = passes * all.bytes();
  step.row_bytes = passes * all.row_bytes;
  const fft::Pencils first(modes, grid, 0);  // it has the largest parts
  step.largest_share = static_cast<double>(first.physical_size()) /
                       (static_cast<double>(modes.points()[0]) * static_cast<double>(modes.points()[1]) *
                        static_cast<double>(modes.points()[2]));
  return step;
}

std::vector<engine::StepTraffic> count_traffic(const FlowParameters& parameters) {
  std::vector<engine::StepTraffic> counted;
  try {
    for (std::size_t ranks = 2; ranks <= most_ranks; ranks *= 2) counted.push_back(count_traffic(parameters, ranks));
  } catch (const base::Error&) {  // more ranks than pencils: the list ends there
  }
  return counted;
}

double work_of_point(const FlowParameters& parameters) {
  double logarithms = 0.0;
  for (const std::size_t n : parameters.points) logarithms += std::log2(std::max(static_cast<double>(n), 2.0));
  return logarithms;
}

}  // namespace tacit::dns

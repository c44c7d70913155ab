// Steps of the gas on two emulated nodes, beside the wire and what could be hidden.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "comm/overlap.hpp"
#include "sph/ranked_gas.hpp"
#include "sph/ranks.hpp"
#include "tacit/comm/window.hpp"
#include "tacit/exchange/reductions.hpp"

namespace tacit::bench {
namespace {

/// The lengths of the envelopes that this rank sends in a step that all particles end, by phase [byte].
std::vector<std::size_t> envelopes_of_step(RankedGas& gas) {
  std::vector<exchange::Sent> before;
  std::uint64_t sorts = 0;
  do {  // in a step that sorts, the pattern may change
    before = gas.messages().sent_by_envelope();
    sorts = gas.solver().sorts();
    gas.run(1);
  } while (gas.solver().sorts() != sorts);
  const std::vector<exchange::Sent> after = gas.messages().sent_by_envelope();
  std::vector<std::size_t> bytes;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const exchange::Sent one = after[i].since(before[i]);
    if (one.envelopes > 0) bytes.push_back(one.bytes);
  }
  return bytes;
}

/// The messages of a step without its computation: one after the other, blocking, and the decisions for all.
class StepMessages {
 public:
  /// @param mine  what this rank sends [byte]; the other one may send more or fewer
  StepMessages(Crew& crew, std::vector<std::size_t> mine)
      : mine_(std::move(mine)),
        connection_(crew.world(), {.rank = comm::RankId{1 - comm::number(crew.world().rank())}, .key = 0x62100000}),
        objections_(crew.world(), {.counts = 2}),
        shortest_(crew.world(), {.least = 1}) {
    const auto count = static_cast<double>(mine_.size());
    theirs_ = static_cast<std::size_t>(crew.sum(count) - count);
    for (std::size_t i = 0; i < std::max(mine_.size(), theirs_); ++i) {
      const double bytes = i < mine_.size() ? static_cast<double>(mine_[i]) : 0.0;
      const auto room = static_cast<std::size_t>(crew.largest(bytes));
      out_.emplace_back(connection_, room);
      in_.emplace_back(connection_, room);
    }
    for (auto& window : in_) window.init();
    crew.world().synchronise();
  }
  void run() {
    objections_.run();
    for (std::size_t i = 0; i < out_.size(); ++i) {
      if (i < mine_.size()) out_[i].post(mine_[i]);
      if (i < theirs_) {
        in_[i].wait();
        in_[i].init();
      }
      if (i < mine_.size()) out_[i].wait();
    }
    objections_.run();
    shortest_.run();
  }
  [[nodiscard]] double bytes() const {
    double sum = 0.0;
    for (const std::size_t one : mine_) sum += static_cast<double>(one);
    return sum;
  }

 private:
  std::vector<std::size_t> mine_;
  std::size_t theirs_ = 0;  // envelopes
  comm::Connection connection_;
  std::deque<comm::SendWindow<std::byte>> out_;
  std::deque<comm::RecvWindow<std::byte>> in_;
  // Of a common step: whether lists hold, whether any h outgrew them, and the next step.
  exchange::Reduction objections_;
  exchange::Reduction shortest_;
};

OverlappedSteps measure(Crew& crew, RankedGas& gas, StepMessages& messages, double wire, std::size_t samples) {
  OverlappedSteps all;
  const auto ranks = static_cast<double>(crew.world().size());
  static_cast<void>(crew.time(Takes::all_ranks, [&] { messages.run(); }));  // makes connections
  while (all.step.size() < samples) {
    const double serial = crew.time(Takes::all_ranks, [&] { messages.run(); });
    const std::uint64_t sorts = gas.solver().sorts();
    const double before = gas.exposed_s();
    const double step = crew.time(Takes::all_ranks, [&] { gas.run(1); });
    const double exposed = crew.sum(gas.exposed_s() - before) / ranks;
    if (gas.solver().sorts() != sorts) continue;
    all.add(step, exposed, serial, wire);
  }
  return all;
}

}  // namespace

std::string figures_on(const Wire& wire) {
  if (wire.mbit_per_s == Wire{}.mbit_per_s && wire.delay_us == 0) return "kh128_2n";
  const std::string rate = wire.mbit_per_s % 1000 == 0 ? fmt::format("{}gbit", wire.mbit_per_s / 1000)
                                                       : fmt::format("{}mbit", wire.mbit_per_s);
  return fmt::format("kh128_2n_{}_{}us", rate, wire.delay_us);
}

std::string last_figure_on(const Wire& wire) { return figures_on(wire) + "_hidden_of_possible"; }

void measure_gas_nodes(const Plan& plan, const Wire& wire) {
  const std::string name = figures_on(wire);
  const bool is_first = name == figures_on({});
  Crew crew(*plan.world);
  const BoundRank binding(crew.world());
  RankedGas gas(crew.world(), plan.size(128, 16), 1, Steps::common);
  StepMessages messages(crew, envelopes_of_step(gas));
  const double on_wire = wire_s(crew.largest(messages.bytes()), wire);
  const OverlappedSteps all = measure(crew, gas, messages, on_wire, is_first ? plan.size(21, 3) : plan.size(7, 1));
  OverlapLimits limits;
  if (is_first) limits.hidden = 0.85;
  add_overlap(plan, name, all, on_wire, limits);
}

}  // namespace tacit::bench

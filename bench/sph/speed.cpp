// Times full steps of the shear layer, and holds them against the peaks of the core and the memory.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "framework/flag_latency.hpp"
#include "framework/measure.hpp"
#include "sph/sections.hpp"
#include "sph/shear_gas.hpp"
#include "sph/swift.hpp"
#include "sph/work.hpp"
#include "tacit/engine/peak.hpp"
#include "tacit/engine/triad.hpp"

namespace tacit::bench {
namespace {

struct Case {
  sph::Scheme scheme;
  std::string scheme_name;
  std::size_t workers;
  sph::Pairs pairs;
  std::optional<double> limit;  ///< updates per core and second that are demanded
};

/// Both schemes with one and two threads; with one also those that visit each pair once.
std::vector<Case> cases(std::size_t processors) {
  std::vector<Case> all;
  for (const std::size_t workers : {std::size_t{1}, std::size_t{2}}) {
    if (workers > processors) continue;
    all.push_back({sph::Scheme::gadget2, "gadget2", workers, sph::Pairs::gather, 2.0e6});
    all.push_back({sph::Scheme::sphenix, "sphenix", workers, sph::Pairs::gather, 1.0e6});
    if (workers > 1) continue;
    all.push_back({sph::Scheme::gadget2, "gadget2", workers, sph::Pairs::symmetric, {}});
    all.push_back({sph::Scheme::sphenix, "sphenix", workers, sph::Pairs::symmetric, {}});
  }
  return all;
}

/// What all contestants were measured to do, shape (samples) each.
struct Measured {
  std::vector<std::vector<double>> rates;  ///< updates per core and second of each case
  std::vector<double> flops;               ///< peak of one core [s^-1]
  std::vector<double> bandwidth;           ///< of one core [byte s^-1]
};

/// Of operations per run and seconds of each run.
std::vector<double> rates_of(double operations, const std::vector<double>& seconds) {
  std::vector<double> rates(seconds.size());
  std::ranges::transform(seconds, rates.begin(), [operations](double s) { return operations / s; });
  return rates;
}

Measured measure(const Session& session, const std::vector<Case>& all) {
  const std::size_t steps = session.size(4, 1);
  std::deque<HostedGas> gases;
  std::vector<Contestant> contestants;
  for (const Case& c : all) {
    HostedGas& gas = gases.emplace_back(ShearRun{c.scheme, Steps::common, shear_side(session), c.workers, c.pairs});
    contestants.push_back({c.scheme_name, &gas.host(), {[&gas, steps] { gas.gas().steps(steps); }}});
  }
  tasks::HostThread host;
  const engine::PeakLoop loop = engine::peak_loops(base::best_instruction_set()).of_float;
  double operations = 0.0;
  contestants.push_back({"peak", &host, {[&, rounds = session.size(2'000'000, 100)] { operations = loop(rounds); }}});
  engine::Triad triad(session.size(std::size_t{1} << 23U, 1000));  // three arrays of 64 MiB
  contestants.push_back({"triad", &host, {[&triad] { triad.run(); }}});

  const auto seconds = measure_in_turns(contestants, repetitions(session.effort(), 1));
  Measured result;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto updates = static_cast<double>(steps * gases[k].gas().solver().elements());
    result.rates.push_back(rates_of(updates / static_cast<double>(all[k].workers), seconds[k]));
  }
  result.flops = rates_of(operations, seconds[all.size()]);
  result.bandwidth = rates_of(triad.bytes(), seconds[all.size() + 1]);
  return result;
}

Result figure(std::string name, std::string unit, const std::vector<double>& values) {
  return {.name = std::move(name), .unit = std::move(unit), .better = Better::higher, .ours = summarise(values)};
}

std::string prefix_of(const Case& c) {
  const char* const pairs = c.pairs == sph::Pairs::symmetric ? "_symmetric" : "";
  return "kh64_" + c.scheme_name + pairs + (c.workers == 1 ? "" : "_2t");
}

/// How much faster visiting each pair once is, from samples that were taken in turns.
void add_symmetric_against_gather(Session& session, const std::vector<Case>& all, const Measured& measured) {
  for (std::size_t s = 0; s < all.size(); ++s) {
    if (all[s].pairs != sph::Pairs::symmetric) continue;
    for (std::size_t g = 0; g < all.size(); ++g) {
      const bool is_partner = all[g].scheme == all[s].scheme && all[g].workers == all[s].workers && g != s;
      if (!is_partner) continue;
      std::vector<double> ratios(measured.rates[s].size());
      std::ranges::transform(measured.rates[s], measured.rates[g], ratios.begin(), std::divides{});
      session.add(figure(prefix_of(all[s]) + "_vs_gather", "", ratios));
    }
  }
}

/// One core's rate times `per_update` over what the core can do at most.
std::vector<double> shares(const std::vector<double>& rates, double per_update, const std::vector<double>& peak) {
  return scaled(rates, per_update / summarise(peak).median);
}

void add_shares(Session& session, const Case& c, const Measured& measured, const std::vector<double>& rates) {
  const std::string tail = c.scheme == sph::Scheme::gadget2 ? "" : "_" + c.scheme_name;
  session.add(figure("peak_flops_fraction" + tail, "", shares(rates, operations_of_update(c.scheme), measured.flops)));
  session.add(
      figure("memory_bandwidth_fraction" + tail, "", shares(rates, bytes_of_update(c.scheme), measured.bandwidth)));
}

}  // namespace

void add_speeds(Session& session) {
  const auto processors = topology::allowed_cpus();
  const auto all = cases(std::max<std::size_t>(processors.size(), 1));
  const auto before = measure_flag_latency(processors);
  const Measured measured = measure(session, all);
  const auto after = measure_flag_latency(processors);
  for (std::size_t k = 0; k < all.size(); ++k) {
    Result result = figure(prefix_of(all[k]) + "_updates_per_core_s", "/s", measured.rates[k]);
    result.limit = all[k].limit;
    if (all[k].workers == 2 && before && after) result.flag_ns = 0.5 * (before->median + after->median);
    if (all[k].pairs == sph::Pairs::gather) add_swift(session, result, all[k].scheme_name, all[k].workers);
    session.add(std::move(result));
  }
  add_symmetric_against_gather(session, all, measured);
  session.add(figure("core_peak_gflops", "Gflop/s", scaled(measured.flops, 1e-9)));
  session.add(figure("core_bandwidth_gbs", "GB/s", scaled(measured.bandwidth, 1e-9)));
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all[k].workers == 1 && all[k].pairs == sph::Pairs::gather)
      add_shares(session, all[k], measured, measured.rates[k]);
  }
  add_recorded_swift(session);
}

}  // namespace tacit::bench

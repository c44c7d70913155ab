// Sets one process with two threads against two processes with one.
// SPDX-License-Identifier: Apache-2.0
#include "sph/processes.hpp"

#include <fmt/format.h>

#include <array>
#include <istream>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "framework/flag_latency.hpp"
#include "sph/child.hpp"
#include "sph/sections.hpp"
#include "sph/shear_gas.hpp"
#include "tacit/base/clock.hpp"
#include "tacit/base/error.hpp"

namespace tacit::bench {
namespace {

/// Whole steps until `seconds` have gone. @return updates per second
double rate_for(ShearGas& gas, double seconds) {
  const base::Stopwatch watch;
  double updates = 0.0;
  double elapsed = 0.0;
  do {
    gas.step();
    updates += static_cast<double>(gas.solver().updated());
    elapsed = watch.seconds();
  } while (elapsed < seconds);
  return updates / elapsed;
}

/// Both processes at the same time, each on a processor of its own.
class Pair {
 public:
  Pair(std::span<const topology::CpuId> processors, std::size_t side, double seconds)
      : first_(words(processors[0], side, seconds)), second_(words(processors[1], side, seconds)) {
    for (Child* child : {&first_, &second_}) {
      if (child->read_line() != "ready") throw base::SystemError(own_program().string(), "does not understand us");
    }
  }
  /// Updates per second of both together.
  double rate() {
    first_.send_line("go");
    second_.send_line("go");
    const double first = std::stod(first_.read_line());
    return first + std::stod(second_.read_line());
  }

 private:
  static std::vector<std::string> words(topology::CpuId processor, std::size_t side, double seconds) {
    return {own_program().string(), std::string(stepping_process), fmt::format("{}", side),
            fmt::format("{}", static_cast<std::uint32_t>(processor)), fmt::format("{}", seconds)};
  }
  Child first_, second_;
};

}  // namespace

void serve_steps(std::span<const std::string_view> words, std::istream& in, std::ostream& out) {
  TACIT_EXPECT(words.size() == 3);
  const std::size_t side = std::stoul(std::string(words[0]));
  const topology::Binding binding(static_cast<topology::CpuId>(std::stoul(std::string(words[1]))));
  const double seconds = std::stod(std::string(words[2]));
  ShearGas gas({.side = side});
  gas.steps(warm_up_steps);
  out << "ready\n" << std::flush;
  for (std::string line; std::getline(in, line);) out << fmt::format("{:.17g}\n", rate_for(gas, seconds)) << std::flush;
}

void add_processes(Session& session) {
  const auto processors = topology::allowed_cpus();
  if (processors.size() < 2) return;
  const double seconds = session.effort() == Effort::full ? 0.5 : 0.01;
  HostedGas together({.side = shear_side(session), .workers = 2});
  Pair apart(processors, shear_side(session), seconds);
  const auto before = measure_flag_latency(processors);
  std::vector<double> shares;
  for (std::size_t sample = 0; sample < session.size(7, 2); ++sample) {
    double rate = 0.0;
    together.host().call([&] { rate = rate_for(together.gas(), seconds); });
    shares.push_back(rate / apart.rate());
  }
  const auto after = measure_flag_latency(processors);
  Result result{.name = "threads_2_vs_2_processes", .unit = "", .better = Better::higher};
  result.ours = summarise(std::move(shares));
  result.limit = 0.95;
  if (before && after) result.flag_ns = 0.5 * (before->median + after->median);
  session.add(std::move(result));
}

}  // namespace tacit::bench

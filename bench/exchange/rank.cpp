// The sections that two ranks measure.
// SPDX-License-Identifier: Apache-2.0
#include "exchange/rank.hpp"

#include <ostream>
#include <string>

#include "comm/crew.hpp"
#include "comm/launch.hpp"
#include "tacit/base/error.hpp"

namespace tacit::bench {

std::uint32_t next_exchange_key() {
  // Between ranks that are threads of one process, too, both ends count alike.
  static thread_local std::uint32_t next = 0x62000000;
  return next += 2;  // an exchange uses two
}

void measure_exchange(comm::Communicator& world, Effort effort, const Sink& sink) {
  const Plan plan{&world, effort, &sink};
  const BoundRank bound(world);
  measure_halo_tasks(plan);
  measure_many(plan);
  measure_open_receives(plan);
  measure_heat(plan);
}

void serve_exchange(std::span<const std::string_view> words, std::ostream& out) {
  if (words.size() != 2) throw base::Error("a rank of the benchmark 'exchange' takes two words");
  const Effort effort = words[0] == "quick" ? Effort::quick : Effort::full;
  const bool is_on_nodes = words[1] == "nodes";
  const std::string routes = is_on_nodes ? write_routes("mpi") : "";
  comm::Communicator world({.routes = routes});
  const Sink sink = [&out](const Result& result) { out << to_line(result) << '\n' << std::flush; };
  if (!is_on_nodes) return measure_exchange(world, effort, sink);
  const BoundRank bound(world);
  measure_heat_nodes({&world, effort, &sink});
}

}  // namespace tacit::bench

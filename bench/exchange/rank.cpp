// The sections that two ranks measure.
// SPDX-License-Identifier: Apache-2.0
#include "exchange/rank.hpp"

#include <optional>
#include <ostream>

#include "tacit/base/error.hpp"
#include "tacit/topology/cpus.hpp"

namespace tacit::bench {

std::uint32_t next_exchange_key() {
  // Between ranks that are threads of one process, too, both ends count alike.
  static thread_local std::uint32_t next = 0x62000000;
  return next += 2;  // an exchange uses two
}

void measure_exchange(comm::Communicator& world, Effort effort, const Sink& sink) {
  const Plan plan{&world, effort, &sink};
  std::optional<topology::Binding> binding;
  const auto cpus = topology::allowed_cpus();
  if (cpus.size() >= world.size()) binding.emplace(cpus[comm::number(world.rank())]);
  measure_halo_tasks(plan);
  measure_many(plan);
  measure_open_receives(plan);
}

void serve_exchange(std::span<const std::string_view> words, std::ostream& out) {
  if (words.size() != 1) throw base::Error("a rank of the benchmark 'exchange' takes one word");
  const Effort effort = words[0] == "quick" ? Effort::quick : Effort::full;
  comm::Communicator world;
  measure_exchange(world, effort, [&out](const Result& result) { out << to_line(result) << '\n' << std::flush; });
}

}  // namespace tacit::bench

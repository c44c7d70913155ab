// Starts the ranks of `tacit bench sph_ranks` and collects their figures.
// SPDX-License-Identifier: Apache-2.0
#include "sph/ranks.hpp"

#include <array>
#include <charconv>
#include <ostream>
#include <string>

#include "framework/command.hpp"
#include "sph/balance.hpp"
#include "sph/child.hpp"
#include "tacit/base/error.hpp"

namespace tacit::bench {
namespace {

constexpr std::string_view help =
    R"(The shear layer of 'tacit bench sph' with 128 particles along x and y and 16 along z (262144; --quick: 16 along x
and y), gadget2, on two ranks of one node with one thread each, bound to a processor of their own where there are two.
Contestants take turns, step by step, in the same run; who has nothing to do sleeps. flag: the time of a flag from one
processor to the other, in the same run. Built without MPI, the two ranks are threads of one process; emulated nodes
and runs of 'tacit run' are left out then.

  kh128_2r_speedup           full steps: the time on one rank of one thread over that on two ranks
  kh128_2r_vs_2t             the time on one rank of two threads over that on two ranks
  kh128_2r_exposed_share     of a step on two ranks: the part in which a rank does nothing but communicate (pack, poll,
                             unpack, decide together), or wait for that
  bytes_per_foreign_particle_step
                             what is sent of a particle that another rank has a copy of, in a step that all end
  foreign_particles_share    copies on the first rank over its own particles
  active_1_percent_2r_us     individual steps: 1 % of the particles, those of a ball that both ranks have halves of,
                             take steps shorter than the others: steps that just they end, per such particle
  active_1_percent_2r_vs_1r  that over the same on one rank, step by step

Thin gas at rest beside gas of eight times its density and the same pressure, 1409400 particles (--quick: 9472): the
dense gas has more than half of them and makes cells narrower than the thin gas would have them.

  sph_messages_10k           messages of a step, of both ranks together: one for each cell that travels and each phase
                             in which it does; about 10000
  sph_messages_10k_envelopes messages of the transport that carry them
  sph_messages_10k_step_share
                             of a step: the part that a rank spends packing, sending, taking, unpacking and polling,
                             the mean of both

The Sedov explosion of 64 particles a side (262144; --quick: 12), individual steps, on two ranks: 1024 steps from its
begin (--quick: 64), without those that sort particles. What both ranks send in a step together, envelopes and all, the
median of the steps that so many of the particles end:

  sedov_bins                 bins of time steps that are populated at the same time, at most
  sedov_bytes_per_step_upto_1, _1_to_10, _10_to_100_percent
                             steps that this part of the particles ends; left out where there are none
  sedov_steps_without_messages_share
                             of all steps: those in which no message goes from rank to rank but the reductions

Two emulated nodes with one rank each, joined by a wire of 1 Gbit/s in each direction (tools/nodes/nodes.py; needs root
and Open MPI; ranks share this machine), full steps of the shear layer; steps that sort particles are left out:

  kh128_2n_ms                a step
  kh128_2n_exposed_share     as kh128_2r_exposed_share
  kh128_2n_step_over_longer  the step over the longer of its computation (what is not exposed) and the time that its
                             messages take on the wire: bytes and headers, at the full rate
  kh128_2n_hidden_of_possible
                             (serial - exposed) / the shorter of serial and computation; serial: the envelopes that a
                             step sends one after the other, and its reductions, blocking
  kh128_2n_1gbit_50us_..., _1gbit_500us_, _100mbit_0us_, _100mbit_50us_, _100mbit_500us_
                             the same with other wires, on which everything takes so much longer each way

Real runs of 'tacit run' that read 10^6 particles at rest from a file (--quick: 4096) and take steps together:

  rss_4r_share               memory at its peak of the rank of four that needs most, over that of one rank alone

Four ranks of one thread each, on as many processors as there are, and 10^6 particles in a periodic box of 1 (--quick:
20 thousand): 80 % of them in a ball of radius 0.003 off the middle, the rest all over the box. Thread time in tasks of
the most loaded rank over the mean, in full steps after three repartitions:

  balance_4r_largest_over_mean
                             by measured costs, as in a run: METIS where it is better by 5 %, else the curve
  balance_4r_metis           by METIS, from costs and from what travels between units of leaves
  balance_4r_curve           by costs, along the curve
  balance_4r_particles       by numbers of particles, along the curve
)";

/// Beside that of 1 Gbit/s without delay.
constexpr std::array other_wires{Wire{1000, 50}, Wire{1000, 500}, Wire{100, 0}, Wire{100, 50}, Wire{100, 500}};

void measure_gas(comm::Communicator& world, Effort effort, const Sink& sink) {
  const Plan plan{&world, effort, &sink};
  Crew crew(world);
  comm::Communicator self = world.split(comm::number(world.rank()), 0);
  measure_full_steps(plan, crew, self);
  measure_sparse_steps(plan, crew, self);
  measure_many_messages(plan, crew);
  measure_blast(plan, crew);
}

/// @param where  "node" or "nodes", which the wire joins
Words rank_words(const Session& session, const char* where, const Wire& wire = {}) {
  return {own_program().string(),
          std::string(sph_rank),
          session.effort() == Effort::full ? "full" : "quick",
          where,
          std::to_string(wire.mbit_per_s),
          std::to_string(wire.delay_us)};
}

void run_on_nodes(Session& session, const Wire& wire) {
  run_processes(session, on_nodes(2, 1, rank_words(session, "nodes", wire), wire), last_figure_on(wire));
}

void run_sph_ranks(Session& session) {
  if (mpi_version().empty()) return run_threads(session, measure_gas);
  session.add_peer("MPI", mpi_version());
  run_processes(session, launched(2, rank_words(session, "node")), last_gas_on_node);
  add_memory_of_ranks(session);
  add_balance(session);
  if (!can_emulate_nodes()) return;
  run_on_nodes(session, {});
  const bool can_delay = can_emulate_nodes({.delay_us = 1});
  for (const Wire& wire : other_wires) {
    if (wire.delay_us == 0 || can_delay) run_on_nodes(session, wire);
  }
}

/// @throws base::Error
int number_in(std::string_view word) {
  int value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) {
    throw base::Error("a rank of the benchmark 'sph_ranks' takes numbers");
  }
  return value;
}

}  // namespace

void serve_sph_ranks(std::span<const std::string_view> words, std::ostream& out) {
  if (words.size() != 4) throw base::Error("a rank of the benchmark 'sph_ranks' takes four words");
  const bool is_on_nodes = words[1] == "nodes";
  const Effort effort = words[0] == "quick" ? Effort::quick : Effort::full;
  const std::string routes = is_on_nodes ? write_routes("mpi") : "";
  comm::Communicator world({.routes = routes});
  const Sink sink = [&out](const Result& result) { out << to_line(result) << '\n' << std::flush; };
  if (!is_on_nodes) return measure_gas(world, effort, sink);
  measure_gas_nodes({&world, effort, &sink}, {.mbit_per_s = number_in(words[2]), .delay_us = number_in(words[3])});
}

Benchmark sph_ranks_benchmark() {
  return {.name = "sph_ranks",
          .summary = "steps of the sph solver on ranks of one node and of two emulated nodes beside one rank",
          .help = help,
          .run = run_sph_ranks};
}

}  // namespace tacit::bench

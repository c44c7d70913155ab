// A rank of the benchmarks dns and fft: what it is told to do, and turns.
// SPDX-License-Identifier: Apache-2.0
#include "dns/rank.hpp"

#include <cstdlib>
#include <ostream>
#include <string>

#include "comm/launch.hpp"
#include "comm/rank.hpp"
#include "tacit/base/error.hpp"

namespace tacit::bench {

std::array<Cube, 3> cubes(Effort effort) {
  const bool is_full = effort == Effort::full;
  const auto cube = [is_full](std::size_t side, std::size_t samples, std::size_t repeats) {
    return is_full ? Cube{side, side, samples, repeats} : Cube{side, side / 8, 2, 1};
  };
  return {cube(64, 21, 5), cube(128, 11, 1), cube(256, 5, 1)};
}

void serve_dns(std::span<const std::string_view> words, std::ostream& out) {
  if (words.size() != 3) throw base::Error("a rank of the benchmarks 'dns' and 'fft' takes three words");
  const bool is_wire = words[1] == "wire";
  const std::string routes = is_wire ? write_routes("mpi") : "";
  comm::Communicator world({.routes = routes});
  Crew crew(world);
  const Sink sink = [&out](const Result& result) { out << to_line(result) << '\n' << std::flush; };
  const DnsPlan plan{&crew, words[0] == "quick" ? Effort::quick : Effort::full, &sink,
                     std::strtoul(std::string(words[2]).c_str(), nullptr, 10)};
  if (is_wire) {
    measure_wire(plan);
  } else {
    words[1] == "substages" ? measure_substages(plan) : measure_transforms(plan);
  }
  if (crew.is_first()) out << dns_end << '\n' << std::flush;
}

}  // namespace tacit::bench

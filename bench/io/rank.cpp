// Reads what a rank shall measure.
// SPDX-License-Identifier: Apache-2.0
#include "io/rank.hpp"

#include <ostream>

#include "comm/rank.hpp"
#include "tacit/base/error.hpp"

namespace tacit::bench {

void serve_io(std::span<const std::string_view> words, std::ostream& out) {
  if (words.size() != 5) throw base::Error("a rank of the benchmark 'io' takes five words");
  comm::Communicator world;
  Crew crew(world);
  const Sink sink = [&out](const Result& result) { out << to_line(result) << '\n' << std::flush; };
  const Writing writing{.crew = &crew,
                        .effort = words[0] == "quick" ? Effort::quick : Effort::full,
                        .sink = &sink,
                        .folder = words[1],
                        .label = std::string(words[2]),
                        .workers = std::stoul(std::string(words[3]))};
  if (words[4] == "restart") {
    measure_restart(writing);
  } else {
    measure_writes(writing, words[4]);
  }
  if (crew.is_first()) out << io_end << '\n' << std::flush;
}

}  // namespace tacit::bench

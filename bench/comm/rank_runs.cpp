// Runs a measurement on ranks.
// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <thread>
#include <utility>

#include "comm/rank.hpp"
#include "sph/child.hpp"
#include "tacit/comm/bootstrap/threads.hpp"

namespace tacit::bench {

void run_processes(Session& session, std::vector<std::string> words, std::string_view last_figure) {
  Child ranks(std::move(words));
  for (;;) {
    Result result = from_line(ranks.read_line());
    const bool is_last = result.name == last_figure;
    session.add(std::move(result));
    if (is_last) break;
  }
  static_cast<void>(ranks.wait_for_end());
}

void run_threads(Session& session, void (*measure)(comm::Communicator&, Effort, const Sink&)) {
  auto bootstraps = comm::bootstrap_threads(2);
  std::exception_ptr error;
  const auto run = [&](std::size_t rank) {
    try {
      comm::Communicator world(std::move(bootstraps[rank]));
      measure(world, session.effort(), [&session](const Result& result) { session.add(result); });
    } catch (...) {
      error = std::current_exception();
    }
  };
  {
    const std::jthread first(run, 0);
    const std::jthread second(run, 1);
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace tacit::bench

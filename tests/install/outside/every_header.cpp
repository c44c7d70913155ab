// Uses something of every header that is there for users, on one rank, so that all of it is linked.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <numeric>
#include <span>
#include <vector>

#include "tacit/base/clock.hpp"
#include "tacit/base/completion.hpp"
#include "tacit/base/error.hpp"
#include "tacit/base/exact_sum.hpp"
#include "tacit/comm/backoff.hpp"
#include "tacit/comm/bootstrap/bootstrap.hpp"
#include "tacit/comm/bootstrap/launcher.hpp"
#include "tacit/comm/bootstrap/mailbox.hpp"
#include "tacit/comm/bootstrap/pmix.hpp"
#include "tacit/comm/bootstrap/sockets.hpp"
#include "tacit/comm/bootstrap/subset.hpp"
#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/comm/buffered.hpp"
#include "tacit/comm/cartesian.hpp"
#include "tacit/comm/collectives/all_to_all.hpp"
#include "tacit/comm/collectives/all_to_all_view.hpp"
#include "tacit/comm/collectives/barrier.hpp"
#include "tacit/comm/collectives/broadcast.hpp"
#include "tacit/comm/collectives/gather.hpp"
#include "tacit/comm/collectives/handle.hpp"
#include "tacit/comm/collectives/options.hpp"
#include "tacit/comm/collectives/reduce.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/comm/connection.hpp"
#include "tacit/comm/error.hpp"
#include "tacit/comm/layout.hpp"
#include "tacit/comm/one_sided/one_sided.hpp"
#include "tacit/comm/one_sided/shared_counter.hpp"
#include "tacit/comm/one_sided/work_pool.hpp"
#include "tacit/comm/rank.hpp"
#include "tacit/comm/routes.hpp"
#include "tacit/comm/window.hpp"
#if defined(TACIT_HAS_MPI)
#include "tacit/comm/bootstrap/mpi.hpp"
#endif

namespace {

using namespace tacit;

constexpr comm::RankId self{0};

void must(bool is_so, const char* what) {
  if (!is_so) throw base::Error(what);
}

void bootstraps() {
  const auto none = [](const char* /*variable*/) -> const char* { return nullptr; };
  comm::check_launch(comm::find_launch(none), {});
  must(comm::bootstrap_threads(3).size() == 3, "threads");
  comm::Mailbox mailbox;
  mailbox.put(self, {}, comm::Bytes(5));
  must(mailbox.take(self, {})->size() == 5, "mailbox");
  const comm::SetupSockets sockets(comm::SetupSockets::Reach::machine);
  must(sockets.address().is_beside(sockets.address()), "sockets");
  const auto alone = comm::bootstrap_alone();
  must(comm::SubsetBootstrap(*alone, {self}, 1).size() == 1, "subset");
  must(comm::describe_mpi() != comm::describe_pmix() || comm::describe_mpi().empty(), "started");
  try {
    must(comm::bootstrap_pmix()->size() > 0, "PMIx");
  } catch (const base::Error&) {  // no launcher that offers it has started us
  }
#if defined(TACIT_HAS_MPI)
  comm::check_mpi(MPI_SUCCESS, "nothing");
#endif
}

void tools(comm::Communicator& world) {
  must(base::now_ns() != 0, "clock");
  base::ExactSum sum;
  sum.add(0.5);
  must(sum.value() == 0.5, "exact sum");
  must(comm::Backoff(comm::Processors::own, 60.0).pause(), "backoff");
  must(comm::RouteMap("between nodes mpi\n", "here").find(world.own(), world.own()) == nullptr, "routes");
  std::array<std::byte, 8> bytes{};
  comm::scatter(bytes.data(), 4, comm::Layout::contiguous(bytes.data() + 4, 4));
  must(comm::Cartesian(world, comm::balanced_grid(1, 2), comm::Boundary::open).rank_at(std::array{1L, 0L}) ==
           std::nullopt,
       "Cartesian");
  bool is_refused = false;
  try {
    const comm::Connection nowhere(world, comm::Target{.rank = comm::RankId{7}});
  } catch (const base::Error&) {
    is_refused = true;
  }
  must(is_refused, "connection to a rank that is not there");
}

void windows(comm::Communicator& world) {
  comm::Connection connection(world, comm::Target{.rank = self});
  comm::BufferedSendWindow<double> out(connection, 4);
  comm::BufferedRecvWindow<double> in(connection, 4);
  in.init();
  out.insert(42.0);
  out.post();
  double value = 0.0;
  in.wait();
  in.extract(std::span(&value, 1));
  out.wait();
  must(value == 42.0, "buffered windows");
  comm::OneSidedWindow<double> window(world, 4);
  window.put(self, 2, std::span<const double>(&value, 1), {.signal = 0});
  must(window.wait_signal(0, 1) == 1 && window.data()[2] == value, "one-sided window");
  window.fence();
  comm::SharedCounter counter(world);
  comm::WorkPool pool(world, 5, {.fetching = comm::Fetching::by_node});
  std::size_t drawn = counter.fetch_add(3);
  while (const auto range = pool.next()) drawn += range->size();
  must(drawn == 5 && counter.read() == 3, "counter and pool");
}

void collectives(comm::Communicator& world) {
  const comm::CollectiveOptions options;
  const std::vector<double> in{1.0, 2.0};
  std::vector<double> out(2);
  comm::Barrier(world, options).run();
  comm::AllReduce<double>(world, in, out, comm::Minimum{}, options).run();
  comm::ExactSums sums(world, 1);
  sums.add(0, out[1]);
  sums.run();
  must(sums.value(0) == 2.0, "reductions");
  comm::Broadcast<double>(world, self, out).run();
  comm::AllGather<double>(world, in, out).run();
  comm::AllToAll<double> all_to_all(world, 2);
  std::iota(all_to_all.input().begin(), all_to_all.input().end(), 5.0);
  all_to_all.run();
  must(all_to_all.output()[1] == 6.0, "all-to-all");
  comm::AllToAllView<double> view(world, [](comm::RankId, comm::RankId) { return std::size_t{1}; });
  *view.input() = 7.0;
  view.run();
  must(view.block_from(self)[0] == 7.0, "all-to-all by views");
}

}  // namespace

int main() {
  try {
    bootstraps();
    comm::Communicator world(comm::bootstrap_alone());
    tools(world);
    windows(world);
    collectives(world);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return EXIT_FAILURE;
  }
}

// tacit-bench: what `./tacit bench` becomes.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <exception>
#include <iostream>
#include <span>
#include <string_view>
#include <vector>

#include "actions/actions.hpp"
#include "actions/rank.hpp"
#include "amr/amr.hpp"
#include "comm/comm.hpp"
#include "comm/nodes.hpp"
#include "comm/rank.hpp"
#include "dns/dns.hpp"
#include "dns/rank.hpp"
#include "exchange/exchange.hpp"
#include "exchange/rank.hpp"
#include "fmm/fmm.hpp"
#include "framework/command.hpp"
#include "gpu/slots.hpp"
#include "io/io.hpp"
#include "io/rank.hpp"
#include "md/md.hpp"
#include "md/nodes.hpp"
#include "micro/tasks.hpp"
#include "pool/rank.hpp"
#include "pool/work_pool.hpp"
#include "qcd/coarse.hpp"
#include "qcd/qcd.hpp"
#include "sph/balance.hpp"
#include "sph/pairs.hpp"
#include "sph/processes.hpp"
#include "sph/ranks.hpp"
#include "sph/sph.hpp"
#include "tacit/base/memory.hpp"
#include "talks/talks.hpp"

int main(int argc, char** argv) {
  using namespace tacit;
  enum ExitCode : int { success = 0, bad_usage = 2, bug = 5 };  // as the program's own
  base::keep_freed_memory();                                    // as the program does; peers profit alike
  const std::array benchmarks{bench::tasks_benchmark(),     bench::sph_benchmark(),   bench::sph_pairs_benchmark(),
                              bench::sph_ranks_benchmark(), bench::comm_benchmark(),  bench::work_pool_benchmark(),
                              bench::nodes_benchmark(),     bench::fft_benchmark(),   bench::dns_benchmark(),
                              bench::exchange_benchmark(),  bench::io_benchmark(),    bench::md_benchmark(),
                              bench::amr_benchmark(),       bench::qcd_benchmark(),   bench::coarse_benchmark(),
                              bench::fmm_benchmark(),       bench::slots_benchmark(), bench::talks_benchmark(),
                              bench::actions_benchmark()};
  try {
    const std::vector<std::string_view> words(argv + 1, argv + argc);
    if (!words.empty() && words.front() == bench::stepping_process) {
      bench::serve_steps(std::span(words).subspan(1), std::cin, std::cout);
      return success;
    }
    if (!words.empty() && words.front() == bench::sph_rank) {
      bench::serve_sph_ranks(std::span(words).subspan(1), std::cout);
      return success;
    }
    if (!words.empty() && words.front() == bench::sph_balance_rank) {
      bench::serve_sph_balance(std::span(words).subspan(1), std::cout);
      return success;
    }
    if (!words.empty() && words.front() == bench::comm_rank) {
      bench::serve_comm(std::span(words).subspan(1), std::cout);
      return success;
    }
    if (!words.empty() && words.front() == bench::pool_rank) {
      bench::serve_pool(std::span(words).subspan(1), std::cout);
      return success;
    }
    if (!words.empty() && words.front() == bench::nodes_rank) {
      bench::serve_nodes(std::span(words).subspan(1), std::cout);
      return success;
    }
    if (!words.empty() && words.front() == bench::dns_rank) {
      bench::serve_dns(std::span(words).subspan(1), std::cout);
      return success;
    }
    if (!words.empty() && words.front() == bench::exchange_rank) {
      bench::serve_exchange(std::span(words).subspan(1), std::cout);
      return success;
    }
    if (!words.empty() && words.front() == bench::actions_rank) {
      bench::serve_actions(std::span(words).subspan(1), std::cout);
      return success;
    }
    if (!words.empty() && words.front() == bench::io_rank) {
      bench::serve_io(std::span(words).subspan(1), std::cout);
      return success;
    }
    if (!words.empty() && words.front() == bench::md_rank) {
      bench::serve_md(std::span(words).subspan(1), std::cout);
      return success;
    }
    if (!words.empty() && words.front() == bench::coarse_rank) {
      bench::serve_coarse(std::span(words).subspan(1), std::cout);
      return success;
    }
    bench::execute(bench::parse_command(words, benchmarks), benchmarks, std::cout, std::cerr);
    return success;
  } catch (const bench::UsageError& error) {
    std::cerr << error.what() << '\n';
    return bad_usage;
  } catch (const std::exception& error) {
    std::cerr << "tacit bench: " << error.what() << '\n';
    return bug;
  }
}

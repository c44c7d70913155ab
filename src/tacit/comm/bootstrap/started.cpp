// Finds the ranks that a launcher started, or says why there are none.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/bootstrap/started.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "tacit/comm/bootstrap/alone.hpp"

namespace tacit::comm {
namespace {

/// Who of this build counts ranks.
Counter counter_of_build() {
  if (const std::string mpi = describe_mpi(); !mpi.empty()) {
    return {Counter::Kind::mpi, fmt::format("{}, which this program was built with,", mpi)};
  }
  const std::string pmix = describe_pmix();
  if (pmix.empty()) return {Counter::Kind::none, "this program, which was built without MPI and without PMIx,"};
  return {Counter::Kind::pmix, fmt::format("this program, which was built without MPI and with {},", pmix)};
}

}  // namespace

std::unique_ptr<Bootstrap> bootstrap_of_launcher() {
  const auto launch = find_launch([](const char* variable) -> const char* { return std::getenv(variable); });
  auto bootstrap = started_by_mpi(launch);
  // One rank needs nobody; PMIx would serve only the first of several programs that such a rank starts.
  const bool is_one = launch && launch->size == 1 && !launch->is_lower_bound;
  if (bootstrap == nullptr && describe_mpi().empty() && !is_one) bootstrap = started_by_pmix();
  if (bootstrap == nullptr) bootstrap = bootstrap_alone();
  if (bootstrap->size() == 1) check_launch(launch, counter_of_build());
  return bootstrap;
}

}  // namespace tacit::comm

// Which exception has which exit code, and which rank reports it.
// SPDX-License-Identifier: Apache-2.0
#include "failure.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>

#include "commands.hpp"
#include "tacit/base/error.hpp"
#include "tacit/comm/error.hpp"
#include "tacit/config/parameters.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::apps {
namespace {

/// How long the first rank may take to find what another one has found.
constexpr double grace_s = 1.0;

bool is_reporter(comm::Communicator& ranks) {
  const bool is_first = ranks.rank() == comm::RankId{0};
  if (const auto loss = ranks.await_loss(0.0)) {                       // which caused our failure
    if (loss->kind == comm::LostRank::Kind::has_failed) return false;  // it has reported
    const comm::RankId first_left{loss->rank == comm::RankId{0} ? 1U : 0U};
    return ranks.rank() == first_left;
  }
  if (is_first) return true;
  const auto loss = ranks.await_loss(grace_s);
  return !loss || loss->kind == comm::LostRank::Kind::is_gone;
}

}  // namespace

Failure describe_failure() {
  try {
    throw;
  } catch (const config::Error& error) {
    return {bad_input, error.what(), "parameter"};
  } catch (const base::FormatError& error) {
    return {bad_input, error.what(), "format"};
  } catch (const engine::NumericsError& error) {
    return {numerics_failed, error.what(), "numerics"};
  } catch (const engine::OutputError& error) {
    return {machine_failed, error.what(), "output"};
  } catch (const base::SystemError& error) {
    return {machine_failed, error.what(), "machine"};
  } catch (const tasks::StalledError& error) {
    return {machine_failed, error.what(), "stalled"};
  } catch (const comm::PeerError& error) {
    return {machine_failed, error.what(), "ranks"};
  } catch (const comm::DeadlineError& error) {
    return {machine_failed, error.what(), "ranks"};
  } catch (const comm::LaunchError& error) {
    return {machine_failed, error.what(), "ranks"};
  } catch (const comm::ProviderError& error) {
    return {machine_failed, error.what(), "ranks"};
  } catch (const comm::MismatchError& error) {
    return {bug, std::string("internal error (bug): ") + error.what(), "bug"};
  } catch (const base::Error& error) {
    return {bad_input, error.what(), "input"};
  } catch (const std::bad_alloc&) {
    return {machine_failed, "out of memory: 'tacit check FILE' says how much a run needs", "machine"};
  } catch (const std::exception& error) {
    return {bug, std::string("internal error (bug): ") + error.what(), "bug"};
  }
}

int end_after(const Failure& failure, comm::Communicator& ranks) {
  if (is_reporter(ranks)) {
    const std::string own = comm::describe(ranks.own());
    const bool is_named = ranks.rank() == comm::RankId{0} || failure.message.find(own) != std::string::npos;
    fmt::print(stderr, "{}{}\n", is_named ? "" : own + ": ", failure.message);
    std::fflush(stderr);
  }
  ranks.give_up();
  return failure.code;
}

}  // namespace tacit::apps

// What the ranks of one process throw, in words; and how errors of an exchange name messages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/base/record.hpp"
#include "tacit/comm/error.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::exchange::testing {

/// An error of a rank with its type in front; "nothing" where it threw nothing.
inline std::string words_of(const std::function<void()>& function) {
  try {
    function();
  } catch (const comm::MismatchError& error) {
    return fmt::format("MismatchError: {}", error.what());
  } catch (const comm::PeerError& error) {
    return fmt::format("PeerError: {}", error.what());
  } catch (const comm::DeadlineError& error) {
    return fmt::format("DeadlineError: {}", error.what());
  } catch (const base::PreconditionError& error) {
    return fmt::format("PreconditionError: {}", error.what());
  } catch (const std::exception& error) {
    return fmt::format("error: {}", error.what());
  }
  return "nothing";
}

/// By rank; a rank that has thrown meets the others before its communicator ends.
inline std::vector<std::string> words_on_ranks(std::size_t ranks,
                                               const std::function<void(comm::Communicator&)>& function) {
  std::vector<std::string> words(ranks);
  comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
    words[number(world.rank())] = words_of([&] { function(world); });
    world.synchronise();
  });
  return words;
}

/// "rank 1 (node7)": all are on this machine.
inline std::string rank_name(std::size_t rank) {
  std::string host(256, '\0');
  gethostname(host.data(), host.size() - 1);
  return fmt::format("rank {} ({})", rank, host.c_str());
}

/// "message 3 of phase 'halo': 12 of float64 (schema ...)"
inline std::string message_name(std::uint32_t key, std::string_view phase, std::string_view count,
                                const base::Schema& schema) {
  return fmt::format("message {} of phase '{}': {} of {} (schema {:016x})", key, phase, count, schema.name,
                     schema.hash);
}

}  // namespace tacit::exchange::testing

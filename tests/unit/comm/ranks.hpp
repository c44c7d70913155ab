// Runs a function on several ranks of one process, each on a thread of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::comm::testing {

/// Short, so that a test that goes wrong ends; long beside anything that a busy machine does.
inline constexpr Options patient{.setup_deadline_s = 60.0, .deadline_s = 60.0};

/// Throws what the first rank threw that did, but rather a cause than what others heard of it (PeerError).
inline void rethrow_cause(const std::vector<std::exception_ptr>& errors) {
  std::exception_ptr heard;
  for (const std::exception_ptr& error : errors) {
    if (!error) continue;
    try {
      std::rethrow_exception(error);
    } catch (const PeerError&) {
      if (!heard) heard = error;
    }
  }
  if (heard) std::rethrow_exception(heard);
}

/// @throws as rethrow_cause
inline void on_ranks(std::size_t size, const std::function<void(Communicator&)>& function,
                     const Options& options = patient) {
  std::vector<std::exception_ptr> errors(size);
  {
    std::vector<std::jthread> threads;
    auto bootstraps = bootstrap_threads(size);
    for (std::size_t i = 0; i < size; ++i) {
      threads.emplace_back([&, i, bootstrap = std::move(bootstraps[i])]() mutable {
        try {
          Communicator communicator(std::move(bootstrap), options);
          function(communicator);
        } catch (...) {
          errors[i] = std::current_exception();
        }
      });
    }
  }
  rethrow_cause(errors);
}

}  // namespace tacit::comm::testing

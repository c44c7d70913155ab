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

namespace tacit::comm::testing {

/// Short, so that a test that goes wrong ends; long beside anything that a busy machine does.
inline constexpr Options patient{.setup_deadline_s = 60.0, .deadline_s = 60.0};

/// @throws what the first rank threw that did
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
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace tacit::comm::testing

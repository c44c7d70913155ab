// Waits that end at their deadline, on machines that may be too busy for what comes before them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/comm/error.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::comm::testing {

inline constexpr double shortest_deadline_s = 0.3;

/// What `act` says of a deadline that has passed.
inline std::string complaint(const std::function<void()>& act) {
  try {
    act();
  } catch (const DeadlineError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

/// Runs two ranks. @return what rank 0 says, or what has ended them
inline std::string said_by_first(const Options& options, const std::function<std::string(Communicator&)>& first,
                                 const std::function<void(Communicator&)>& second) {
  std::string said;
  try {
    on_ranks(
        2,
        [&](Communicator& world) {
          if (number(world.rank()) == 1) return second(world);
          said = first(world);
        },
        options);
  } catch (const base::Error& error) {
    return error.what();
  }
  return said;
}

/// Expects that `run`, which is given a deadline, says all these words, in which D is the deadline. What two threads
/// must do before one waits in vain has the same deadline: where a busy machine takes longer than that, it is doubled,
/// up to a third of those that end what hangs.
inline void expect_words(const std::vector<std::string>& words, const std::function<std::string(double)>& run) {
  std::string said;
  bool is_right = false;
  for (double deadline_s = shortest_deadline_s; !is_right && deadline_s < 20.0; deadline_s *= 2.0) {
    said = run(deadline_s);
    const std::string seconds = fmt::format("{:g} s", deadline_s);
    if (const std::size_t at = said.find(seconds); at != std::string::npos) said.replace(at, seconds.size(), "D s");
    is_right =
        std::ranges::all_of(words, [&](const std::string& word) { return said.find(word) != std::string::npos; });
  }
  EXPECT_TRUE(is_right) << said << "\n  instead of: " << fmt::format("{}", fmt::join(words, " ... "));
}

}  // namespace tacit::comm::testing

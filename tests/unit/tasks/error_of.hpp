// What something throws, as text that a test can compare.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>

namespace tacit::tasks::testing {

/// The message of what `act` throws, or "no error".
template <class Act>
std::string error_of(Act act) {
  try {
    act();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace tacit::tasks::testing

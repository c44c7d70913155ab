// Starts MPI with fewer threads than Tacit would ask for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "tacit/comm/bootstrap/bootstrap.hpp"

namespace tacit::comm::conformance {

/// MPI as a program of the user starts it, from its begin to its end.
class MpiAtLevel {
 public:
  /// @param level  "single", "funneled" or "serialized"
  explicit MpiAtLevel(const std::string& level);
  MpiAtLevel(const MpiAtLevel&) = delete;
  MpiAtLevel& operator=(const MpiAtLevel&) = delete;
  ~MpiAtLevel();
};

}  // namespace tacit::comm::conformance

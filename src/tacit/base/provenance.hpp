// Where a result came from: version, commit, compiler, flags, host; written into every file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tacit::base {

struct Provenance {
  std::string version;   ///< "0.1.0"
  std::string commit;    ///< 12 digits, with "-modified" when the tree had changes; "unknown" without git
  std::string compiler;  ///< name and version
  std::string flags;     ///< build type and sanitizers
  std::string host;
  std::string user;
  std::string date;  ///< now, ISO 8601, UTC
};

/// Provenance of this build and process.
[[nodiscard]] Provenance provenance();

}  // namespace tacit::base

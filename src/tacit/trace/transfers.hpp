// How long the transfers in a trace took, by their names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tacit::trace {

/// All transfers of one name that a file holds, of all ranks.
struct TransferSum {
  std::string name = {};
  std::uint64_t count = 0;
  double seconds = 0.0;  ///< from post to completion
  double alone_s = 0.0;  ///< what they take alone; 0 unless that is known of each
  double bytes = 0.0;    ///< that go to others; 0 unless that is known of each

  /// Adds others, whatever their name.
  void add(const TransferSum& others) noexcept;
};

/// Sums of the transfers in a file that Recorder::write has made, by name. Events that are no transfers, and transfers
/// whose end is not in the file, are passed over.
///
/// @throws base::SystemError if the file cannot be read
/// Cost: reads the file once, line by line; memory for the transfers that are open at a time.
[[nodiscard]] std::vector<TransferSum> read_transfers(const std::filesystem::path& path);

}  // namespace tacit::trace

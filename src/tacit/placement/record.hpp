// The advice as JSON, and what a later comparison with a run needs of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tacit/placement/advice.hpp"
#include "tacit/placement/network/network.hpp"

namespace tacit::placement {

/// The whole advice, indented: machine, job, the standard order, all candidates with their exchanges and cuts, and of
/// the best one where each rank runs. Node lists are hostlist expressions.
[[nodiscard]] std::string to_json(const network::Network& network, const JobRequest& request, const Advice& advice);

/// What was predicted for the placement that was written.
struct Predicted {
  std::string machine;
  std::size_t ranks = 0;
  std::string grid;
  std::vector<network::ExchangeTime> exchanges;  ///< name, seconds, latency and bytes of a rank only
};

/// @throws base::SystemError if the file cannot be read; base::FormatError if it is not what to_json has written
[[nodiscard]] Predicted read_predicted(const std::filesystem::path& file);

}  // namespace tacit::placement

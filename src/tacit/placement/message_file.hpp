// Messages of a job from a file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tacit/placement/network/job.hpp"

namespace tacit::placement {

/// Lines "FROM TO BYTES", separated by blanks or commas; '#' begins a comment. Messages of one pair add up.
///
/// @param file   its name, for messages
/// @param ranks  of the job
/// @throws base::FormatError with file and line if a line is something else or names a rank that the job has not, or if
///         there is no line
[[nodiscard]] network::Messages parse_messages(std::string_view text, const std::string& file, std::uint32_t ranks);

}  // namespace tacit::placement

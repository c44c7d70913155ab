// Lets all ranks know what has failed on one of them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/detail/rank_failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <limits>
#include <span>
#include <string_view>

#include "tacit/base/error.hpp"
#include "tacit/comm/collectives/broadcast.hpp"
#include "tacit/comm/collectives/reduce.hpp"
#include "tacit/comm/communicator.hpp"

namespace tacit::io::detail {

std::string failure_of(const std::filesystem::path& path, const HiddenFolder& folder,
                       const std::function<void()>& what) {
  std::string text;
  try {
    what();
    return text;
  } catch (const std::exception& error) {
    text = error.what();
  }
  const std::string now = folder.now.string();
  const std::string shown = folder.shown.string();
  for (std::size_t at = 0; !now.empty() && (at = text.find(now, at)) != std::string::npos; at += shown.size()) {
    text.replace(at, now.size(), shown);
  }
  const std::string before = path.string() + ": ";
  return text.starts_with(before) ? text.substr(before.size()) : text;
}

void agree_on_failure(comm::Communicator& ranks, const std::filesystem::path& path, const std::string& failure) {
  constexpr auto none = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t failed = failure.empty() ? none : number(ranks.rank());
  comm::AllReduce<std::uint32_t>(ranks, std::span(&failed, 1), comm::Minimum{}).run();
  if (failed == none) return;
  std::array<char, 1024> text{};
  std::ranges::copy(std::string_view(failure).substr(0, text.size() - 1), text.begin());
  comm::Broadcast<char>(ranks, comm::RankId{failed}, text).run();
  throw base::SystemError(path.string(),
                          ranks.size() == 1 ? text.data() : fmt::format("rank {}: {}", failed, text.data()));
}

}  // namespace tacit::io::detail

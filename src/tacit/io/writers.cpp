// Divides ranks into groups.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/writers.hpp"

#include <algorithm>
#include <cstddef>

#include "tacit/comm/communicator.hpp"

namespace tacit::io {
namespace {

/// The group of a rank; groups are numbered by their first ranks.
std::uint32_t group_of(const Writers& writers, const comm::Communicator& ranks, std::uint32_t rank) {
  const std::size_t size = ranks.size();
  switch (writers.kind) {
    case Writers::Kind::nodes:
      return ranks.ranks()[rank].node;
    case Writers::Kind::all:
      return rank;
    case Writers::Kind::count: {
      const std::size_t groups = std::clamp<std::size_t>(writers.count, 1, size);
      return static_cast<std::uint32_t>(rank * groups / size);
    }
    default:
      return 0;
  }
}

}  // namespace

std::string name_of(const Writers& writers) {
  switch (writers.kind) {
    case Writers::Kind::automatic:
      return "auto";
    case Writers::Kind::nodes:
      return "nodes";
    case Writers::Kind::count:
      return std::to_string(writers.count);
    case Writers::Kind::all:
      return "all";
    case Writers::Kind::shared:
      return "shared";
    default:
      return "one";
  }
}

WriterGroups writer_groups(const Writers& writers, const comm::Communicator& ranks) {
  WriterGroups groups;
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    const std::uint32_t group = group_of(writers, ranks, rank);
    if (group >= groups.members.size()) groups.members.resize(group + 1);
    groups.members[group].push_back(rank);
    groups.group_of.push_back(group);
  }
  return groups;
}

}  // namespace tacit::io

// Which ranks of a run write its files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tacit::comm {
class Communicator;
}

namespace tacit::io {

/// The ranks that write: each for a group of neighbours, which hand it what they have.
struct Writers {
  enum class Kind : std::uint8_t {
    automatic,  ///< what turns out to be the fastest, for each kind of files
    one,        ///< the first rank, one file
    nodes,      ///< one rank of each node
    count,      ///< so many ranks, as evenly spread as can be
    all,        ///< every rank
    shared,     ///< every rank, all into one file, which is not compressed
  };
  Kind kind = Kind::one;
  std::uint32_t count = 1;
};

/// Who writes for whom. The same on all ranks.
struct WriterGroups {
  std::vector<std::vector<std::uint32_t>> members;  ///< by group: its ranks, the one that writes first
  std::vector<std::uint32_t> group_of;              ///< by rank

  [[nodiscard]] std::size_t size() const noexcept { return members.size(); }
  [[nodiscard]] std::uint32_t writer_of(std::uint32_t rank) const { return members[group_of[rank]].front(); }
  [[nodiscard]] bool is_writer(std::uint32_t rank) const { return writer_of(rank) == rank; }
};

/// A way to write files, for the ranks of a run.
struct Strategy {
  Writers writers;
  WriterGroups groups;
  [[nodiscard]] bool is_shared() const noexcept { return writers.kind == Writers::Kind::shared; }
};

/// As parameter files say it: "all", "4".
[[nodiscard]] std::string name_of(const Writers& writers);

[[nodiscard]] WriterGroups writer_groups(const Writers& writers, const comm::Communicator& ranks);

}  // namespace tacit::io

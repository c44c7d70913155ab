// Compares the tables of actions of all ranks.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "tacit/actions/detail/core.hpp"
#include "tacit/comm/collectives/gather.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::actions::detail {

namespace {

std::string in_words(const std::string& name, std::uint64_t types) {
  return fmt::format("'{}' (types {:016x})", name, types);
}

struct Line {
  std::string name;
  std::uint64_t types = 0;
  [[nodiscard]] bool operator==(const Line&) const = default;
};

std::vector<std::byte> bytes_of_lines(const std::vector<Entry>& entries) {
  std::vector<std::byte> bytes;
  const auto add = [&](const void* data, std::size_t size) {
    const auto* const from = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), from, from + size);
  };
  for (const Entry& entry : entries) {
    const std::uint64_t length = entry.name.size();
    add(&length, sizeof(length));
    add(entry.name.data(), length);
    add(&entry.types, sizeof(entry.types));
  }
  return bytes;
}

std::vector<Line> lines_of(std::span<const std::byte> bytes) {
  std::vector<Line> lines;
  Reader reader(bytes);
  while (reader.left() > 0) {
    Line line;
    line.name = Codec<std::string>::read(reader);
    line.types = reader.number<std::uint64_t>();
    lines.push_back(std::move(line));
  }
  return lines;
}

/// What all ranks say, by rank.
template <class T>
std::vector<T> gathered(comm::Communicator& world, std::span<const T> mine) {
  std::vector<T> all(mine.size() * world.size());
  comm::AllGather<T>(world, mine, std::span<T>(all)).run();
  world.synchronise();  // a rank that is done must not leave while others still connect to it
  return all;
}

/// @throws comm::MismatchError
[[noreturn]] void tell_difference(const comm::RankInfo& first, const std::vector<Line>& of_first,
                                  const comm::RankInfo& other, const std::vector<Line>& of_other) {
  const auto find = [](const std::vector<Line>& lines, const std::string& name) {
    return std::ranges::find(lines, name, &Line::name);
  };
  for (const Line& line : of_first) {
    const auto found = find(of_other, line.name);
    if (found == of_other.end()) {
      throw comm::MismatchError(
          fmt::format("{} has the action {}, {} has none of that name; all ranks make the same "
                      "table",
                      comm::describe(first), in_words(line.name, line.types), comm::describe(other)));
    }
    if (found->types != line.types) {
      throw comm::MismatchError(
          fmt::format("{} has the action {}, {} has {}: its arguments or its result are of other "
                      "types",
                      comm::describe(first), in_words(line.name, line.types), comm::describe(other),
                      in_words(found->name, found->types)));
    }
  }
  const auto extra =
      std::ranges::find_if(of_other, [&](const Line& line) { return find(of_first, line.name) == of_first.end(); });
  tell_difference(other, {*extra}, first, of_first);
}

}  // namespace

/// All ranks compare all tables with that of the first, so that all throw, and the same.
void Core::compare_tables() {
  const std::vector<std::byte> mine = bytes_of_lines(entries_);
  base::detail::TypeHash hash;
  for (const std::byte byte : mine) hash.add(static_cast<std::uint64_t>(byte));
  for (const std::uint64_t size :
       {options_.message_bytes, options_.queue_bytes, options_.most_bytes, options_.longest_record}) {
    hash.add(size);
  }
  struct Digest {
    std::uint64_t hash = 0;
    std::uint64_t bytes = 0;
    [[nodiscard]] bool operator==(const Digest&) const = default;
  };
  const Digest digest{hash.value(), mine.size()};
  const std::vector<Digest> digests = gathered(world_, std::span(&digest, 1));
  const auto is_same = [&](const Digest& other) { return other == digests.front(); };
  if (std::ranges::all_of(digests, is_same)) return;
  const std::size_t longest = std::max<std::size_t>(1, std::ranges::max(digests, {}, &Digest::bytes).bytes);
  std::vector<std::byte> padded = mine;
  padded.resize(longest);
  const std::vector<std::byte> all = gathered(world_, std::span<const std::byte>(padded));
  std::vector<std::span<const std::byte>> tables;
  for (std::size_t rank = 0; rank < digests.size(); ++rank) {
    tables.push_back(std::span(all).subspan(rank * longest, digests[rank].bytes));
  }
  for (std::size_t rank = 1; rank < tables.size(); ++rank) {
    if (std::ranges::equal(tables[rank], tables.front())) continue;
    tell_difference(world_.ranks()[0], lines_of(tables[0]), world_.ranks()[rank], lines_of(tables[rank]));
  }
  const auto other = static_cast<std::size_t>(std::ranges::find_if_not(digests, is_same) - digests.begin());
  throw comm::MismatchError(fmt::format("{} and {} have other options of actions", comm::describe(world_.ranks()[0]),
                                        comm::describe(world_.ranks()[other])));
}

}  // namespace tacit::actions::detail

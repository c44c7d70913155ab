// Reads lists of messages and writes the files of launchers.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/placement/files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <unordered_map>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/base/text.hpp"

namespace tacit::placement {
namespace {

constexpr std::string_view blanks = " \t\r,";

/// Splits a line into words.
class LineReader {
 public:
  LineReader(std::string_view line, std::string where)
      : rest_(line.substr(0, line.find('#'))), where_(std::move(where)) {
    skip();
  }
  [[nodiscard]] bool is_at_end() const { return rest_.empty(); }

  template <class Number>
  Number next(const char* what, double largest) {
    const std::string_view word = rest_.substr(0, rest_.find_first_of(blanks));
    Number value{};
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool is_good = code == std::errc() && end == word.data() + word.size();
    if (!is_good || !(static_cast<double>(value) >= 0.0 && static_cast<double>(value) <= largest)) {
      fail(fmt::format("'{}' is no {}: expected a number from 0 to {:.6g}; a line is FROM TO BYTES",
                       base::printable(word), what, largest));
    }
    rest_.remove_prefix(word.size());
    skip();
    return value;
  }
  [[noreturn]] void fail(const std::string& what) const { throw base::FormatError(where_, what); }

 private:
  void skip() { rest_.remove_prefix(std::min(rest_.find_first_not_of(blanks), rest_.size())); }
  std::string_view rest_;
  std::string where_;
};

}  // namespace

network::Messages parse_messages(std::string_view text, const std::string& file, std::uint32_t ranks) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> sums;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    LineReader line(text.substr(0, end), fmt::format("{}:{}", file, number));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.is_at_end()) continue;
    const auto from = line.next<std::uint32_t>("rank", ranks - 1.0);
    const auto to = line.next<std::uint32_t>("rank", ranks - 1.0);
    sums[{from, to}] += line.next<double>("number of bytes", 1e18);
    if (!line.is_at_end()) line.fail("has more than three words; expected FROM TO BYTES");
  }
  if (sums.empty()) throw base::FormatError(file, "holds no messages; expected lines FROM TO BYTES");
  network::Messages messages{.ranks = ranks, .list = {}};
  for (const auto& [pair, bytes] : sums) {
    if (pair.first != pair.second) messages.list.push_back({.from = pair.first, .to = pair.second, .bytes = bytes});
  }
  return messages;
}

using network::NodeId;
using network::Placement;

std::vector<NodeId> used_nodes(const Placement& placement, std::span<const NodeId> listed) {
  std::unordered_map<NodeId, std::size_t> ranks_on;
  for (const NodeId node : placement) ++ranks_on[node];
  std::vector<NodeId> nodes;
  std::size_t most = 0;
  for (const NodeId node : listed) {
    const auto found = ranks_on.find(node);
    if (found == ranks_on.end()) continue;
    nodes.push_back(node);
    most = std::max(most, found->second);
  }
  std::ranges::stable_partition(nodes, [&](NodeId node) { return ranks_on.at(node) == most; });
  return nodes;
}

std::string mpich_rank_order(const Placement& placement, std::span<const NodeId> nodes) {
  std::unordered_map<NodeId, std::vector<std::size_t>> ranks;
  for (std::size_t rank = 0; rank < placement.size(); ++rank) ranks[placement[rank]].push_back(rank);
  std::string text;
  for (const NodeId node : nodes) fmt::format_to(std::back_inserter(text), "{}\n", fmt::join(ranks[node], ","));
  return text;
}

const NodeShape::Core* core_of(const NodeShape& node, std::size_t slot, std::size_t ranks) {
  if (ranks > node.cores.size()) return nullptr;
  return &node.cores[slot * node.cores.size() / ranks];
}

std::optional<bool> do_rows_keep_to_domains(const NodeShape& node, std::size_t row, std::size_t ranks) {
  if (ranks > node.cores.size()) return std::nullopt;
  for (std::size_t slot = 0; slot < ranks; ++slot) {
    if (core_of(node, slot, ranks)->numa != core_of(node, slot / row * row, ranks)->numa) return false;
  }
  return true;
}

std::string openmpi_rankfile(const network::Network& network, const Placement& placement,
                             const std::optional<NodeShape>& node) {
  std::unordered_map<NodeId, std::size_t> ranks_on;
  for (const NodeId place : placement) ++ranks_on[place];
  std::unordered_map<NodeId, std::size_t> next;
  std::string text;
  for (std::size_t rank = 0; rank < placement.size(); ++rank) {
    const std::size_t slot = next[placement[rank]]++;
    const std::string name = network::name_of(network, placement[rank]);
    const std::size_t ranks = ranks_on[placement[rank]];
    const NodeShape::Core* const core = node ? core_of(*node, slot, ranks) : nullptr;
    if (core == nullptr) {
      fmt::format_to(std::back_inserter(text), "rank {}={} slot={}\n", rank, name, slot);
    } else {
      fmt::format_to(std::back_inserter(text), "rank {}={} slot={}:{}\n", rank, name, core->package, core->place);
    }
  }
  return text;
}

std::string slurm_hostfile(const network::Network& network, const Placement& placement) {
  std::string text;
  for (const NodeId node : placement) text += network::name_of(network, node) + '\n';
  return text;
}

std::string node_list(const network::Network& network, std::span<const NodeId> nodes) {
  std::string text;
  for (const NodeId node : nodes) text += network::name_of(network, node) + '\n';
  return text;
}

}  // namespace tacit::placement

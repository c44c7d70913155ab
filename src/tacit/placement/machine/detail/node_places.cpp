// Looks nodes up by name and puts named nodes on their routers.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/placement/machine/detail/node_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_set>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/base/text.hpp"

namespace tacit::placement::detail {
namespace {

using network::NodeId;
using network::NodeState;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  line = line.substr(0, line.find('#'));
  constexpr std::string_view blanks = " \t\r,";
  for (std::size_t begin = line.find_first_not_of(blanks); begin != std::string_view::npos;
       begin = line.find_first_not_of(blanks, begin)) {
    const std::size_t end = std::min(line.find_first_of(blanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

std::optional<std::uint32_t> whole_number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Fills the routers of a torus line by line.
class PlaceReader {
 public:
  PlaceReader(const std::string& file, network::Network& network)
      : file_(file), network_(network), torus_(std::get<network::Torus>(network.shape)) {
    network_.node_names.assign(network::node_count(network_), "");
    network_.states.assign(network_.node_names.size(), NodeState::service);
    taken_.assign(network::router_count(network_), 0);
  }

  void add(int number, std::string_view line) {
    const auto words = words_of(line);
    if (words.empty()) return;
    const auto fail = [&](const std::string& what) {
      throw base::FormatError(fmt::format("{}:{}", file_, number), what);
    };
    if (words.size() != 4) fail(fmt::format("has {} words; expected NAME X Y Z", words.size()));
    std::size_t router = 0;
    for (std::size_t i = 3; i-- > 0;) {
      const auto place = whole_number(words[i + 1]);
      if (!place || *place >= torus_.routers[i]) {
        fail(fmt::format("'{}' is no {} of this torus; expected a number from 0 to {}", base::printable(words[i + 1]),
                         "xyz"[i], torus_.routers[i] - 1));
      }
      router = router * torus_.routers[i] + *place;
    }
    if (taken_[router] == torus_.nodes_per_router) {
      fail(fmt::format("the router has its {} nodes already", torus_.nodes_per_router));
    }
    if (!names_.emplace(words[0]).second) fail(fmt::format("'{}' is named twice", base::printable(words[0])));
    const std::size_t node = router * torus_.nodes_per_router + taken_[router]++;
    network_.node_names[node] = words[0];
    network_.states[node] = NodeState::compute;
  }

 private:
  const std::string& file_;
  network::Network& network_;
  const network::Torus& torus_;
  std::vector<std::uint32_t> taken_;
  std::unordered_set<std::string> names_;
};

}  // namespace

NodeNames::NodeNames(const network::Network& network) : count_(network::node_count(network)) {
  for (std::size_t i = 0; i < network.node_names.size(); ++i) {
    if (!network.node_names[i].empty()) numbers_.emplace(network.node_names[i], static_cast<NodeId>(i));
  }
}

std::optional<NodeId> NodeNames::find(const std::string& name) const {
  if (const auto found = numbers_.find(name); found != numbers_.end()) return found->second;
  if (!numbers_.empty()) return std::nullopt;
  const auto number = whole_number(name);
  if (!number || *number >= count_) return std::nullopt;
  return static_cast<NodeId>(*number);
}

void read_places(std::string_view text, const std::string& file, network::Network& network) {
  PlaceReader reader(file, network);
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    reader.add(number, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace tacit::placement::detail

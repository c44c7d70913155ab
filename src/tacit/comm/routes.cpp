// Reads a file of routes, and finds the one of a pair.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/routes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

#include "tacit/base/error.hpp"
#include "tacit/comm/transports.hpp"

namespace tacit::comm {
namespace {

constexpr std::string_view left_open = "-";

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The text up to `separator`, which is taken off `text` together with it.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

/// "3" or "0-3".
std::optional<std::pair<std::uint32_t, std::uint32_t>> range_of(std::string_view text) {
  const bool is_one = text.find('-') == std::string_view::npos;
  const auto first = number_of<std::uint32_t>(take_until(text, '-'));
  const auto last = is_one ? first : number_of<std::uint32_t>(text);
  if (!first || !last || *last < *first) return std::nullopt;
  return std::pair(*first, *last);
}

bool contains(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& ranges, RankId rank) {
  return std::ranges::any_of(
      ranges, [rank](const auto& range) { return range.first <= number(rank) && number(rank) <= range.second; });
}

}  // namespace

/// Reads the words of one line.
class RouteMap::Reader {
 public:
  Reader(std::string_view line, std::string_view name, std::size_t number) : name_(name), number_(number) {
    std::istringstream words{std::string(line.substr(0, line.find('#')))};
    words_.assign(std::istream_iterator<std::string>(words), {});
  }
  [[nodiscard]] bool is_empty() const { return words_.empty(); }

  Rule rule() {
    Rule rule;
    const std::string first = next("ranks, 'between' or 'within'");
    if (first == "between" || first == "within") {
      rule.scope = first == "between" ? Scope::between_nodes : Scope::within_nodes;
      const std::string second = next("'nodes'");
      if (second != "nodes") fail(fmt::format("'{}' after '{}', which only 'nodes' may follow", second, first));
    } else {
      rule.from = ranks(first);
      rule.to = ranks(next("the ranks at the other end"));
    }
    rule.route = route();
    if (at_ < words_.size()) {
      const bool is_network = rule.route.transport == ProviderId::ofi;
      fail(fmt::format("'{}' is too much: nothing follows {}", words_[at_],
                       is_network ? "the port" : comm::name(rule.route.transport)));
    }
    return rule;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw base::FormatError(fmt::format("{}:{}", name_, number_), what);
  }
  std::string next(const char* what) {
    if (at_ == words_.size()) fail(fmt::format("the line ends where {} should be", what));
    return words_[at_++];
  }
  std::string optional_word() {
    if (at_ == words_.size()) return {};
    std::string word = words_[at_++];
    return word == left_open ? std::string() : word;
  }

  [[nodiscard]] std::vector<Range> ranks(const std::string& word) const {
    if (word == "*") return {{0, std::numeric_limits<std::uint32_t>::max()}};
    std::vector<Range> ranges;
    std::string_view rest = word;
    bool is_last = false;
    while (!is_last) {
      is_last = rest.find(',') == std::string_view::npos;
      const auto range = range_of(take_until(rest, ','));
      if (!range) fail(fmt::format("'{}' names no ranks: * for all, or numbers and ranges such as 0-3,8", word));
      ranges.push_back(*range);
    }
    return ranges;
  }

  Route route() {
    const std::string word = next("a transport");
    const auto found = std::ranges::find_if(transports, [&](ProviderId id) { return comm::name(id) == word; });
    if (found == transports.end()) {
      std::vector<std::string_view> names;
      for (const ProviderId id : transports) names.push_back(comm::name(id));
      fail(fmt::format("'{}' is no transport: {}", word, fmt::join(names, ", ")));
    }
    Route route{.transport = *found};
    if (*found != ProviderId::ofi) return route;
    route.network.provider = optional_word();
    route.network.device = optional_word();
    if (const std::string port = optional_word(); !port.empty()) {
      const auto value = number_of<std::uint16_t>(port);
      if (!value || *value == 0) fail(fmt::format("'{}' is no port: 1 to 65535, or - for any", port));
      route.network.port = *value;
    }
    return route;
  }

  std::string_view name_;
  std::size_t number_;
  std::vector<std::string> words_;
  std::size_t at_ = 0;
};

RouteMap::RouteMap(std::string_view text, std::string_view name) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    Reader reader(take_until(text, '\n'), name, number);
    if (!reader.is_empty()) rules_.push_back(reader.rule());
  }
}

RouteMap RouteMap::read(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf() || file.eof())) {
    throw base::SystemError(path, "the file of routes cannot be read", errno);
  }
  return {text.str(), path};
}

bool RouteMap::fits(const Rule& rule, const RankInfo& a, const RankInfo& b) noexcept {
  switch (rule.scope) {
    case Scope::between_nodes:
      return a.node != b.node;
    case Scope::within_nodes:
      return a.node == b.node;
    case Scope::ranks:
      break;
  }
  return (contains(rule.from, a.rank) && contains(rule.to, b.rank)) ||
         (contains(rule.from, b.rank) && contains(rule.to, a.rank));
}

const Route* RouteMap::find(const RankInfo& a, const RankInfo& b) const noexcept {
  if (a.rank == b.rank) return nullptr;
  const auto found = std::find_if(rules_.rbegin(), rules_.rend(), [&](const Rule& rule) { return fits(rule, a, b); });
  return found == rules_.rend() ? nullptr : &found->route;
}

}  // namespace tacit::comm

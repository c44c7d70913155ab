// Reads Slurm's topology.conf.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "tacit/base/text.hpp"
#include "tacit/placement/machine/detail/switches.hpp"
#include "tacit/placement/machine/hostlist.hpp"

namespace tacit::placement {
namespace {

constexpr std::array<std::string_view, 6> known_keys{"SwitchName", "Switches",  "Nodes",
                                                     "LinkSpeed",  "BlockName", "BlockSizes"};

/// "key=value" of a line, the key as `known_keys` spells it.
struct Pair {
  std::string_view key;
  std::string_view value;
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

class ConfReader {
 public:
  ConfReader(std::string_view text, const std::string& file, const SlurmSpeeds& speeds)
      : text_(text), file_(file), speeds_(speeds) {}

  Machine run() {
    while (!text_.empty()) read_line();
    if (!blocks_.empty() && !switches_.empty()) {
      throw base::FormatError(blocks_.front().where, "both SwitchName and BlockName; Slurm takes a tree or blocks");
    }
    return blocks_.empty() ? detail::machine_of_switches(switches_, file_, speeds_)
                           : detail::machine_of_blocks(blocks_, sizes_, file_, speeds_);
  }

 private:
  [[nodiscard]] std::string where() const { return file_ + ':' + std::to_string(number_); }
  [[noreturn]] void fail(const std::string& what) const { throw base::FormatError(where(), what); }

  /// One line with those that a backslash at its end joins to it.
  std::string next_line() {
    std::string line;
    bool goes_on = true;
    for (std::size_t taken = 0; goes_on && !text_.empty(); ++taken) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      std::string_view part = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      if (taken > 0) ++continued_;
      part = part.substr(0, part.find('#'));
      while (!part.empty() && is_blank(part.back())) part.remove_suffix(1);
      goes_on = part.ends_with('\\');
      if (goes_on) part.remove_suffix(1);
      line += part;
    }
    return line;
  }

  void read_line() {
    number_ += 1 + std::exchange(continued_, 0);
    const std::string line = next_line();
    std::vector<Pair> pairs;
    std::string_view rest = line;
    for (skip_blanks(rest); !rest.empty(); skip_blanks(rest)) pairs.push_back(take_pair(rest));
    if (!pairs.empty()) use(pairs);
  }

  static void skip_blanks(std::string_view& text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  }

  /// As Slurm: with blanks around the sign, and values in quotes.
  [[nodiscard]] Pair take_pair(std::string_view& rest) const {
    const auto take = [&rest](std::string_view ends) {
      const std::string_view taken = rest.substr(0, rest.find_first_of(ends));
      rest.remove_prefix(taken.size());
      return taken;
    };
    const std::string_view name = take(" \t\r=");
    skip_blanks(rest);
    if (!rest.starts_with('=')) return pair_of(name, {});
    rest.remove_prefix(1);
    skip_blanks(rest);
    if (!rest.starts_with('"')) return pair_of(name, take(" \t\r"));
    rest.remove_prefix(1);
    const std::string_view value = take("\"");
    if (rest.empty()) fail(fmt::format("the quotes of '{}' do not end", base::printable(value)));
    rest.remove_prefix(1);
    return pair_of(name, value);
  }

  [[nodiscard]] Pair pair_of(std::string_view name, std::string_view value) const {
    const auto known = std::ranges::find_if(known_keys, [name](auto key) { return equal_ignoring_case(key, name); });
    if (known == known_keys.end()) {
      const auto guess = base::closest(name, known_keys);
      fail(fmt::format(
          "'{}' is not a key of this file; {}", base::printable(name),
          guess ? fmt::format("did you mean '{}'?", *guess) : "a line begins with SwitchName or BlockName"));
    }
    if (value.empty()) fail(fmt::format("expected a value: {}=...", *known));
    return {*known, value};
  }

  void use(const std::vector<Pair>& pairs) {
    const auto value = [&pairs](std::string_view key) {
      const auto found = std::ranges::find(pairs, key, &Pair::key);
      return found == pairs.end() ? std::string_view() : found->value;
    };
    for (auto pair = pairs.begin(); pair != pairs.end(); ++pair) {
      if (std::find_if(pairs.begin(), pair, [&](const Pair& p) { return p.key == pair->key; }) != pair) {
        fail(fmt::format("{} stands twice in a line", pair->key));
      }
    }
    if (!value("SwitchName").empty()) {
      detail::Switch one{.name = std::string(value("SwitchName")),
                         .switches = names(value("Switches")),
                         .nodes = names(value("Nodes")),
                         .where = where()};
      if (!value("LinkSpeed").empty()) one.uplink = number(value("LinkSpeed"), "LinkSpeed") * 1e9 / 8.0;
      switches_.push_back(std::move(one));
    } else if (!value("BlockName").empty()) {
      blocks_.push_back({.name = std::string(value("BlockName")), .nodes = names(value("Nodes")), .where = where()});
    } else if (!value("BlockSizes").empty()) {
      read_sizes(value("BlockSizes"));
    } else {
      fail(fmt::format("a line with {} needs SwitchName or BlockName", pairs.front().key));
    }
  }

  [[nodiscard]] std::vector<std::string> names(std::string_view expression) {
    try {
      auto some = expand_hostlist(expression);
      named_ += some.size();
      if (named_ > most_hosts) fail(fmt::format("the file names more than {} nodes and switches", most_hosts));
      return some;
    } catch (const HostlistError& problem) {
      fail(problem.what());
    }
  }

  [[nodiscard]] double number(std::string_view text, std::string_view key) const {
    double value = 0.0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || value <= 0.0) {
      fail(fmt::format("{}={}: expected a number above 0", key, base::printable(text)));
    }
    return value;
  }

  void read_sizes(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(','), text.size());
      const double size = number(text.substr(0, end), "BlockSizes");
      const bool is_whole = size == std::floor(size) && size < 1e7;
      const bool fits = sizes_.empty() || (size > static_cast<double>(sizes_.back()) &&
                                           std::fmod(size, static_cast<double>(sizes_.front())) == 0.0);
      if (!is_whole || !fits) fail("BlockSizes: expected whole numbers that ascend, each a multiple of the first");
      sizes_.push_back(static_cast<std::size_t>(size));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  std::string_view text_;
  const std::string& file_;
  const SlurmSpeeds& speeds_;
  int number_ = 0;
  int continued_ = 0;
  std::size_t named_ = 0;
  std::vector<detail::Switch> switches_;
  std::vector<detail::Block> blocks_;
  std::vector<std::size_t> sizes_;
};

}  // namespace

Machine parse_topology_conf(std::string_view text, const std::string& file, const SlurmSpeeds& speeds) {
  return ConfReader(text, file, speeds).run();
}

}  // namespace tacit::placement

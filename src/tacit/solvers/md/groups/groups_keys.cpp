// The keys of groups of atoms.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "tacit/base/error.hpp"
#include "tacit/base/text.hpp"
#include "tacit/solvers/md/formats/words.hpp"
#include "tacit/solvers/md/groups/groups.hpp"

namespace tacit::md {
namespace {

using config::Key;

constexpr std::array groups_table{
    Key::text(
        "groups.named",
        "Groups of atoms, separated by commas, each a name and what its atoms have in common when a run begins: "
        "\"type\" and elements, \"id\" and IDs or ranges of them, \"region\" and low and high bounds along x, y and "
        "z, in code units, with - for none. \"floor region - - - - 0 8, tip type C, some id 1-20 35\"."),
    Key::text("groups.frozen", "Names of groups whose atoms stay where they are."),
    Key::text(
        "groups.moving",
        "Groups whose atoms go on with a velocity, whatever the forces: a name and three components in code units, "
        "as \"tip 0 0 -0.1\", separated by commas."),
    Key::text(
        "groups.pulled",
        "Groups on each of whose atoms a force acts beside all others: a name and three components in code units, "
        "likewise."),
};

class GroupReader {
 public:
  GroupReader(const config::Parameters& p, std::span<const std::string> elements, const Box& box)
      : p_(p), elements_(elements), box_(box) {}

  /// @param held  IDs of atoms that a file says do not move
  Groups read(std::span<const std::uint64_t> held) {
    if (!held.empty()) {
      AtomGroup& group = result_.named.emplace_back(everywhere(held_by_file));
      for (const std::uint64_t id : held) group.ids.emplace_back(id, id);
      group.ids = merged(std::move(group.ids));
    }
    for (const auto& words : entries("groups.named")) result_.named.push_back(group_of(words));
    if (result_.named.size() > Groups::most) refuse("groups.named", fmt::format("names more than {}", Groups::most));
    if (p_.has("groups.frozen")) {
      const std::string text = p_.text("groups.frozen");
      for (const std::string_view word : words_of(text)) hold("groups.frozen", word, {});
    }
    for (const auto& words : entries("groups.moving"))
      hold("groups.moving", words[0], vector_of("groups.moving", words));
    const auto is_named = std::ranges::find(result_.held, 0U, &Groups::Held::group) != result_.held.end();
    if (!held.empty() && !is_named) result_.held.push_back({0, {}});
    for (const auto& words : entries("groups.pulled")) {
      result_.pulled.push_back({number_of_group("groups.pulled", words[0]), vector_of("groups.pulled", words)});
    }
    if (p_.has("thermostat.group")) {
      const std::string name = p_.text("thermostat.group");
      result_.heated = 1U << number_of_group("thermostat.group", name);
    }
    return std::move(result_);
  }

 private:
  static constexpr const char* held_by_file = "move_mask";  // as the column of extended XYZ

  [[nodiscard]] static AtomGroup everywhere(const std::string& name) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    return {.name = name, .low = {-infinite, -infinite, -infinite}, .high = {infinite, infinite, infinite}};
  }
  /// In rising order, and as few as there can be.
  [[nodiscard]] static std::vector<std::pair<std::uint64_t, std::uint64_t>> merged(
      std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges) {
    std::ranges::sort(ranges);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> result;
    for (const auto& [from, to] : ranges) {
      const bool continues = !result.empty() && (from <= result.back().second || from - result.back().second == 1);
      if (continues) {
        result.back().second = std::max(result.back().second, to);
      } else {
        result.emplace_back(from, to);
      }
    }
    return result;
  }
  [[noreturn]] void refuse(const std::string& key, const std::string& what) const {
    const std::string hint = key == "groups.named"    ? "\"floor region - - - - 0 8, tip type C, some id 1-20 35\""
                             : key == "groups.frozen" ? "\"floor\""
                                                      : "\"tip 0 0 -0.1\"";
    throw config::Error(p_.where(key), key, what, "for example " + hint);
  }
  /// What stands between commas, as words.
  [[nodiscard]] std::vector<std::vector<std::string>> entries(const std::string& key) const {
    std::vector<std::vector<std::string>> result;
    if (!p_.has(key)) return result;
    const std::string text = p_.text(key);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find(',', at), text.size());
      const auto words = words_of(std::string_view(text).substr(at, end - at));
      if (words.empty()) refuse(key, "has nothing between two commas");
      result.emplace_back(words.begin(), words.end());
      at = end + 1;
    }
    return result;
  }
  [[nodiscard]] double finite(const std::string& key, std::string_view word) const {
    const std::optional<double> value = number_of<double>(word);
    if (value && std::isfinite(*value)) return *value;
    refuse(key, fmt::format("'{}' is no number", base::printable(word)));
  }
  [[nodiscard]] base::Vec3 vector_of(const std::string& key, const std::vector<std::string>& words) const {
    if (words.size() != 4) {
      refuse(key, fmt::format("'{}' has {} words, expected a name and three components",
                              base::printable(fmt::format("{}", fmt::join(words, " "))), words.size()));
    }
    return {finite(key, words[1]), finite(key, words[2]), finite(key, words[3])};
  }
  [[nodiscard]] std::uint32_t number_of_group(const std::string& key, std::string_view name) const {
    const auto found = std::ranges::find(result_.named, name, &AtomGroup::name);
    if (found != result_.named.end()) return static_cast<std::uint32_t>(found - result_.named.begin());
    std::vector<std::string_view> names;
    for (const AtomGroup& one : result_.named) names.emplace_back(one.name);
    throw config::Error(p_.where(key), key,
                        fmt::format("there is no group '{}': groups.named has {}", base::printable(name),
                                    names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))),
                        "name one of them, or define it there");
  }
  void hold(const std::string& key, std::string_view name, const base::Vec3& v) {
    const std::uint32_t group = number_of_group(key, name);
    if (std::ranges::find(result_.held, group, &Groups::Held::group) != result_.held.end()) {
      refuse(key, fmt::format("the group '{}' is held twice", base::printable(name)));
    }
    result_.held.push_back({group, v});
  }
  [[nodiscard]] AtomGroup group_of(const std::vector<std::string>& words) const {
    const auto fail = [&](const std::string& what) {
      refuse("groups.named", fmt::format("the group '{}' {}", base::printable(words[0]), what));
    };
    AtomGroup group = everywhere(words[0]);
    if (std::ranges::find(result_.named, words[0], &AtomGroup::name) != result_.named.end()) fail("is named twice");
    const std::string_view kind = words.size() > 2 ? std::string_view(words[1]) : "";
    const std::span<const std::string> rest = std::span(words).subspan(std::min<std::size_t>(2, words.size()));
    if (kind == "type") {
      for (const std::string& word : rest) add_types(group, word);
    } else if (kind == "id") {
      for (const std::string& word : rest) add_ids(group, word);
      group.ids = merged(std::move(group.ids));
    } else if (kind == "region") {
      if (rest.size() != 6)
        fail(fmt::format("has {} bounds, expected six: low and high along x, y and z", rest.size()));
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (rest[2 * axis] != "-") group.low[axis] = finite("groups.named", rest[2 * axis]);
        if (rest[2 * axis + 1] != "-") group.high[axis] = finite("groups.named", rest[2 * axis + 1]);
        if (!(group.low[axis] < group.high[axis])) fail(fmt::format("has no room along {}", "xyz"[axis]));
      }
      check_region(group);
    } else {
      fail("has to go on with type, id or region, and what is of that kind");
    }
    return group;
  }
  void add_types(AtomGroup& group, const std::string& word) const {
    const std::size_t before = group.types.size();
    for (std::uint32_t type = 0; type < elements_.size(); ++type) {
      if (elements_[type] == word) group.types.push_back(type);
    }
    if (group.types.size() > before) return;
    refuse("groups.named",
           fmt::format("'{}' is none of the elements ({})", base::printable(word), fmt::join(elements_, " ")));
  }
  void add_ids(AtomGroup& group, const std::string& word) const {
    const std::size_t dash = word.find('-');
    const std::optional<std::uint64_t> from = number_of<std::uint64_t>(std::string_view(word).substr(0, dash));
    const std::optional<std::uint64_t> to =
        dash == std::string::npos ? from : number_of<std::uint64_t>(std::string_view(word).substr(dash + 1));
    if (!from || !to || *from > *to) {
      refuse("groups.named", fmt::format("'{}' is no ID, nor a range of them", base::printable(word)));
    }
    group.ids.emplace_back(*from, *to);
  }
  /// Of a tilted box the bounds are those of the box around it.
  void check_region(const AtomGroup& group) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double low = box_.origin[axis];
      double high = low;
      for (std::size_t edge = 0; edge < 3; ++edge) {
        (box_.edge(edge)[axis] < 0.0 ? low : high) += box_.edge(edge)[axis];
      }
      if (group.low[axis] < high && group.high[axis] > low) continue;
      refuse("groups.named",
             fmt::format("the region of '{}' lies outside of the box, which goes from {:.6g} to {:.6g} along {}",
                         base::printable(group.name), low, high, "xyz"[axis]));
    }
  }

  const config::Parameters& p_;
  std::span<const std::string> elements_;
  const Box& box_;
  Groups result_;
};

}  // namespace

std::span<const Key> groups_keys() { return groups_table; }

Groups read_groups(const config::Parameters& p, std::span<const std::string> elements, const Box& box,
                   std::span<const std::uint64_t> held) {
  return GroupReader(p, elements, box).read(held);
}

}  // namespace tacit::md

// Writes the values of a run as a parameter file that gives them again, and compares them with such a file.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tacit/config/detail/content.hpp"
#include "tacit/config/detail/convert.hpp"
#include "tacit/config/detail/describe.hpp"
#include "tacit/config/detail/toml.hpp"
#include "tacit/config/parameters.hpp"

namespace tacit::config {
namespace {

std::string to_toml(double number) { return detail::number_text(number); }
std::string to_toml(const std::string& text) { return detail::toml_string(text); }

std::string to_toml(const Node& node);

std::string to_toml(const std::map<std::string, double>& constants) {
  std::string text = "{";
  for (const auto& [name, number] : constants)
    text += fmt::format("{}{} = {}", text.size() > 1 ? ", " : "", name, to_toml(number));
  return text + "}";
}

template <class Value>
std::string to_toml(const std::vector<Value>& values) {
  std::string text = "[";
  for (const Value& value : values) text.append(text.size() > 1 ? ", " : "").append(to_toml(value));
  return text + "]";
}

std::string to_toml(const Parameters::Value& value) {
  if (const auto* flag = std::get_if<bool>(&value.content)) return *flag ? "true" : "false";
  if (const auto* integer = std::get_if<std::int64_t>(&value.content)) return fmt::format("{}", *integer);
  if (const auto* number = std::get_if<double>(&value.content)) return to_toml(*number);
  if (const auto* numbers = std::get_if<std::vector<double>>(&value.content)) return to_toml(*numbers);
  if (const auto* constants = std::get_if<std::map<std::string, double>>(&value.content)) return to_toml(*constants);
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value.content)) return to_toml(*texts);
  return to_toml(std::get<std::string>(value.content));
}

/// The same of what was read from such a file, letter by letter if it is the same value.
std::string to_toml(const Node& node) {
  switch (node.kind) {
    case Node::Kind::flag:
      return node.flag ? "true" : "false";
    case Node::Kind::integer:
      return fmt::format("{}", node.integer);
    case Node::Kind::real:
      return to_toml(node.real);
    case Node::Kind::array:
      return to_toml(node.items);
    default:
      return to_toml(node.text);
  }
}

/// "  # default", with the unit where the number is not in code units.
std::string comment(const Parameters::Value& value) {
  std::string text = detail::is_unit_key(value.name) ? base::cgs_symbol(value.dimension) : "";
  if (!value.is_given) text += text.empty() ? "default" : ", default";
  return text.empty() ? text : "  # " + text;
}

/// Lines by table in the order of first appearance: TOML lets a table begin only once.
class Lines {
 public:
  void add(const std::string& name, const std::string& rest) {
    const auto dot = name.rfind('.');
    const bool is_top = dot == std::string::npos;
    table(is_top ? "" : name.substr(0, dot)) += (is_top ? name : name.substr(dot + 1)) + rest + '\n';
  }

  [[nodiscard]] std::string text() const {
    std::string text;
    for (const auto& [name, lines] : tables_) {
      if (!name.empty()) text += fmt::format("\n[{}]\n", name);
      text += lines;
    }
    return text;
  }

 private:
  std::string& table(const std::string& name) {
    for (auto& [known, lines] : tables_) {
      if (known == name) return lines;
    }
    return tables_.emplace_back(name, "").second;
  }

  std::vector<std::pair<std::string, std::string>> tables_ = {{"", ""}};  // keys of no table come first
};

}  // namespace

std::string Parameters::text_of(const Value& value) const {
  if (value.type != Type::path) return to_toml(value);
  return detail::toml_string(std::filesystem::absolute(path(value.name)).string());
}

std::string Parameters::as_used() const {
  Lines lines;
  for (const auto& value : values_) {
    if (value.content.index() != 0 && !value.is_replaced)
      lines.add(value.name, " = " + text_of(value) + comment(value));
  }
  return "# The parameters as used. Numbers are in the code units that [units] defines; those in [units] are in "
         "cgs.\n" +
         lines.text();
}

std::vector<Parameters::Change> Parameters::changes_since(std::string_view used, const std::string& source) const {
  const std::vector<detail::Entry> entries = detail::parse_toml(used, source);
  const auto find = [&entries](const std::string& name) {
    return name.empty() ? entries.end() : std::ranges::find(entries, name, &detail::Entry::name);
  };
  std::vector<Change> changes;
  for (const Value& value : values_) {
    if (value.may_change || value.is_replaced) continue;
    auto entry = find(value.name);
    if (entry == entries.end()) entry = find(value.former_name);
    const bool was_there = entry != entries.end();
    if (!was_there && !value.is_changed) continue;
    const std::string then = !was_there ? ""
                             : value.type == Type::constants
                                 ? to_toml(detail::convert_constants(value.name, entries, {}))
                                 : to_toml(entry->value);
    const std::string now = value.content.index() != 0 ? text_of(value) : "";
    if (then != now) changes.push_back({value.name, then, now});
  }
  return changes;
}

}  // namespace tacit::config

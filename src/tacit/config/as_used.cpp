// Writes the values of a run as a parameter file that gives them again: Parameters::as_used.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "tacit/config/detail/content.hpp"
#include "tacit/config/detail/describe.hpp"
#include "tacit/config/detail/toml.hpp"
#include "tacit/config/parameters.hpp"

namespace tacit::config {
namespace {

std::string to_toml(double number) { return detail::number_text(number); }
std::string to_toml(const std::string& text) { return detail::toml_string(text); }

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
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value.content)) return to_toml(*texts);
  return to_toml(std::get<std::string>(value.content));
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

std::string Parameters::as_used() const {
  Lines lines;
  for (const auto& value : values_) {
    if (value.content.index() == 0 || value.is_replaced) continue;
    const std::string text = value.type == Type::path
                                 ? detail::toml_string(std::filesystem::absolute(path(value.name)).string())
                                 : to_toml(value);
    lines.add(value.name, " = " + text + comment(value));
  }
  return "# The parameters as used. Numbers are in the code units that [units] defines; those in [units] are in "
         "cgs.\n" +
         lines.text();
}

}  // namespace tacit::config

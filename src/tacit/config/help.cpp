// Tables of keys as help for a terminal and as a Markdown page.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "tacit/config/detail/describe.hpp"
#include "tacit/config/parameters.hpp"

namespace tacit::config {
namespace {

constexpr std::size_t terminal_width = 100;

/// "required", "optional" or "default 1.2".
std::string need_text(const Key& key) {
  if (key.need == Need::has_default) return "default " + detail::default_text(key);
  return key.need == Need::required ? "required" : "optional";
}

/// Breaks `text` between words; every line begins with `indent` blanks.
std::string wrap(std::string_view text, std::size_t indent) {
  std::string out;
  std::string line(indent, ' ');
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    const auto word = text.substr(0, end);
    const bool is_first = line.size() == indent;
    if (!is_first && line.size() + 1 + word.size() > terminal_width) {
      out += line + '\n';
      line.assign(indent, ' ');
    }
    line.append(line.size() == indent ? "" : " ").append(word);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return line.size() == indent ? out : out + line + '\n';
}

std::string choices_help(const Key& key) {
  std::size_t width = 0;
  const auto choices = key.choices.all();
  for (const auto& choice : choices) width = std::max(width, choice.name.size());
  std::string text;
  for (const auto& choice : choices) text += fmt::format("      {:{}}  {}\n", choice.name, width, choice.help);
  return text;
}

std::string key_help(const KeyTable& table, const Key& key) {
  const std::string range = detail::range_text(key.range);
  return fmt::format("  {}  ({}, {}{}{})\n", key.name, detail::type_text(key), need_text(key),
                     range.empty() ? "" : ", " + range, table.may_change(key) ? "; may change on restart" : "") +
         wrap(detail::meaning(key), 6) + choices_help(key);
}

/// Text for a cell of a Markdown table.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string allowed_cell(const Key& key) {
  std::string text = detail::range_text(key.range);
  for (const auto& choice : key.choices.all()) text += fmt::format("{}`{}`", text.empty() ? "" : ", ", choice.name);
  return cell(text);
}

std::string meaning_cell(const Key& key) {
  std::string text = detail::meaning(key);
  for (const auto& choice : key.choices.all()) {
    if (!choice.help.empty()) text += fmt::format("<br>`{}`: {}", choice.name, choice.help);
  }
  return cell(text);
}

std::string need_cell(const Key& key) {
  if (key.need == Need::has_default) return fmt::format("`{}`", cell(detail::default_text(key)));
  return key.need == Need::required ? "required" : "";
}

}  // namespace

std::string keys_help(std::span<const KeyTable> tables) {
  std::string text;
  for (const auto& table : tables) {
    if (!text.empty()) text += '\n';
    text += fmt::format("{}\n", table.title);
    for (const auto& key : table.keys) text += '\n' + key_help(table, key);
  }
  return text;
}

std::string keys_markdown(std::string_view title, std::span<const KeyTable> tables) {
  std::string text = fmt::format("# {}\n", title);
  for (const auto& table : tables) {
    text +=
        fmt::format("\n## {}\n\n| key | type | default | allowed | on restart | meaning |\n|---|---|---|---|---|---|\n",
                    table.title);
    for (const auto& key : table.keys) {
      text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", key.name, detail::type_text(key), need_cell(key),
                          allowed_cell(key), table.may_change(key) ? "may change" : "", meaning_cell(key));
    }
  }
  return text;
}

}  // namespace tacit::config

// Reads YAML line by line, levels by their indentation.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/topology/machine/yaml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "tacit/base/text.hpp"

namespace tacit::topology {
namespace {

using base::Tree;

/// What stands in a line, without its indentation and comment.
struct Line {
  int number = 0;
  std::size_t indent = 0;
  std::string_view content;
};

std::string_view trimmed(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \r");
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end + 1);
}

/// Offset of the first of `wanted` outside quotes, or the text's size; a '#' counts only behind a blank, a ':' only in
/// front of one.
std::size_t find_unquoted(std::string_view text, char wanted) {
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == '\\' && quote == '"') ++i;
      if (c == quote) quote = '\0';
      continue;
    }
    const bool begins_word = i == 0 || std::string_view(" [{,:-").find(text[i - 1]) != std::string_view::npos;
    if ((c == '"' || c == '\'') && begins_word) quote = c;
    if (c != wanted) continue;
    if (c == '#' && i > 0 && text[i - 1] != ' ') continue;
    if (c == ':' && i + 1 < text.size() && text[i + 1] != ' ') continue;
    return i;
  }
  return text.size();
}

bool is_list_item(std::string_view content) { return content == "-" || content.starts_with("- "); }

class YamlReader {
 public:
  YamlReader(std::string_view text, std::string file) : file_(std::move(file)) { split(text); }

  base::TreeFile run() {
    base::TreeFile result{.file = file_, .root = {}};
    if (lines_.empty()) throw base::FormatError(file_, "is empty; expected a list of topologies");
    result.root = block(lines_.front().indent, 1);
    if (next_ < lines_.size()) fail(lines_[next_], 0, "stands under nothing: its indentation is that of no line above");
    return result;
  }

 private:
  [[noreturn]] void fail(const Line& line, std::size_t offset, const std::string& what) const {
    throw base::FormatError(fmt::format("{}:{}:{}", file_, line.number, line.indent + offset + 1), what);
  }

  void split(std::string_view text) {
    int number = 0;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      add_line(++number, text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  void add_line(int number, std::string_view line) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const Line whole{number, indent, line.substr(indent)};
    if (whole.content.starts_with('\t')) fail(whole, 0, "a tab in front of a line; YAML is indented by spaces");
    const std::string_view content = trimmed(whole.content.substr(0, find_unquoted(whole.content, '#')));
    if (content.empty() || (indent == 0 && content.starts_with('%'))) return;
    if (content == "---" && lines_.empty()) return;
    if (content == "---" || content == "...") fail(whole, 0, "a second document; one is expected");
    lines_.push_back({number, indent, content});
  }

  /// All lines from the next one on that stand at `indent`, with what stands below them.
  Tree block(std::size_t indent, std::size_t level) {
    const Line& first = lines_[next_];
    if (level > base::deepest_tree) fail(first, 0, "is nested too deeply");
    if (is_list_item(first.content)) return list(indent, level);
    if (find_unquoted(first.content, ':') < first.content.size() && first.content.front() != '{') {
      return table(indent, level);
    }
    ++next_;
    return inline_value(first, 0, level);
  }

  Tree list(std::size_t indent, std::size_t level) {
    Tree result = at(lines_[next_], 0, Tree::Kind::list);
    while (next_ < lines_.size() && lines_[next_].indent == indent && is_list_item(lines_[next_].content)) {
      Line& line = lines_[next_];
      const std::size_t begin = line.content.find_first_not_of(' ', 1);
      if (begin == std::string_view::npos) {
        ++next_;
        result.items.push_back(below(line, indent, level));
      } else {  // what follows the dash is a block of its own, at the column where it begins
        line.indent += begin;
        line.content.remove_prefix(begin);
        result.items.push_back(block(line.indent, level + 1));
      }
    }
    return result;
  }

  Tree table(std::size_t indent, std::size_t level) {
    Tree result = at(lines_[next_], 0, Tree::Kind::table);
    while (next_ < lines_.size() && lines_[next_].indent == indent && !is_list_item(lines_[next_].content)) {
      const Line line = lines_[next_];
      const std::size_t colon = find_unquoted(line.content, ':');
      if (colon == line.content.size()) fail(line, 0, "expected 'name: value'");
      const std::string name = inline_value({line.number, line.indent, line.content.substr(0, colon)}, 0, level).text;
      if (result.find(name) != nullptr) fail(line, 0, fmt::format("'{}' is given twice", base::printable(name)));
      ++next_;
      const std::size_t begin = line.content.find_first_not_of(' ', colon + 1);
      Tree value = begin == std::string_view::npos ? below(line, indent, level) : inline_value(line, begin, level + 1);
      value.name = name;
      value.line = line.number;
      value.column = static_cast<int>(line.indent) + 1;
      result.items.push_back(std::move(value));
    }
    return result;
  }

  /// What stands below a line that ends with ':' or '-': a deeper block, a list at the same level, or nothing.
  Tree below(const Line& line, std::size_t indent, std::size_t level) {
    if (next_ < lines_.size()) {
      const Line& next = lines_[next_];
      const bool is_list_of_key = next.indent == indent && is_list_item(next.content) && line.content != "-";
      if (next.indent > indent || is_list_of_key) return block(next.indent, level + 1);
    }
    return at(line, 0, Tree::Kind::nothing);
  }

  static Tree at(const Line& line, std::size_t offset, Tree::Kind kind) {
    return {.kind = kind, .line = line.number, .column = static_cast<int>(line.indent + offset) + 1};
  }

  /// The value from `offset` to the end of the line.
  Tree inline_value(const Line& line, std::size_t offset, std::size_t level) {
    std::size_t position = offset;
    Tree value = flow(line, position, level, "");
    position = std::min(line.content.find_first_not_of(' ', position), line.content.size());
    if (position < line.content.size()) fail(line, position, "is one word too many; expected the end of the line");
    return value;
  }

  /// One value of a flow, ended by the end of the line or one of `ends`.
  Tree flow(const Line& line, std::size_t& position, std::size_t level, std::string_view ends) {
    if (level > base::deepest_tree) fail(line, position, "is nested too deeply");
    position = std::min(line.content.find_first_not_of(' ', position), line.content.size());
    if (position == line.content.size()) fail(line, position, "expected a value");
    switch (line.content[position]) {
      case '[':
        return flow_items(line, position, level, ']');
      case '{':
        return flow_items(line, position, level, '}');
      case '"':
      case '\'':
        return quoted(line, position);
      case '&':
      case '*':
      case '!':
      case '|':
      case '>':
        fail(line, position, "anchors, tags and texts of several lines are not read; write the value itself");
      default:
        return plain(line, position, ends);
    }
  }

  Tree flow_items(const Line& line, std::size_t& position, std::size_t level, char close) {
    const bool is_table = close == '}';
    Tree result = at(line, position, is_table ? Tree::Kind::table : Tree::Kind::list);
    const std::string ends = is_table ? ",}" : ",]";
    ++position;
    while (true) {
      position = std::min(line.content.find_first_not_of(' ', position), line.content.size());
      if (position < line.content.size() && line.content[position] == close) break;
      std::string name;
      if (is_table) {
        name = flow(line, position, level + 1, ":,}").text;
        if (position == line.content.size() || line.content[position] != ':') fail(line, position, "expected ':'");
        ++position;
      }
      Tree item = flow(line, position, level + 1, ends);
      item.name = std::move(name);
      result.items.push_back(std::move(item));
      position = std::min(line.content.find_first_not_of(' ', position), line.content.size());
      if (position < line.content.size() && line.content[position] == ',') {
        ++position;
      } else if (position == line.content.size() || line.content[position] != close) {
        fail(line, position, fmt::format("expected ',' or '{}' on the same line", close));
      }
    }
    ++position;
    return result;
  }

  Tree quoted(const Line& line, std::size_t& position) {
    Tree value = at(line, position, Tree::Kind::text);
    const char quote = line.content[position++];
    while (position < line.content.size()) {
      const char c = line.content[position++];
      if (c == quote && quote == '\'' && position < line.content.size() && line.content[position] == quote) {
        value.text += line.content[position++];  // '' within '...'
      } else if (c == quote) {
        return value;
      } else if (c == '\\' && quote == '"') {
        if (position == line.content.size()) break;
        const char escaped = line.content[position++];
        if (escaped != '"' && escaped != '\\') fail(line, position - 2, "this escape is not read; write it as it is");
        value.text += escaped;
      } else {
        value.text += c;
      }
    }
    fail(line, line.content.size(), fmt::format("expected {} at the end of the text", quote));
  }

  /// A value without quotes. A host's range in a flow, n[1-2], keeps its brackets.
  Tree plain(const Line& line, std::size_t& position, std::string_view ends) {
    Tree value = at(line, position, Tree::Kind::text);
    const std::size_t begin = position;
    std::size_t open = 0;
    for (; position < line.content.size(); ++position) {
      const char c = line.content[position];
      if (c == '[') ++open;
      if (c == ']' && open > 0) {
        --open;
      } else if (open == 0 && ends.find(c) != std::string_view::npos) {
        break;
      }
    }
    value.text = trimmed(line.content.substr(begin, position - begin));
    interpret(value);
    return value;
  }

  static void interpret(Tree& value) {
    const std::string& text = value.text;
    const char* const end = text.data() + text.size();
    if (text == "true" || text == "false") {
      value.kind = Tree::Kind::flag;
      value.flag = text == "true";
    } else if (text == "null" || text == "~" || text.empty()) {
      value.kind = Tree::Kind::nothing;
    } else if (const auto whole = std::from_chars(text.data(), end, value.integer);
               whole.ec == std::errc() && whole.ptr == end) {
      value.kind = Tree::Kind::integer;
      value.real = static_cast<double>(value.integer);
    } else if (const auto number = std::from_chars(text.data(), end, value.real);
               number.ec == std::errc() && number.ptr == end && std::isfinite(value.real)) {
      value.kind = Tree::Kind::real;
    }
  }

  std::string file_;
  std::vector<Line> lines_;
  std::size_t next_ = 0;
};

}  // namespace

base::TreeFile parse_yaml(std::string_view text, const std::string& file) { return YamlReader(text, file).run(); }

}  // namespace tacit::topology

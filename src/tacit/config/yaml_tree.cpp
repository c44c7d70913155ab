// Builds a tree out of what yaml-cpp reports while it parses; the only file that includes it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tacit/base/text.hpp"
#include "tacit/config/detail/advice.hpp"
#include "tacit/config/detail/places.hpp"
#include "tacit/config/node.hpp"
#include "tacit/config/parameters.hpp"

namespace tacit::config {
namespace {

/// Gives a plain value its kind; its text stays.
void interpret(Node& value) {
  const std::string& text = value.text;
  const char* const end = text.data() + text.size();
  if (text == "true" || text == "false") {
    value.kind = Node::Kind::flag;
    value.flag = text == "true";
  } else if (const auto whole = std::from_chars(text.data(), end, value.integer);
             whole.ec == std::errc() && whole.ptr == end) {
    value.kind = Node::Kind::integer;
    value.real = static_cast<double>(value.integer);
  } else if (const auto number = std::from_chars(text.data(), end, value.real);
             number.ec == std::errc() && number.ptr == end && std::isfinite(value.real)) {
    value.kind = Node::Kind::real;
  }
}

/// Takes the parser's events. The parser recurses only after it has reported the beginning of a list or table, so that
/// the limit on the tree's depth is also one on its stack.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(Tree& result) : result_(result) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) {
      throw result_.error(at(mark, Node::Kind::nothing),
                          "begins a second document; expected one: without a second '---', and every line indented as "
                          "those that it belongs to");
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse(mark, "", anchor);
    add(at(mark, Node::Kind::nothing));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override { refuse(mark, "", anchor); }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    refuse(mark, tag, anchor);
    Node value = at(mark, Node::Kind::text);
    value.text = text;
    if (tag == "?") interpret(value);  // what stood in quotes comes with "!"
    add(std::move(value));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    refuse(mark, tag, anchor);
    open(at(mark, Node::Kind::array));
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    refuse(mark, tag, anchor);
    open(at(mark, Node::Kind::table));
  }
  void OnMapEnd() override { close(); }

 private:
  /// A list or table whose end has not come yet.
  struct Open {
    Node tree;
    std::optional<Node> name = {};  ///< in a table, of the value that comes next
    std::unordered_set<std::string> names = {};

    [[nodiscard]] bool expects_name() const { return tree.kind == Node::Kind::table && !name; }
  };

  static Node at(const YAML::Mark& mark, Node::Kind kind) {
    return {.kind = kind, .line = mark.line + 1, .column = mark.column + 1};
  }

  void refuse(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) const {
    const bool is_tagged = !tag.empty() && tag != "?" && tag != "!";
    if (!is_tagged && anchor == YAML::NullAnchor) return;
    throw result_.error(at(mark, Node::Kind::nothing),
                        "anchors, aliases and tags are not read; write the value itself");
  }

  void check_depth(const Node& value) const {
    if (open_.size() >= deepest_tree) throw result_.error(value, "is nested too deeply");
  }

  void open(Node value) {
    check_depth(value);
    if (!open_.empty() && open_.back().expects_name()) {
      throw result_.error(value, "expected a name; here begins a list or a table, is each '[' and '{' closed?");
    }
    open_.push_back({.tree = std::move(value)});
  }

  void close() {
    Node whole = std::move(open_.back().tree);
    open_.pop_back();
    add(std::move(whole));
  }

  void add(Node value) {
    check_depth(value);
    if (open_.empty()) {
      result_.root = std::move(value);
    } else if (open_.back().expects_name()) {
      add_name(std::move(value));
    } else {
      Open& around = open_.back();
      if (around.name) {
        value.name = std::move(around.name->text);
        value.line = around.name->line;
        value.column = around.name->column;
        around.name.reset();
      }
      around.tree.items.push_back(std::move(value));
    }
  }

  void add_name(Node name) {
    if (name.kind == Node::Kind::nothing) throw result_.error(name, "expected a name in front of ':'");
    if (!open_.back().names.insert(name.text).second) {
      throw result_.error(name, fmt::format("'{}' is given twice", base::printable(name.text)));
    }
    open_.back().name = std::move(name);
  }

  Tree& result_;
  std::vector<Open> open_;
  int documents_ = 0;
};

// The first that applies is taken.
constexpr auto yaml_advices = std::to_array<detail::Advice>({
    {"illegal tab", "indent by spaces"},
    {"flow not found", "close a list by ']', a table by '}'; in between a list of hosts needs quotes: \"n[1-4]\""},
    {"flow end", "this bracket was not opened; a text with brackets in front needs quotes"},
    {"end of", "what belongs together begins in the same column, what is below it further right"},
    {"illegal map", "one name: value per line; what belongs together begins in the same column"},
    {"illegal block entry", "what belongs together begins in the same column; indent by spaces"},
    {"anchor", "anchors and aliases are not read; write the value itself"},
    {"alias", "anchors and aliases are not read; write the value itself"},
    {"tag", "tags are not read; write the value itself"},
    {"in scalar", "a text that begins with a quote ends with the same one"},
    {"unknown escape", "between \" write a backslash as \\\\"},
    {"unknown token", "a text that begins with this character needs quotes"},
});

/// YAML has no such character; the parser takes one of them for the end of the file.
void refuse_control_characters(std::string_view text, const std::string& file) {
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
  };
  const auto found = std::ranges::find_if(text, is_control);
  if (found == text.end()) return;
  const auto offset = static_cast<std::size_t>(found - text.begin());
  throw Error(detail::Places(text, file).find(offset), "",
              fmt::format("'{}' cannot stand in YAML", base::printable(text.substr(offset, 1))),
              "is this a text file? Remove the character");
}

/// With the mark that ends a document: at the bare end of a file the parser overlooks that a quote was not closed, and
/// does not know its column.
std::string ended(std::string_view text) {
  const bool ends_line = text.empty() || text.ends_with('\n');
  return std::string(text) + (ends_line ? "...\n" : "\n...\n");
}

}  // namespace

Tree parse_yaml_tree(std::string_view text, const std::string& file) {
  if (text.size() > largest_yaml) {
    throw base::FormatError(file, fmt::format("is larger than {} MB, too large for YAML", largest_yaml / 1'000'000));
  }
  refuse_control_characters(text, file);
  Tree result{.file = file, .root = {.line = 1, .column = 1}};
  TreeBuilder builder(result);
  std::istringstream stream(ended(text));
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    const std::string message = base::printable(error.msg, 160);
    throw Error({file, error.mark.line + 1, error.mark.column + 1}, "", message,
                detail::advice_on(message, yaml_advices));
  }
  return result;
}

}  // namespace tacit::config

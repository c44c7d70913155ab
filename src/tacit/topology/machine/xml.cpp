// Reads elements and their attributes, and knows the line of each.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/topology/machine/xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "tacit/base/error.hpp"
#include "tacit/base/text.hpp"

namespace tacit::topology {
namespace {

constexpr std::size_t deepest = 64;  // a machine has about 12 levels

class XmlReader {
 public:
  XmlReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  XmlElement run() {
    pass_to_element();
    if (position_ == text_.size()) fail("expected an XML element, as in <topology version=\"2.0\">");
    return element(1);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw base::FormatError(fmt::format("{}:{}", file_, line_), what);
  }
  [[nodiscard]] bool is_next(std::string_view token) const { return text_.substr(position_).starts_with(token); }

  void advance(std::size_t bytes) {
    const auto passed = text_.substr(position_, bytes);
    line_ += static_cast<int>(std::ranges::count(passed, '\n'));
    position_ += passed.size();
  }

  /// Passes `token` and all before it.
  void pass(std::string_view token, const char* of_what) {
    const std::size_t found = text_.find(token, position_);
    if (found == std::string_view::npos) {
      fail(fmt::format("expected '{}' at the end of {}", token, of_what));
    }
    advance(found + token.size() - position_);
  }

  void pass_blanks() { advance(std::min(text_.find_first_not_of(" \t\r\n", position_), text_.size()) - position_); }

  /// To the next '<' that opens or closes an element.
  void pass_to_element() {
    while (true) {
      advance(std::min(text_.find('<', position_), text_.size()) - position_);
      if (is_next("<!--")) {
        pass("-->", "a comment");
      } else if (is_next("<?")) {
        pass("?>", "a declaration");
      } else if (is_next("<!")) {
        pass(">", "a declaration");
      } else {
        return;
      }
    }
  }

  std::string name() {
    const auto is_part = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
             c == ':' || c == '.';
    };
    std::size_t end = position_;
    while (end < text_.size() && is_part(text_[end])) ++end;
    if (end == position_) fail("expected a name");
    std::string result(text_.substr(position_, end - position_));
    advance(result.size());
    return result;
  }

  std::string value() {
    pass_blanks();
    if (!is_next("=")) fail("expected '=' after the name of an attribute");
    advance(1);
    pass_blanks();
    if (!is_next("\"") && !is_next("'")) fail("expected an attribute's value in quotes");
    const char quote = text_[position_];
    const std::size_t end = text_.find(quote, position_ + 1);
    if (end == std::string_view::npos) fail("expected a quote at the end of an attribute's value");
    const std::string_view raw = text_.substr(position_ + 1, end - position_ - 1);
    advance(raw.size() + 2);
    return unescaped(raw);
  }

  static std::string unescaped(std::string_view raw) {
    constexpr std::array<std::pair<std::string_view, char>, 5> entities{
        {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}};
    std::string out;
    while (!raw.empty()) {
      const auto entity = std::ranges::find_if(entities, [raw](const auto& e) { return raw.starts_with(e.first); });
      out += entity == entities.end() ? raw.front() : entity->second;
      raw.remove_prefix(entity == entities.end() ? 1 : entity->first.size());
    }
    return out;
  }

  XmlElement element(std::size_t level) {
    if (level > deepest) fail("elements are nested too deeply");
    XmlElement result{.name = {}, .line = line_};
    advance(1);  // '<'
    result.name = name();
    for (pass_blanks(); !is_next(">") && !is_next("/>"); pass_blanks()) {
      if (position_ == text_.size()) fail(fmt::format("expected '>' at the end of <{}", base::printable(result.name)));
      std::string attribute = name();
      result.attributes.emplace_back(std::move(attribute), value());
    }
    const bool is_empty = is_next("/>");
    advance(is_empty ? 2 : 1);
    if (!is_empty) add_children(result, level);
    return result;
  }

  void add_children(XmlElement& parent, std::size_t level) {
    for (pass_to_element(); !is_next("</"); pass_to_element()) {
      if (position_ == text_.size()) {
        fail(fmt::format("the file ends within <{}> of line {}", base::printable(parent.name), parent.line));
      }
      parent.children.push_back(element(level + 1));
    }
    advance(2);
    if (const std::string closed = name(); closed != parent.name) {
      fail(fmt::format("expected </{}> for line {}, found </{}>", base::printable(parent.name), parent.line,
                       base::printable(closed)));
    }
    pass_blanks();
    if (!is_next(">")) fail("expected '>'");
    advance(1);
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t position_ = 0;
  int line_ = 1;
};

}  // namespace

const std::string* XmlElement::find(std::string_view attribute) const {
  const auto found = std::ranges::find(attributes, attribute, &std::pair<std::string, std::string>::first);
  return found == attributes.end() ? nullptr : &found->second;
}

XmlElement parse_xml(std::string_view text, const std::string& file) { return XmlReader(text, file).run(); }

}  // namespace tacit::topology

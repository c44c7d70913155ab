// Walks what toml++ has parsed; the only file that includes it (2 s of headers).
// SPDX-License-Identifier: Apache-2.0
#include "tacit/config/detail/toml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

// We only parse, and values in a parameter file nest twice at most. The limit holds only for a parser that is compiled
// here, while Debian's package asks for its shared library.
#undef TOML_HEADER_ONLY
#undef TOML_SHARED_LIB
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ENABLE_WINDOWS_COMPAT 0
#define TOML_MAX_NESTED_VALUES 32

namespace tacit::config::detail {
namespace {

/// An assertion of the library failed: some hostile files get that far.
struct ParserAssertion {};

/// @throws ParserAssertion unless the parser itself goes on to report what the condition forbids, better than we could
constexpr void check_parser(bool condition, std::string_view text) {
  constexpr std::string_view checked_again = "is_bare_key_character(*cp) || is_string_delimiter(*cp)";
  if (!condition && text != checked_again) throw ParserAssertion();
}

}  // namespace
}  // namespace tacit::config::detail

// Its assertions abort in a debug build and are taken for true in a release build; both are wrong for text from
// outside.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(condition) ::tacit::config::detail::check_parser(static_cast<bool>(condition), #condition)
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

#include "tacit/base/text.hpp"
#include "tacit/config/detail/advice.hpp"
#include "tacit/config/node.hpp"

namespace tacit::config::detail {
namespace {

constexpr std::size_t deepest_level = 8;
constexpr std::size_t most_parts = 16;  // of one key

// The first that applies is taken.
constexpr auto advices = std::to_array<Advice>({
    {"redefine", "give each key and each [table] once; a second place is not merged with the first"},
    {"not representable in 64 bits", "write a number of this size with a point or an exponent: 1e20"},
    {"could not be interpreted as a value", "the largest number is about 1.8e308"},
    {"leading zeroes", "write the number without zeroes in front"},
    {"utf-8", "save the file as UTF-8 text"},
    {"expected bare key", "a name is made of letters, digits, '_' and '-'"},
    {"string", "a text begins and ends with '\"' on the same line; write a backslash as '\\\\'"},
    {"control character", "is this a text file? Remove the character"},
    {"parsing table header", "a table begins with its name in brackets on a line of its own: [sph]"},
    {"parsing array", "separate the elements by commas and end the list with ']'"},
    {"parsing inline table", "separate the keys by commas and end the table with '}' on the same line"},
    {"expected a comment or whitespace", "one key = value per line; a value with a unit needs quotes: \"10 Mpc\""},
    {"parsing boolean", "true and false are written in small letters; any other word needs quotes: \"word\""},
    {"parsing floating-point", "write a number like 0.5 or 1e-3; a text needs quotes"},
    {"expected '='", "write key = value"},
    {"end-of-file", "write key = value"},
    {"maximum nested value depth", "parameters need no such nesting"},
    {"expected keys", "write key = value, or [table] on a line of its own"},
    {"parsing", "numbers, true and false stand as they are; a text or a value with a unit needs quotes: \"10 Mpc\""},
});

/// Scans TOML only as far as is needed to tell names from texts and comments.
class NameScanner {
 public:
  explicit NameScanner(std::string_view text) : text_(text) {
    if (text.starts_with("\xef\xbb\xbf")) position_ = 3;  // the byte order mark
  }

  /// @return offset of the first byte outside texts and comments that is no ASCII, or of the dot that makes a key of
  ///         more than `most_parts` parts; npos if there is neither
  std::size_t find_trouble() {
    std::size_t dots = 0;
    for (; position_ < text_.size(); ++position_) {
      const char c = text_[position_];
      if (c == '#') {
        position_ = std::min(text_.find('\n', position_), text_.size());
        dots = 0;
      } else if (c == '"' || c == '\'') {
        skip_string(c);
      } else if (!is_ascii(c) || (c == '.' && ++dots >= most_parts)) {
        return position_;
      } else if (!is_bare(c) && std::string_view(". \t").find(c) == std::string_view::npos) {
        dots = 0;
      }
    }
    return std::string_view::npos;
  }

  static bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }
  static bool is_bare(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  }

 private:
  /// Moves to the last character of the string that begins here, or to the end of the line where it is not closed.
  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool is_long = text_.substr(position_).starts_with(three);
    const std::string end = is_long ? three : three.substr(0, 1);
    for (position_ += end.size(); position_ < text_.size(); ++position_) {
      const char c = text_[position_];
      if (text_.substr(position_).starts_with(end)) {
        position_ += end.size() - 1;
        // A long text may end in quotes of its own: """a"""" holds a".
        for (int extra = 0; is_long && extra < 2 && text_.substr(position_ + 1).starts_with(quote); ++extra)
          ++position_;
        return;
      }
      if (c == '\n' && !is_long) return;
      if (c == '\\' && quote == '"') ++position_;
    }
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

/// Refuses what the library cannot take safely: endless keys, over which it recurses when it cleans up, and letters
/// outside ASCII where TOML has none, which version 3.3 sends into undefined behaviour.
void refuse_trouble(std::string_view text, const std::string& file) {
  const std::size_t offset = NameScanner(text).find_trouble();
  if (offset == std::string_view::npos) return;
  const auto before = text.substr(0, offset);
  const auto in_line = before.substr(before.rfind('\n') + 1);  // npos + 1 is 0
  const auto begins_character = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; };
  const Location where{file, 1 + static_cast<int>(std::ranges::count(before, '\n')),
                       1 + static_cast<int>(std::ranges::count_if(in_line, begins_character))};
  if (text[offset] == '.') {
    throw Error(where, "", fmt::format("a key has more than {} parts", most_parts),
                "keys have two or three parts: sph.kernel");
  }
  const auto rest = text.substr(offset + 1);
  const auto after = std::ranges::find_if(rest, begins_character);
  const auto letter = text.substr(offset, 1 + static_cast<std::size_t>(after - rest.begin()));
  throw Error(where, "", fmt::format("'{}' cannot stand outside quotes", base::printable(letter)),
              "names are ASCII letters, digits, '_' and '-'; a text needs quotes; the file must be UTF-8");
}

std::string quote_unless_bare(std::string_view part) {
  return !part.empty() && std::ranges::all_of(part, NameScanner::is_bare) ? std::string(part) : toml_string(part);
}

/// Whether a text stands in the file as it is, between two quotes: escapes make it longer there. Columns count
/// characters, so only ASCII is compared.
bool is_verbatim(const toml::source_region& place, const std::string& text) {
  const auto columns = std::ptrdiff_t{place.end.column} - std::ptrdiff_t{place.begin.column};
  return place.begin.line == place.end.line && columns == std::ssize(text) + 2;
}

/// Kind, value and place, without what stands below an array or a table.
Node value_of(const toml::node& from) {
  Node node{.line = static_cast<int>(from.source().begin.line), .column = static_cast<int>(from.source().begin.column)};
  switch (from.type()) {
    case toml::node_type::boolean:
      node.kind = Kind::flag;
      node.flag = from.as_boolean()->get();
      break;
    case toml::node_type::integer:
      node.kind = Kind::integer;
      node.integer = from.as_integer()->get();
      node.real = static_cast<double>(node.integer);
      break;
    case toml::node_type::floating_point:
      node.kind = Kind::real;
      node.real = from.as_floating_point()->get();
      break;
    case toml::node_type::string:
      node.kind = Kind::text;
      node.text = from.as_string()->get();
      node.is_verbatim = is_verbatim(from.source(), node.text);
      break;
    case toml::node_type::array:
      node.kind = Kind::array;
      break;
    case toml::node_type::table:
      node.kind = Kind::table;
      break;
    default:
      node.kind = Kind::date;
  }
  return node;
}

Node to_node(const toml::node& from) {
  Node node = value_of(from);
  if (node.kind == Kind::array) {
    for (const auto& item : *from.as_array()) node.items.push_back(to_node(item));
  }
  return node;
}

void collect(const toml::table& table, const std::string& prefix, std::size_t level, const std::string& file,
             std::vector<Entry>& entries) {
  for (const auto& [key, value] : table) {
    const auto place = key.source().begin;
    std::string name = prefix + quote_unless_bare(key.str());
    entries.push_back({.name = name,
                       .value = to_node(value),
                       .where = {file, static_cast<int>(place.line), static_cast<int>(place.column)}});
    if (const auto* below = value.as_table(); below != nullptr && level < deepest_level) {
      collect(*below, name + '.', level + 1, file, entries);
    }
  }
}

Node to_tree(const toml::node& from, const Tree& file, std::size_t level) {
  Node node = value_of(from);
  if (level > deepest_tree) throw file.error(node, "is nested too deeply");
  if (node.kind == Kind::date) throw file.error(node, "a date; expected a number, a text, a list or a table");
  if (node.kind == Kind::array) {
    for (const auto& item : *from.as_array()) node.items.push_back(to_tree(item, file, level + 1));
  } else if (node.kind == Kind::table) {
    for (const auto& [key, value] : *from.as_table()) {
      Node& item = node.items.emplace_back(to_tree(value, file, level + 1));
      item.name = key.str();
      item.line = static_cast<int>(key.source().begin.line);
      item.column = static_cast<int>(key.source().begin.column);
    }
    std::ranges::sort(node.items, {}, [](const Node& item) { return std::pair(item.line, item.column); });
  }
  return node;
}

/// Hands the parsed text to `use`.
template <class Use>
void parse(std::string_view text, const std::string& file, const Use& use) {
  refuse_trouble(text, file);
  try {
    use(toml::parse(text));
  } catch (const toml::parse_error& error) {
    const auto place = error.source().begin;
    const std::string message = base::printable(error.description(), 160);
    throw Error({file, static_cast<int>(place.line), static_cast<int>(place.column)}, "", message,
                advice_on(message, advices));
  } catch (const ParserAssertion&) {
    throw Error({.file = file}, "", "cannot be read as TOML", "check brackets, quotes and commas");
  }
}

}  // namespace

std::vector<Entry> parse_toml(std::string_view text, const std::string& file) {
  std::vector<Entry> entries;
  parse(text, file, [&](const toml::table& table) { collect(table, "", 1, file, entries); });
  return entries;
}

std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (code < 0x20 || code == 0x7f) {
      out += fmt::format("\\u{:04X}", code);
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace tacit::config::detail

namespace tacit::config {

Tree parse_toml_tree(std::string_view text, const std::string& file) {
  Tree result{.file = file, .root = {}};
  detail::parse(text, file, [&](const toml::table& table) { result.root = detail::to_tree(table, result, 1); });
  return result;
}

}  // namespace tacit::config

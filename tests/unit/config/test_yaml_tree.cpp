// YAML as a tree: places, types, and one message for each mistake, also where files are hostile.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "damaged.hpp"
#include "tacit/base/error.hpp"
#include "tacit/config/node.hpp"

namespace config_test {
namespace {

using tacit::config::Node;
using tacit::config::parse_yaml_tree;

std::string yaml_message(std::string_view text) {
  try {
    static_cast<void>(parse_yaml_tree(text, "t.yaml"));
  } catch (const tacit::base::Error& error) {
    return error.what();
  }
  return "read";
}

TEST(YamlTree, HasPlacesAndTypes) {
  const auto file = parse_yaml_tree(
      "a: [1, 2.5, x y, 'it''s', \"q\\\"\\u00e9\"]  # list\nb:\n- {c: true, d: 'n[1-2,4]'}\n-\n  e: ~\n", "y");
  EXPECT_EQ(file.file, "y");
  EXPECT_EQ(file.root.kind, Node::Kind::table);
  const auto& a = *file.root.find("a");
  ASSERT_EQ(a.items.size(), 5U);
  EXPECT_EQ(a.items[0].integer, 1);
  EXPECT_EQ(a.items[0].real, 1.0);
  EXPECT_EQ(a.items[1].real, 2.5);
  EXPECT_EQ(a.items[2].text, "x y");
  EXPECT_EQ(a.items[2].line, 1);
  EXPECT_EQ(a.items[2].column, 13);
  EXPECT_EQ(a.items[3].text, "it's");
  EXPECT_EQ(a.items[4].text, "q\"\u00e9");
  const auto& b = *file.root.find("b");
  ASSERT_EQ(b.items.size(), 2U);
  EXPECT_TRUE(b.items[0].find("c")->flag);
  EXPECT_EQ(b.items[0].find("d")->text, "n[1-2,4]");
  EXPECT_EQ(b.items[1].find("e")->kind, Node::Kind::nothing);
  EXPECT_EQ(b.items[1].find("e")->line, 5);  // of the name
  EXPECT_EQ(b.items[1].find("e")->column, 3);
}

TEST(YamlTree, NumbersKeepWhatWasWritten) {
  const auto file =
      parse_yaml_tree("- 12\n- '12'\n- 007\n- 1e3\n- true\n- 'true'\n- 0x10\n- .inf\n- 1e999\n- |\n  5\n", "");
  const auto is = [&](std::size_t item, Node::Kind kind, std::string_view text) {
    const Node& value = file.root.items.at(item);
    return value.kind == kind && value.text == text;
  };
  EXPECT_TRUE(is(0, Node::Kind::integer, "12"));
  EXPECT_TRUE(is(1, Node::Kind::text, "12"));
  EXPECT_TRUE(is(2, Node::Kind::integer, "007"));
  EXPECT_TRUE(is(3, Node::Kind::real, "1e3"));
  EXPECT_TRUE(is(4, Node::Kind::flag, "true"));
  EXPECT_TRUE(is(5, Node::Kind::text, "true"));
  EXPECT_TRUE(is(6, Node::Kind::text, "0x10"));
  EXPECT_TRUE(is(7, Node::Kind::text, ".inf"));
  EXPECT_TRUE(is(8, Node::Kind::text, "1e999"));
  EXPECT_TRUE(is(9, Node::Kind::text, "5\n"));
  EXPECT_EQ(parse_yaml_tree("12: x\n", "").root.items.at(0).name, "12");
}

TEST(YamlTree, OfNoDocumentIsNothing) {
  for (const char* text : {"", "# only this\n", "---\n", "...\n", "\xef\xbb\xbf"}) {
    EXPECT_EQ(parse_yaml_tree(text, "").root.kind, Node::Kind::nothing) << text;
  }
}

TEST(YamlTree, NamesMistakes) {
  const std::string columns = "\n  hint: one name: value per line; what belongs together begins in the same column";
  const std::string close =
      "\n  hint: close a list by ']', a table by '}'; in between a list of hosts needs quotes: \"n[1-4]\"";
  EXPECT_EQ(yaml_message("- a: 1\n    b: 2\n"), "t.yaml:2:6: illegal map value" + columns);
  EXPECT_EQ(yaml_message("- a: x\n\tb: x\n"),
            "t.yaml:2:1: illegal tab when looking for indentation\n  hint: indent by spaces");
  EXPECT_EQ(
      yaml_message("a:\n - 1\n- 2\n"),
      "t.yaml:3:1: end of map not found\n  hint: what belongs together begins in the same column, what is below it "
      "further right");
  EXPECT_EQ(yaml_message("a: [1, 2\n"), "t.yaml:2:1: end of sequence flow not found" + close);
  EXPECT_EQ(yaml_message("a: {b: n[1-2,4]}\n"), "t.yaml:1:9: end of map flow not found" + close);
  EXPECT_EQ(yaml_message("[1, 2"),
            "t.yaml:1:1: expected a name; here begins a list or a table, is each '[' and '{' closed?");
  EXPECT_EQ(yaml_message("a: ]"),
            "t.yaml:1:4: illegal flow end\n  hint: this bracket was not opened; a text with brackets in front needs "
            "quotes");
  EXPECT_EQ(yaml_message("a: 'x\n"),
            "t.yaml:2:1: illegal document indicator in scalar\n  hint: a text that begins with a quote ends with the "
            "same one");
  EXPECT_EQ(yaml_message("a: \"x\\q\""),
            "t.yaml:1:8: unknown escape character: q\n  hint: between \" write a backslash as \\\\");
  EXPECT_EQ(yaml_message("a: @x"),
            "t.yaml:1:4: unknown token\n  hint: a text that begins with this character needs quotes");
  EXPECT_EQ(yaml_message("{: 1}"), "t.yaml:1:2: expected a name in front of ':'");
}

TEST(YamlTree, RefusesNamesThatAreGivenTwice) {
  EXPECT_EQ(yaml_message("a: 1\nb: 2\na: 3\n"), "t.yaml:3:1: 'a' is given twice");
  EXPECT_EQ(yaml_message("- {1: x, '1': y}\n"), "t.yaml:1:10: '1' is given twice");
  EXPECT_EQ(yaml_message("- {a: {a: 1}}\n- a: 2\n"), "read");
}

TEST(YamlTree, RefusesASecondDocument) {
  const std::string second =
      "begins a second document; expected one: without a second '---', and every line indented as those that it "
      "belongs "
      "to";
  EXPECT_EQ(yaml_message("a: 1\n---\nb: 2\n"), "t.yaml:2:1: " + second);
  EXPECT_EQ(yaml_message("- a: 1\nb: 2\n"), "t.yaml:2:1: " + second);
  EXPECT_EQ(yaml_message("%YAML 1.2\n---\na: 1\n...\n"), "read");
}

TEST(YamlTree, RefusesAnchorsAliasesAndTags) {
  const std::string refused = "anchors, aliases and tags are not read; write the value itself";
  EXPECT_EQ(yaml_message("a: &x [1]\nb: *x\n"), "t.yaml:1:4: " + refused);
  EXPECT_EQ(yaml_message("- !!str 12\n"), "t.yaml:1:3: " + refused);
  const std::string unknown = yaml_message("- *x\n");  // newer versions of the parser add the name
  EXPECT_TRUE(unknown.starts_with("t.yaml:1:3: the referenced anchor is not defined")) << unknown;
  EXPECT_TRUE(unknown.ends_with("\n  hint: anchors and aliases are not read; write the value itself")) << unknown;
  // A few lines that would stand for 10^9 values.
  std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string below = fmt::format("*a{}", i - 1);
    laughs += fmt::format("a{0}: &a{0} [{1}{2}]\n", i, repeat(below + ", ", 9), below);
  }
  EXPECT_EQ(yaml_message(laughs), "t.yaml:1:5: " + refused);
}

TEST(YamlTree, RefusesDeepNesting) {
  EXPECT_EQ(yaml_message(repeat("- ", 15) + "x"), "read");
  EXPECT_EQ(yaml_message(repeat("- ", 16) + "x"), "t.yaml:1:33: is nested too deeply");
  EXPECT_EQ(yaml_message(repeat("[", 15) + "x" + repeat("]", 15)), "read");
  EXPECT_EQ(yaml_message(repeat("[", 17) + repeat("]", 17)), "t.yaml:1:17: is nested too deeply");
  for (const char* open : {"[", "{", "- ", "? ", ": ", "{a: ", "[a: ", "[? ", "\"a\": "}) {
    EXPECT_NE(yaml_message(repeat(open, 100'000)), "read") << open;
  }
}

TEST(YamlTree, RefusesWhatIsNoText) {
  // The parser takes the byte 4 for the end of the file.
  EXPECT_EQ(yaml_message("a: 1\nb: \x04 2\n"),
            "t.yaml:2:4: '\\x04' cannot stand in YAML\n  hint: is this a text file? Remove the character");
  EXPECT_EQ(yaml_message(std::string_view("a\0b", 3)),
            "t.yaml:1:2: '\\x00' cannot stand in YAML\n  hint: is this a text file? Remove the character");
  EXPECT_EQ(yaml_message(std::string(tacit::config::largest_yaml + 1, ' ')),
            "t.yaml: is larger than 4 MB, too large for YAML");
  EXPECT_EQ(yaml_message("a: 1\r\nb: 2\r\n"), "read");
}

/// What is put into damaged files.
constexpr auto yaml_pieces = std::to_array<std::string_view>(
    {"[",    "]",  "{",  "}", "\"", "'",  "- ",   ": ",   "? ",  "\n",  "#",           "\\",        "|\n",
     ">2\n", "&a", "*a", "!", "!!", "!<", "\xff", "\xc3", "%",   "%%",  "\n---\n",     "...",       "\xfe\xff",
     "\t",   ",",  "~",  "@", " ",  "  ", "\r",   "<<: ", "\\x", "\\u", "%YAML 1.2\n", "%TAG ! x\n"});

TEST(YamlTree, TwentyThousandDamagedFilesReadOrThrow) {
  const std::string whole =
      "%YAML 1.2\n---\n# all that there is\n- topology: tree\n  cluster_default: true\n  tree:\n    switches:\n"
      "      - switch: core\n        children: edge[0-1]\n      - {switch: \"edge0\", nodes: 'c[001-016]'}\n"
      "- block: {sizes: [8, 1.6e1], none: ~}\n  text: |\n    of\n     lines\n  folded: >-\n    a\n\n    b\n  ? key\n  "
      ": [a: 1, b]\n";
  ASSERT_EQ(yaml_message(whole), "read");
  int good = 0;
  int wrong = 0;
  for (std::uint64_t seed = 0; seed < 20000; ++seed) {
    const std::string message = yaml_message(damaged(whole, seed, yaml_pieces));
    EXPECT_TRUE(message == "read" || message.starts_with("t.yaml:")) << message;
    ++(message == "read" ? good : wrong);
  }
  EXPECT_GT(good, 1000);
  EXPECT_GT(wrong, 5000);
}

}  // namespace
}  // namespace config_test

// XML as a tree: elements, attributes, places, and one message for each mistake, also where files are hostile.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tacit/base/error.hpp"
#include "tacit/base/random.hpp"
#include "tacit/config/node.hpp"

namespace config_test {
namespace {

using tacit::config::Node;
using tacit::config::parse_xml_tree;

std::string xml_message(std::string_view text) {
  try {
    static_cast<void>(parse_xml_tree(text, "n.xml"));
  } catch (const tacit::base::Error& error) {
    return error.what();
  }
  return "read";
}

std::string nested(std::size_t levels) {
  std::string out;
  for (std::size_t i = 0; i < levels; ++i) out += "<a>";
  for (std::size_t i = 0; i < levels; ++i) out += "</a>";
  return out;
}

TEST(XmlTree, IsElementsWithAttributes) {
  const auto file = parse_xml_tree(
      "<?xml version=\"1.0\"?>\n<!DOCTYPE m SYSTEM \"m.dtd\">\n<!-- all -->\n<m one='1' two=\"&lt;2 &amp;&quot;\">\n"
      "  text <n/>\n  <n three='3'>\n    <o/></n>\n</m>\n",
      "n.xml");
  const Node& root = file.root;
  EXPECT_EQ(root.name, "m");
  EXPECT_EQ(root.kind, Node::Kind::table);
  EXPECT_EQ(root.line, 4);
  EXPECT_EQ(root.column, 1);
  ASSERT_EQ(root.items.size(), 4U);
  EXPECT_EQ(root.items[0].kind, Node::Kind::text);
  EXPECT_EQ(root.find("one")->text, "1");
  EXPECT_EQ(root.find("two")->text, "<2 &\"");
  EXPECT_EQ(root.items[2].line, 5);
  EXPECT_EQ(root.items[2].column, 8);
  EXPECT_EQ(root.items[3].name, "n");
  EXPECT_EQ(root.items[3].find("three")->text, "3");
  EXPECT_EQ(root.items[3].find("o")->line, 7);
}

TEST(XmlTree, NamesMistakes) {
  const std::string none =
      "No document element found\n  hint: an XML file holds elements, as in <topology version=\"2.0\">";
  const std::string mismatch =
      "Start-end tags mismatch\n  hint: each <name> ends with its </name>; a file that was cut off misses its end";
  EXPECT_EQ(xml_message(""), "n.xml:1:1: " + none);
  EXPECT_EQ(xml_message("nothing"), "n.xml:1:8: " + none);
  EXPECT_EQ(xml_message("<topology>\n<object type=\"Core\">\n"), "n.xml:2:21: " + mismatch);
  EXPECT_EQ(xml_message("<topology>\n<a></b>"), "n.xml:2:6: " + mismatch);
  EXPECT_EQ(xml_message("<a x=1/>"),
            "n.xml:1:6: Error parsing element attribute\n  hint: an attribute is written name=\"value\"");
  EXPECT_EQ(
      xml_message("<a"),
      "n.xml:1:2: Error parsing start element tag\n  hint: an element begins with <name, ends its attributes with > "
      "or />, and ends with </name>");
  EXPECT_EQ(xml_message("<1/>"),
            "n.xml:1:2: Could not determine tag type\n  hint: behind '<' comes the name of an element");
  EXPECT_EQ(xml_message("<!-- "), "n.xml:1:5: Error parsing comment\n  hint: a comment ends with -->");
  EXPECT_EQ(xml_message("<a/>\n<b/>"), "n.xml:2:1: a second outermost element; expected one");
}

TEST(XmlTree, RefusesAttributesThatAreGivenTwice) {
  EXPECT_EQ(xml_message("<a>\n <b x='1' y='2' x='3'/></a>"), "n.xml:2:2: 'x' is given twice in <b>");
}

TEST(XmlTree, LeavesEntitiesOfTheFileAlone) {
  // Lines like these could stand for a text of any size.
  const auto file =
      parse_xml_tree("<!DOCTYPE a [<!ENTITY x 'xxxxxxxxxx'><!ENTITY y '&x;&x;&x;&x;&x;'>]><a text='&y;&y;'/>", "n.xml");
  EXPECT_EQ(file.root.find("text")->text, "&y;&y;");
}

TEST(XmlTree, RefusesDeepNesting) {
  EXPECT_EQ(xml_message(nested(tacit::config::deepest_xml)), "read");
  EXPECT_EQ(xml_message(nested(tacit::config::deepest_xml + 1)), "n.xml:1:193: elements are nested too deeply");
  EXPECT_EQ(xml_message(nested(1'000'000)), "n.xml:1:193: elements are nested too deeply");
}

TEST(XmlTree, TwentyThousandDamagedFilesReadOrThrow) {
  const std::string whole =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE t [<!ENTITY x 'y'>]>\n<t version='2'>\n  <object type=\"Core\" "
      "name='&amp;&#65;'>"
      "<!-- c --><info/></object>\n<![CDATA[<x>]]></t>\n";
  ASSERT_EQ(xml_message(whole), "read");
  constexpr std::string_view bytes = "<>/='\"&;![]-? \nax\x01\xff";
  int good = 0;
  for (std::uint64_t seed = 0; seed < 20000; ++seed) {
    std::string text = whole;
    const auto draw = [seed](std::uint64_t which, std::size_t count) {
      return static_cast<std::size_t>(tacit::base::uniform(seed, 0, which) * static_cast<double>(count));
    };
    for (std::uint64_t edit = 0; edit < 1 + seed % 4; ++edit) {
      const std::size_t at = draw(3 * edit, text.size());
      const char byte = bytes[draw(3 * edit + 1, bytes.size())];
      text.replace(at, draw(3 * edit + 2, 3), 1, byte);
    }
    if (seed % 5 == 0) text.resize(draw(99, text.size()));
    const std::string message = xml_message(text);
    EXPECT_TRUE(message == "read" || message.starts_with("n.xml:")) << message;
    if (message == "read") ++good;
  }
  EXPECT_GT(good, 1000);
  EXPECT_LT(good, 15000);
}

}  // namespace
}  // namespace config_test

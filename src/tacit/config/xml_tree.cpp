// Walks what pugixml has parsed; the only file that includes it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <pugixml.hpp>

#include <array>
#include <unordered_set>

#include "tacit/base/text.hpp"
#include "tacit/config/detail/advice.hpp"
#include "tacit/config/detail/places.hpp"
#include "tacit/config/node.hpp"
#include "tacit/config/parameters.hpp"

namespace tacit::config {
namespace {

class XmlWalk {
 public:
  XmlWalk(Tree& result, const detail::Places& places) : result_(result), places_(places) {}

  void run(const pugi::xml_document& document) {
    result_.root = element(document.document_element(), 1);
    for (auto next = document.document_element().next_sibling(); next; next = next.next_sibling()) {
      if (next.type() == pugi::node_element) throw result_.error(at(next), "a second outermost element; expected one");
    }
  }

 private:
  [[nodiscard]] Node at(const pugi::xml_node& node) const {
    // The parser gives the place of the name, behind the '<'.
    const Location where = places_.find(static_cast<std::size_t>(node.offset_debug()) - 1);
    return {.kind = Node::Kind::table, .name = node.name(), .line = where.line, .column = where.column};
  }

  [[nodiscard]] Node element(const pugi::xml_node& node, std::size_t level) const {
    Node tree = at(node);
    if (level > deepest_xml) throw result_.error(tree, "elements are nested too deeply");
    add_attributes(node, tree);
    for (const pugi::xml_node& child : node.children()) {
      if (child.type() == pugi::node_element) tree.items.push_back(element(child, level + 1));
    }
    return tree;
  }

  void add_attributes(const pugi::xml_node& node, Node& tree) const {
    std::unordered_set<std::string_view> names;
    for (const pugi::xml_attribute& attribute : node.attributes()) {
      if (!names.insert(attribute.name()).second) {
        throw result_.error(tree, fmt::format("'{}' is given twice in <{}>", base::printable(attribute.name()),
                                              base::printable(tree.name)));
      }
      tree.items.push_back({.kind = Node::Kind::text,
                            .name = attribute.name(),
                            .text = attribute.value(),
                            .line = tree.line,
                            .column = tree.column});
    }
  }

  Tree& result_;
  const detail::Places& places_;
};

// The first that applies is taken.
constexpr auto xml_advices = std::to_array<detail::Advice>({
    {"No document element", "an XML file holds elements, as in <topology version=\"2.0\">"},
    {"tags mismatch", "each <name> ends with its </name>; a file that was cut off misses its end"},
    {"attribute", "an attribute is written name=\"value\""},
    {"element tag", "an element begins with <name, ends its attributes with > or />, and ends with </name>"},
    {"tag type", "behind '<' comes the name of an element"},
    {"comment", "a comment ends with -->"},
});

}  // namespace

Tree parse_xml_tree(std::string_view text, const std::string& file) {
  const detail::Places places(text, file);
  pugi::xml_document document;
  const pugi::xml_parse_result parsed =
      document.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!parsed) {
    const std::string message = parsed.description();
    throw Error(places.find(static_cast<std::size_t>(parsed.offset)), "", message,
                detail::advice_on(message, xml_advices));
  }
  Tree result{.file = file, .root = {}};
  XmlWalk(result, places).run(document);
  return result;
}

}  // namespace tacit::config

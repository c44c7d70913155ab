// Tables of keys as a JSON Schema for editors.
// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include <cmath>

#include "tacit/config/detail/describe.hpp"
#include "tacit/config/detail/overrides.hpp"
#include "tacit/config/parameters.hpp"

namespace tacit::config {
namespace {

using Json = nlohmann::ordered_json;  // keeps the order of the tables

Json to_json(const Node& node) {
  switch (node.kind) {
    case detail::Kind::flag:
      return node.flag;
    case detail::Kind::integer:
      return node.integer;
    case detail::Kind::real:
      return node.real;
    case detail::Kind::array:
      break;
    default:
      return node.text;
  }
  Json items = Json::array();
  for (const auto& item : node.items) items.push_back(to_json(item));
  return items;
}

Json default_value(const Key& key) {
  const bool is_text =
      key.type == Type::text || key.type == Type::choice || key.type == Type::path || key.type == Type::formula;
  if (is_text) return std::string(key.default_value);
  return to_json(detail::parse_assignment(key.name, key.default_value, "default").front().value);
}

void add_bound(Json& schema, const char* name, double bound) {
  if (!std::isfinite(bound)) return;
  // A bound like 0 reads better than 0.0, and an integer's bounds should be integers.
  constexpr double exact_integers = 9007199254740992.0;  // 2^53
  const bool is_integer = std::trunc(bound) == bound && std::abs(bound) < exact_integers;
  schema[name] = is_integer ? Json(static_cast<std::int64_t>(bound)) : Json(bound);
}

void add_range(Json& schema, const Range& range) {
  add_bound(schema, range.lower_open ? "exclusiveMinimum" : "minimum", range.lower);
  add_bound(schema, range.upper_open ? "exclusiveMaximum" : "maximum", range.upper);
}

/// The bounds hold for plain numbers; a text with a unit is left to Tacit itself.
Json quantity_schema(const Key& key) {
  Json schema = {{"type", {"number", "string"}}};
  add_range(schema, key.range);
  return schema;
}

Json type_schema(const Key& key) {
  if (key.takes_integer) return {{"type", {"string", "integer"}}};
  Json schema;
  switch (key.type) {
    case Type::flag:
      return {{"type", "boolean"}};
    case Type::integer:
      schema["type"] = "integer";
      break;
    case Type::real:
      schema["type"] = "number";
      break;
    case Type::quantity:
      return quantity_schema(key);
    case Type::vector:
      return {{"type", "array"}, {"items", quantity_schema(key)}, {"minItems", 3}, {"maxItems", 3}};
    case Type::quantities:
      schema = quantity_schema(key);
      return {{"anyOf", Json::array({schema, Json{{"type", "array"}, {"items", schema}}})}};
    case Type::formula:
      return {{"type", {"string", "number"}}};
    case Type::constants:
      return {{"type", "object"}, {"additionalProperties", {{"type", {"number", "string"}}}}};
    case Type::numbers:
      schema["type"] = "number";
      break;
    case Type::text:
    case Type::choice:
    case Type::choices:
    case Type::path:
      schema["type"] = "string";
      break;
  }
  add_range(schema, key.range);
  for (const auto& choice : key.choices.all()) schema["enum"].push_back(std::string(choice.name));
  if (key.type != Type::numbers && key.type != Type::choices) return schema;
  const Json list = {{"type", "array"}, {"items", schema}};
  return {{"anyOf", Json::array({schema, list})}};
}

std::string description(const Key& key) {
  std::string text = detail::meaning(key);
  if (detail::has_dimension(key.type)) text += " [" + detail::type_text(key) + "]";
  for (const auto& choice : key.choices.all()) text.append("\n").append(choice.name).append(": ").append(choice.help);
  return text;
}

Json key_schema(const KeyTable& table, const Key& key) {
  Json schema = {{"description", description(key)}};
  schema.update(type_schema(key));
  if (key.need == Need::has_default) schema["default"] = default_value(key);
  if (table.may_change(key)) schema["x-on-restart"] = "may change";
  return schema;
}

void require(Json& object, const std::string& name) {
  auto& required = object["required"];
  for (const auto& known : required) {
    if (known == name) return;
  }
  required.push_back(name);
}

/// Puts a key into the schema of its table, and that into its parents'; a table that holds a required key is required.
void add_key(Json& object, std::string_view rest, const KeyTable& table, const Key& key) {
  const auto dot = rest.find('.');
  const std::string name(rest.substr(0, dot));
  if (key.need == Need::required) require(object, name);
  auto& property = object["properties"][name];
  if (dot == rest.npos) {
    property = key_schema(table, key);
    return;
  }
  property["type"] = "object";
  property["additionalProperties"] = false;
  add_key(property, rest.substr(dot + 1), table, key);
}

}  // namespace

std::string keys_schema(std::string_view title, std::span<const KeyTable> tables) {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", std::string(title)},
                 {"type", "object"},
                 {"additionalProperties", false},
                 {"properties", Json::object()}};
  for (const auto& table : tables) {
    for (const auto& key : table.keys) add_key(schema, key.name, table, key);
  }
  return schema.dump(2) + '\n';
}

}  // namespace tacit::config

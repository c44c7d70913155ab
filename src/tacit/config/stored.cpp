// Writes tables of keys as JSON, and makes them from it. What has its default is left out.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/config/stored.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <utility>
#include <vector>

#include "tacit/base/error.hpp"

namespace tacit::config {
namespace {

using Stored = nlohmann::ordered_json;  // keeps the order of the tables
constexpr const char* stored_name = "stored tables of keys";

/// In the order of the values.
constexpr std::array<std::string_view, 13> type_words{"flag",    "integer", "real",     "quantity", "text",
                                                      "choice",  "path",    "vector",   "numbers",  "quantities",
                                                      "choices", "formula", "constants"};
constexpr std::array<std::string_view, 3> need_words{"required", "optional", "has_default"};
constexpr std::array<std::string_view, 5> rule_words{"none", "needs", "belongs", "excludes", "alternative"};

/// @throws base::PreconditionError for a value without a word: it has to get one here
template <class Value, std::size_t N>
std::string word_of(const std::array<std::string_view, N>& words, Value value) {
  const auto index = static_cast<std::size_t>(value);
  if (index >= N) throw base::PreconditionError("a value that stored tables of keys have no word for");
  return std::string(words[index]);
}

template <class Value, std::size_t N>
Value value_of(const std::array<std::string_view, N>& words, const std::string& word) {
  const auto found = std::ranges::find(words, word);
  if (found == words.end()) throw base::FormatError(stored_name, "'" + word + "' is not known");
  return static_cast<Value>(found - words.begin());
}

void add_text(Stored& object, const char* name, std::string_view text) {
  if (!text.empty()) object[name] = std::string(text);
}

void add_flag(Stored& object, const char* name, bool flag) {
  if (flag) object[name] = true;
}

/// Infinite bounds are left out: JSON has no number for them.
Stored stored_range(const Range& range) {
  Stored object = Stored::object();
  if (range.lower != any.lower) object["lower"] = range.lower;
  if (range.upper != any.upper) object["upper"] = range.upper;
  add_flag(object, "lower_open", range.lower_open);
  add_flag(object, "upper_open", range.upper_open);
  return object;
}

Range range_of(const Stored& object) {
  return {.lower = object.value("lower", any.lower),
          .upper = object.value("upper", any.upper),
          .lower_open = object.value("lower_open", false),
          .upper_open = object.value("upper_open", false)};
}

Stored stored_key(const Key& key) {
  Stored object{{"name", std::string(key.name)}, {"type", word_of(type_words, key.type)}};
  add_text(object, "help", key.help);
  if (key.need != Need::optional) object["need"] = word_of(need_words, key.need);
  add_text(object, "default", key.default_value);
  const base::Dimension& d = key.dimension;
  if (d != base::Dimension{}) object["dimension"] = {d.length, d.mass, d.time, d.temperature, d.current};
  const Stored range = stored_range(key.range);
  if (!range.empty()) object["range"] = range;
  for (const ChoiceText& choice : key.choices.all()) {
    object["choices"].push_back({std::string(choice.name), std::string(choice.help)});
  }
  add_text(object, "example", key.example);
  add_text(object, "former_name", key.former_name);
  if (key.rule.kind != Rule::Kind::none) {
    Stored& rule = object["rule"];
    rule["kind"] = word_of(rule_words, key.rule.kind);
    rule["other"] = std::string(key.rule.other);
    for (const std::string_view value : key.rule.values) {
      if (!value.empty()) rule["values"].push_back(std::string(value));
    }
  }
  add_flag(object, "names_a_file", key.names_a_file);
  add_flag(object, "takes_integer", key.takes_integer);
  add_flag(object, "may_change", key.on_restart == OnRestart::may_change);
  return object;
}

}  // namespace

std::string store_tables(const TablesOf& whose, std::span<const KeyTable> tables) {
  Stored all{{"name", whose.name}, {"help", whose.help}, {"axis", whose.axis}, {"symbol", whose.symbol}};
  all["is_counted"] = whose.is_counted;
  all["tables"] = Stored::array();
  for (const KeyTable& table : tables) {
    Stored object{{"title", std::string(table.title)}};
    add_flag(object, "may_change", table.on_restart == OnRestart::may_change);
    object["keys"] = Stored::array();
    for (const Key& key : table.keys) object["keys"].push_back(stored_key(key));
    all["tables"].push_back(std::move(object));
  }
  return all.dump(1) + '\n';
}

/// Texts, keys and choices stay where they are, as others point to them.
struct StoredTables::Content {
  TablesOf whose;
  std::deque<std::string> texts;
  std::deque<std::vector<Choice<std::size_t>>> choices;
  std::deque<std::vector<Key>> keys;
  std::vector<KeyTable> tables;

  [[nodiscard]] std::string_view keep(const Stored& object, const char* name) {
    return object.contains(name) ? keep(object.at(name)) : std::string_view();
  }
  [[nodiscard]] std::string_view keep(const Stored& text) { return texts.emplace_back(text.get<std::string>()); }

  [[nodiscard]] Rule rule_of(const Stored& object) {
    Rule rule{.kind = value_of<Rule::Kind>(rule_words, object.at("kind").get<std::string>()),
              .other = keep(object, "other")};
    if (!object.contains("values")) return rule;
    if (object["values"].size() > rule.values.size())
      throw base::FormatError(stored_name, "a rule with too many values");
    for (std::size_t i = 0; i < object["values"].size(); ++i) rule.values[i] = keep(object["values"][i]);
    return rule;
  }

  [[nodiscard]] ChoiceTexts choices_of(const Stored& object) {
    if (!object.contains("choices")) return {};
    auto& kept = choices.emplace_back();
    for (const Stored& choice : object["choices"]) {
      kept.push_back({keep(choice.at(0)), kept.size(), keep(choice.at(1))});
    }
    return ChoiceTexts(kept);
  }

  [[nodiscard]] Key key_of(const Stored& object) {
    Key key{.name = keep(object, "name"), .type = value_of<Type>(type_words, object.at("type").get<std::string>())};
    key.help = keep(object, "help");
    key.need = value_of<Need>(need_words, object.value("need", std::string("optional")));
    key.default_value = keep(object, "default");
    if (object.contains("dimension")) {
      const auto d = object["dimension"].get<std::array<int, 5>>();
      key.dimension = {.length = d[0], .mass = d[1], .time = d[2], .temperature = d[3], .current = d[4]};
    }
    if (object.contains("range")) key.range = range_of(object["range"]);
    key.choices = choices_of(object);
    key.example = keep(object, "example");
    key.former_name = keep(object, "former_name");
    if (object.contains("rule")) key.rule = rule_of(object["rule"]);
    key.names_a_file = object.value("names_a_file", false);
    key.takes_integer = object.value("takes_integer", false);
    if (object.value("may_change", false)) key.on_restart = OnRestart::may_change;
    return key;
  }

  void add_table(const Stored& object) {
    auto& kept = keys.emplace_back();
    for (const Stored& key : object.at("keys")) kept.push_back(key_of(key));
    const bool may_change = object.value("may_change", false);
    tables.push_back({keep(object, "title"), kept, may_change ? OnRestart::may_change : OnRestart::fixed});
  }
};

StoredTables::StoredTables(std::string_view text) : content_(std::make_unique<Content>()) {
  try {
    const Stored all = Stored::parse(text);
    content_->whose = {.name = all.at("name").get<std::string>(),
                       .help = all.at("help").get<std::string>(),
                       .axis = all.at("axis").get<std::string>(),
                       .symbol = all.at("symbol").get<std::string>(),
                       .is_counted = all.at("is_counted").get<bool>()};
    for (const Stored& table : all.at("tables")) content_->add_table(table);
  } catch (const Stored::exception& error) {
    throw base::FormatError(stored_name, error.what());
  }
}

StoredTables::~StoredTables() = default;
StoredTables::StoredTables(StoredTables&&) noexcept = default;
StoredTables& StoredTables::operator=(StoredTables&&) noexcept = default;

const TablesOf& StoredTables::whose() const noexcept { return content_->whose; }
std::span<const KeyTable> StoredTables::tables() const noexcept { return content_->tables; }

}  // namespace tacit::config

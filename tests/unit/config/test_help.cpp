// What is generated from tables of keys: help, the Markdown page, the JSON Schema; and closest().
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <string>
#include <string_view>

#include "sample_keys.hpp"

namespace config_test {
namespace {

constexpr std::array<Key, 4> few_keys{{
    sph_keys[0],
    sph_keys[2],
    sph_keys[3].changeable(),
    {.name = "sph.limit",
     .type = Type::quantity,
     .help =
         "A help text that is so long that it does not fit into one line of a terminal, so that it has to be broken "
         "between two words.",
     .need = Need::has_default,
     .default_value = "1 km",
     .dimension = dimension::length},
}};
constexpr std::array<KeyTable, 2> few{{{"Some keys", few_keys}, {"The run", run_keys, OnRestart::may_change}}};

TEST(Help, Terminal) {
  EXPECT_EQ(keys_help(few),
            "Some keys\n\n"
            "  time.end  (quantity (time), required, value > 0)\n"
            "      When the run ends.\n\n"
            "  sph.kernel  (choice, default \"cubic_spline\")\n"
            "      The smoothing kernel | its shape.\n"
            "      cubic_spline    M4, the usual one\n"
            "      quartic_spline  M5\n"
            "      quintic_spline  M6\n\n"
            "  sph.eta  (number, default 1.2348, 0 < value <= 3; may change on restart)\n"
            "      Smoothing length over mean separation.\n\n"
            "  sph.limit  (quantity (length), default \"1 km\")\n"
            "      A help text that is so long that it does not fit into one line of a terminal, so that it has\n"
            "      to be broken between two words.\n\n"
            "The run\n\n"
            "  solver  (choice, required; may change on restart)\n"
            "      What is simulated.\n"
            "      sph  smoothed particles\n\n"
            "  label  (text, default \"\"; may change on restart)\n"
            "      A name for the run.\n\n"
            "  deterministic  (true or false, default false; may change on restart)\n"
            "      Same bits on any ranks.\n");
  EXPECT_EQ(keys_help({}), "");
}

TEST(Help, Markdown) {
  const auto first = std::span(few).first(1);
  EXPECT_EQ(
      keys_markdown("Keys of sph", first),
      "# Keys of sph\n\n## Some keys\n\n"
      "| key | type | default | allowed | on restart | meaning |\n|---|---|---|---|---|---|\n"
      "| `time.end` | quantity (time) | required | value > 0 |  | When the run ends. |\n"
      "| `sph.kernel` | choice | `\"cubic_spline\"` | `cubic_spline`, `quartic_spline`, `quintic_spline` |  | "
      "The smoothing kernel \\| its shape.<br>`cubic_spline`: M4, the usual one<br>`quartic_spline`: M5<br>"
      "`quintic_spline`: M6 |\n"
      "| `sph.eta` | number | `1.2348` | 0 < value <= 3 | may change | Smoothing length over mean separation. |\n"
      "| `sph.limit` | quantity (length) | `\"1 km\"` |  |  | A help text that is so long that it does not fit into "
      "one line of a terminal, so that it has to be broken between two words. |\n");
}

TEST(Help, SchemaSaysWhatTheTablesSay) {
  const auto schema = nlohmann::json::parse(keys_schema("Tacit: sph", tables));
  EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(schema["title"], "Tacit: sph");
  EXPECT_EQ(schema["additionalProperties"], false);
  EXPECT_EQ(schema["required"], nlohmann::json({"solver", "time"}));
  const auto& top = schema["properties"];
  EXPECT_EQ(top["solver"]["enum"], nlohmann::json::array({"sph"}));
  EXPECT_EQ(top["label"]["default"], "");
  EXPECT_EQ(top["deterministic"]["type"], "boolean");
  EXPECT_EQ(top["deterministic"]["default"], false);
  const auto& time = top["time"];
  EXPECT_EQ(time["type"], "object");
  EXPECT_EQ(time["additionalProperties"], false);
  EXPECT_EQ(time["required"], nlohmann::json::array({"end"}));
  EXPECT_EQ(time["properties"]["end"]["type"], nlohmann::json({"number", "string"}));
  EXPECT_EQ(time["properties"]["end"]["exclusiveMinimum"], 0);
  EXPECT_FALSE(time["properties"]["end"].contains("default"));
  EXPECT_EQ(time["properties"]["steps"]["type"], "integer");
  EXPECT_EQ(time["properties"]["steps"]["maximum"], 1000000);
  const auto& sph = top["sph"];
  EXPECT_FALSE(sph.contains("required"));
  EXPECT_EQ(sph["properties"]["viscosity"]["properties"]["alpha"]["minimum"], 0);
  EXPECT_EQ(sph["properties"]["eta"]["default"], 1.2348);
  EXPECT_EQ(sph["properties"]["kernel"]["enum"].size(), 3U);
  EXPECT_EQ(top["units"]["properties"]["length"]["default"], "1 cm");
  const auto& size = top["domain"]["properties"]["size"];
  EXPECT_EQ(size["type"], "array");
  EXPECT_EQ(size["minItems"], 3);
  EXPECT_EQ(size["items"]["type"], nlohmann::json({"number", "string"}));
  EXPECT_EQ(size["default"], nlohmann::json({1, 1, 1}));
}

TEST(Help, SchemaSaysWhatMayChangeOnARestart) {
  const auto schema = nlohmann::json::parse(keys_schema("Keys", few));
  EXPECT_EQ(schema["properties"]["sph"]["properties"]["eta"]["x-on-restart"], "may change");
  EXPECT_FALSE(schema["properties"]["sph"]["properties"]["kernel"].contains("x-on-restart"));
  EXPECT_EQ(schema["properties"]["deterministic"]["x-on-restart"], "may change");
}

TEST(Help, ATextThatMayBeAnIntegerSaysSo) {
  static constexpr std::array keys{Key::text_or_integer("writers", "Who writes.")};
  constexpr std::array tables_of_one{KeyTable{"Output", keys}};
  EXPECT_EQ(keys_help(tables_of_one), "Output\n\n  writers  (text or integer, optional)\n      Who writes.\n");
  const auto schema = nlohmann::json::parse(keys_schema("Keys", tables_of_one));
  EXPECT_EQ(schema["properties"]["writers"]["type"], nlohmann::json({"string", "integer"}));
}

TEST(Help, ClosestIsTheOneOfBase) {
  constexpr auto words = std::to_array<std::string_view>({"leapfrog", "rk2", "rk3"});
  EXPECT_EQ(closest("rk33", words), "rk3");
  EXPECT_EQ(closest("laepfrog", words), "leapfrog");
  EXPECT_EQ(closest("euler", words), std::nullopt);
}

}  // namespace
}  // namespace config_test

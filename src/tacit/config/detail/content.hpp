// What Document and Parameters hold: entries of the file, and checked values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tacit/config/detail/node.hpp"
#include "tacit/config/parameters.hpp"

namespace tacit::config {

/// The value of a key. Holds copies, so that it outlives the tables.
struct Parameters::Value {
  using Content = std::variant<std::monostate, bool, std::int64_t, double, std::vector<double>, std::string,
                               std::vector<std::string>, std::map<std::string, double>>;

  std::string name;
  std::string former_name = {};
  Type type = Type::real;
  base::Dimension dimension = {};
  Content content = {};      ///< numbers in code units (units.*: in cgs); monostate where there is no value
  bool is_given = false;     ///< by the user, not by a default
  bool is_changed = false;   ///< given, and not the default
  bool is_replaced = false;  ///< by a key that it excludes, which is given
  bool may_change = false;   ///< on a restart
  bool is_verbatim = false;  ///< see Node
  Location where = {};
};

/// The file and its entries, overrides applied.
struct Document::Content {
  std::filesystem::path file;
  std::vector<detail::Entry> entries;

  [[nodiscard]] const detail::Entry* find(std::string_view name) const {
    for (const auto& entry : entries) {
      if (entry.name == name) return &entry;
    }
    return nullptr;
  }
};

namespace detail {

/// The keys that define the code units. Their numbers are in cgs, all others in code units.
[[nodiscard]] inline bool is_unit_key(std::string_view name) {
  return name == "units.length" || name == "units.mass" || name == "units.velocity" || name == "units.temperature" ||
         name == "units.current";
}

}  // namespace detail
}  // namespace tacit::config

// Tables of keys as text, from which they are read again: for a program that has not compiled them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tacit/config/key.hpp"

namespace tacit::config {

/// Whose tables they are, as a text says beside them.
struct TablesOf {
  std::string name;         ///< of a solver
  std::string help;         ///< in one line
  std::string axis = {};    ///< its name
  std::string symbol = {};  ///< of the axis
  bool is_counted = false;  ///< the axis
};

/// Everything about the tables, as JSON: restored, they say the same of every file, and look the same in all pages.
[[nodiscard]] std::string store_tables(const TablesOf& whose, std::span<const KeyTable> tables);

/// Tables that were read from such a text. What they point to lives as long as this.
class StoredTables {
 public:
  /// @throws base::FormatError, what is wrong with the text
  explicit StoredTables(std::string_view text);
  ~StoredTables();
  StoredTables(StoredTables&&) noexcept;
  StoredTables& operator=(StoredTables&&) noexcept;

  [[nodiscard]] const TablesOf& whose() const noexcept;
  [[nodiscard]] std::span<const KeyTable> tables() const noexcept;

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace tacit::config

// A document of nested tables, lists and values, each with its place in the file, whatever the file's syntax was.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/base/error.hpp"

namespace tacit::base {

/// One value of a document, with those below it. A table's items have names, in the order of the file.
///
/// Whoever makes a tree bounds its depth (deepest_tree), so that walking it cannot run out of stack.
struct Tree {
  enum class Kind { nothing, flag, integer, real, text, list, table };

  Kind kind = Kind::nothing;
  std::string name = {};  ///< in the table that it stands in; empty in a list
  bool flag = false;
  std::int64_t integer = 0;
  double real = 0.0;  ///< also of an integer
  std::string text = {};
  std::vector<Tree> items = {};
  int line = 0;  ///< from 1; of the name, where there is one
  int column = 0;

  /// The item of that name, or null.
  [[nodiscard]] const Tree* find(std::string_view wanted) const {
    const auto found = std::ranges::find(items, wanted, &Tree::name);
    return found == items.end() ? nullptr : &*found;
  }
  [[nodiscard]] bool is_number() const noexcept { return kind == Kind::integer || kind == Kind::real; }
};

/// Levels of a tree.
inline constexpr std::size_t deepest_tree = 16;

/// A document with the name under which messages speak of it.
struct TreeFile {
  std::string file;
  Tree root;

  /// The error that `what` is wrong at `at`: "file:line:column: what".
  [[nodiscard]] FormatError error(const Tree& at, const std::string& what) const {
    return FormatError(file + ':' + std::to_string(at.line) + ':' + std::to_string(at.column), what);
  }
};

}  // namespace tacit::base

// A row of a solver's table of fields.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "tacit/base/field.hpp"

namespace tacit::engine {

/// Which files have a field.
struct FieldFiles {
  bool snapshot = false;
  bool checkpoint = false;  ///< it is part of the state, which goes on from it
  bool input = false;       ///< files of initial conditions may have it
};

/// A field of a solver. From its rows follow what files have, what they take, and the list of fields in the documents;
/// see FieldTable.
struct FieldRow {
  base::FieldInfo info = {};
  FieldFiles in = {};
  std::string_view where = {};  ///< there is one: "where the set-up knows it"; empty: in all runs
};

}  // namespace tacit::engine

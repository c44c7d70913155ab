// What a key expects, in words: for messages, help and the reference.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tacit/config/parameters.hpp"

namespace tacit::config::detail {

/// A number as it is shown and written: the shortest text that reads back to the
/// identical number, never that of an integer.
[[nodiscard]] std::string number_text(double value);

/// "0 < value <= 1", "value > 0"; empty if everything is allowed.
[[nodiscard]] std::string range_text(const Range& range);

/// The same for messages: "> 0 and <= 1", ">= 0".
[[nodiscard]] std::string bounds_text(const Range& range);

/// "cubic_spline, quartic_spline, quintic_spline".
[[nodiscard]] std::string choices_text(const Key& key);

/// "a quantity (length)", "one of leapfrog, rk2", for messages.
[[nodiscard]] std::string expectation(const Key& key);

/// "quantity (length)", "choice", for help and reference.
[[nodiscard]] std::string type_text(const Key& key);

/// The default as one would write it in the file, with quotes for text.
/// @pre key.need == Need::has_default
[[nodiscard]] std::string default_text(const Key& key);

/// "a.form = "steep" or "flat"", for messages.
[[nodiscard]] std::string condition_text(const Rule& rule);

/// The help of the key, with its rule and its former name.
[[nodiscard]] std::string meaning(const Key& key);

/// What a quantity of this key looks like: "write a time, as in \"1.0 s\"".
[[nodiscard]] std::string quantity_hint(const Key& key);

/// Whether values of that type may have a unit.
[[nodiscard]] bool has_dimension(Type type);

/// A value that the key takes, as one would write it.
[[nodiscard]] std::string example_value(const Key& key);

/// How to give the key: "write 'end = 1.0' in [time] (code units), or with a unit: \"1.0 s\"".
[[nodiscard]] std::string example(const Key& key);

}  // namespace tacit::config::detail

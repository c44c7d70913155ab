// States between two records of a log, and after the last one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tacit/io/log/record.hpp"
#include "tacit/io/log/schema.hpp"
#include "tacit/io/log/table.hpp"

namespace tacit::io::detail {

/// One component of a field between the records at 0 and at `length`.
///
///     s = t / length
///     x(t) = (1 + 2 s) (1 - s)^2 x0 + s (1 - s)^2 length r0 + s^2 (3 - 2 s) x1 - s^2 (1 - s) length r1
///
/// @param x1      moved by whole periods, to be next to x0 + (r0 + r1) / 2 * length
/// @param period  [as x0] 0 if there is none
/// @see           de Boor (1978), A Practical Guide to Splines, ch. IV: the error is at most length^4 max|x''''| / 384
[[nodiscard]] double hermite(double x0, double r0, double x1, double r1, double length, double t,
                             double period) noexcept;

/// The same without rates: a straight line.
[[nodiscard]] double straight(double x0, double x1, double length, double t, double period) noexcept;

/// An empty table with the schema's fields.
[[nodiscard]] LogTable empty_table(const LogSchema& schema);

/// Appends a record as it is.
void append_record(LogTable& table, const LogSchema& schema, const LogLayout& layout, const RecordView& record);

/// Appends the state at `time` [unit of rates], from the record at or before it and the one after it.
/// @param after  nullptr if there is none: then fields with rates are extrapolated, the others keep their values
void append_state(LogTable& table, const LogSchema& schema, const LogLayout& layout, const RecordView& before,
                  const RecordView* after, double time);

}  // namespace tacit::io::detail

// Hermite polynomials and straight lines between the records of a log, field by field.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/log/interpolate.hpp"

#include <cmath>
#include <cstring>

namespace tacit::io::detail {
namespace {

double near_image(double x, double expected, double period) noexcept {
  return period > 0.0 ? x + period * std::nearbyint((expected - x) / period) : x;
}

double component(const RecordView& record, Number type, std::size_t offset, std::size_t k) noexcept {
  return type == Number::float64 ? word_at<double>(record.at(offset + 8 * k))
                                 : static_cast<double>(word_at<float>(record.at(offset + 4 * k)));
}

void append_bytes(std::vector<std::byte>& out, const std::byte* from, std::size_t count) {
  out.insert(out.end(), from, from + count);
}

void append_number(std::vector<std::byte>& out, Number type, double value) {
  if (type == Number::float64) {
    append_bytes(out, reinterpret_cast<const std::byte*>(&value), sizeof value);
  } else {
    const auto single = static_cast<float>(value);
    append_bytes(out, reinterpret_cast<const std::byte*>(&single), sizeof single);
  }
}

// The field that is the rate of field k; no field if it has none.
std::size_t rate_of(const LogSchema& schema, std::size_t k) noexcept {
  const std::string& name = schema.fields[k].rate;
  if (name.empty()) return schema.fields.size();
  std::size_t j = 0;
  while (schema.fields[j].name != name) ++j;
  return j;
}

bool is_real(Number type) noexcept { return type == Number::float32 || type == Number::float64; }

/// Two records, and a time t behind the first one.
struct Between {
  const RecordView& before;
  const RecordView* after;
  double length;  // 0 without a second one
  double t;
};

// Field k, which is of floating point, and has a rate where there is no second record.
void append_between(std::vector<std::byte>& out, const LogSchema& schema, const LogLayout& layout, std::size_t k,
                    const Between& span) {
  const LogField& field = schema.fields[k];
  const std::size_t rate = rate_of(schema, k);
  for (std::size_t c = 0; c < field.count; ++c) {
    const auto number = [&](const RecordView& record, std::size_t of) {
      return component(record, schema.fields[of].type, layout.offsets[of], c);
    };
    const double x0 = number(span.before, k);
    const double period = c < 3 ? field.period[c] : 0.0;
    if (span.after == nullptr) {
      append_number(out, field.type, x0 + number(span.before, rate) * span.t);
    } else if (rate < schema.fields.size()) {
      append_number(out, field.type,
                    hermite(x0, number(span.before, rate), number(*span.after, k), number(*span.after, rate),
                            span.length, span.t, period));
    } else {
      append_number(out, field.type, straight(x0, number(*span.after, k), span.length, span.t, period));
    }
  }
}

}  // namespace

double hermite(double x0, double r0, double x1, double r1, double length, double t, double period) noexcept {
  const double s = t / length;
  const double end = near_image(x1, x0 + 0.5 * (r0 + r1) * length, period);
  // As a correction of x0, so that a constant stays that constant in every bit.
  return x0 + s * (1.0 - s) * (1.0 - s) * length * r0 + s * s * (3.0 - 2.0 * s) * (end - x0) -
         s * s * (1.0 - s) * length * r1;
}

double straight(double x0, double x1, double length, double t, double period) noexcept {
  return x0 + t / length * (near_image(x1, x0, period) - x0);
}

LogTable empty_table(const LogSchema& schema) {
  LogTable table;
  for (const LogField& field : schema.fields) table.columns.push_back({field.name, field.type, field.count, {}});
  return table;
}

void append_record(LogTable& table, const LogSchema& schema, const LogLayout& layout, const RecordView& record) {
  table.id.push_back(record.head().id);
  table.time.push_back(record.time(schema));
  table.removed.push_back(record.kind() == RecordKind::removed ? 1 : 0);
  for (std::size_t k = 0; k < schema.fields.size(); ++k) {
    const LogField& field = schema.fields[k];
    append_bytes(table.columns[k].bytes, record.at(layout.offsets[k]), field.count * bytes_of(field.type));
  }
}

void append_state(LogTable& table, const LogSchema& schema, const LogLayout& layout, const RecordView& before,
                  const RecordView* after, double time) {
  table.id.push_back(before.head().id);
  table.time.push_back(time);
  table.removed.push_back(0);
  const Between span{before, after, after != nullptr ? after->time(schema) - before.time(schema) : 0.0,
                     time - before.time(schema)};
  for (std::size_t k = 0; k < schema.fields.size(); ++k) {
    const LogField& field = schema.fields[k];
    const bool has_rate = rate_of(schema, k) < schema.fields.size();
    // A record is given as it is, bit by bit.
    if (span.t == 0.0 || !is_real(field.type) || (after == nullptr && !has_rate)) {
      append_bytes(table.columns[k].bytes, before.at(layout.offsets[k]), field.count * bytes_of(field.type));
    } else {
      append_between(table.columns[k].bytes, schema, layout, k, span);
    }
  }
}

}  // namespace tacit::io::detail

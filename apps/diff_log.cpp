// tacit diff of continuous logs: what they hold of each element, whatever the order of the records in the file.
// SPDX-License-Identifier: Apache-2.0
#include "diff_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tacit/io/log/reader.hpp"

namespace tacit::apps {
namespace {

namespace fs = std::filesystem;

/// Of the numbers of one field.
struct FieldTally {
  std::uint64_t numbers = 0;
  std::uint64_t differing = 0;
  double largest = 0.0;
  std::string first;  ///< "of element 7 at 0.25: 1 and 2"
};

template <class T>
void compare_column(const io::LogTable& a, const io::LogColumn& in_a, const io::LogColumn& in_b,
                    const std::optional<io::Tolerance>& tolerance, FieldTally& tally) {
  const std::size_t count = in_a.bytes.size() / sizeof(T);
  tally.numbers += count;
  for (std::size_t i = 0; i < count; ++i) {
    T one{}, other{};
    std::memcpy(&one, in_a.bytes.data() + i * sizeof(T), sizeof(T));
    std::memcpy(&other, in_b.bytes.data() + i * sizeof(T), sizeof(T));
    if (std::memcmp(&one, &other, sizeof(T)) == 0) continue;
    if constexpr (std::is_floating_point_v<T>) {
      if (tolerance && tolerance->allows(static_cast<double>(one), static_cast<double>(other))) continue;
    }
    const std::size_t row = i / in_a.count;
    if (tally.differing++ == 0)
      tally.first = fmt::format("of element {} at {}: {} and {}", a.id[row], a.time[row], +one, +other);
    const double apart = std::abs(static_cast<double>(one) - static_cast<double>(other));
    if (!(apart <= tally.largest)) tally.largest = apart;
  }
}

/// With the one of these types that the column has.
template <class... T>
void compare_column_of(const io::LogTable& a, const io::LogColumn& in_a, const io::LogColumn& in_b,
                       const std::optional<io::Tolerance>& tolerance, FieldTally& tally) {
  const auto compare_if = [&]<class One>(One) {
    if (in_a.type == io::number_type<One>()) compare_column<One>(a, in_a, in_b, tolerance, tally);
  };
  (compare_if(T{}), ...);
}

void compare_any_column(const io::LogTable& a, const io::LogColumn& in_a, const io::LogColumn& in_b,
                        const std::optional<io::Tolerance>& tolerance, FieldTally& tally) {
  compare_column_of<float, double, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                    std::uint32_t, std::uint64_t>(a, in_a, in_b, tolerance, tally);
}

class LogComparer {
 public:
  LogComparer(const io::LogReader& a, const io::LogReader& b, const DiffOptions& options)
      : a_(a), b_(b), options_(options) {}

  io::Comparison compare() {
    if (!(a_.schema() == b_.schema())) {
      report("log", "has other fields in one than in the other");
      return std::move(found_);
    }
    compare_ends();
    compare_elements();
    for (const auto& [name, tally] : tallies_) {
      ++found_.arrays;
      if (tally.differing == 0) continue;
      report(name, fmt::format("{} of {} numbers differ, the first {}; by at most {:.3g}", tally.differing,
                               tally.numbers, tally.first, tally.largest));
    }
    return std::move(found_);
  }

 private:
  void report(const std::string& name, std::string what) { found_.differences.push_back({name, std::move(what)}); }

  void compare_ends() {
    const auto in_a = a_.complete();
    const auto in_b = b_.complete();
    const auto text = [](const std::optional<io::LogMark>& mark) {
      return mark ? fmt::format("{} with {} elements", mark->time, mark->elements) : std::string("no time");
    };
    if (text(in_a) != text(in_b)) report("log", fmt::format("is complete up to {} and {}", text(in_a), text(in_b)));
    if (a_.is_closed() != b_.is_closed())
      report("log", fmt::format("was ended by its run only in the {}", a_.is_closed() ? "first" : "second"));
  }

  void compare_elements() {
    const std::vector<std::uint64_t> ids_a = a_.ids();
    const std::vector<std::uint64_t> ids_b = b_.ids();
    std::vector<std::uint64_t> both;
    std::ranges::set_intersection(ids_a, ids_b, std::back_inserter(both));
    if (both.size() != ids_a.size() || both.size() != ids_b.size()) {
      report("log", fmt::format("{} elements are only in the first, {} only in the second", ids_a.size() - both.size(),
                                ids_b.size() - both.size()));
    }
    std::uint64_t others = 0;
    std::string first;
    for (const std::uint64_t id : both) {
      const io::LogTable in_a = a_.trajectory(id);
      const io::LogTable in_b = b_.trajectory(id);
      if (in_a.time == in_b.time && in_a.removed == in_b.removed) {
        compare_records(in_a, in_b);
      } else if (others++ == 0) {
        first = fmt::format("the first {}: {} and {} records", id, in_a.size(), in_b.size());
      }
    }
    if (others > 0) report("log", fmt::format("{} elements have records of other times, {}", others, first));
  }

  void compare_records(const io::LogTable& in_a, const io::LogTable& in_b) {
    for (std::size_t c = 0; c < in_a.columns.size(); ++c) {
      const io::LogColumn& column = in_a.columns[c];
      const auto tolerance = options_.tolerance_of(column.name);
      compare_any_column(in_a, column, in_b.columns[c], tolerance, tallies_[column.name]);
    }
  }

  const io::LogReader& a_;
  const io::LogReader& b_;
  const DiffOptions& options_;
  std::map<std::string, FieldTally> tallies_;  // by field
  io::Comparison found_;
};

}  // namespace

io::Comparison compare_logs(const fs::path& a, const fs::path& b, const DiffOptions& options) {
  const io::LogReader first(a);
  const io::LogReader second(b);
  return LogComparer(first, second, options).compare();
}

}  // namespace tacit::apps

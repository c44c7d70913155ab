// Goes through two files side by side.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/base/text.hpp"
#include "tacit/io/detail/array_numbers.hpp"
#include "tacit/io/detail/hdf5.hpp"
#include "tacit/io/detail/match_ids.hpp"
#include "tacit/io/file.hpp"

namespace tacit::io {
namespace {

using detail::ArrayNumbers;
using detail::IdMatch;
using Shape = std::vector<std::uint64_t>;

constexpr int deepest_group = 64;  // a group may contain itself
constexpr std::size_t longest_text = 40;

template <class T>
bool is_same(T a, T b, const std::optional<Tolerance>& tolerance) {
  if constexpr (std::is_same_v<T, double>) {
    if (std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b)) return true;
    return tolerance && tolerance->allows(a, b);
  }
  return a == b;
}

template <class T>
std::uint64_t distance(T a, T b) {
  const auto larger = static_cast<std::uint64_t>(std::max(a, b));
  return larger - static_cast<std::uint64_t>(std::min(a, b));  // exact: signed ones wrap around
}

double distance(double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b)) return std::numeric_limits<double>::infinity();
  return std::abs(a - b);
}

/// Takes numbers at place `at` of the first file.
template <class T>
void add_difference(Tally& tally, std::uint64_t at, T a, T b) {
  if (tally.differing == 0 || at < tally.first) {
    tally.first = at;
    tally.values = fmt::format("{} and {}", a, b);
  }
  ++tally.differing;
  const auto apart = distance(a, b);
  const double larger = std::max(std::abs(static_cast<double>(a)), std::abs(static_cast<double>(b)));
  const double relative = larger > 0.0 ? static_cast<double>(apart) / larger : 0.0;
  if constexpr (std::is_same_v<T, double>) {
    tally.largest_absolute = std::max(tally.largest_absolute, apart);
  } else {
    tally.largest_integer = std::max(tally.largest_integer, apart);
  }
  tally.largest_relative =
      std::max(tally.largest_relative, std::isnan(relative) ? std::numeric_limits<double>::infinity() : relative);
}

template <class T>
void compare_numbers(Tally& tally, std::uint64_t at, std::span<const T> a, std::span<const T> b,
                     const std::optional<Tolerance>& tolerance) {
  tally.numbers += a.size();
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!is_same(a[i], b[i], tolerance)) add_difference(tally, at + i, a[i], b[i]);
  }
}

/// Two texts that differ, from where they do.
std::string texts_text(const std::string& a, const std::string& b) {
  const auto [end_a, end_b] = std::ranges::mismatch(a, b);
  const auto same = static_cast<std::size_t>(end_a - a.begin());
  const std::string where = same == 0 ? "" : fmt::format(" from character {} on", same + 1);
  return fmt::format("holds other text{}: '{}' and '{}'", where, base::printable(a.substr(same), longest_text),
                     base::printable(b.substr(same), longest_text));
}

std::string shape_text(const Shape& shape) { return fmt::format("({})", fmt::join(shape, ", ")); }

/// The numbers of two arrays that are compared, and how.
struct Pair {
  std::string name;
  ArrayInfo a;
  ArrayInfo b;
  const IdMatch* match = nullptr;  ///< of their rows; null: in order
  std::optional<Tolerance> tolerance = std::nullopt;

  [[nodiscard]] std::uint64_t rows_of(const ArrayInfo& info) const { return info.shape.empty() ? 1 : info.shape[0]; }
  [[nodiscard]] std::uint64_t width() const {
    return a.shape.empty() ? 1 : detail::element_count(std::span(a.shape).subspan(1));
  }
};

class Comparer {
 public:
  Comparer(const FileReader& a, const FileReader& b, const CompareOptions& options) : a_(a), b_(b), options_(options) {}

  Comparison compare() {
    compare_attributes("/");
    compare_children("", 0);
    return std::move(found_);
  }

 private:
  struct Names {
    std::vector<std::string> both;
    std::vector<std::string> only_a;
    std::vector<std::string> only_b;
  };
  static Names sort_names(std::vector<std::string> a, std::vector<std::string> b) {
    std::ranges::sort(a);
    std::ranges::sort(b);
    Names names;
    std::ranges::set_intersection(a, b, std::back_inserter(names.both));
    std::ranges::set_difference(a, b, std::back_inserter(names.only_a));
    std::ranges::set_difference(b, a, std::back_inserter(names.only_b));
    return names;
  }

  [[nodiscard]] bool leaves_out(const std::string& name) const {
    return options_.leaves_out && options_.leaves_out(name);
  }
  void report(const std::string& name, std::string what) { found_.differences.push_back({name, std::move(what)}); }
  /// @param prefix  of the names
  void report_lone(const std::string& prefix, const Names& names) {
    for (const std::string& name : names.only_a) {
      if (!leaves_out(prefix + name)) report(prefix + name, "is only in the first");
    }
    for (const std::string& name : names.only_b) {
      if (!leaves_out(prefix + name)) report(prefix + name, "is only in the second");
    }
  }

  void compare_attributes(const std::string& object) {
    const Names names = sort_names(a_.attribute_names(object), b_.attribute_names(object));
    const std::string prefix = object + "@";
    report_lone(prefix, names);
    for (const std::string& name : names.both) {
      if (!leaves_out(prefix + name)) compare_attribute(object, name);
    }
  }

  void compare_attribute(const std::string& object, const std::string& name) {
    ++found_.attributes;
    const std::string full = object + "@" + name;
    const AttributeKind kind = a_.attribute_kind(object, name);
    if (kind != b_.attribute_kind(object, name)) return report(full, "holds numbers in one, texts in the other");
    if (kind == AttributeKind::other) return report(full, "cannot be compared: it holds neither numbers nor one text");
    if (kind == AttributeKind::text) {
      const std::string a = a_.text_attribute(object, name);
      const std::string b = b_.text_attribute(object, name);
      if (a != b) report(full, texts_text(a, b));
      return;
    }
    const std::vector<double> a = a_.attribute(object, name);
    const std::vector<double> b = b_.attribute(object, name);
    if (a.size() != b.size()) return report(full, fmt::format("has {} and {} numbers", a.size(), b.size()));
    Tally tally;
    compare_numbers<double>(tally, 0, a, b, tolerance_of(full));
    if (tally.differing > 0) found_.differences.push_back({full, "", std::move(tally), {a.size()}});
  }

  [[nodiscard]] std::optional<Tolerance> tolerance_of(const std::string& name) const {
    return options_.tolerance ? options_.tolerance(name) : std::nullopt;
  }

  /// @param group  "" for the root
  void compare_children(const std::string& group, int depth) {
    if (depth > deepest_group) {
      throw base::FormatError(a_.path().string(), base::printable(group, longest_text) + ": too many groups in groups");
    }
    const std::string prefix = group.empty() ? "" : group + "/";
    const Names names = sort_names(a_.list(group.empty() ? "/" : group), b_.list(group.empty() ? "/" : group));
    report_lone(prefix, names);
    const std::optional<IdMatch> match = match_of(prefix, names.both);
    for (const std::string& child : names.both) {
      const std::string name = prefix + child;
      if (leaves_out(name)) continue;
      compare_attributes(name);
      const bool is_array = a_.is_array(name);
      if (is_array != b_.is_array(name)) {
        report(name, "is an array in one, a group in the other");
      } else if (is_array) {
        compare_array(name, match ? &*match : nullptr);
      } else {
        compare_children(name, depth + 1);
      }
    }
  }

  /// How the particles of a group go together; nothing if it has none, or both have them in the same order.
  std::optional<IdMatch> match_of(const std::string& prefix, const std::vector<std::string>& names) {
    for (const char* id : {"ParticleIDs", "id"}) {
      const std::string name = prefix + id;
      if (!std::ranges::binary_search(names, id) || !are_ids(a_, name) || !are_ids(b_, name)) continue;
      if (are_in_order(name)) return std::nullopt;
      IdMatch match = detail::match_ids(read_ids(a_, name), read_ids(b_, name));
      if (match.is_identity()) return std::nullopt;
      if (match.only_first + match.only_second > 0) {
        report(name,
               fmt::format("{} are only in the first, {} only in the second", match.only_first, match.only_second));
      }
      return match;
    }
    return std::nullopt;
  }

  /// Whether both have the same IDs in the same order, as most files that are compared; in pieces, so that only those
  /// of others have to be in memory as a whole.
  bool are_in_order(const std::string& name) {
    const Pair pair{name, a_.info(name), b_.info(name)};
    return why_not(pair).empty() && tally_of_numbers(pair).differing == 0;
  }

  static bool are_ids(const FileReader& file, const std::string& name) {
    if (!file.is_array(name)) return false;
    const ArrayInfo info = file.info(name);
    return info.shape.size() == 1 && detail::is_integer(info.type);
  }

  static std::vector<std::uint64_t> read_ids(const FileReader& file, const std::string& name) {
    const ArrayInfo info = file.info(name);
    std::vector<std::uint64_t> ids(info.shape[0]);
    if (info.type == Number::int64) {  // negative ones are as good as others
      std::vector<std::int64_t> values(ids.size());
      ArrayNumbers<std::int64_t>(file, name).read(0, values);
      std::ranges::transform(values, ids.begin(), [](std::int64_t id) { return static_cast<std::uint64_t>(id); });
    } else {
      file.read(name, std::span<std::uint64_t>(ids));
    }
    return ids;
  }

  void compare_array(const std::string& name, const IdMatch* match) {
    ++found_.arrays;
    Pair pair{name, a_.info(name), b_.info(name), match, tolerance_of(name)};
    if (match != nullptr && !has_row_of_each(pair, *match)) pair.match = nullptr;
    if (std::string what = why_not(pair); !what.empty()) return report(name, std::move(what));
    Tally tally = tally_of_numbers(pair);
    if (tally.differing == 0) return;
    tally.is_integer = detail::is_integer(pair.a.type);
    if (tally.is_integer && tally.largest_integer == 0) {
      tally.largest_integer = static_cast<std::uint64_t>(tally.largest_absolute);
    }
    found_.differences.push_back({name, "", std::move(tally), pair.a.shape});
  }

  static bool has_row_of_each(const Pair& pair, const IdMatch& match) {
    const std::uint64_t matched = match.partner.size() - match.only_first;
    return !pair.a.shape.empty() && !pair.b.shape.empty() && pair.a.shape[0] == match.partner.size() &&
           pair.b.shape[0] == matched + match.only_second;
  }

  /// Why the numbers of two arrays cannot be compared; empty if they can.
  static std::string why_not(const Pair& pair) {
    const auto is_real = [](Number type) { return type == Number::float32 || type == Number::float64; };
    if (!detail::is_number(pair.a.type) || !detail::is_number(pair.b.type)) {
      return fmt::format("cannot be compared: it holds {}",
                         detail::name_of(detail::is_number(pair.a.type) ? pair.b.type : pair.a.type));
    }
    const bool may_be_close = pair.tolerance && is_real(pair.a.type) && is_real(pair.b.type);
    if (pair.a.type != pair.b.type && !may_be_close) {
      return fmt::format("holds {} and {}", detail::name_of(pair.a.type), detail::name_of(pair.b.type));
    }
    Shape a = pair.a.shape;
    Shape b = pair.b.shape;
    if (pair.match != nullptr) a[0] = b[0] = 0;
    if (a != b) return fmt::format("has shape {} and {}", shape_text(pair.a.shape), shape_text(pair.b.shape));
    return {};
  }

  Tally tally_of_numbers(const Pair& pair) {
    if (pair.a.type == Number::uint64) return tally_of<std::uint64_t>(pair);
    if (pair.a.type == Number::int64) return tally_of<std::int64_t>(pair);
    return tally_of<double>(pair);
  }

  template <class T>
  Tally tally_of(const Pair& pair) {
    if (pair.width() == 0 || pair.rows_of(pair.a) == 0) return {};
    const ArrayNumbers<T> a(a_, pair.name);
    const ArrayNumbers<T> b(b_, pair.name);
    return pair.match == nullptr ? tally_in_order(pair, a, b) : tally_by_id(pair, a, b);
  }

  /// Rows that are read at once of an array, in whole chunks.
  [[nodiscard]] std::uint64_t rows_of_piece(const Pair& pair, const ArrayInfo& info) const {
    const std::uint64_t fit = std::max<std::uint64_t>(options_.memory / 2 / (8 * pair.width()), 1);
    const std::uint64_t chunks = std::max<std::uint64_t>(fit / info.chunk_rows, 1);
    return std::min(fit, chunks * info.chunk_rows);
  }

  template <class T>
  Tally tally_in_order(const Pair& pair, const ArrayNumbers<T>& a, const ArrayNumbers<T>& b) {
    Tally tally;
    const std::uint64_t rows = pair.rows_of(pair.a);
    const std::uint64_t width = pair.width();
    const std::uint64_t piece = std::min(rows_of_piece(pair, pair.a), rows);
    std::vector<T> in_a(piece * width);
    std::vector<T> in_b(piece * width);
    for (std::uint64_t row = 0; row < rows; row += piece) {
      const std::uint64_t count = std::min(piece, rows - row) * width;
      a.read(row, std::span(in_a).first(count));
      b.read(row, std::span(in_b).first(count));
      compare_numbers<T>(tally, row * width, std::span(in_a).first(count), std::span(in_b).first(count),
                         pair.tolerance);
    }
    return tally;
  }

  /// Holds rows of the second file, as many as fit, and goes through the first one for those that belong to them.
  template <class T>
  Tally tally_by_id(const Pair& pair, const ArrayNumbers<T>& a, const ArrayNumbers<T>& b) {
    Tally tally;
    const std::uint64_t rows = pair.rows_of(pair.b);
    const std::uint64_t width = pair.width();
    const std::uint64_t held = std::min(rows_of_piece(pair, pair.b), rows);
    std::vector<T> in_b(held * width);
    for (std::uint64_t begin = 0; begin < rows; begin += held) {
      const std::uint64_t count = std::min(held, rows - begin);
      b.read(begin, std::span(in_b).first(count * width));
      tally_held(pair, a, begin, std::span<const T>(in_b).first(count * width), tally);
    }
    return tally;
  }

  /// @param in_b  rows of the second file, from `begin` on
  template <class T>
  void tally_held(const Pair& pair, const ArrayNumbers<T>& a, std::uint64_t begin, std::span<const T> in_b,
                  Tally& tally) {
    const std::uint64_t rows = pair.rows_of(pair.a);
    const std::uint64_t width = pair.width();
    const std::uint64_t piece = std::min(rows_of_piece(pair, pair.a), rows);
    std::vector<T> in_a(piece * width);
    for (std::uint64_t row = 0; row < rows; row += piece) {
      const std::uint64_t count = std::min(piece, rows - row);
      a.read(row, std::span(in_a).first(count * width));
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t partner = pair.match->partner[row + i];
        if (partner < begin || partner - begin >= in_b.size() / width) continue;
        compare_numbers<T>(tally, (row + i) * width, std::span<const T>(in_a).subspan(i * width, width),
                           in_b.subspan((partner - begin) * width, width), pair.tolerance);
      }
    }
  }

  const FileReader& a_;
  const FileReader& b_;
  const CompareOptions& options_;
  Comparison found_;
};

/// "[3]", "[3, 0]": the index of a number by its place.
std::string index_text(std::uint64_t place, const Shape& shape) {
  if (shape.empty()) return "";
  Shape index(shape.size(), 0);
  for (std::size_t axis = shape.size(); axis-- > 1; place /= shape[axis]) index[axis] = place % shape[axis];
  index[0] = place;
  return fmt::format(" [{}]", fmt::join(index, ", "));
}

}  // namespace

bool Tolerance::allows(double a, double b) const noexcept {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <= std::max(absolute, relative * std::max(std::abs(a), std::abs(b)));
}

std::string to_text(const Difference& difference) {
  if (!difference.what.empty()) return difference.name + " " + difference.what;
  const Tally& tally = difference.tally;
  const std::string largest =
      tally.is_integer ? fmt::format("{}", tally.largest_integer) : fmt::format("{:.3g}", tally.largest_absolute);
  return fmt::format("{}: {} of {} numbers differ, first{}: {}; by at most {}, {:.3g} of the value", difference.name,
                     tally.differing, tally.numbers, index_text(tally.first, difference.shape), tally.values, largest,
                     tally.largest_relative);
}

Comparison compare_files(const std::filesystem::path& a, const std::filesystem::path& b,
                         const CompareOptions& options) {
  const FileReader first(a);
  const FileReader second(b);
  return Comparer(first, second, options).compare();
}

}  // namespace tacit::io

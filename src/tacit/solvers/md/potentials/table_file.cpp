// Reads tables of potentials of pairs.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/potentials/table_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "tacit/base/error.hpp"
#include "tacit/base/read_text.hpp"
#include "tacit/base/text.hpp"
#include "tacit/solvers/md/formats/words.hpp"

namespace tacit::md {
namespace {

constexpr std::size_t largest_table_file = std::size_t{1} << 28U;

/// The line with the numbers of a section.
struct TableHead {
  std::size_t count = 0;
  enum class Steps : std::uint8_t { as_given, of_r, of_r2, bitmap } steps = Steps::as_given;
  double low = 0.0, high = 0.0;
  std::optional<std::pair<double, double>> end_slopes;
};

class TableReader {
 public:
  TableReader(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

  std::map<std::string, PairTable> read(const std::set<std::string>& wanted) {
    std::map<std::string, PairTable> result;
    while (advance()) {
      const std::string title(words_[0]);
      const std::size_t line = line_;
      const std::string shown = base::printable(title);
      const TableHead head = read_head(shown);
      if (!wanted.contains(title)) {
        for (std::size_t k = 0; k < head.count; ++k) need(shown, k, head.count);
        continue;
      }
      if (head.steps == TableHead::Steps::bitmap) {
        fail(fmt::format("the section {} has BITMAP, which is not read: expected R, RSQ, or neither", shown));
      }
      PairTable table = read_values(shown, head);
      table.line = line;
      if (!result.emplace(title, std::move(table)).second) fail("the section " + shown + " appears a second time");
    }
    for (const std::string& title : wanted) {
      if (!result.contains(title)) {
        throw base::FormatError(name_, fmt::format("has no section {}", base::printable(title)));
      }
    }
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw base::FormatError(fmt::format("{}:{}", name_, line_), what);
  }
  /// Goes to the next line with words. @return whether there is one
  bool advance() {
    while (at_ < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      words_ = words_of(text_.substr(at_, end - at_));
      at_ = end + 1;
      ++line_;
      if (!words_.empty() && !words_[0].starts_with('#')) return true;
    }
    return false;
  }
  void need(const std::string& title, std::size_t have, std::size_t count) {
    if (advance()) return;
    fail(fmt::format("the file ends after {} of the {} lines of the section {}", have, count, title));
  }
  [[nodiscard]] double number(std::size_t word, const char* what) const {
    if (word >= words_.size()) fail(fmt::format("ends where {} is expected", what));
    const std::optional<double> value = number_of<double>(words_[word]);
    if (!value || !std::isfinite(*value))
      fail(fmt::format("'{}' is no number, expected {}", base::printable(words_[word]), what));
    return *value;
  }

  TableHead read_head(const std::string& title) {
    constexpr std::size_t most = 10'000'000;
    if (!advance()) fail(fmt::format("the file ends behind the name {} of a section, expected N and a number", title));
    TableHead head;
    for (std::size_t k = 0; k < words_.size();) {
      const std::string_view word = words_[k];
      if (word == "N") {
        const std::optional<std::size_t> count =
            k + 1 < words_.size() ? number_of<std::size_t>(words_[k + 1]) : std::nullopt;
        if (!count || *count < 4 || *count > most) {
          fail(fmt::format("N of the section {} is no whole number from 4 to {}", title, most));
        }
        head.count = *count;
        k += 2;
      } else if (word == "R" || word == "RSQ" || word == "BITMAP") {
        using enum TableHead::Steps;
        head.steps = word == "R" ? of_r : word == "RSQ" ? of_r2 : bitmap;
        head.low = number(k + 1, "the shortest distance");
        head.high = number(k + 2, "the longest distance");
        if (!(head.low > 0.0) || !(head.high > head.low)) {
          fail(fmt::format("{} {} {} of the section {} are no distances that rise from above 0", word, head.low,
                           head.high, title));
        }
        k += 3;
      } else if (word == "FP" || word == "FPRIME") {
        head.end_slopes = {number(k + 1, "a slope of the force"), number(k + 2, "a slope of the force")};
        k += 3;
      } else {
        fail(fmt::format("'{}' in the numbers of the section {} is none of N, R, RSQ, FPRIME", base::printable(word),
                         title));
      }
    }
    if (head.count == 0) fail(fmt::format("the numbers of the section {} have no N", title));
    return head;
  }

  /// Where distances are at equal steps, those of the file say so again, with fewer digits.
  [[nodiscard]] double distance(const TableHead& head, std::size_t k) const {
    using enum TableHead::Steps;
    const double given = number(1, "a distance");
    if (head.steps == as_given) return given;
    const double share = static_cast<double>(k) / static_cast<double>(head.count - 1);
    const auto at = [&](double part) {
      if (head.steps == of_r) return head.low + (head.high - head.low) * part;
      return std::sqrt(head.low * head.low + (head.high * head.high - head.low * head.low) * part);
    };
    const double result = at(share);
    const double step = std::abs(result - at(share > 0.5 ? share - 1.0 / static_cast<double>(head.count - 1)
                                                         : share + 1.0 / static_cast<double>(head.count - 1)));
    if (std::abs(given - result) <= 0.05 * step) return result;
    fail(fmt::format("the distance {} is not that of {} equal steps of {} from {} to {}, {:.9g}", given, head.count - 1,
                     head.steps == of_r ? "r" : "r^2", head.low, head.high, result));
  }

  PairTable read_values(const std::string& title, const TableHead& head) {
    PairTable table{.end_slopes = head.end_slopes};
    for (std::size_t k = 0; k < head.count; ++k) {
      need(title, k, head.count);
      if (words_.size() != 4 || number(0, "the number of the line") != static_cast<double>(k + 1)) {
        fail(fmt::format("expected line {} of the {} of the section {}: its number, distance, energy and force", k + 1,
                         head.count, title));
      }
      const double r = distance(head, k);
      if (!(r > 0.0)) fail(fmt::format("the distance {} is not above 0", r));
      if (k > 0 && !(r > table.r.back())) {
        fail(fmt::format("the distance {} is not larger than the one before it, {}", r, table.r.back()));
      }
      table.r.push_back(r);
      table.u.push_back(number(2, "an energy"));
      table.f.push_back(number(3, "a force"));
    }
    table.begin = head.steps == TableHead::Steps::as_given ? table.r[0] : head.low;
    return table;
  }

  std::string_view text_;
  std::string name_;
  std::vector<std::string_view> words_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;
};

}  // namespace

std::map<std::string, PairTable> parse_pair_tables(std::string_view text, const std::string& name,
                                                   const std::set<std::string>& wanted) {
  return TableReader(text, name).read(wanted);
}

std::map<std::string, PairTable> read_pair_tables(const std::filesystem::path& path,
                                                  const std::set<std::string>& wanted) {
  return parse_pair_tables(base::read_text(path, largest_table_file, "table of potentials of pairs"), path.string(),
                           wanted);
}

}  // namespace tacit::md

// Expands hostlist expressions and folds names back into them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/placement/machine/hostlist.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "tacit/base/text.hpp"

namespace tacit::placement {
namespace {

constexpr std::size_t longest_number = 12;  // digits of a host's number: far above any machine, far below 64 bits

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_separator(char c) { return c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_name(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' || c == '-';
}

std::string padded(std::uint64_t number, std::size_t width) {
  std::string digits = std::to_string(number);
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  return digits;
}

/// Reads an expression from left to right.
class Expander {
 public:
  explicit Expander(std::string_view text) : text_(text) {}

  std::vector<std::string> run() {
    while (skip_separators()) expand_one();
    return std::move(names_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw HostlistError(fmt::format("'{}': {}", base::printable(text_.substr(0, position_ + 1)), what));
  }
  [[nodiscard]] char peek() const { return position_ < text_.size() ? text_[position_] : '\0'; }

  bool skip_separators() {
    while (position_ < text_.size() && is_separator(text_[position_])) ++position_;
    return position_ < text_.size();
  }

  /// One name with its brackets: all combinations, the last bracket fastest.
  void expand_one() {
    std::vector<std::string> heads{""};
    while (position_ < text_.size() && !is_separator(peek())) {
      if (peek() == '[') {
        heads = product(heads, bracket());
      } else {
        const std::size_t begin = position_;
        while (is_name(peek())) ++position_;
        if (position_ == begin) fail("expected a name of letters, digits, '.', '_' and '-', or '[' with its numbers");
        for (std::string& head : heads) head.append(text_.substr(begin, position_ - begin));
      }
    }
    if (names_.size() + heads.size() > most_hosts) fail_too_many();
    names_.insert(names_.end(), heads.begin(), heads.end());
  }

  [[noreturn]] void fail_too_many() const { fail("stands for more than " + std::to_string(most_hosts) + " nodes"); }

  [[nodiscard]] std::vector<std::string> product(const std::vector<std::string>& heads,
                                                 const std::vector<std::string>& tails) const {
    if (heads.size() * tails.size() > most_hosts) fail_too_many();
    std::vector<std::string> all;
    all.reserve(heads.size() * tails.size());
    for (const std::string& head : heads) {
      for (const std::string& tail : tails) all.push_back(head + tail);
    }
    return all;
  }

  /// "[1-4,7]", from its '[' to behind its ']'.
  std::vector<std::string> bracket() {
    std::vector<std::string> numbers;
    do {
      ++position_;  // '[' or ','
      add_range(numbers);
    } while (peek() == ',');
    if (peek() != ']') fail("expected ',', '-' or ']' after a number");
    ++position_;
    return numbers;
  }

  void add_range(std::vector<std::string>& numbers) {
    const std::string_view first = digits();
    std::string_view last = first;
    if (peek() == '-') {
      ++position_;
      last = digits();
    }
    const std::uint64_t begin = value(first);
    const std::uint64_t end = value(last);
    if (end < begin) fail("a range must not go down");
    if (end - begin >= most_hosts - std::min(numbers.size(), most_hosts)) fail_too_many();
    for (std::uint64_t number = begin; number <= end; ++number) numbers.push_back(padded(number, first.size()));
  }

  std::string_view digits() {
    const std::size_t begin = position_;
    while (is_digit(peek())) ++position_;
    if (position_ == begin) fail("expected a number in brackets, as in a[1-4,7]");
    if (position_ - begin > longest_number) fail("a number has too many digits");
    return text_.substr(begin, position_ - begin);
  }

  static std::uint64_t value(std::string_view digits) {
    std::uint64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::vector<std::string> names_;
};

/// A name cut behind its last number: "r1n007-ib" is "r1n", 7 of width 3, "-ib".
struct Parts {
  std::string_view head;
  std::uint64_t number = 0;
  std::size_t width = 0;
  std::string_view tail;
};

std::optional<Parts> parts_of(std::string_view name) {
  const auto is_no_digit = [](char c) { return !is_digit(c); };
  const auto end = std::find_if(name.rbegin(), name.rend(), is_digit).base();
  const auto begin = std::find_if(std::make_reverse_iterator(end), name.rend(), is_no_digit).base();
  const auto width = static_cast<std::size_t>(end - begin);
  if (width == 0 || width > longest_number) return std::nullopt;
  const auto head = static_cast<std::size_t>(begin - name.begin());
  Parts parts{.head = name.substr(0, head), .width = width, .tail = name.substr(head + width)};
  std::from_chars(name.data() + head, name.data() + head + width, parts.number);
  return parts;
}

/// Whether `next` may stand in the same brackets as `first`: one name but for the number. A number that has outgrown
/// its width keeps it: n[8-11] is of width 1.
bool is_kin(const Parts& first, const Parts& next) {
  if (first.head != next.head || first.tail != next.tail) return false;
  return padded(next.number, first.width).size() == next.width;
}

}  // namespace

std::vector<std::string> expand_hostlist(std::string_view expression) { return Expander(expression).run(); }

std::string compress_hostlist(std::span<const std::string> names) {
  std::string out;
  for (std::size_t i = 0; i < names.size();) {
    if (!out.empty()) out += ',';
    const auto first = parts_of(names[i]);
    std::size_t end = i + 1;
    std::string numbers;
    for (std::size_t begin = i; first && begin < names.size(); begin = end) {
      const auto head = parts_of(names[begin]);
      if (!head || !is_kin(*first, *head)) break;
      std::uint64_t last = head->number;
      for (end = begin + 1; end < names.size(); ++end, ++last) {
        const auto next = parts_of(names[end]);
        if (!next || !is_kin(*head, *next) || next->number != last + 1) break;
      }
      if (!numbers.empty()) numbers += ',';
      numbers += padded(head->number, head->width);
      if (last != head->number) numbers += '-' + padded(last, head->width);
    }
    if (end == i + 1) {
      out += names[i];
    } else {
      out.append(first->head).append("[").append(numbers).append("]").append(first->tail);
    }
    i = end;
  }
  return out;
}

}  // namespace tacit::placement

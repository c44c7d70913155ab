// Reads parameter files of Tersoff's potential.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/formats/tersoff_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/base/read_text.hpp"
#include "tacit/base/text.hpp"

namespace tacit::md {
namespace {

constexpr std::size_t entry_words = 17;
constexpr std::size_t largest_tersoff_file = std::size_t{1} << 24U;
constexpr std::array<std::string_view, 14> number_names{"m",    "gamma",   "lambda3", "c", "d", "costheta0", "n",
                                                        "beta", "lambda2", "B",       "R", "D", "lambda1",   "A"};

struct Word {
  std::string_view text;
  std::size_t line = 0;
};

class TersoffReader {
 public:
  TersoffReader(std::string_view text, const std::string& name, std::span<const std::string> elements,
                const TersoffScale& scale)
      : name_(name), elements_(elements), scale_(scale), triples_(elements.size() * elements.size() * elements.size()) {
    split(text);
  }

  kernels::TersoffTable read() {
    for (std::size_t at = 0; at < words_.size(); at += entry_words) read_entry(at);
    for (std::size_t t = 0; t < triples_.size(); ++t) {
      if (!triples_[t]) triples_[t] = triples_[of_elements(t)];
      if (!triples_[t]) missing(t);
    }
    std::vector<kernels::TersoffTriple> all;
    for (const auto& triple : triples_) all.push_back(*triple);
    return {elements_.size(), std::move(all)};
  }

 private:
  [[noreturn]] void fail(std::size_t line, const std::string& what) const {
    throw base::FormatError(fmt::format("{}:{}", name_, line), what);
  }
  void split(std::string_view text) {
    std::size_t line = 1;
    for (std::size_t at = 0; at < text.size(); ++line) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      std::string_view content = text.substr(at, end - at);
      content = content.substr(0, std::min(content.find('#'), content.size()));
      at = end + 1;
      for (std::size_t k = 0; (k = content.find_first_not_of(" \t\r", k)) != std::string_view::npos;) {
        const std::size_t stop = std::min(content.find_first_of(" \t\r", k), content.size());
        words_.push_back({content.substr(k, stop - k), line});
        k = stop;
      }
    }
  }
  /// Of the elements of an entry: the number of the triple; nothing if one of them is not wanted.
  [[nodiscard]] std::optional<std::size_t> triple_of(std::size_t at) const {
    std::size_t result = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto found = std::ranges::find(elements_, words_[at + k].text);
      if (found == elements_.end()) return std::nullopt;
      result = result * elements_.size() + static_cast<std::size_t>(found - elements_.begin());
    }
    return result;
  }
  /// The triple that has the numbers of another one: several types may have one element.
  [[nodiscard]] std::size_t of_elements(std::size_t triple) const {
    const std::size_t n = elements_.size();
    const auto first = [&](std::size_t type) {
      return static_cast<std::size_t>(std::ranges::find(elements_, elements_[type]) - elements_.begin());
    };
    return (first(triple / (n * n)) * n + first(triple / n % n)) * n + first(triple % n);
  }
  [[nodiscard]] double number(std::size_t at, std::size_t which) const {
    const Word& word = words_[at + 3 + which];
    std::string_view text = word.text;
    if (text.starts_with('+')) text.remove_prefix(1);
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
      fail(word.line, fmt::format("'{}' is no number, expected {} of the entry {}", base::printable(word.text),
                                  number_names[which], entry(at)));
    }
    return value;
  }
  [[nodiscard]] std::string entry(std::size_t at) const {
    return base::printable(fmt::format("{} {} {}", words_[at].text, words_[at + 1].text, words_[at + 2].text));
  }
  void read_entry(std::size_t at) {
    const std::size_t line = words_[at].line;
    if (words_.size() - at < entry_words) {
      fail(line, fmt::format("an entry ends after {} words, expected {}: three elements and {}", words_.size() - at,
                             entry_words, fmt::join(number_names, ", ")));
    }
    std::array<double, number_names.size()> x{};
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = number(at, k);
    check(at, x);
    const std::optional<std::size_t> triple = triple_of(at);
    if (!triple) return;
    if (triples_[*triple]) fail(line, fmt::format("the entry {} appears a second time", entry(at)));
    const double inverse = 1.0 / scale_.length;
    triples_[*triple] = {.m = x[0] == 1.0 ? 1 : 3,
                         .gamma = x[1],
                         .lambda3 = x[2] * inverse,
                         .c = x[3],
                         .d = x[4],
                         .h = x[5],
                         .n = x[6],
                         .beta = x[7],
                         .lambda2 = x[8] * inverse,
                         .B = x[9] * scale_.energy,
                         .R = x[10] * scale_.length,
                         .D = x[11] * scale_.length,
                         .lambda1 = x[12] * inverse,
                         .A = x[13] * scale_.energy};
  }
  void check(std::size_t at, const std::array<double, number_names.size()>& x) const {
    const auto refuse = [&](std::size_t which, std::string_view expected) {
      fail(words_[at + 3 + which].line,
           fmt::format("{} of the entry {} is {}, expected {}", number_names[which], entry(at), x[which], expected));
    };
    if (x[0] != 1.0 && x[0] != 3.0) refuse(0, "1 or 3");
    for (const std::size_t k : {1U, 3U, 6U, 7U, 8U, 9U, 12U, 13U}) {
      if (x[k] < 0.0) refuse(k, "0 or more");
    }
    if (x[4] == 0.0 && x[3] != 0.0) refuse(4, "another number than 0, as c is not 0");
    if (!(x[10] > 0.0)) refuse(10, "more than 0");
    if (x[11] < 0.0 || x[11] > x[10]) refuse(11, "0 to R");
    const bool is_bond = words_[at + 1].text == words_[at + 2].text;
    if (is_bond && x[6] == 0.0 && x[7] != 0.0) refuse(6, "more than 0");
  }
  [[noreturn]] void missing(std::size_t triple) const {
    const std::size_t n = elements_.size();
    throw base::FormatError(name_, fmt::format("has no entry {} {} {}, which the elements of the atoms ({}) need",
                                               elements_[triple / (n * n)], elements_[triple / n % n],
                                               elements_[triple % n], fmt::join(elements_, " ")));
  }

  std::string name_;
  std::span<const std::string> elements_;
  TersoffScale scale_;
  std::vector<std::optional<kernels::TersoffTriple>> triples_;
  std::vector<Word> words_;
};

}  // namespace

kernels::TersoffTable read_tersoff_file(const std::filesystem::path& path, std::span<const std::string> elements,
                                        const TersoffScale& scale) {
  const std::string text = base::read_text(path, largest_tersoff_file, "parameter file of Tersoff's potential");
  return parse_tersoff(text, path.string(), elements, scale);
}

kernels::TersoffTable parse_tersoff(std::string_view text, const std::string& name,
                                    std::span<const std::string> elements, const TersoffScale& scale) {
  return TersoffReader(text, name, elements, scale).read();
}

}  // namespace tacit::md

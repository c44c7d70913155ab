// Reads files of parameters with an entry for each triple of elements.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/formats/triple_entries.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/base/text.hpp"
#include "tacit/solvers/md/formats/words.hpp"

namespace tacit::md {

std::string TripleEntry::title() const { return base::printable(fmt::format("{}", fmt::join(elements, " "))); }

void TripleEntry::refuse(std::size_t which, std::string_view expected) const {
  throw base::FormatError(
      fmt::format("{}:{}", file, lines[which]),
      fmt::format("{} of the entry {} is {}, expected {}", names[which], title(), numbers[which], expected));
}

namespace {

struct Word {
  std::string_view text;
  std::size_t line = 0;
};

std::vector<Word> words_with_lines(std::string_view text) {
  std::vector<Word> words;
  std::size_t line = 1;
  for (std::size_t at = 0; at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view content = text.substr(at, end - at);
    for (const std::string_view word : words_of(content.substr(0, content.find('#')))) words.push_back({word, line});
    at = end + 1;
  }
  return words;
}

class TripleReader {
 public:
  TripleReader(std::string_view text, const std::string& name, std::span<const std::string> elements,
               std::span<const std::string_view> number_names)
      : name_(name),
        elements_(elements),
        number_names_(number_names),
        triples_(elements.size() * elements.size() * elements.size()),
        words_(words_with_lines(text)) {}

  std::vector<std::vector<double>> read(const std::function<void(const TripleEntry&)>& check) {
    const std::size_t words = 3 + number_names_.size();
    for (std::size_t at = 0; at < words_.size(); at += words) {
      if (words_.size() - at < words) {
        fail(words_[at].line, fmt::format("an entry ends after {} words, expected {}: three elements and {}",
                                          words_.size() - at, words, fmt::join(number_names_, ", ")));
      }
      TripleEntry entry = entry_at(at);
      check(entry);
      const std::optional<std::size_t> triple = triple_of(entry);
      if (!triple) continue;
      if (triples_[*triple]) {
        fail(words_[at].line, fmt::format("the entry {} appears a second time", entry.title()));
      }
      triples_[*triple] = std::move(entry.numbers);
    }
    std::vector<std::vector<double>> all;
    for (std::size_t t = 0; t < triples_.size(); ++t) {
      if (!triples_[t]) triples_[t] = triples_[of_elements(t)];
      if (!triples_[t]) missing(t);
      all.push_back(*triples_[t]);
    }
    return all;
  }

 private:
  [[noreturn]] void fail(std::size_t line, const std::string& what) const {
    throw base::FormatError(fmt::format("{}:{}", name_, line), what);
  }
  [[nodiscard]] TripleEntry entry_at(std::size_t at) const {
    TripleEntry entry{.elements = {words_[at].text, words_[at + 1].text, words_[at + 2].text},
                      .numbers = {},
                      .lines = {},
                      .names = number_names_,
                      .file = name_};
    for (std::size_t k = 0; k < number_names_.size(); ++k) {
      const Word& word = words_[at + 3 + k];
      const std::optional<double> value = number_of<double>(word.text);
      if (!value || !std::isfinite(*value)) {
        fail(word.line, fmt::format("'{}' is no number, expected {} of the entry {}", base::printable(word.text),
                                    number_names_[k], entry.title()));
      }
      entry.numbers.push_back(*value);
      entry.lines.push_back(word.line);
    }
    return entry;
  }
  /// The number of the triple; nothing if one of the elements is not wanted.
  [[nodiscard]] std::optional<std::size_t> triple_of(const TripleEntry& entry) const {
    std::size_t result = 0;
    for (const std::string_view element : entry.elements) {
      const auto found = std::ranges::find(elements_, element);
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
  [[noreturn]] void missing(std::size_t triple) const {
    const std::size_t n = elements_.size();
    throw base::FormatError(name_, fmt::format("has no entry {} {} {}, which the elements of the atoms ({}) need",
                                               elements_[triple / (n * n)], elements_[triple / n % n],
                                               elements_[triple % n], fmt::join(elements_, " ")));
  }

  std::string name_;
  std::span<const std::string> elements_;
  std::span<const std::string_view> number_names_;
  std::vector<std::optional<std::vector<double>>> triples_;
  std::vector<Word> words_;
};

}  // namespace

std::vector<std::vector<double>> read_triples(std::string_view text, const std::string& name,
                                              std::span<const std::string> elements,
                                              std::span<const std::string_view> number_names,
                                              const std::function<void(const TripleEntry&)>& check) {
  return TripleReader(text, name, elements, number_names).read(check);
}

}  // namespace tacit::md

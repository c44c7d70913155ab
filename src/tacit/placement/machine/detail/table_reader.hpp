// A table of a document read key by key, every mistake with its place.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/config/node.hpp"

namespace tacit::placement::detail {

/// A table whose keys are known. Every reader throws base::FormatError with file, line and column if the value is not
/// what it should be, or is missing and has no fallback.
class TableReader {
 public:
  /// @param name   how messages name it: "torus"; empty for the whole file
  /// @param known  every key that it may hold
  /// @throws base::FormatError if it is no table or holds another key, with the closest one that is known
  TableReader(const config::Tree& file, const config::Node& table, std::string name,
              std::span<const std::string_view> known);

  /// The value of a key, or null.
  [[nodiscard]] const config::Node* find(std::string_view key) const { return table_->find(key); }
  [[nodiscard]] const config::Node& need(std::string_view key) const;
  /// The items of a list that must be there, of that many items where `size` is not 0.
  [[nodiscard]] const std::vector<config::Node>& list(std::string_view key, std::size_t size = 0) const;

  /// A whole number from 1 to `most`.
  [[nodiscard]] std::uint32_t count(std::string_view key, std::optional<std::uint32_t> fallback = {}) const;
  /// [byte/s]: a plain number, or a text with a unit: "9.6 GB/s", "100 Gbit/s".
  [[nodiscard]] double bandwidth(std::string_view key, std::optional<double> fallback = {}) const;
  /// [s]: a plain number, or a text with a unit: "1.5 us".
  [[nodiscard]] double seconds(std::string_view key, double fallback) const;
  /// A plain number, lower <= value and value < upper.
  [[nodiscard]] double number(std::string_view key, double lower, double upper, double fallback) const;
  [[nodiscard]] std::string text(std::string_view key, std::optional<std::string> fallback = {}) const;
  /// The place of a word among `words`.
  [[nodiscard]] std::size_t choice(std::string_view key, std::span<const std::string_view> words,
                                   std::size_t fallback) const;
  /// Names of nodes: a hostlist expression, or a list of them.
  [[nodiscard]] std::vector<std::string> hosts(std::string_view key) const;

  [[nodiscard]] base::FormatError error(const config::Node& at, const std::string& what) const;
  /// "torus.routers".
  [[nodiscard]] std::string full_name(std::string_view key) const;

  /// The same of single values, which may stand in lists.
  [[nodiscard]] std::uint32_t count_of(const config::Node& value) const;
  [[nodiscard]] double bandwidth_of(const config::Node& value) const;
  [[nodiscard]] std::string text_of(const config::Node& value) const;
  [[nodiscard]] std::size_t choice_of(const config::Node& value, std::span<const std::string_view> words) const;

 private:
  const config::Tree* file_;
  const config::Node* table_;
  std::string name_;
};

/// Sizes of machines end here: far above any, and products of two still fit into 64 bits.
inline constexpr std::uint32_t most_parts = 16'000'000;

}  // namespace tacit::placement::detail

// Files of parameters with an entry for each triple of elements, as LAMMPS has them for Tersoff, Stillinger and Weber.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::md {

/// What energies [eV] and lengths [Angstrom] of a file are in code units.
struct FileScale {
  double energy = 1.0;
  double length = 1.0;
};

/// Three elements (centre, bonded, third) and their numbers.
struct TripleEntry {
  std::array<std::string_view, 3> elements;
  std::vector<double> numbers;
  std::vector<std::size_t> lines;           ///< of each number
  std::span<const std::string_view> names;  ///< of the numbers
  std::string file;

  /// Whether it is the one of a pair: the third is like the second.
  [[nodiscard]] bool is_of_pair() const noexcept { return elements[1] == elements[2]; }
  [[nodiscard]] std::string title() const;
  /// @throws base::FormatError that names file, line, number and entry
  [[noreturn]] void refuse(std::size_t which, std::string_view expected) const;
};

/// The entries of some elements: of each triple one, on one line or several; # begins a comment. Entries of other
/// elements are passed over. Several types may have one element.
/// @param name   what messages call the text
/// @param check  called with each entry, those of other elements among them
/// @return       shape (types, types, types): the numbers of each triple
/// @throws base::FormatError with the line, what is wrong and what to do
[[nodiscard]] std::vector<std::vector<double>> read_triples(std::string_view text, const std::string& name,
                                                            std::span<const std::string> elements,
                                                            std::span<const std::string_view> number_names,
                                                            const std::function<void(const TripleEntry&)>& check);

}  // namespace tacit::md

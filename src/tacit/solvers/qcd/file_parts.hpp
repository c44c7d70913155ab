// What files of all solvers on a lattice have in common: rows of a rank, lines of numbers, checksums.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tacit/comm/communicator.hpp"
#include "tacit/io/file.hpp"
#include "tacit/solvers/qcd/lattice.hpp"

namespace tacit::qcd {

/// The name of an array in a group.
[[nodiscard]] std::string in_group(const std::string& group, const std::string& name);

/// What a rank has of an array of shape (t, z, y, x, numbers).
[[nodiscard]] io::Part part_in_file(const LatticePart& part, std::uint64_t numbers);

/// An array of one dimension. @pre it is not empty
void write_line(io::FileWriter& file, const std::string& name, const std::vector<double>& values);
/// @throws base::FormatError if it is not there or of another shape
[[nodiscard]] std::vector<double> read_line(const io::FileReader& file, const std::string& name);

/// The checksum of a file that the first rank found, which alone reads all of it; empty without a file. All ranks call
/// it.
[[nodiscard]] std::string checksum_of_first(const std::filesystem::path& path, comm::Communicator& ranks);

}  // namespace tacit::qcd

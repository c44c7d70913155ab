// The set-up of multigrid in a file, for other runs on the same field.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tacit/comm/communicator.hpp"
#include "tacit/io/file.hpp"
#include "tacit/solvers/qcd/dirac_operator.hpp"
#include "tacit/solvers/qcd/gauge_field.hpp"
#include "tacit/solvers/qcd/multigrid/settings.hpp"

namespace tacit::qcd::multigrid {

/// To what a set-up belongs.
struct SetupOf {
  std::string links;  ///< their checksum
  DiracParameters dirac;
  Extents extents;
  Coordinates block{};
  std::size_t vectors = 0;
};

/// A checksum of all links, of all ranks: bit by bit, whatever file they came from, and however ranks divide them.
/// @param ranks  null: one has all. All call it
[[nodiscard]] std::string checksum_of_links(const GaugeField& field, comm::Communicator* ranks);

/// Writes test vectors, of which all levels are made: arrays Multigrid/Vector00 and on, of shape (t, z, y, x, 24) in
/// single precision, which is all that there is. All ranks call it.
void write_setup(io::FileWriter& file, const SetupOf& of, const FieldSpace<float>& space,
                 const std::vector<Field<float>>& vectors);

/// Reads them, with the same bits. All ranks call it.
/// @throws base::FormatError if it is no such file, or belongs to another field, mass, clover term, boundary, or
///         division into aggregates: it says which, and what is wanted
[[nodiscard]] std::vector<Field<float>> read_setup(const std::filesystem::path& path, const SetupOf& of,
                                                   const FieldSpace<float>& space);

}  // namespace tacit::qcd::multigrid

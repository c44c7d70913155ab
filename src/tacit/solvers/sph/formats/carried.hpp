// Reading, storing and restoring the particles that are carried along.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tacit/io/file.hpp"
#include "tacit/solvers/sph/formats/file_set.hpp"
#include "tacit/solvers/sph/formats/gadget_header.hpp"
#include "tacit/solvers/sph/other_particles.hpp"

namespace tacit::sph {

/// Takes every dataset of numbers of PartType1 .. 6, converted where its dimension is known (from its attributes, or
/// from its name); texts, compounds and subgroups stay behind.
///
/// @param periodic  whether positions are wrapped into the box
/// @throws base::FormatError for groups, Coordinates or rows that are missing, positions that are not finite
[[nodiscard]] OtherParticles read_others(const FileSet& set, const GadgetHeader& header, const Conversion& conversion,
                                         bool periodic);

/// Stores them in a checkpoint under `group`, and restores them bit by bit.
void save_others(io::FileWriter& file, const std::string& group, const OtherParticles& others);
/// @throws base::FormatError if the checkpoint is damaged
[[nodiscard]] OtherParticles load_others(const io::FileReader& file, const std::string& group);

void write_attribute(io::FileWriter& file, const std::string& object, const std::string& name,
                     const CarriedArray::Attribute& value);

/// The rows of `array` in the order of `rows`, as numbers where they are positions, as bytes in any case.
void gather_rows(const CarriedArray& array, std::span<const std::uint32_t> rows, std::span<std::byte> out);
void gather_numbers(const CarriedArray& array, std::span<const std::uint32_t> rows, std::span<double> out);

/// "5 of PartType1 (dark matter), 3 of PartType4 (stars)"; empty if there are none.
[[nodiscard]] std::string describe(const OtherParticles& others);

}  // namespace tacit::sph

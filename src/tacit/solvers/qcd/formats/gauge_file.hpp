// Gauge fields of files, whichever of the formats they are in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "tacit/solvers/qcd/division.hpp"
#include "tacit/solvers/qcd/gauge_field.hpp"

namespace tacit::qcd {

enum class GaugeFormat : std::uint8_t { none, nersc, ildg };

/// Of a file in NERSC's or ILDG's format, told by how it begins. @throws as read_nersc and read_ildg
[[nodiscard]] Extents read_gauge_extents(const std::filesystem::path& path);
/// What a rank has of the field; all ranks call it.
[[nodiscard]] GaugeField read_gauge_file(const std::filesystem::path& path, const Division& division);
/// All of it, by one rank alone.
[[nodiscard]] GaugeField read_gauge_file(const std::filesystem::path& path);

}  // namespace tacit::qcd

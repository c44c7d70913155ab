// The table of a flow's fields, and what a rank has of them in files. Drives checkpoints and snapshots.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/engine/solver.hpp"
#include "tacit/io/file.hpp"
#include "tacit/solvers/dns/flow.hpp"

namespace tacit::dns {

/// Of the components of velocity, in files.
inline constexpr std::array velocity_names{"u", "v", "w"};

/// One field of a flow, in the order of Flow::field. Checkpoints have its modes, shape (kx, kz, ky, 2); snapshots its
/// points, shape (nz, ny, nx), those of the velocity as one array with three components.
struct FieldInfo {
  std::string name;         ///< in files
  std::string_view symbol;  ///< of what the flow carries
  std::string_view unit;    ///< of points in files
  double at_points = 1.0;   ///< points in files over what the flow carries
};

/// u, v, w, scalar1, scalar2, ... and, of stratification, the buoyancy b, of which b/N is carried.
[[nodiscard]] std::vector<FieldInfo> fields_of(const PhysicsParameters& physics);

/// The points of this rank, in an array of shape (z, y, x).
[[nodiscard]] io::Part points_of(const fft::Pencils& pencils);
/// Which of these rows, shape (nx), is that of y and z.
[[nodiscard]] inline std::size_t row_of(const fft::Pencils& pencils, std::size_t y, std::size_t z) noexcept {
  return (z - pencils.z().begin) * pencils.y().size() + y - pencils.y().begin;
}

/// What every file of dns says of its run: groups Header and Provenance.
void write_header(io::FileWriter& file, const engine::FileContext& context, const FlowParameters& flow);

/// All that a flow needs to continue bitwise identically: fields, steps, forces.
void save_flow(io::FileWriter& file, const std::string& group, const Flow& flow);
/// A force of another kind, or in other modes, than that of the checkpoint starts from its initial state.
/// @throws base::FormatError if fields are missing or have another shape
void load_flow(const io::FileReader& file, const std::string& group, Flow& flow);
/// Keeps the buoyancy b of a checkpoint where this flow has another stratification N: it carries theta = b/N.
/// @throws base::FormatError if the file's N is not above 0
void scale_buoyancy(const io::FileReader& file, const std::string& group, Flow& flow);

}  // namespace tacit::dns

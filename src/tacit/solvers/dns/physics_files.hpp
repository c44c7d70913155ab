// Scalars and forces in snapshots and checkpoints.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tacit/io/file.hpp"
#include "tacit/solvers/dns/flow.hpp"

namespace tacit::dns {

/// "scalar1", "scalar2", ... and "buoyancy".
[[nodiscard]] std::string scalar_name(const Flow& flow, std::size_t scalar);

/// The scalars at the points as further arrays of `group`, shape (nz, ny, nx); of stratification the buoyancy b.
void write_scalars(io::FileWriter& file, const std::string& group, Flow& flow, io::Number type);

/// What a flow needs beside its velocity to continue with the same bits.
void save_physics(io::FileWriter& file, const std::string& group, const Flow& flow);
/// Keeps the buoyancy b of a checkpoint where this flow has another stratification N: what it carries is theta = b/N.
/// @throws base::FormatError if the file's N is not above 0
void scale_buoyancy(const io::FileReader& file, const std::string& group, Flow& flow);
/// A force of another kind or in other modes than the checkpoint has begins anew.
/// @throws base::FormatError if scalars are missing or have another shape
void load_physics(const io::FileReader& file, const std::string& group, Flow& flow);

}  // namespace tacit::dns

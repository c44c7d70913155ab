// How the tiles of a stage are computed on a device: what is copied there and back.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "tacit/gpu/slots.hpp"
#include "tacit/mesh/kernels/stages.hpp"

namespace tacit::mesh {

/// A stage of a tile in memory of a device: only the cells of the tile, and the ones beside them along each axis.
struct StageOnDevice {
  StageTile host;    ///< the tile among the fields of the host
  StageTile device;  ///< and in arrays of the device; those that follow from its `first` are not shifted by it
  const Stage& stage;
  double dt = 0.0;
  std::span<const StageFields> at;  ///< shape (fields); addresses on the device, from the first cell of the tile on
};

/// Launches of stages.
struct StageLaunches {
  gpu::Slots* slots = nullptr;  ///< which the scheduler polls; outlives the step. Null: all is computed by workers
  std::string name;             ///< of the kind of launch: "heat stage"
  std::size_t further = 0;      ///< arrays of the size of a tile that `run` takes for itself
  /// Adds the kernels, behind the copies to the device and before those of the results.
  std::function<void(gpu::Program&, const StageOnDevice&)> run;
};

/// Numbers of an array of the device that holds a tile and the cells beside it.
[[nodiscard]] std::size_t numbers_on_device(const StageTile& tile);
/// The tile in such an array.
[[nodiscard]] StageTile tile_on_device(const StageTile& tile);

/// Which cells of an array are copied.
enum class TileCells {
  own,          ///< of the tile
  with_beside,  ///< those, and the ones beside them along each axis; none at edges and corners
};
/// Copies cells of a field to a new array of the device. @param field  from the first cell of the tile on
/// @return  likewise
[[nodiscard]] double* copy_to_device(gpu::Program& program, const StageTile& tile, const double* field,
                                     TileCells cells);

/// What the launch of a stage needs. @param fields  that are advanced   @param further  see StageLaunches
[[nodiscard]] gpu::Need need_of_stage(const StageTile& tile, std::size_t fields, std::size_t further);
/// Writes the launch down: copies what the stage reads, calls `run`, and copies back what it writes.
/// @param at  shape (fields), on the host
void record_stage(gpu::Program& program, const StageLaunches& launches, const StageTile& tile, const Stage& stage,
                  double dt, std::span<const StageFields> at);

}  // namespace tacit::mesh

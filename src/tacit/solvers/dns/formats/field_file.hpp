// Fields from files, at the resolution of the file or another one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "tacit/io/file.hpp"
#include "tacit/solvers/dns/flow.hpp"

namespace tacit::dns {

/// A velocity in an HDF5 file, in one of three layouts:
///
///     Dns/u, Dns/v, Dns/w            modes, as our checkpoints have them, shape (kx, kz, ky, 2)
///     VTKHDF/PointData/velocity      at points, as our snapshots have it, shape (z, y, x, 3)
///     u, v, w                        at points, shape (z, y, x); point i stands at i L / n
///
/// A flow of another resolution gets the modes that both have: more points add modes that are zero, fewer drop those
/// that they cannot hold. So modes that went to more points and back are bitwise identical.
class FieldFile {
 public:
  /// Opens the file and looks at what it has, without reading it.
  /// @throws base::SystemError, base::FormatError if there is no velocity in it, or its shape is no field's
  explicit FieldFile(const std::filesystem::path& path);

  /// The velocity, free of divergence and of what no real field has.
  ///
  /// @return  what the divergence was: the largest |k . u(k)| over the largest |k| |u(k)|; 1e-16 is rounding
  /// @throws base::FormatError  if the file's box is another one, a number is not finite, or the file is damaged
  /// Memory: for points, nine words for each of the file's points while it works.
  double give_velocity(Flow& flow) const;

  /// The scalars of the flow that the file has under their names; the others stay as they are. What is named buoyancy
  /// is b = N theta at points, whatever the stratification N of the flow is; the modes of a checkpoint are those of
  /// theta, with the N that it was written with.
  /// @throws as give_velocity
  void give_scalars(Flow& flow) const;

  /// The scalars of the file that the flow does not have: "buoyancy", "scalar3", ...
  [[nodiscard]] std::vector<std::string> left_out(const Flow& flow) const;

  /// Where one field stands in the file.
  struct Source {
    std::string array;
    std::size_t components = 1;  ///< numbers per point; modes have one complex number
    std::size_t component = 0;
  };
  /// The same for any fields that have the layout and shape of the velocity; nothing is cleaned.
  /// @param targets  modes in the order of the flow's
  void give(std::span<const Source> sources, std::span<const std::span<Complex>> targets, const Flow& flow) const;
  /// Points, or twice the highest wave numbers, along x, y and z; for messages.
  [[nodiscard]] const fft::Shape& shape() const noexcept { return shape_; }

 private:
  enum class Layout : std::uint8_t { modes, points };
  void check_shape(const Source& source) const;
  void check_box(const Flow& flow) const;
  [[nodiscard]] std::string group() const;
  void give_modes(const Source& source, std::span<Complex> target, const Flow& flow) const;
  void give_points(std::span<const Source> sources, std::span<const std::span<Complex>> targets,
                   const Flow& flow) const;
  [[nodiscard]] std::vector<double> read_points(const Source& source, const fft::Pencils& pencils) const;

  io::FileReader file_;
  Layout layout_ = Layout::points;
  std::vector<Source> velocity_;
  fft::Shape shape_{};
};

}  // namespace tacit::dns

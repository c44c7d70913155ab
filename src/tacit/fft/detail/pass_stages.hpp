// What a pass does between its exchanges: transforms of lines, and the work between them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "tacit/base/pack_memory.hpp"
#include "tacit/fft/exchange_plan.hpp"
#include "tacit/fft/lane_copies.hpp"
#include "tacit/fft/lines.hpp"
#include "tacit/fft/pass.hpp"
#include "tacit/fft/pass_buffers.hpp"
#include "tacit/fft/pencils.hpp"
#include "tacit/fft/process_grid.hpp"

namespace tacit::fft::detail {

/// Neighbouring planes of one chunk; z is of the whole.
struct Planes {
  Range z;
  std::size_t chunk = 0;
};

/// Each function reads what an exchange has brought, and writes what another takes. Several workers may call them at
/// once, for different kx or planes.
///
/// Lines along y are transformed in blocks of `lanes` neighbouring kx. The few columns that the whole blocks of a plane
/// leave share a block with those of other planes: the last of 33 columns would cost as much as eight.
template <class Real>
class PassStages {
 public:
  using Complex = std::complex<Real>;
  /// @param division  without zeros   @see Pass
  PassStages(const Pencils& pencils, const PassFields& fields, const PassWork<Real>& work, std::size_t workers,
             Rigor rigor, GridCommunicators& ranks, const Division& division, std::span<Complex> memory);

  [[nodiscard]] const ExchangePlan& plan() const noexcept { return plan_; }
  [[nodiscard]] PassBuffers<Real>& buffers() noexcept { return buffers_; }
  /// Whether this rank has all of x and y of its planes.
  [[nodiscard]] bool has_planes() const noexcept { return row_size_ == 1; }
  /// How many planes are taken at once, at most.
  [[nodiscard]] std::size_t planes_together() const noexcept { return planes_together_; }
  [[nodiscard]] std::size_t bytes() const noexcept;

  /// Transforms along z of all columns of one kx.
  void columns_to_points(std::size_t kx, std::size_t worker);
  void columns_to_modes(std::size_t kx, std::size_t worker);
  /// Transforms along y. @pre planes.z.size() <= planes_together()
  void y_to_points(const Planes& planes, std::size_t worker);
  void y_to_modes(const Planes& planes, std::size_t worker);
  /// Transforms along x, and the work between.
  void all_rows(const Planes& planes, std::size_t worker);
  /// All three, plane by plane, so that a plane stays in the cache. @pre has_planes()
  void whole_planes(const Planes& planes, std::size_t worker);

 private:
  /// Memory of one worker.
  struct Workspace {
    base::PackVector<Complex> lines;                // shape (out or 1, ny or nz, lanes)
    base::PackVector<Complex> rests;                // shape (max(in, out), ny, lanes); none where no planes share
    base::PackVector<Complex> row_modes;            // shape (lanes, nx / 2 + 1) with the strides of RealLines
    std::vector<base::PackVector<Real>> points;     // of in + out fields, shape (lanes, nx), likewise
    std::vector<base::PackVector<Complex>> planes;  // shape (ny, kx); none where the row has several ranks
    std::vector<Complex*> each_line;
    std::vector<Complex*> each_rest;
    std::vector<Real*> rows_in;
    std::vector<Real*> rows_out;
    [[nodiscard]] std::size_t bytes() const noexcept;
    /// Whether no rows are in `points`.
    [[nodiscard]] bool is_elsewhere() const noexcept;
  };
  /// Neighbouring columns of one plane, whose lines stand in a block from some lane on.
  struct Columns {
    std::size_t z = 0;
    std::size_t kx = 0;  ///< the first
    std::size_t count = 0;
    std::size_t chunk = 0;
    std::size_t lane = 0;
    void add_to(LineBlock& block) const noexcept;
  };

  [[nodiscard]] std::size_t ny() const noexcept { return modes_.points()[1]; }
  [[nodiscard]] std::size_t nz() const noexcept { return modes_.points()[2]; }
  void allocate(std::size_t workers);

  // Each plane has lanes of its own in the blocks that planes share: what it brings back stands where what it took was.
  /// What is left over of one plane.
  [[nodiscard]] Columns rest_of(const Planes& planes, std::size_t z) const noexcept;
  /// Transforms of what all planes leave over; before and after those of the planes, which copy from and to there.
  void rests_to_points(const Planes& planes, Workspace& workspace);
  void rests_to_modes(const Planes& planes, Workspace& workspace);
  void plane_to_points(const Planes& planes, std::size_t z, Workspace& workspace);
  void plane_to_modes(const Planes& planes, std::size_t z, Workspace& workspace);
  void plane_rows(std::size_t z, std::size_t chunk, std::size_t worker);

  // Copies of lines along y: from what the column has brought, to the plane; and from there, to the column.
  void load_lines(std::size_t field, const Columns& columns, Complex* lines);
  void scatter_lines(std::size_t field, const Columns& columns, const Complex* lines, Workspace& workspace);
  void gather_lines(std::size_t field, const Columns& columns, Complex* lines, Workspace& workspace);
  void store_lines(const Columns& columns, std::span<Complex* const> lines);
  void clear_gap(Complex* lines) const;

  void rows(std::size_t worker, std::size_t first_y, std::size_t z, std::size_t chunk);
  [[nodiscard]] Real* points_of(std::size_t field, std::size_t first_y, std::size_t rows, std::size_t z,
                                base::PackVector<Real>& own) const;
  void to_points(std::size_t field, std::size_t first_y, std::size_t rows, std::size_t z, std::size_t chunk,
                 Workspace& workspace);
  void load_rows(std::size_t field, std::size_t first_y, std::size_t rows, std::size_t z, std::size_t chunk,
                 Workspace& workspace);
  void store_rows(std::size_t field, std::size_t first_y, std::size_t rows, std::size_t z, std::size_t chunk,
                  Workspace& workspace);

  template <class Visit>
  void for_each_piece(std::size_t kx, const Visit& visit) const;
  template <class Visit>
  void for_each_run(std::size_t place, const Visit& visit) const;
  template <class Visit>
  void for_each_group(const Columns& columns, const Visit& visit) const;

  Modes modes_;
  PassFields fields_;
  const PassWork<Real>& work_;
  ExchangePlan plan_;
  std::size_t place_in_row_;
  std::size_t place_in_column_;
  std::size_t column_size_;
  std::size_t row_size_;
  Range kx_;
  Range ky_;
  Range y_;
  std::size_t planes_together_;
  std::size_t rest_;  // columns beyond whole blocks; 0 where no planes share a block
  bool changes_points_;
  PassBuffers<Real> buffers_;
  RealLines<Real> along_x_;
  ComplexLines<Real> along_y_;
  ComplexLines<Real> along_z_;
  LaneCopier<Real> copier_;
  std::vector<Workspace> workspaces_;  // one per worker
};

extern template class PassStages<double>;
extern template class PassStages<float>;

}  // namespace tacit::fft::detail

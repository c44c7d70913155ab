// Modes to points and back, with work between: transforms of several fields whose planes never leave the cache.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "tacit/fft/exchange_plan.hpp"
#include "tacit/fft/lines.hpp"
#include "tacit/fft/pencils.hpp"
#include "tacit/fft/process_grid.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::fft {

/// Up to `lanes` neighbouring columns of modes: one kx, some ky, all kz. Indices are of the whole, within this rank's.
struct ColumnBlock {
  std::size_t kx = 0;     ///< index of the wave number
  std::size_t ky = 0;     ///< index of the first
  std::size_t count = 0;  ///< of them, 1 to `lanes`
};

/// Up to `lanes` lines along y, of all ky each: which z and kx. Likewise.
struct LineBlock {
  std::array<std::size_t, lanes> z{};
  std::array<std::size_t, lanes> kx{};  ///< indices of the wave numbers
  std::size_t count = 0;
};

/// What is done between the transforms of a pass. Called by several workers at once, never twice for the same place.
/// Lines of modes have the number of `place` in the whole line of points, lane by lane: value of kz at
/// lines[modes.place(2, kz) * lanes + lane]. Lanes from `count` on are to be left alone.
template <class Real>
class PassWork {
 public:
  using Complex = std::complex<Real>;
  PassWork() = default;
  PassWork(const PassWork&) = delete;
  PassWork& operator=(const PassWork&) = delete;
  virtual ~PassWork() = default;

  /// Stands before the names of tasks and transfers in a trace.
  [[nodiscard]] virtual std::string_view label() const { return {}; }
  /// Writes the modes of a field that goes in; where no mode is kept, lines are zero already. Does nothing unless it
  /// is overridden, and so do `mix` and `store`.
  virtual void load(std::size_t field, const ColumnBlock& block, Complex* lines) const;
  /// Where the points of `lanes` rows of a field, from y on, may be instead of in memory of the pass: on a cache line,
  /// one row after the other. Null: nowhere. Asked only where a row is a whole number of cache lines. Of those that
  /// come out it is read only.
  [[nodiscard]] virtual Real* points_at(std::size_t field, std::size_t y, std::size_t z) const;
  /// Whether `rows` does anything to points that are where points_at says.
  [[nodiscard]] virtual bool changes_points() const { return true; }
  /// From the points of one row, shape (nx) each, of the fields that go in to those that come out.
  virtual void rows(std::size_t worker, std::size_t y, std::size_t z, std::span<Real* const> in,
                    std::span<Real* const> out) const = 0;
  /// Mixes the fields that come out while x and y are modes and z is points: the first `mixed` of lines are the result.
  virtual void mix(const LineBlock& block, std::span<Complex* const> lines) const;
  /// Takes the modes that came out, without a factor: divide by the number of points.
  virtual void store(std::size_t worker, const ColumnBlock& block, std::span<Complex* const> lines) const;
};

/// How many fields go through a pass.
struct PassFields {
  std::size_t in = 0;     ///< from modes to points; 0: only points to modes
  std::size_t out = 0;    ///< from points; 0: only modes to points
  std::size_t mixed = 0;  ///< to modes, <= out
};

/// A pass over the modes of some fields: z, y and x back to points, work, x, y and z forward, as tasks.
///
/// Only kept modes are transformed: with two_thirds 0.70 of the work. The whole of x and y of one z is a task whose
/// planes stay in the second-level cache. Buffers are allocated once: max(in, mixed) * kx * ky * points(2) numbers.
///
/// Several ranks exchange y and z in columns of their grid, and x and y in rows, in messages of all fields, of some kx
/// and of some planes: a message goes when what it holds is there, and what it brings is transformed while others are
/// under way. Transforms write where the others of the node read, so that no copy is made there. Buffers are then twice
/// as large for each way, (in + mixed) * kx * ky * z and, in rows of several ranks, (in + out) * kx * y * z. Batches of
/// transforms have one shape however the grid is divided: equal modes give bitwise identical results on any ranks and
/// threads.
template <class Real>
class Pass {
 public:
  using Complex = std::complex<Real>;
  /// @param work      must outlive the pass
  /// @param ranks     must outlive the pass; all ranks make the same passes in the same order
  /// @param division  alike on all ranks; zeros are chosen
  /// @param memory    for one rank, room for what is between the transforms, shape (max(in, mixed), kx, z, ky), which
  /// may be where the work stores modes; empty: its own
  /// @throws base::PreconditionError unless the pencils are those of the grid of `ranks`
  Pass(const Pencils& pencils, const PassFields& fields, const PassWork<Real>& work, tasks::Scheduler& scheduler,
       Rigor rigor, GridCommunicators& ranks, const Division& division = {.chunks = 0, .groups = 0},
       std::span<Complex> memory = {});
  ~Pass();
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  /// Measures what each exchange takes alone, so that a trace can say how much of it was hidden; passes of one
  /// shape are measured once. Called by all ranks. Cost: three times all exchanges, one after the other.
  void time_exchanges();
  /// All of it once. @throws what the work throws
  void run(const tasks::StepContext& step);
  /// Into how many messages the exchanges are divided.
  [[nodiscard]] const Division& division() const noexcept;
  /// Bytes of the buffers.
  [[nodiscard]] std::size_t bytes() const noexcept;

 private:
  class Tasks;
  std::unique_ptr<Tasks> tasks_;
};

extern template class PassWork<double>;
extern template class PassWork<float>;
extern template class Pass<double>;
extern template class Pass<float>;

}  // namespace tacit::fft

// The memory between the transforms of a pass, which is what its ranks exchange.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "tacit/base/pack_memory.hpp"
#include "tacit/fft/exchange_plan.hpp"
#include "tacit/fft/process_grid.hpp"
#include "tacit/fft/transfer.hpp"

namespace tacit::fft {

/// Transfers by group and chunk (column) or by chunk (row), for both ways. A column that is one rank has one piece of
/// memory for both: a plane is read from it, and its result written to the same place. A row that is one rank has none,
/// since its planes stay in the cache.
template <class Real>
class PassBuffers {
 public:
  using Complex = std::complex<Real>;
  /// @param to_points, to_modes  fields that the column exchanges on the way there and back
  /// @param rows_in, rows_out    likewise for the row
  struct Fields {
    std::size_t to_points = 0;
    std::size_t to_modes = 0;
    std::size_t rows_in = 0;
    std::size_t rows_out = 0;
  };
  /// @param memory  of a column that is one rank, where it has some already, for column_block() of max(to_points,
  /// to_modes) fields
  PassBuffers(const ExchangePlan& plan, const Fields& fields, GridCommunicators& ranks, std::span<Complex> memory);

  /// Measures what each exchange takes alone and blocking. Called by all ranks, none of which is in a pass; passes of
  /// the same shape on the same grid are measured once.
  void time_exchanges(GridCommunicators& ranks);
  /// Before each pass, by one thread.
  void prepare();
  [[nodiscard]] Transfer<Real>& to_points(std::size_t group, std::size_t chunk) noexcept {
    return to_points_[group * plan_.division().chunks + chunk];
  }
  [[nodiscard]] Transfer<Real>& to_modes(std::size_t group, std::size_t chunk) noexcept {
    return to_modes_[group * plan_.division().chunks + chunk];
  }
  [[nodiscard]] Transfer<Real>& rows_in(std::size_t chunk) noexcept { return rows_in_[chunk]; }
  [[nodiscard]] Transfer<Real>& rows_out(std::size_t chunk) noexcept { return rows_out_[chunk]; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  [[nodiscard]] std::vector<Transfer<Real>*> all();
  void make_column(const Fields& fields, comm::Communicator& column);
  void make_row(const Fields& fields, comm::Communicator& row);
  void make_alone(const Fields& fields, std::span<Complex> memory);

  const ExchangePlan& plan_;
  Fields fields_;
  std::size_t bytes_ = 0;
  base::PackVector<Complex> own_memory_;
  std::deque<Transfer<Real>> to_points_;
  std::deque<Transfer<Real>> to_modes_;
  std::deque<Transfer<Real>> rows_in_;
  std::deque<Transfer<Real>> rows_out_;
};

extern template class PassBuffers<double>;
extern template class PassBuffers<float>;

}  // namespace tacit::fft

// The fields of a snapshot at the points of a rank, in the numbers that are stored.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <variant>
#include <vector>

#include "tacit/io/file.hpp"
#include "tacit/solvers/dns/fields.hpp"
#include "tacit/solvers/dns/flow.hpp"

namespace tacit::dns {

/// Taken row by row, by a step or by transforms, and written later. Holds what does not need the points, too, so that
/// the flow may go on meanwhile.
class SnapshotFields {
 public:
  /// Of the present flow, whose points are still to be taken.
  SnapshotFields(const Flow& flow, bool double_precision);
  /// Called by several threads, once for each row.
  void take(const Flow::PointRow& row);
  /// Whether all rows have been taken.
  [[nodiscard]] bool is_complete() const noexcept { return rows_.load() == expected_rows_; }
  /// Writes velocity and scalars at points, and the spectrum. @pre is_complete()
  void write(io::FileWriter& file) const;

 private:
  template <class T>
  struct Numbers {
    std::unique_ptr<T[]> velocity;              // shape (z, y, x, 3)
    std::vector<std::unique_ptr<T[]>> scalars;  // shape (z, y, x) each
  };
  template <class T>
  [[nodiscard]] Numbers<T> numbers_for() const;
  template <class T>
  void take(const Numbers<T>& numbers, const Flow::PointRow& row) const;
  template <class T>
  void write(const Numbers<T>& numbers, io::FileWriter& file) const;

  FlowParameters parameters_;
  const fft::Pencils& pencils_;
  std::vector<FieldInfo> fields_;  // the velocity's and then the scalars'
  std::vector<double> spectrum_;   // by shell
  std::variant<Numbers<float>, Numbers<double>> numbers_;
  std::size_t expected_rows_;
  std::atomic<std::size_t> rows_ = 0;
};

}  // namespace tacit::dns

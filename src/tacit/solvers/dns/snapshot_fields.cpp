// Takes fields at points, and writes them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/snapshot_fields.hpp"

#include <array>
#include <cstdint>
#include <span>

#include "tacit/base/error.hpp"
#include "tacit/solvers/dns/statistics/spectra.hpp"

namespace tacit::dns {

SnapshotFields::SnapshotFields(const Flow& flow, bool double_precision)
    : parameters_(flow.parameters()),
      pencils_(flow.pencils()),
      fields_(fields_of(parameters_.physics)),
      spectrum_(spectrum(flow)),
      expected_rows_(pencils_.y().size() * pencils_.z().size()) {
  if (double_precision) {
    numbers_ = numbers_for<double>();
  } else {
    numbers_ = numbers_for<float>();
  }
}

template <class T>
SnapshotFields::Numbers<T> SnapshotFields::numbers_for() const {
  const std::size_t points = pencils_.physical_size();
  Numbers<T> numbers;
  numbers.velocity = std::make_unique_for_overwrite<T[]>(3 * points);
  for (std::size_t s = 3; s < fields_.size(); ++s) {
    numbers.scalars.push_back(std::make_unique_for_overwrite<T[]>(points));
  }
  return numbers;
}

void SnapshotFields::take(const Flow::PointRow& row) {
  std::visit([&](const auto& numbers) { take(numbers, row); }, numbers_);
  ++rows_;
}

template <class T>
void SnapshotFields::take(const Numbers<T>& numbers, const Flow::PointRow& row) const {
  const std::size_t n = parameters_.points[0];
  const std::size_t first = row_of(pencils_, row.y, row.z) * n;
  T* to = numbers.velocity.get() + 3 * first;
  for (std::size_t x = 0; x < n; ++x) {
    for (std::size_t c = 0; c < 3; ++c) *to++ = static_cast<T>(row.velocity[c][x] + row.mean[c]);
  }
  for (std::size_t s = 0; s < numbers.scalars.size(); ++s) {
    const double factor = fields_[3 + s].at_points;
    T* const values = numbers.scalars[s].get() + first;
    for (std::size_t x = 0; x < n; ++x) values[x] = static_cast<T>(factor * row.scalars[s][x]);
  }
}

void SnapshotFields::write(io::FileWriter& file) const {
  TACIT_EXPECT(is_complete());
  std::visit([&](const auto& numbers) { write(numbers, file); }, numbers_);
  file.group("Spectra");
  file.array("Spectra/energy", spectrum_, std::array<std::uint64_t, 1>{spectrum_.size()}, io::Number::float64);
}

template <class T>
void SnapshotFields::write(const Numbers<T>& numbers, io::FileWriter& file) const {
  const auto& n = parameters_.points;
  const std::size_t points = pencils_.physical_size();
  const io::Number type = io::number_type<T>();
  const io::Part mine = points_of(pencils_);
  io::Part vectors = mine;
  vectors.first.push_back(0);
  vectors.count.push_back(3);
  file.part("VTKHDF/PointData/velocity", std::array<std::uint64_t, 4>{n[2], n[1], n[0], 3}, type, vectors,
            std::span<const T>(numbers.velocity.get(), 3 * points));
  for (std::size_t s = 0; s < numbers.scalars.size(); ++s) {
    file.part("VTKHDF/PointData/" + fields_[3 + s].name, std::array<std::uint64_t, 3>{n[2], n[1], n[0]}, type, mine,
              std::span<const T>(numbers.scalars[s].get(), points));
  }
}

}  // namespace tacit::dns

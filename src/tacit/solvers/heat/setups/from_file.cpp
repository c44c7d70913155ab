// Temperature, and optionally diffusivity and source, of an HDF5 file.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "tacit/base/checksum.hpp"
#include "tacit/engine/input_file.hpp"
#include "tacit/io/file.hpp"
#include "tacit/solvers/heat/field_rows.hpp"
#include "tacit/solvers/heat/setups/setups.hpp"

namespace tacit::heat {
namespace {

/// The numbers of an array of shape (z, y, x), (y, x) or (x), plane by plane: the last one is kept.
class Planes {
 public:
  Planes(std::shared_ptr<const io::FileReader> file, std::string array, const Domain& domain)
      : file_(std::move(file)), array_(std::move(array)), cells_(domain.cells) {
    shape_ = file_->info(array_).shape;
    std::vector<std::uint64_t> expected(cells_.rbegin(), cells_.rend());
    while (expected.size() > std::max(shape_.size(), domain.dimensions)) expected.erase(expected.begin());
    if (shape_ != expected) {
      fail(fmt::format("{} has the shape ({}), expected ({}): heat.cells, the last one first", array_,
                       fmt::join(shape_, ", "), fmt::join(expected, ", ")));
    }
    plane_.resize(static_cast<std::size_t>(cells_[0] * cells_[1]));
  }
  double at(const Cell& cell) {
    if (cell[2] != z_) read(cell[2]);
    const double value = plane_[static_cast<std::size_t>(cell[1] * cells_[0] + cell[0])];
    if (!std::isfinite(value))
      fail(fmt::format("{} of the cell ({}) is {}, expected a finite number", array_, fmt::join(cell, ", "), value));
    return value;
  }
  [[noreturn]] void fail(const std::string& what) const { throw base::FormatError(file_->path().string(), what); }
  [[nodiscard]] const std::string& array() const { return array_; }

 private:
  void read(std::int64_t z) {
    io::Part part{.first = std::vector<std::uint64_t>(shape_.size(), 0), .count = shape_};
    if (cells_[2] > 1) {
      part.first[0] = static_cast<std::uint64_t>(z);
      part.count[0] = 1;
    }
    file_->read_part(array_, part, plane_);
    z_ = z;
  }
  std::shared_ptr<const io::FileReader> file_;
  std::string array_;
  Cell cells_;
  std::vector<std::uint64_t> shape_;
  std::vector<double> plane_;
  std::int64_t z_ = -1;
};

}  // namespace

Initial make_from_file(const config::Parameters& p, const Domain& domain) {
  const auto path = engine::existing_hdf5_file(p, "initial.file");
  const auto file = std::make_shared<const io::FileReader>(path);
  const auto in_snapshot = [](const engine::FieldRow& row) { return fmt::format("VTKHDF/CellData/{}", row.info.name); };
  const bool is_snapshot = file->is_array(in_snapshot(temperature_row));
  const auto name_of = [&](const engine::FieldRow& row) {
    return is_snapshot ? in_snapshot(row) : std::string(row.info.name);
  };
  const auto field = [&](const engine::FieldRow& row) -> ByCell {
    const auto planes = std::make_shared<Planes>(file, name_of(row), domain);
    return [planes](const Cell& cell) { return planes->at(cell); };
  };
  Initial initial{.temperature = field(temperature_row), .from = path.string(), .checksum = base::file_checksum(path)};
  if (file->is_array(name_of(source_row))) initial.source = field(source_row);
  if (file->is_array(name_of(diffusivity_row))) {
    initial.diffusivity = [kappa = std::make_shared<Planes>(file, name_of(diffusivity_row), domain)](const Cell& cell) {
      const double value = kappa->at(cell);
      if (!(value > 0.0))
        kappa->fail(fmt::format("{} of the cell ({}) is {}, expected more than 0", kappa->array(),
                                fmt::join(cell, ", "), value));
      return value;
    };
  }
  return initial;
}

}  // namespace tacit::heat

// Reads fields of initial conditions plane by plane.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/input_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tacit/base/checksum.hpp"
#include "tacit/base/error.hpp"
#include "tacit/engine/input_file.hpp"

namespace tacit::engine {
namespace {

using Cell = std::array<std::int64_t, 3>;

class Planes {
 public:
  Planes(std::shared_ptr<const io::FileReader> file, std::string array, const InputGrid& grid,
         std::optional<double> above)
      : file_(std::move(file)), array_(std::move(array)), cells_(grid.cells), above_(above) {
    shape_ = file_->info(array_).shape;
    std::vector<std::uint64_t> expected(cells_.rbegin(), cells_.rend());
    while (expected.size() > std::max(shape_.size(), grid.dimensions)) expected.erase(expected.begin());
    if (shape_ != expected) {
      fail(fmt::format("{} has the shape ({}), expected ({}): {}, the last one first", array_, fmt::join(shape_, ", "),
                       fmt::join(expected, ", "), grid.key));
    }
    plane_.resize(static_cast<std::size_t>(cells_[0] * cells_[1]));
  }
  double at(const Cell& cell) {
    if (cell[2] != z_) read(cell[2]);
    const double value = plane_[static_cast<std::size_t>(cell[1] * cells_[0] + cell[0])];
    if (!std::isfinite(value)) refuse(cell, value, "a finite number");
    if (above_ && !(value > *above_)) refuse(cell, value, fmt::format("more than {}", *above_));
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw base::FormatError(file_->path().string(), what); }
  [[noreturn]] void refuse(const Cell& cell, double value, const std::string& expected) const {
    fail(fmt::format("{} of the cell ({}) is {}, expected {}", array_, fmt::join(cell, ", "), value, expected));
  }
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
  std::optional<double> above_;
  std::vector<std::uint64_t> shape_;
  std::vector<double> plane_;
  std::int64_t z_ = -1;
};

}  // namespace

InputFields::InputFields(const config::Parameters& parameters, std::string_view key, const InputGrid& grid)
    : file_(std::make_shared<const io::FileReader>(existing_hdf5_file(parameters, key))), grid_(grid) {}

std::string InputFields::array_of(const FieldRow& row) const {
  const std::string name(row.info.name);
  const std::string in_snapshot = "VTKHDF/CellData/" + name;
  return file_->is_array(in_snapshot) ? in_snapshot : name;
}

std::function<double(const Cell&)> InputFields::field(const FieldRow& row, std::optional<double> above) const {
  const auto planes = std::make_shared<Planes>(file_, array_of(row), grid_, above);
  return [planes](const Cell& cell) { return planes->at(cell); };
}

std::string InputFields::checksum() const { return base::file_checksum(path()); }

}  // namespace tacit::engine

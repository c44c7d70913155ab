// Makes the right-hand sides.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/sources/sources.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/base/random.hpp"
#include "tacit/io/file.hpp"

namespace tacit::qcd {
namespace {

constexpr const char* array_name = "source";

void read_source_file(const std::filesystem::path& path, const FieldSpace<double>& space, Field<double>& b) {
  const io::FileReader file(path);
  const Coordinates& n = space.lattice().extents().n;
  const std::vector<std::uint64_t> expected{n[3], n[2], n[1], n[0], 4, 3, 2};
  const std::vector<std::uint64_t> shape = file.info(array_name).shape;
  if (shape != expected) {
    throw base::FormatError(path.string(), fmt::format("source has the shape ({}), expected ({}): t, z, y, x, spin, "
                                                       "colour, real and imaginary part",
                                                       fmt::join(shape, ", "), fmt::join(expected, ", ")));
  }
  const LatticePart& part = space.lattice().part();
  std::vector<double> values(space.size());
  const io::Part rows{.first = {part.begin[3], part.begin[2], part.begin[1], part.begin[0], 0, 0, 0},
                      .count = {part.own.n[3], part.own.n[2], part.own.n[1], part.own.n[0], 4, 3, 2}};
  file.read_part(array_name, rows, values);
  const auto flaw = std::ranges::find_if(values, [](double value) { return !std::isfinite(value); });
  if (flaw != values.end()) {
    const auto site = static_cast<std::size_t>(flaw - values.begin()) / kernels::spinor_numbers;
    throw base::FormatError(path.string(), fmt::format("source at (x, y, z, t) = ({}) is {}, expected a finite number",
                                                       fmt::join(part.at(site), ", "), *flaw));
  }
  space.copy_in(values, b);
}

}  // namespace

SourceShape make_shape(const SourceParameters& parameters, const GaugeField& field, const Division& division,
                       tasks::Scheduler& scheduler) {
  if (!parameters.has_columns()) return {};
  SourceShape shape = parameters.kind == SourceKind::wall ? wall_shape(division.part(), parameters.position[3])
                                                          : point_shape(division.part(), parameters.position);
  smear_shape(field, division, scheduler, parameters.smearing, shape);
  return shape;
}

void make_source(const SourceParameters& parameters, std::size_t number, const SourceShape& shape,
                 const FieldSpace<double>& space, Field<double>& b) {
  std::ranges::fill(b, 0.0);
  const Extents& extents = space.lattice().extents();
  const LatticePart& part = space.lattice().part();
  switch (parameters.kind) {
    case SourceKind::point:
    case SourceKind::wall: {
      const std::size_t spin = number / 3;
      for (std::size_t k = 0; k < shape.size(); ++k) {
        if (shape[k] == Matrix3{}) continue;
        Spinor value{};
        for (std::size_t a = 0; a < 3; ++a) value[3 * spin + a] = shape[k](a, number % 3);
        space.set(b, part.at(k), value);
      }
      return;
    }
    case SourceKind::file:
      return read_source_file(parameters.file, space, b);
    case SourceKind::random:
    case SourceKind::ones:
      break;
  }
  for (std::size_t k = 0; k < part.own.sites(); ++k) {
    const Coordinates at = part.at(k);
    const std::size_t site = extents.index(at);
    Spinor value;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const auto draw = [&](std::uint64_t half) {
        return 2.0 * base::uniform(parameters.seed, site * value.size() + i, half) - 1.0;
      };
      value[i] = parameters.kind == SourceKind::ones ? Complex(1.0) : Complex(draw(0), draw(1));
    }
    space.set(b, at, value);
  }
}

}  // namespace tacit::qcd

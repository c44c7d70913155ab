// Makes the right-hand sides.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/sources.hpp"

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
  std::vector<double> values(space.size());
  file.read(array_name, values);
  const auto flaw = std::ranges::find_if(values, [](double value) { return !std::isfinite(value); });
  if (flaw != values.end()) {
    const auto site = static_cast<std::size_t>(flaw - values.begin()) / kernels::spinor_numbers;
    throw base::FormatError(path.string(), fmt::format("source at (x, y, z, t) = ({}) is {}, expected a finite number",
                                                       fmt::join(space.lattice().extents().at(site), ", "), *flaw));
  }
  space.copy_in(values, b);
}

}  // namespace

void make_source(const SourceParameters& parameters, std::size_t number, const FieldSpace<double>& space,
                 Field<double>& b) {
  std::ranges::fill(b, 0.0);
  const Extents& extents = space.lattice().extents();
  switch (parameters.kind) {
    case SourceKind::point: {
      Spinor value{};
      value[number] = 1.0;
      return space.set(b, parameters.position, value);
    }
    case SourceKind::file:
      return read_source_file(parameters.file, space, b);
    case SourceKind::random:
    case SourceKind::ones:
      break;
  }
  for (std::size_t site = 0; site < extents.sites(); ++site) {
    Spinor value;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const auto draw = [&](std::uint64_t part) {
        return 2.0 * base::uniform(parameters.seed, site * value.size() + i, part) - 1.0;
      };
      value[i] = parameters.kind == SourceKind::ones ? Complex(1.0) : Complex(draw(0), draw(1));
    }
    space.set(b, extents.at(site), value);
  }
}

}  // namespace tacit::qcd

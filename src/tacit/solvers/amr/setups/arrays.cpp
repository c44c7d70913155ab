// Gas of arrays in files, NumPy's or HDF5.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <memory>

#include "tacit/solvers/amr/arrays/gas_arrays.hpp"
#include "tacit/solvers/amr/setups/setups.hpp"

namespace tacit::amr {
namespace {

using config::Key;

constexpr GasArrays::Keys names{
    .gas = {"initial.arrays.density", "initial.arrays.velocity_x", "initial.arrays.velocity_y",
            "initial.arrays.velocity_z", "initial.arrays.pressure"},
    .fractions = {"initial.arrays.mass_fraction_1", "initial.arrays.mass_fraction_2", "initial.arrays.mass_fraction_3",
                  "initial.arrays.mass_fraction_4", "initial.arrays.mass_fraction_5", "initial.arrays.mass_fraction_6",
                  "initial.arrays.mass_fraction_7"}};
static_assert(names.fractions.size() + 1 == kernels::most_species);

constexpr Key array_key(std::string_view name, std::string_view help) {
  return Key::path(name, help).needs("initial.setup", "arrays").changeable();
}
constexpr Key array_fraction_key(std::size_t species) {
  return array_key(names.fractions[species],  // NOLINT(cppcoreguidelines-pro-bounds-constant-array-index)
                   "Of the mass of gas, the part that is this species, from 0 to 1; the species behind those that are "
                   "given is the rest.");
}

constexpr std::array array_keys{
    Key::path(names.gas[0],
              "Density in the cells of a level, of shape (z, y, x), (y, x) or (x), in code units: a file of numpy.save "
              "(\"rho.npy\"), or of HDF5 with an array of the key's name (\"gas.hdf5\") or of another "
              "(\"gas.hdf5:group/rho\"). Of a finer level than sub-grids have: means; of a coarser one: all parts of a "
              "cell are alike.")
        .belongs_to("initial.setup", "arrays")
        .changeable(),
    Key::path(names.gas[4], "Pressure, likewise.").belongs_to("initial.setup", "arrays").changeable(),
    array_key(names.gas[1], "Velocity along x; without it: 0."),
    array_key(names.gas[2], "Velocity along y; without it: 0."),
    array_key(names.gas[3], "Velocity along z; without it: 0."),
    array_fraction_key(0),
    array_fraction_key(1),
    array_fraction_key(2),
    array_fraction_key(3),
    array_fraction_key(4),
    array_fraction_key(5),
    array_fraction_key(6),
};

}  // namespace

std::span<const Key> array_keys_of_gas() { return array_keys; }

Initial make_arrays(const config::Parameters& p, const Domain& domain, double gamma) {
  const auto arrays = std::make_shared<const GasArrays>(p, names, domain, gamma);
  Initial initial{.state = {},
                  .from = fmt::format("arrays of level {}, {}", arrays->level(), p.path(names.gas[0]).string())};
  initial.means = [arrays](std::uint32_t level, const std::array<std::int64_t, 3>& first) {
    return arrays->means(level, first);
  };
  initial.species = arrays->species();
  return initial;
}

}  // namespace tacit::amr

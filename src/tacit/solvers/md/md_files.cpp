// Snapshots, files in extended XYZ, and checkpoints.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <array>

#include "tacit/engine/field_file.hpp"
#include "tacit/io/rank_file.hpp"
#include "tacit/solvers/md/checkpoint.hpp"
#include "tacit/solvers/md/formats/extended_xyz.hpp"
#include "tacit/solvers/md/formats/lammps.hpp"
#include "tacit/solvers/md/md_solver.hpp"

namespace tacit::md {
namespace {

/// An atom as seen inside the box, and how often it has crossed that: lists allow atoms to stand beyond its faces.
struct Place {
  base::Vec3 x;
  ImageCount image{};
};

Place place_of(const Atoms& atoms, const Box& box, std::size_t i) {
  Place result{atoms.position(i), atoms.image[i]};
  box.wrap(result.x, result.image);
  return result;
}

}  // namespace

std::uint64_t MdSolver::write_snapshot(const std::filesystem::path& path, const engine::FileContext& context) const {
  const PerAtom& of_atoms = per_atom();
  const std::vector<std::uint32_t> order = atoms_.by_id();
  const Box& box = parameters_.initial.atoms.box;
  const std::uint64_t n = order.size();
  const std::array<std::uint64_t, 2> vectors{n, 3};
  const io::Number type = context.double_precision ? io::Number::float64 : io::Number::float32;
  io::FileWriter file = context.file(path, resources_.ranks);
  engine::write_header(file, context, {box.size.x, box.size.y, box.size.z});
  file.attribute("Header", "Dimension", std::array{std::int64_t{3}});
  file.attribute("Header", "Origin", std::array{box.origin.x, box.origin.y, box.origin.z});
  file.attribute("Header", "Tilt", std::array{box.xy, box.xz, box.yz});
  file.attribute(
      "Header", "Periodic",
      std::array<std::int64_t, 3>{box.periodic[0] ? 1 : 0, box.periodic[1] ? 1 : 0, box.periodic[2] ? 1 : 0});
  file.group("Atoms");
  file.attribute("Atoms", "Elements", fmt::format("{}", fmt::join(parameters_.initial.elements, " ")));
  file.attribute("Atoms", "Masses", parameters_.masses);
  const auto write_vectors = [&](const char* name, const auto& vector_of) {
    file.stream(std::string("Atoms/") + name, vectors, type,
                io::RowSource<double>([&](std::uint64_t first, std::span<double> out) {
                  for (std::size_t row = 0; row < out.size() / 3; ++row) {
                    const base::Vec3 value = vector_of(order[first + row]);
                    for (std::size_t axis = 0; axis < 3; ++axis) out[3 * row + axis] = value[axis];
                  }
                }));
  };
  const auto write_integers = [&](const char* name, const auto& value_of) {
    file.stream(std::string("Atoms/") + name, std::array{n},
                io::RowSource<std::uint64_t>([&](std::uint64_t first, std::span<std::uint64_t> out) {
                  for (std::size_t row = 0; row < out.size(); ++row) out[row] = value_of(order[first + row]);
                }));
  };
  write_integers("ParticleIDs", [&](std::size_t i) { return atoms_.id[i]; });
  write_integers("Types", [&](std::size_t i) { return std::uint64_t{atoms_.type[i]}; });
  write_vectors("Coordinates", [&](std::size_t i) { return place_of(atoms_, box, i).x; });
  write_vectors("Velocities", [&](std::size_t i) { return atoms_.velocity(i); });
  write_vectors("Forces", [&](std::size_t i) { return base::Vec3{atoms_.f[0][i], atoms_.f[1][i], atoms_.f[2][i]}; });
  write_vectors("Images", [&](std::size_t i) {
    const ImageCount image = place_of(atoms_, box, i).image;
    return base::Vec3{static_cast<double>(image[0]), static_cast<double>(image[1]), static_cast<double>(image[2])};
  });
  file.stream("Atoms/PotentialEnergies", std::array{n}, type,
              io::RowSource<double>([&](std::uint64_t first, std::span<double> out) {
                for (std::size_t row = 0; row < out.size(); ++row) out[row] = of_atoms.energy[order[first + row]];
              }));
  return file.commit();
}

std::uint64_t MdSolver::write_series(const engine::Series& series, const std::filesystem::path& path,
                                     const engine::FileContext& context) const {
  const Box& box = parameters_.initial.atoms.box;
  const std::vector<std::string>& elements = parameters_.initial.elements;
  const bool is_dump = series.name == "dump";
  std::string text = is_dump
                         ? lammps_dump_header(box, atoms_.count(), context.step)
                         : extended_xyz_header(box, atoms_.count(), {.time = context.coordinate, .step = context.step});
  for (const std::uint32_t i : atoms_.by_id()) {
    const Place place = place_of(atoms_, box, i);
    if (is_dump) {
      append_lammps_dump(text, atoms_, i, place.x, place.image);
    } else {
      append_extended_xyz(text, elements[atoms_.type[i]], atoms_.id[i], place.x, atoms_.velocity(i));
    }
  }
  io::RankFile file(path, resources_.ranks);
  file.append(text);
  return file.commit();
}

engine::OutputBytes MdSolver::output_bytes(const engine::FileContext& context) const {
  const std::uint64_t stored = context.double_precision ? sizeof(double) : sizeof(float);
  return {.snapshot = atoms_.count() * (2 * sizeof(std::uint64_t) + 13 * stored),
          .checkpoint = atoms_.count() * (2 * sizeof(std::uint64_t) + 15 * sizeof(double))};
}

void MdSolver::save(io::FileWriter& checkpoint) const { save_atoms(checkpoint, atoms_, parameters_); }

}  // namespace tacit::md

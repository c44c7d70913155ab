// Snapshots, files in extended XYZ, and checkpoints.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <array>
#include <optional>

#include "tacit/engine/field_file.hpp"
#include "tacit/io/rank_file.hpp"
#include "tacit/solvers/md/analysis/order.hpp"
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
  const FileRows rows(atoms_, order_, resources_.ranks);
  const Box& box = step_.box();
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
    const std::vector<base::Vec3> values = rows.of(vector_of);
    file.part(std::string("Atoms/") + name, rows.shape(3), type, rows.part(3), numbers_of(values));
  };
  // Places to the last bit: a float of 10 nm is known to a thousandth of what neighbours are apart.
  const auto write_places = [&](const char* name, const auto& vector_of) {
    const std::vector<base::Vec3> values = rows.of(vector_of);
    file.part(std::string("Atoms/") + name, rows.shape(3), io::Number::float64, rows.part(3), numbers_of(values));
  };
  const auto write_integers = [&](const char* name, const auto& value_of) {
    const std::vector<std::uint64_t> values = rows.of(value_of);
    file.part(std::string("Atoms/") + name, rows.shape(), io::Number::uint64, rows.part(), values);
  };
  write_integers("ParticleIDs", [&](std::size_t i) { return atoms_.id[i]; });
  write_integers("Types", [&](std::size_t i) { return std::uint64_t{atoms_.type[i]}; });
  write_places("Coordinates", [&](std::size_t i) { return place_of(atoms_, box, i).x; });
  write_vectors("Velocities", [&](std::size_t i) { return atoms_.velocity(i); });
  write_vectors("Forces", [&](std::size_t i) { return atoms_.force(i); });
  const auto images = rows.of([&](std::size_t i) {
    const ImageCount image = place_of(atoms_, box, i).image;
    return std::array<std::int64_t, 3>{image[0], image[1], image[2]};
  });
  file.part("Atoms/Images", rows.shape(3), io::Number::int64, rows.part(3), numbers_of(images));
  const std::vector<double> energies = rows.of([&](std::size_t i) { return of_atoms.energy[i]; });
  file.part("Atoms/PotentialEnergies", rows.shape(), type, rows.part(), energies);
  if (parameters_.has_virials) {
    const auto virials = rows.of([&](std::size_t i) {
      std::array<double, 6> components{};
      for (std::size_t k = 0; k < 6; ++k) components[k] = of_atoms.virial[k][i];
      return components;
    });
    file.part("Atoms/Virials", rows.shape(6), type, rows.part(6), numbers_of(virials));
  }
  if (parameters_.analysis.bond) write_order(file, rows, type);
  return file.commit();
}

/// Of the surroundings of each atom.
void MdSolver::write_order(io::FileWriter& file, const FileRows& rows, io::Number type) const {
  const double bond = *parameters_.analysis.bond;
  const LocalOrder order = local_order(atoms_, step_.box(), bond, resources_.scheduler, resources_.ranks);
  file.attribute("Atoms", "BondLength", std::array{bond});
  const std::vector<std::uint64_t> neighbours = rows.of([&](std::size_t i) { return order.neighbours[i]; });
  file.part("Atoms/Neighbours", rows.shape(), io::Number::uint64, rows.part(), neighbours);
  for (const auto& [name, of] : {std::pair("Atoms/Q4", &order.q4), std::pair("Atoms/Q6", &order.q6)}) {
    const std::vector<double> values = rows.of([&](std::size_t i) { return (*of)[i]; });
    file.part(name, rows.shape(), type, rows.part(), values);
  }
}

std::uint64_t MdSolver::write_series(const engine::Series& series, const std::filesystem::path& path,
                                     const engine::FileContext& context) const {
  const Box& box = step_.box();
  if (series.name == "analysis") {
    io::FileWriter file = context.file(path, resources_.ranks);
    engine::write_header(file, context, {box.size.x, box.size.y, box.size.z});
    analysis_->write(file);
    return file.commit();
  }
  const bool is_dump = series.name == "dump";
  const FileRows rows(atoms_, order_, resources_.ranks);
  const auto places = rows.of([&](std::size_t i) { return place_of(atoms_, box, i); });
  const auto types = rows.of([&](std::size_t i) { return atoms_.type[i]; });
  const auto velocities = rows.of([&](std::size_t i) { return atoms_.velocity(i); });
  const auto forces = rows.of([&](std::size_t i) { return atoms_.force(i); });
  const Units& units = parameters_.units;
  const bool has_momenta = units.electronvolt > 0.0;  // in units of which ASE knows
  std::string text;
  if (number(resources_.ranks.rank()) == 0) {
    text = is_dump
               ? lammps_dump_header(box, order_.atoms(), context.step)
               : extended_xyz_header(box, order_.atoms(),
                                     {.time = context.coordinate, .step = context.step, .has_momenta = has_momenta});
  }
  for (std::size_t row = 0; row < places.size(); ++row) {
    const AtomLine atom{.id = rows.ids()[row],
                        .type = types[row],
                        .element = parameters_.initial.elements[types[row]],
                        .mass = parameters_.masses[types[row]] / units.mass,
                        .x = places[row].x,
                        .image = places[row].image,
                        .v = velocities[row],
                        .f = forces[row]};
    if (is_dump) {
      append_lammps_dump(text, atom);
    } else {
      std::optional<Momentum> momentum;
      if (has_momenta) {
        momentum = {(parameters_.masses[atom.type] / momentum_of_ase(units)) * atom.v, atom.mass};
      }
      append_extended_xyz(text, parameters_.initial.elements[atom.type], atom.id, atom.x, atom.v, momentum);
    }
  }
  io::RankFile file(path, resources_.ranks);
  file.append(text);
  return file.commit();
}

engine::OutputBytes MdSolver::output_bytes(const engine::FileContext& context) const {
  const std::uint64_t stored = context.double_precision ? sizeof(double) : sizeof(float);
  const std::uint64_t of_history = analysis_ && analysis_->motion() ? analysis_->motion()->bytes_of_atom() : 0;
  return {.snapshot = order_.atoms() *
                      bytes_in_snapshot(parameters_.has_virials, parameters_.analysis.bond.has_value(), stored),
          .checkpoint = order_.atoms() * (2 * sizeof(std::uint64_t) + 15 * sizeof(double) + of_history)};
}

void MdSolver::save(io::FileWriter& checkpoint) const {
  save_atoms(checkpoint, atoms_, FileRows(atoms_, order_, resources_.ranks), parameters_);
  if (parameters_.changes_box()) save_boxes(checkpoint, step_.box(), step_.list_box());
  if (barostat_) save_state(checkpoint, "Barostat", barostat_->state());
  if (thermostat_) save_state(checkpoint, "Ensemble", thermostat_->state());
  if (minimizer_) save_state(checkpoint, "Ensemble", minimizer_->state());
  if (parameters_.groups.moves()) save_state(checkpoint, "Work", std::array{work_, power_});
  if (analysis_) analysis_->save(checkpoint);
}

}  // namespace tacit::md

// Divides atoms among ranks, by the cells that they are in.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/start.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/engine/across_ranks.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/solvers/md/balance.hpp"
#include "tacit/solvers/md/checkpoint.hpp"

namespace tacit::md {
namespace {

/// Where the cell of each atom is looked for: where it is, or where it was when the lists were made.
const std::vector<base::Vec3>& places_of(const Configuration& atoms) {
  return atoms.start.empty() ? atoms.x : atoms.start;
}

void wrap_all(Configuration& atoms) {
  atoms.image.resize(atoms.size());
  for (std::size_t i = 0; i < atoms.size(); ++i) atoms.box.wrap(atoms.x[i], atoms.image[i]);
}

/// By number in the whole box.
std::vector<std::uint64_t> weights_of(const Configuration& atoms, const std::array<int, 3>& shape,
                                      comm::Communicator& ranks) {
  std::vector<std::uint64_t> weights(CellBox{.end = shape}.size(), 0);
  for (const base::Vec3& x : places_of(atoms)) {
    weights[Division::number_of(shape, Division::index_at(shape, atoms.box.cell_fraction(x)))] +=
        Division::weight_of(1, 0);
  }
  return weights_of_all(std::move(weights), ranks);
}

/// An atom on its way from the rank that read it.
struct ReadAtom {
  std::uint64_t id = 0;
  std::uint32_t type = 0;
  std::uint32_t group = 0;
  ImageCount image{};
  base::Vec3 x, v, f, start;
};
static_assert(std::is_trivially_copyable_v<ReadAtom>);

/// Sends the atoms of all shares to the ranks in whose cells they are.
void send_to_owners(Configuration& atoms, const Division& division, comm::Communicator& ranks) {
  const auto or_zero = [](const std::vector<base::Vec3>& values, std::size_t i) {
    return values.empty() ? base::Vec3{} : values[i];
  };
  std::vector<std::vector<std::byte>> blocks(ranks.size());
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    const auto index = Division::index_at(division.shape(), atoms.box.cell_fraction(places_of(atoms)[i]));
    const ReadAtom atom{.id = atoms.id[i],
                        .type = atoms.type[i],
                        .group = atoms.has_groups ? atoms.group[i] : 0,
                        .image = atoms.image[i],
                        .x = atoms.x[i],
                        .v = or_zero(atoms.v, i),
                        .f = or_zero(atoms.f, i),
                        .start = or_zero(atoms.start, i)};
    const auto bytes = std::as_bytes(std::span(&atom, 1));
    auto& block = blocks[division.owner_of(division.number_of(index))];
    block.insert(block.end(), bytes.begin(), bytes.end());
  }
  atoms = {.box = atoms.box, .has_groups = atoms.has_groups};
  const exchange::Blocks come = exchange::send_blocks(ranks, blocks);
  blocks.clear();
  for (std::size_t at = 0; at < come.bytes.size(); at += sizeof(ReadAtom)) {
    ReadAtom atom;
    std::memcpy(&atom, come.bytes.data() + at, sizeof(ReadAtom));
    atoms.id.push_back(atom.id);
    atoms.type.push_back(atom.type);
    if (atoms.has_groups) atoms.group.push_back(atom.group);
    atoms.image.push_back(atom.image);
    atoms.x.push_back(atom.x);
    atoms.v.push_back(atom.v);
    atoms.f.push_back(atom.f);
    atoms.start.push_back(atom.start);
  }
}

}  // namespace

std::size_t most_ranks(const MdParameters& parameters) {
  const double reach = make_interaction(parameters)->cutoff() + parameters.skin;
  return CellBox{.end = Division::shape_for(parameters.initial.atoms.box, reach, parameters.initial.count)}.size();
}

Start start_of(MdParameters parameters, comm::Communicator& ranks, const io::FileReader* checkpoint) {
  std::unique_ptr<Interaction> interaction = make_interaction(parameters);
  Configuration atoms = std::move(parameters.initial.atoms);
  parameters.initial.atoms = {.box = atoms.box};
  const Box first_box = atoms.box;
  Box box = first_box;
  std::vector<double> barostat;
  std::vector<double> ensemble;
  std::vector<double> work;
  if (checkpoint != nullptr) {
    engine::fail_together(ranks, [&] {
      atoms = load_atoms(*checkpoint, parameters, particles::share_of(ranks));
      ensemble = load_state(*checkpoint, "Ensemble");
      work = load_state(*checkpoint, "Work");
      barostat = load_state(*checkpoint, "Barostat");
      if (parameters.changes_box()) std::tie(box, atoms.box) = load_boxes(*checkpoint, first_box);
    });
  } else {
    wrap_all(atoms);
    if (parameters.thermal) set_velocities(atoms, parameters.masses, *parameters.thermal, &ranks);
    assign_groups(parameters.groups, atoms);
  }
  const double reach = interaction->cutoff() + parameters.skin;
  const Box list_box = atoms.box;
  FileOrder order(atoms.id, ranks);
  const std::array<int, 3> shape = Division::shape_for(first_box, reach, order.atoms());
  Division division(shape, ranks.size(), weights_of(atoms, shape, ranks));
  if (ranks.size() > 1) send_to_owners(atoms, division, ranks);
  return {.parameters = std::move(parameters),
          .interaction = std::move(interaction),
          .division = std::move(division),
          .order = std::move(order),
          .own = std::move(atoms),
          .goes_on = checkpoint != nullptr,
          .ensemble = std::move(ensemble),
          .work = std::move(work),
          .barostat = std::move(barostat),
          .box = box,
          .list_box = list_box};
}

}  // namespace tacit::md

// Divides atoms among ranks, by the cells that they are in.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/start.hpp"

#include <array>
#include <utility>

#include "tacit/solvers/md/checkpoint.hpp"

namespace tacit::md {
namespace {

/// Where the cell of each atom is looked for: where it is, or where it was when the lists were made.
std::vector<base::Vec3>& places_of(Configuration& atoms) { return atoms.start.empty() ? atoms.x : atoms.start; }

void wrap_all(Configuration& atoms) {
  atoms.image.resize(atoms.size());
  for (std::size_t i = 0; i < atoms.size(); ++i) atoms.box.wrap(atoms.x[i], atoms.image[i]);
}

/// By number in the whole box.
std::vector<std::uint64_t> weights_of(Configuration& atoms, const std::array<int, 3>& shape) {
  std::vector<std::uint64_t> weights(CellBox{.end = shape}.size(), Division::weight_of(0, 1));
  for (const base::Vec3& x : places_of(atoms)) {
    weights[Division::number_of(shape, Division::index_at(shape, atoms.box.fraction(x)))] += Division::weight_of(1, 0);
  }
  return weights;
}

void keep_own(Configuration& atoms, const Division& division, std::uint32_t rank) {
  std::vector<std::size_t> kept;
  const std::vector<base::Vec3>& places = places_of(atoms);
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    const auto index = Division::index_at(division.shape(), atoms.box.fraction(places[i]));
    if (division.owner_of(division.number_of(index)) == rank) kept.push_back(i);
  }
  const auto shrink = [&kept](auto& values) {
    if (values.empty()) return;
    for (std::size_t k = 0; k < kept.size(); ++k) values[k] = values[kept[k]];
    values.resize(kept.size());
    values.shrink_to_fit();
  };
  shrink(atoms.id);
  shrink(atoms.type);
  shrink(atoms.v);
  shrink(atoms.f);
  shrink(atoms.image);
  shrink(atoms.start);
  shrink(atoms.x);
}

}  // namespace

std::size_t most_ranks(const MdParameters& parameters) {
  const Configuration& atoms = parameters.initial.atoms;
  const double reach = make_interaction(parameters)->cutoff() + parameters.skin;
  return CellBox{.end = Division::shape_for(atoms.box, reach, atoms.size())}.size();
}

Start start_of(MdParameters parameters, const comm::Communicator& ranks, const io::FileReader* checkpoint) {
  std::unique_ptr<Interaction> interaction = make_interaction(parameters);
  Configuration atoms = std::move(parameters.initial.atoms);
  parameters.initial.atoms = {.box = atoms.box};
  if (checkpoint != nullptr) {
    atoms = load_atoms(*checkpoint, parameters);
  } else {
    wrap_all(atoms);
  }
  const double reach = interaction->cutoff() + parameters.skin;
  const std::array<int, 3> shape = Division::shape_for(atoms.box, reach, atoms.size());
  Division division(shape, ranks.size(), weights_of(atoms, shape));
  FileOrder order(atoms.id, ranks.size());
  if (ranks.size() > 1) keep_own(atoms, division, number(ranks.rank()));
  return {.parameters = std::move(parameters),
          .interaction = std::move(interaction),
          .division = std::move(division),
          .order = std::move(order),
          .own = std::move(atoms),
          .goes_on = checkpoint != nullptr};
}

}  // namespace tacit::md

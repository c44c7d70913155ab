// What acts between atoms, as the step and the statistics see it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tacit/base/pack_memory.hpp"
#include "tacit/solvers/md/kernels/bond_loops.hpp"
#include "tacit/solvers/md/kernels/pair_loops.hpp"
#include "tacit/solvers/md/kernels/tersoff.hpp"
#include "tacit/solvers/md/potentials/eam.hpp"
#include "tacit/solvers/md/potentials/stillinger_weber.hpp"

namespace tacit::md {

/// What pairs beyond the cutoff would add, if atoms were spread there evenly.
struct Tail {
  double energy = 0.0;    ///< of all atoms
  double pressure = 0.0;  ///< isotropic
};

/// A potential with the numbers of all pairs of types. Virtual calls are per task.
class Interaction {
 public:
  Interaction() = default;
  Interaction(const Interaction&) = delete;
  Interaction& operator=(const Interaction&) = delete;
  virtual ~Interaction() = default;

  /// The longest distance of a pair that acts [length].
  [[nodiscard]] virtual double cutoff() const = 0;
  /// How forces come about.
  enum class Kind : std::uint8_t {
    pairs,     ///< each atom sums those of its neighbours
    bonds,     ///< each atom finds what its bonds do to its neighbours; then each sums what has been done to it
    embedded,  ///< each atom finds its density; then each sums forces, which depend on the densities of both
  };
  [[nodiscard]] virtual Kind kind() const = 0;
  /// Of pairs: forces on some atoms, and where they are wanted energies and virials.
  virtual void sum(kernels::PairWork /*work*/, const kernels::PairSums& /*sums*/) const {}
  /// Of bonds: those of some atoms, and where they are wanted energies and virials.
  virtual void find_bonds(const kernels::PairWork& /*work*/, kernels::Bonds& /*bonds*/,
                          const kernels::PairSums& /*sums*/) const {}
  /// Of embedded atoms: F'(rho) of some, and where it is wanted F(rho). @param energies  null: they are not
  virtual void embed(kernels::PairWork /*work*/, double* /*slopes*/, double* /*energies*/) const {}
  /// Then forces on some atoms, and where they are wanted energies of pairs and virials.
  virtual void sum_embedded(kernels::PairWork /*work*/, const kernels::Embedding& /*of*/,
                            const kernels::PairSums& /*sums*/) const {}
  /// Of bonds and of embedded atoms: whether pairs act beside them.
  [[nodiscard]] virtual bool has_pairs_beside() const { return false; }
  /// Then adds those of some atoms to what there is of forces, energies and virials.
  virtual void add_pairs(kernels::PairWork /*work*/, kernels::PairSums /*sums*/) const {}
  /// The shortest distance of a pair for which there are numbers [length].
  [[nodiscard]] virtual double begin() const { return 0.0; }
  /// Whether atoms of these types feel each other.
  [[nodiscard]] virtual bool acts(std::size_t /*a*/, std::size_t /*b*/) const { return true; }
  /// @param atoms  of each type
  [[nodiscard]] virtual Tail tail(std::span<const std::uint64_t> atoms, double volume) const = 0;
};

/// A Lennard-Jones potential of one pair of types.
struct LennardJonesTypes {
  double epsilon = 1.0;  ///< [energy]
  double sigma = 1.0;    ///< [length]
  double cutoff = 2.5;   ///< [length]; 0: none acts
};

/// How the numbers of unlike types follow from those of like ones.
enum class Mixing : std::uint8_t { geometric, arithmetic, sixthpower, none };

/// The numbers of all pairs of types.
/// @param text       "Ar Ar 1 1 2.5, Ar Kr 1.1 1.05 2.5": elements, epsilon, sigma, cutoff
/// @param otherwise  of an element that the text does not name with itself
/// @param mixing     where it is none, nothing acts between pairs that the text does not name
/// @throws base::Error  what is wrong with the text
[[nodiscard]] std::vector<LennardJonesTypes> mixed_pairs(const std::string& text, std::span<const std::string> elements,
                                                         const LennardJonesTypes& otherwise, Mixing mixing);

struct LennardJonesParameters {
  std::size_t types = 1;
  std::vector<LennardJonesTypes> pairs = {};  ///< shape (types, types), symmetric
  kernels::Truncation truncation = kernels::Truncation::cut;
  bool has_tail = false;
};

[[nodiscard]] std::unique_ptr<Interaction> make_lennard_jones(const LennardJonesParameters& parameters);

/// @param table  in code units
[[nodiscard]] std::unique_ptr<Interaction> make_tersoff(kernels::TersoffTable table);
[[nodiscard]] std::unique_ptr<Interaction> make_stillinger_weber(kernels::StillingerWeber potential);
[[nodiscard]] std::unique_ptr<Interaction> make_embedded_atoms(kernels::EmbeddedAtoms potential);

/// The loops over pairs, and over bonds, of the instruction set that is chosen.
[[nodiscard]] const kernels::PairLoops& pair_loops();
[[nodiscard]] const kernels::BondLoops& bond_loops();
[[nodiscard]] const kernels::EamLoops& eam_loops();

}  // namespace tacit::md

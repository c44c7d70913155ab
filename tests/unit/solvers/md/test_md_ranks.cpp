// md on several ranks and threads: the same bits as on one, whatever moves, and after restarts on other counts.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "references.hpp"
#include "running_md.hpp"
#include "support/temporary_folder.hpp"
#include "tacit/base/random.hpp"
#include "tacit/engine/error.hpp"
#include "tacit/solvers/md/balance.hpp"
#include "tacit/solvers/md/division.hpp"
#include "tacit/solvers/md/file_rows.hpp"
#include "tacit/solvers/md/formats/tersoff_file.hpp"
#include "tacit/solvers/md/setups/tersoff_sets.hpp"
#include "tacit/solvers/md/velocities.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::md {
namespace {

using testing::parameters_for;
using testing::RunningMd;

/// What became of the atoms, by ID, and of the sums of the state.
struct Outcome {
  std::map<std::uint64_t, std::vector<double>> atoms;
  std::vector<double> numbers;
  std::uint64_t rebuilds = 0;
  std::uint64_t crossings = 0;  ///< atoms that ended on another rank than they began on
  std::uint64_t divisions = 0;  ///< of the cells, while it ran
  std::string note = {};        ///< that was told
  /// By value: what is no number differs from itself.
  friend bool operator==(const Outcome& a, const Outcome& b) {
    return a.atoms == b.atoms && a.numbers == b.numbers && a.rebuilds == b.rebuilds;
  }
};

const bool is_full = std::getenv("TACIT_TEST_FULL") != nullptr;

/// Whether cells go to other ranks while a run goes on, whenever lists are made.
enum class Cells : std::uint8_t { stay, move };

struct Plan {
  std::size_t ranks = 1;
  std::size_t workers = 1;
  std::size_t steps = 0;
  double dt = 0.0;
  std::filesystem::path from = {};  ///< a checkpoint; empty: the initial conditions
  std::filesystem::path to = {};    ///< likewise; empty: none is written
  Cells cells = Cells::stay;
};

/// Cuts where nothing calls for it. @param number  the next one differs
Division any_division(const Division& present, std::uint64_t number) {
  std::vector<std::uint64_t> weights(present.cells());
  for (std::size_t c = 0; c < weights.size(); ++c) {
    weights[c] = static_cast<std::uint64_t>(1000.0 * std::pow(base::uniform(11, number, c), 6.0));
  }
  return {present.shape(), present.ranks(), weights};
}

Outcome outcome_of(const MdParameters& parameters, const Plan& plan) {
  Outcome outcome;
  std::mutex mutex;
  comm::testing::on_ranks(plan.ranks, [&](comm::Communicator& world) {
    std::optional<io::FileReader> checkpoint;
    if (!plan.from.empty()) checkpoint.emplace(plan.from);
    RunningMd run(parameters, plan.workers, world, checkpoint ? &*checkpoint : nullptr);
    std::vector<std::uint64_t> begins = run.solver().atoms().id;
    std::ranges::sort(begins);
    for (std::size_t step = 0; step < plan.steps; ++step) {
      Step& graph = run.solver().graph();
      if (plan.cells == Cells::move) graph.balance().take_next(any_division(graph.grid().division(), step));
      run.steps(1, plan.dt);
    }
    const Measured measured = run.solver().measured();
    if (!plan.to.empty()) {
      io::FileWriter file(plan.to, 1, world);
      run.solver().save(file);
      file.commit();
    }
    const std::lock_guard lock(mutex);
    const Atoms& atoms = run.solver().atoms();
    const PerAtom& of_atoms = run.solver().per_atom();
    for (std::size_t i = 0; i < atoms.count(); ++i) {
      std::vector<double> values{static_cast<double>(atoms.type[i]), of_atoms.energy[i]};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        values.insert(values.end(), {atoms.position(i)[axis], atoms.v[axis][i], atoms.f[axis][i], atoms.start[axis][i],
                                     static_cast<double>(atoms.image[i][axis])});
      }
      for (const auto& component : of_atoms.virial) values.push_back(component[i]);
      EXPECT_TRUE(outcome.atoms.emplace(atoms.id[i], values).second) << "there are two atoms " << atoms.id[i];
      outcome.crossings += std::ranges::binary_search(begins, atoms.id[i]) ? 0 : 1;
    }
    outcome.rebuilds = run.solver().graph().rebuilds();
    outcome.divisions = run.solver().graph().balance().divisions();
    for (const std::string& note : run.solver().new_warnings()) outcome.note = note;
    outcome.numbers = {measured.temperature, measured.pressure, measured.sums.energy(), measured.sums.momentum.x,
                       static_cast<double>(run.solver().elements())};
    outcome.numbers.insert(outcome.numbers.end(), measured.stress.begin(), measured.stress.end());
  });
  return outcome;
}

/// The atoms of a grid, no two of whose distances are alike, with seeded velocities.
Configuration jittered(const std::array<int, 3>& cells, const Box& box, std::uint32_t types) {
  Configuration result{.box = box};
  for (int i = 0; i < cells[0]; ++i) {
    for (int j = 0; j < cells[1]; ++j) {
      for (int k = 0; k < cells[2]; ++k) {
        const std::uint64_t id = 7 * ((result.size() * 37) % 1009) + 3 + 7063 * (result.size() / 1009);
        base::Vec3 s{(i + 0.5) / cells[0], (j + 0.5) / cells[1], (k + 0.5) / cells[2]};
        for (std::size_t axis = 0; axis < 3; ++axis) {
          s[axis] += 0.15 / cells[axis] * (base::uniform(5, id, axis) - 0.5);
        }
        result.id.push_back(id);
        result.type.push_back(static_cast<std::uint32_t>(result.size() % types));
        result.x.push_back(box.origin + s.x * box.edge(0) + s.y * box.edge(1) + s.z * box.edge(2));
      }
    }
  }
  return result;
}

Box box_for(const std::array<int, 3>& cells, double spacing) {
  Box box;
  box.origin = {-1.0, 2.0, 0.5};
  for (std::size_t axis = 0; axis < 3; ++axis) box.size[axis] = spacing * cells[axis];
  return box;
}

MdParameters argon_block(const std::array<int, 3>& cells, const Box& box, double temperature = 1.5) {
  MdParameters p = parameters_for(jittered(cells, box, 2), 2);
  p.lennard_jones.pairs[1].sigma = p.lennard_jones.pairs[2].sigma = 0.95;
  p.lennard_jones.truncation = kernels::Truncation::force_shifted;
  p.masses = {1.0, 1.5};
  set_velocities(p.initial.atoms, p.masses, {.thermal_energy = temperature, .seed = 4});
  return p;
}

MdParameters silicon_block(const std::array<int, 3>& cells, const Box& box, double thermal_energy = 0.2) {
  MdParameters p = parameters_for(jittered(cells, box, 1));
  const std::vector<std::string> names{"Si"};
  p.potential = Potential::tersoff;
  p.tersoff = parse_tersoff(tersoff_text(TersoffSet::si_1988), "the test", names, {});
  p.skin = 0.4;
  p.masses = {28.0855 * 1.0364269e-4};
  set_velocities(p.initial.atoms, p.masses, {.thermal_energy = thermal_energy, .seed = 4});
  return p;
}

/// Periodic, a slab, open, tilted; smaller than twice the cutoff across some edges.
std::vector<Box> boxes_of(const std::array<int, 3>& cells, double spacing) {
  const Box box = box_for(cells, spacing);
  std::vector<Box> boxes(4, box);
  boxes[1].periodic = {true, true, false};
  boxes[2].periodic = {false, false, false};
  boxes[3].xy = 0.3 * box.size.x;
  boxes[3].xz = -0.2 * box.size.x;
  boxes[3].yz = 0.1 * box.size.y;
  return boxes;
}

void expect_same_on_ranks(const MdParameters& parameters, std::size_t steps, double dt) {
  const Outcome alone = outcome_of(parameters, {.ranks = 1, .workers = 2, .steps = steps, .dt = dt});
  ASSERT_EQ(alone.atoms.size(), parameters.initial.atoms.size());
  EXPECT_GT(alone.rebuilds, 1U);  // at the begin, and then where atoms change ranks
  const auto expect_same = [&](const Plan& plan) {
    const Outcome found = outcome_of(parameters, plan);
    EXPECT_TRUE(found == alone) << plan.ranks << " ranks";
    EXPECT_EQ(found.divisions, plan.cells == Cells::move ? alone.rebuilds - 1 : 0);
  };
  expect_same({.ranks = 2, .workers = 2, .steps = steps, .dt = dt});
  expect_same({.ranks = 4, .workers = 1, .steps = steps, .dt = dt, .cells = Cells::move});
}

/// With TACIT_TEST_FULL all of them, else the slab; a tilted one comes beside.
std::vector<Box> boxes_for_test(const std::array<int, 3>& cells, double spacing) {
  std::vector<Box> boxes = boxes_of(cells, spacing);
  if (!is_full) boxes = {boxes[1]};
  return boxes;
}

/// An atom is pushed by centres that reach further than it does, across ranks, too.
TEST(MdRanks, BondsThatReachDifferentlyFarHaveTheBitsOfOneRank) {
  const std::array<int, 3> cells{4, 4, 8};
  MdParameters p = parameters_for(jittered(cells, box_for(cells, 2.6), 2), 2);
  p.potential = Potential::tersoff;
  p.tersoff = testing::table_of_differing(2);
  p.skin = 0.4;
  p.masses = {28.0855 * 1.0364269e-4, 12.011 * 1.0364269e-4};
  set_velocities(p.initial.atoms, p.masses, {.thermal_energy = 0.2, .seed = 4});
  expect_same_on_ranks(p, 12, 0.002);
}

TEST(MdRanks, PairsHaveTheBitsOfOneRank) {
  const std::array<int, 3> cells{5, 6, 9};
  for (const Box& box : boxes_for_test(cells, 1.12)) expect_same_on_ranks(argon_block(cells, box, 4.0), 12, 0.004);
  const std::array<int, 3> narrow{3, 4, 12};
  expect_same_on_ranks(argon_block(narrow, boxes_of(narrow, 1.12)[3], 4.0), 12, 0.004);
}

TEST(MdRanks, BondsHaveTheBitsOfOneRank) {
  const std::array<int, 3> cells{4, 5, 7};
  for (const Box& box : boxes_for_test(cells, 2.6)) expect_same_on_ranks(silicon_block(cells, box, 1.0), 8, 0.002);
  const std::array<int, 3> narrow{3, 3, 8};
  expect_same_on_ranks(silicon_block(narrow, boxes_of(narrow, 2.6)[3], 1.0), 8, 0.002);
}

/// What the tests above could not see otherwise: neighbours in another order.
TEST(MdRanks, TheOrderOfNeighboursShowsInTheBits) {
  const std::array<int, 3> cells{4, 5, 7};
  for (const bool has_bonds : {false, true}) {
    const MdParameters p =
        has_bonds ? silicon_block(cells, box_for(cells, 2.6), 1.0) : argon_block(cells, box_for(cells, 1.12), 4.0);
    MdParameters reversed = p;
    for (std::uint64_t& id : reversed.initial.atoms.id) id = 100000 - id;
    const Outcome one = outcome_of(p, {.steps = 1, .dt = 0.002});
    std::size_t differ = 0;
    for (const auto& [id, values] : outcome_of(reversed, {.steps = 1, .dt = 0.002}).atoms) {
      differ += values == one.atoms.at(100000 - id) ? 0 : 1;
    }
    EXPECT_GT(differ, one.atoms.size() / 2);
  }
}

TEST(MdRanks, ARunGoesOnOnAnotherNumberOfRanks) {
  const test::TemporaryFolder folder;
  const std::array<int, 3> cells{4, 5, 9};
  for (const bool has_bonds : {false, true}) {
    const MdParameters p =
        has_bonds ? silicon_block(cells, box_for(cells, 2.6), 1.0) : argon_block(cells, box_for(cells, 1.12), 4.0);
    const double dt = has_bonds ? 0.002 : 0.004;
    Outcome whole = outcome_of(p, {.ranks = 2, .steps = 16, .dt = dt, .to = folder / "whole"});
    for (const auto& [first, second] : {std::pair<std::size_t, std::size_t>{1, 4}, {3, 1}, {2, 3}}) {
      if (!is_full && has_bonds != (first == 2)) continue;
      const auto path = folder / fmt::format("{}{}{}", has_bonds, first, second);
      static_cast<void>(outcome_of(p, {.ranks = first, .steps = 9, .dt = dt, .to = path}));
      const auto end = folder / fmt::format("end {}{}{}", has_bonds, first, second);
      const Outcome later =
          outcome_of(p, {.ranks = second, .steps = 7, .dt = dt, .from = path, .to = end, .cells = Cells::move});
      whole.rebuilds = later.rebuilds;  // counted from the restart on
      EXPECT_TRUE(later == whole) << first << " to " << second;
    }
  }
}

/// A droplet without a box, thrown across the cells of all ranks.
TEST(MdRanks, ADropletThatCrossesRanksKeepsItsAtoms) {
  const std::array<int, 3> cells{5, 5, 5};
  MdParameters p = argon_block(cells, box_for(cells, 1.1), 2.0);
  Box& box = p.initial.atoms.box;
  box.size.z = 30.0;
  box.size.x = 12.0;
  box.periodic = {true, false, true};
  for (base::Vec3& v : p.initial.atoms.v) v = v + base::Vec3{20.0, 0.0, 50.0};
  const Plan plan{.steps = 24, .dt = 0.004};
  const Outcome alone = outcome_of(p, plan);
  ASSERT_EQ(alone.atoms.size(), 125U);
  EXPECT_EQ(alone.divisions, 0U);
  for (const bool is_balanced : {false, true}) {
    p.rebalance = is_balanced ? 1.05 : 0.0;
    const Outcome found = outcome_of(p, {.ranks = is_balanced ? 3U : 2U, .steps = plan.steps, .dt = plan.dt});
    EXPECT_TRUE(found == alone) << is_balanced;
    if (is_balanced) {
      EXPECT_GT(found.divisions, 1U);
      EXPECT_TRUE(found.note.find("cells were divided among ranks again") != std::string::npos) << found.note;
    } else {
      EXPECT_GT(found.crossings, 30U);
      EXPECT_EQ(found.divisions, 0U);
    }
  }
}

TEST(MdRanks, CellsAreDividedAgainOnlyWhereThatHelps) {
  comm::testing::on_ranks(2, [](comm::Communicator& world) {
    const std::uint64_t own = number(world.rank()) == 0 ? 90 : 10;
    Balance balance(world, 1.1, Division::weight_of(own, 2));
    // Two layers at the low end have nearly all atoms: that can be halved. One alone cannot.
    std::vector<std::uint64_t> atoms{45, 45, 5, 5};
    const auto weigh = [&] {
      std::vector<std::uint64_t> mine(4, 0);
      const std::size_t first = 2 * number(world.rank());
      for (std::size_t c = first; c < first + 2; ++c) mine[c] = Division::weight_of(atoms[c], 0);
      return mine;
    };
    const Division present({1, 1, 4}, 2, std::vector<std::uint64_t>(4, 1));
    const auto largest = static_cast<double>(Division::weight_of(90, 2));
    EXPECT_FALSE(balance.better_than(present, 0.5 * largest, 1, weigh));
    EXPECT_TRUE(balance.take_note().empty());
    const auto other = balance.better_than(present, largest, 2, weigh);
    ASSERT_TRUE(other);
    EXPECT_EQ(other->cells_of(0).end[2], 1);
    EXPECT_TRUE(balance.take_note().find("in step 2 ") != std::string::npos);
    atoms = {90, 0, 5, 5};
    std::size_t looks = 0;
    const auto count = [&] {
      ++looks;
      return weigh();
    };
    for (std::uint64_t step = 3; step < 18; ++step) {
      EXPECT_FALSE(balance.better_than(*other, largest, step, count));
    }
    EXPECT_EQ(looks, 4U);  // after pauses of 1, 2, 4
    EXPECT_EQ(balance.divisions(), 1U);
    EXPECT_TRUE(balance.take_note().empty());
  });
}

TEST(MdRanks, AnAtomThatFliesAwayIsNamedOnAllRanks) {
  const std::array<int, 3> cells{6, 6, 10};
  MdParameters p = argon_block(cells, box_for(cells, 1.12));
  p.initial.atoms.v[300] = {0.0, 0.0, 1e5};
  const std::uint64_t id = p.initial.atoms.id[300];
  for (const std::size_t ranks : {1U, 4U}) {
    std::atomic<std::size_t> heard{0};
    comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
      RunningMd run(p, 1, world);
      try {
        run.steps(1, 0.004);
      } catch (const engine::NumericsError& error) {
        const bool is_named = std::string(error.what()).find(fmt::format("atom {} moves by", id)) == 0;
        heard += is_named && error.flaw().element == id ? 1 : 0;
      }
      world.synchronise();
    });
    EXPECT_EQ(heard, ranks);
  }
}

TEST(MdRanks, AtomsAtOnePlaceAreNamedOnAllRanks) {
  const std::array<int, 3> cells{4, 4, 12};
  MdParameters p = argon_block(cells, box_for(cells, 1.12));
  // One at a face, and one beyond it: on two ranks, and the one of them an image of the other.
  p.initial.atoms.x[11] = p.initial.atoms.x[0] + p.initial.atoms.box.edge(2);
  const std::string expected =
      fmt::format("the atoms {} and {}", std::min(p.initial.atoms.id[0], p.initial.atoms.id[11]),
                  std::max(p.initial.atoms.id[0], p.initial.atoms.id[11]));
  for (const std::size_t ranks : {1U, 3U}) {
    std::atomic<std::size_t> heard{0};
    comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
      try {
        const RunningMd run(p, 1, world);
      } catch (const base::Error& error) {
        heard += std::string(error.what()).find(expected) != std::string::npos ? 1 : 0;
      }
      world.synchronise();
    });
    EXPECT_EQ(heard, ranks);
  }
}

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(MdRanks, FilesHaveTheBytesOfOneRank) {
  const test::TemporaryFolder folder;
  const std::array<int, 3> cells{5, 6, 9};
  MdParameters p = argon_block(cells, box_for(cells, 1.12));
  p.has_virials = true;
  std::array<double, 6> stress{};
  for (const std::size_t ranks : {1U, 2U, 4U}) {
    comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
      RunningMd run(p, 1, world);
      run.steps(15, 0.004);
      for (const char* name : {"dump", "atoms"}) {
        run.solver().write_series({.name = name}, folder / fmt::format("{} {}", name, ranks), {});
      }
      run.solver().write_snapshot(folder / fmt::format("snapshot {}", ranks), {.double_precision = true});
      if (ranks == 1) stress = run.solver().measured().stress;
      world.synchronise();
    });
    for (const char* name : {"dump", "atoms", "snapshot"}) {
      const std::string alone = text_of(folder / fmt::format("{} 1", name));
      EXPECT_GT(alone.size(), 10000U);
      EXPECT_TRUE(text_of(folder / fmt::format("{} {}", name, ranks)) == alone) << name << " of " << ranks;
    }
  }
  const io::FileReader snapshot(folder / "snapshot 1");
  std::vector<double> virials(6 * p.initial.atoms.size());
  std::vector<double> velocities(3 * p.initial.atoms.size());
  std::vector<std::uint64_t> types(p.initial.atoms.size());
  snapshot.read("Atoms/Virials", virials);
  snapshot.read("Atoms/Velocities", velocities);
  snapshot.read("Atoms/Types", types);
  constexpr std::array<std::array<std::size_t, 2>, 6> axes{{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};
  for (std::size_t k = 0; k < 6; ++k) {
    double sum = 0.0;
    for (std::size_t i = 0; i < types.size(); ++i) {
      sum += virials[6 * i + k] + p.masses[types[i]] * velocities[3 * i + axes[k][0]] * velocities[3 * i + axes[k][1]];
    }
    // 270 terms of order 10, each rounded.
    EXPECT_NEAR(sum / p.initial.atoms.box.volume(), stress[k], 1e-10) << k;
  }
}

/// None of them has all atoms of a crystal, and `tacit check` makes none.
TEST(MdRanks, SharesMakeUpTheWholeLattice) {
  const config::Parameters keys = testing::parameters_of(
      "initial.setup = \"lattice\"\n[md]\ndt = 0.005\n[lattice]\nstructure = \"diamond\"\nconstant = 1.5\n"
      "cells = [3, 4, 5]\n");
  const Initial whole = read_parameters(keys).initial;
  EXPECT_EQ(whole.atoms.size(), 480U);
  EXPECT_EQ(whole.atoms.x[8 * (4 * 5 + 2 * 5 + 3)], (1.5 * base::Vec3{1.0, 2.0, 3.0}));
  const Initial none = read_parameters(keys, Share::none()).initial;
  EXPECT_EQ(none.count, 480U);
  EXPECT_EQ(none.atoms.size(), 0U);
  EXPECT_EQ(none.atoms.box.size, whole.atoms.box.size);
  Configuration all{.box = whole.atoms.box};
  for (std::uint64_t rank = 0; rank < 7; ++rank) {
    const Configuration share = read_parameters(keys, {rank, 7}).initial.atoms;
    EXPECT_LE(share.size(), 480U / 7 + 1);
    Configuration cut = whole.atoms;
    keep_share(cut, {rank, 7});
    EXPECT_EQ(cut.x, share.x);
    all.id.insert(all.id.end(), share.id.begin(), share.id.end());
    all.x.insert(all.x.end(), share.x.begin(), share.x.end());
  }
  EXPECT_EQ(all.id, whole.atoms.id);
  EXPECT_EQ(all.x, whole.atoms.x);
}

TEST(MdRanks, RowsOfFilesAreDividedByIds) {
  constexpr std::uint64_t highest = ~std::uint64_t{0};
  for (const std::vector<std::uint64_t>& of_all :
       {std::vector<std::uint64_t>{}, {5}, {highest, 0, 7, 1, highest - 1, std::uint64_t{1} << 63U, 12}}) {
    comm::testing::on_ranks(3, [&](comm::Communicator& world) {
      std::vector<std::uint64_t> mine;
      for (std::size_t i = number(world.rank()); i < of_all.size(); i += 3) mine.push_back(of_all[i]);
      const FileOrder order(mine, world);
      EXPECT_EQ(order.atoms(), of_all.size());
      std::vector<std::uint64_t> sorted = of_all;
      std::ranges::sort(sorted);
      for (std::size_t row = 0; row < sorted.size(); ++row) {
        const std::size_t writer = order.writer_of(sorted[row]);
        EXPECT_LE(order.first_row(writer), row);
        EXPECT_LT(row, order.first_row(writer + 1));
      }
    });
  }
}

TEST(MdRanks, CellsAreDividedAmongAnyNumberOfThem) {
  for (const std::array<int, 3>& shape : {std::array{3, 3, 1}, {1, 1, 7}, {2, 5, 4}, {6, 6, 6}}) {
    const std::size_t cells = CellBox{.end = shape}.size();
    for (std::size_t ranks = 1; ranks <= std::min<std::size_t>(cells, 40); ++ranks) {
      std::vector<std::uint64_t> weights(cells);
      for (std::size_t c = 0; c < cells; ++c) weights[c] = 1 + c * c % 13;
      const Division division(shape, ranks, weights);
      std::vector<std::size_t> counts(ranks, 0);
      for (std::size_t c = 0; c < cells; ++c) {
        const auto owner = division.owner_of(c);
        ++counts[owner];
        const auto index = division.index_of(c);
        EXPECT_EQ(division.number_of(index), c);
        for (std::size_t axis = 0; axis < 3; ++axis) {
          EXPECT_GE(index[axis], division.cells_of(owner).begin[axis]);
          EXPECT_LT(index[axis], division.cells_of(owner).end[axis]);
        }
      }
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        EXPECT_GE(counts[rank], 1U);
        EXPECT_EQ(counts[rank], division.cells_of(rank).size());
      }
    }
  }
}

TEST(MdRanks, ADivisionFollowsTheWeights) {
  std::vector<std::uint64_t> weights(20, 0);
  std::fill(weights.begin(), weights.begin() + 8, 10);
  const Division division({1, 1, 20}, 2, weights);
  EXPECT_EQ(division.cells_of(0).end[2], 4);
}

}  // namespace
}  // namespace tacit::md

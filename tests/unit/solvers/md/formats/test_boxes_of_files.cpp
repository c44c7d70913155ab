// Boxes of files whose edges point anywhere, types by their labels, and atoms that a file says do not move.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/solvers/md/formats/extended_xyz.hpp"
#include "tacit/solvers/md/formats/lammps.hpp"
#include "tacit/solvers/md/formats/turned_box.hpp"
#include "unit/solvers/md/references.hpp"
#include "unit/solvers/md/running_md.hpp"

namespace tacit::md {
namespace {

using base::Vec3;
using testing::parameters_of;
using testing::read_reference;
using testing::Reference;
using testing::RunningMd;
using testing::scratch_path;

/// Rows of a rotation about no axis of the box: of Euler's angles 0.7, 1.1, -0.4.
std::array<Vec3, 3> rotation() {
  const double a = 0.7;
  const double b = 1.1;
  const double c = -0.4;
  const Vec3 x{std::cos(a) * std::cos(c) - std::sin(a) * std::cos(b) * std::sin(c),
               std::sin(a) * std::cos(c) + std::cos(a) * std::cos(b) * std::sin(c), std::sin(b) * std::sin(c)};
  const Vec3 y{-std::cos(a) * std::sin(c) - std::sin(a) * std::cos(b) * std::cos(c),
               -std::sin(a) * std::sin(c) + std::cos(a) * std::cos(b) * std::cos(c), std::sin(b) * std::cos(c)};
  return {x, y, base::cross(x, y)};
}

Vec3 rotated(const Vec3& v) {
  const auto rows = rotation();
  return {base::dot(rows[0], v), base::dot(rows[1], v), base::dot(rows[2], v)};
}

/// The reference of atoms of two kinds, in a lattice that is the same, but leans over and points elsewhere.
struct Elsewhere {
  Reference reference = read_reference("lj500_kobandersen");
  std::array<Vec3, 3> edges;
  Vec3 origin;
  std::vector<Vec3> x;

  explicit Elsewhere(double third = 1.0) {
    const Box& box = reference.atoms.box;
    origin = box.origin;
    edges = {box.edge(0), box.edge(1) + 2.0 * box.edge(0), third * (box.edge(2) - box.edge(0) + 3.0 * box.edge(1))};
    for (Vec3& edge : edges) edge = rotated(edge);
    for (const Vec3& one : reference.atoms.x) x.push_back(box.origin + rotated(one - box.origin));
    if (third < 0.0) origin = box.origin - edges[2];
  }
};

MdParameters of_file(const std::string& setup, const std::string& path) {
  return read_parameters(parameters_of("[initial]\nsetup = \"" + setup + "\"\nfile = \"" + path +
                                       "\"\n[md]\ndt = 0.005\n[lennard_jones]\ntruncation = \"shifted\"\n"
                                       "pairs = \"A A 1 1 2.5, A B 1.5 0.8 2.0, B B 0.5 0.88 2.2\"\n"));
}

std::string xyz_of(const Elsewhere& given) {
  std::string text = fmt::format("{}\nLattice=\"", given.x.size());
  for (const Vec3& edge : given.edges) text += fmt::format("{:.17g} {:.17g} {:.17g} ", edge.x, edge.y, edge.z);
  text += fmt::format("\" Origin=\"{:.17g} {:.17g} {:.17g}\"\n", given.origin.x, given.origin.y, given.origin.z);
  for (std::size_t i = 0; i < given.x.size(); ++i) {
    text += fmt::format("{} {:.17g} {:.17g} {:.17g}\n", given.reference.atoms.type[i] == 0 ? "A" : "B", given.x[i].x,
                        given.x[i].y, given.x[i].z);
  }
  return text;
}

/// Turned back and straightened, the forces are those of the reference, component by component.
TEST(MdBoxesOfFiles, ALatticeThatPointsAnywhereIsTheSameCrystal) {
  const Elsewhere given;
  std::ofstream(scratch_path(".xyz")) << xyz_of(given);
  const MdParameters parameters = of_file("file", scratch_path(".xyz").string());
  const Box& box = parameters.initial.atoms.box;
  EXPECT_NEAR(box.xy, 0.0, 1e-12 * box.size.x);
  EXPECT_NEAR(box.xz, 0.0, 1e-12 * box.size.x);
  EXPECT_NEAR(box.size.z, given.reference.atoms.box.size.z, 1e-12 * box.size.z);
  EXPECT_EQ(parameters.initial.notes.size(), 1U);
  testing::expect_as(RunningMd(parameters).solver(), given.reference);
}

TEST(MdBoxesOfFiles, LeftHandedEdgesSpanTheSameLattice) {
  const Elsewhere given(-1.0);
  std::ofstream(scratch_path(".xyz")) << xyz_of(given);
  const MdParameters parameters = of_file("file", scratch_path(".xyz").string());
  testing::expect_as(RunningMd(parameters).solver(), given.reference);
}

/// As LAMMPS and OVITO write them, with labels for types; images are counted along the edges of the file.
TEST(MdBoxesOfFiles, DataFilesHaveEdgesAndLabels) {
  const Elsewhere given;
  std::string text = "LAMMPS data file of a test\n\n500 atoms\n2 atom types\n\n";
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3& edge = given.edges[k];
    text += fmt::format("{:.17g} {:.17g} {:.17g} {}vec\n", edge.x, edge.y, edge.z, "abc"[k]);
  }
  text +=
      fmt::format("{:.17g} {:.17g} {:.17g} abc origin\n\nAtom Type Labels\n\n1 A\n2 B\n\nMasses\n\nA 1\nB 1 # X\n\n",
                  given.origin.x, given.origin.y, given.origin.z);
  text += "PairIJ Coeffs # lj/cut\n\nA A 1 1\nA B 1 1\n\nAtoms # atomic\n\n";
  for (std::size_t i = 0; i < 500; ++i) {
    const Vec3& x = given.x[i];
    text +=
        fmt::format("{} {} {:.17g} {:.17g} {:.17g} {} {} {}\n", i + 1, given.reference.atoms.type[i] == 0 ? "A" : "2",
                    x.x, x.y, x.z, i % 3, static_cast<int>(i % 5) - 2, static_cast<int>(i % 7) - 3);
  }
  text += "\nVelocities\n\n";
  for (std::size_t i = 0; i < 500; ++i) {
    const Vec3 v = rotated({1.0, 2.0, 3.0});
    text += fmt::format("{} {:.17g} {:.17g} {:.17g}\n", i + 1, v.x, v.y, v.z);
  }
  std::ofstream(scratch_path(".data")) << text;
  MdParameters parameters = of_file("lammps", scratch_path(".data").string());
  EXPECT_EQ(parameters.initial.elements, (std::vector<std::string>{"A", "B"}));
  const Configuration& atoms = parameters.initial.atoms;
  for (const std::size_t i : {0U, 17U, 499U}) {
    const Vec3 far = given.x[i] + static_cast<double>(i % 3) * given.edges[0] +
                     (static_cast<double>(i % 5) - 2.0) * given.edges[1] +
                     (static_cast<double>(i % 7) - 3.0) * given.edges[2];
    const Vec3 here = atoms.x[i] + atoms.box.shift(atoms.image[i]) - atoms.box.origin;
    const Vec3 wanted = rotated(here);
    EXPECT_NEAR(base::norm(far - given.origin - wanted), 0.0, 1e-11) << i;
    EXPECT_NEAR(base::norm(atoms.v[i] - Vec3{1.0, 2.0, 3.0}), 0.0, 1e-14);
  }
  parameters.initial.atoms.v.clear();  // the reference is of atoms at rest
  testing::expect_as(RunningMd(parameters).solver(), given.reference);
}

TEST(MdBoxesOfFiles, EdgesAndLabelsThatContradictAreRefused) {
  const auto expect = [](const std::string& part, const std::string& box, const std::string& rest) {
    std::ofstream(scratch_path(".data")) << "a test\n\n1 atoms\n2 atom types\n" << box << "\n" << rest;
    try {
      static_cast<void>(read_lammps_data(scratch_path(".data")));
      ADD_FAILURE() << part << " was not said";
    } catch (const base::FormatError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  const std::string edges = "5 0 0 avec\n1 5 0 bvec\n0 0 5 cvec\n";
  const std::string one = "Atoms\n\n1 B 0 0 0\n";
  expect("has no edge 'bvec' of the box", "5 0 0 avec\n0 0 5 cvec\n", one);
  expect("'ylo yhi' and vectors", edges + "0 5 ylo yhi\n", one);
  expect("span no volume", "5 0 0 avec\n1 5 0 bvec\n6 5 0 cvec\n", one);
  expect("'B' is no type", edges, one);
  expect("'C' is no type", edges, "Atom Type Labels\n\n1 A\n2 B\n\nAtoms\n\n1 C 0 0 0\n");
  expect("its label 'A' appears a second time", edges, "Atom Type Labels\n\n1 A\n2 A\n");
  expect("stands behind Masses or Atoms", edges, "Masses\n\n1 1\n2 1\n\nAtom Type Labels\n\n1 A\n2 B\n");
}

/// Half of an edge stays as it is, whatever its digits; more than that loses edges, also of both below.
TEST(MdBoxesOfFiles, StraightenedBoxesAreTheSameLattice) {
  Configuration atoms;
  atoms.box.size = {2.0, 3.0, 4.0};
  atoms.box.xy = 1.000001;
  straighten(atoms);
  EXPECT_EQ(atoms.box.xy, 1.000001);
  atoms.box.xy = -5.25;
  atoms.box.xz = 2.5;
  atoms.box.yz = 7.0;
  atoms.x = {Vec3{0.1, 0.2, 0.3}};
  atoms.image = {ImageCount{1, -2, 3}};
  const Vec3 far = atoms.box.shift(atoms.image[0]);
  straighten(atoms);
  EXPECT_LE(std::abs(atoms.box.xy), 1.0);
  EXPECT_LE(std::abs(atoms.box.xz), 1.0);
  EXPECT_LE(std::abs(atoms.box.yz), 1.5);
  EXPECT_NEAR(base::norm(atoms.box.shift(atoms.image[0]) - far), 0.0, 1e-12);
  atoms.box.periodic = {false, true, true};  // b leans as far as it does: there are no edges a to take
  atoms.box.xy = 3.0;
  straighten(atoms);
  EXPECT_EQ(atoms.box.xy, 3.0);
}

/// Four atoms whose forces are not 0; the second and the fourth are held, by their IDs 8 and 6.
MdParameters with_mask(const std::string& column, const std::string& moves, const std::string& keys = "") {
  const std::string stays = moves == "T" ? "F" : "F F F";
  std::ofstream(scratch_path(".xyz")) << "4\nLattice=\"9 0 0 0 9 0 0 0 9\" Properties=species:S:1:pos:R:3:move_mask:"
                                      << column << ":id:I:1\nAr 1 1 1 " << moves << " 9\nAr 2.2 1 1 " << stays
                                      << " 8\nAr 1 2.3 1 " << moves << " 7\nAr 1 1 2.1 " << stays << " 6\n";
  return read_parameters(parameters_of("[initial]\nsetup = \"file\"\nfile = \"" + scratch_path(".xyz").string() +
                                       "\"\n[md]\ndt = 0.005\n" + keys));
}

TEST(MdBoxesOfFiles, AtomsThatAFileHoldsStay) {
  for (const auto& [column, moves] : {std::pair("L:1", "T"), std::pair("L:3", "T T T")}) {
    const MdParameters parameters = with_mask(column, moves);
    ASSERT_EQ(parameters.groups.held.size(), 1U);
    ASSERT_EQ(parameters.initial.notes.size(), 1U);
    EXPECT_NE(parameters.initial.notes[0].find("move_mask holds 2 of 4 atoms"), std::string::npos);
    RunningMd run(parameters);
    run.steps(20, 0.005);
    const Atoms& atoms = run.solver().atoms();
    for (std::size_t i = 0; i < 4; ++i) {
      const auto at = static_cast<std::size_t>(std::ranges::find(parameters.initial.atoms.id, atoms.id[i]) -
                                               parameters.initial.atoms.id.begin());
      const bool is_held = atoms.id[i] == 8 || atoms.id[i] == 6;
      EXPECT_EQ(atoms.position(i) == parameters.initial.atoms.x[at], is_held) << atoms.id[i];
      EXPECT_GT(base::norm(atoms.force(i)), 0.01);
    }
    const auto columns = run.solver().statistics();
    EXPECT_NE(std::ranges::find(columns, "force_on_move_mask_x", &engine::Statistic::name), columns.end());
  }
}

TEST(MdBoxesOfFiles, AtomsThatAFileHoldsAreAGroupForKeys) {
  RunningMd run(with_mask("L:1", "T", "[groups]\nnamed = \"some id 7\"\nmoving = \"move_mask 0 0 -0.5\"\n"));
  run.steps(20, 0.005);
  const Atoms& atoms = run.solver().atoms();
  for (std::size_t i = 0; i < 4; ++i) {
    if (atoms.id[i] == 8) {
      EXPECT_NEAR(atoms.position(i).z, 0.95, 1e-12);
    }
  }
  try {
    static_cast<void>(with_mask("L:1", "T", "[groups]\nnamed = \"move_mask id 7\"\n"));
    ADD_FAILURE() << "two groups of a name were taken";
  } catch (const config::Error& error) {
    EXPECT_NE(std::string(error.what()).find("'move_mask' is named twice"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace tacit::md

// Files of atoms: extended XYZ there and back, data files and dumps of LAMMPS; numbers of unlike types.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "references.hpp"
#include "running_md.hpp"
#include "tacit/solvers/md/formats/extended_xyz.hpp"
#include "tacit/solvers/md/formats/lammps.hpp"
#include "tacit/solvers/md/formats/tersoff_file.hpp"
#include "tacit/solvers/md/setups/tersoff_sets.hpp"

namespace tacit::md {
namespace {

using testing::parameters_for;
using testing::parameters_of;
using testing::read_reference;
using testing::Reference;
using testing::RunningMd;
using testing::scratch_path;

TEST(MdFormats, ExtendedXyzComesBackAsItWas) {
  Configuration atoms = read_reference("lj500_kobandersen").atoms;
  atoms.box.xy = -0.7;
  atoms.box.yz = 0.1;
  atoms.box.origin = {1.0, -2.0, 1.0 / 3.0};
  atoms.box.periodic = {true, false, true};
  const std::vector<std::string> names{"Ni", "P"};
  std::string text = extended_xyz_header(atoms.box, atoms.size(), {.time = 0.1, .step = 7});
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    atoms.v.push_back((1.0 / 3.0) * atoms.x[i]);
    append_extended_xyz(text, names[atoms.type[i]], atoms.id[i], atoms.x[i], atoms.v[i]);
  }
  std::ofstream(scratch_path(".xyz")) << text;
  std::vector<std::string> elements{"Ni", "P"};
  const XyzData data = read_extended_xyz(scratch_path(".xyz"), elements);
  const Configuration& back = data.atoms;
  EXPECT_EQ(data.time, 0.1);
  EXPECT_EQ(back.id, atoms.id);
  EXPECT_EQ(back.type, atoms.type);
  EXPECT_EQ(back.x, atoms.x);
  EXPECT_EQ(back.v, atoms.v);
  EXPECT_EQ(back.box.size, atoms.box.size);
  EXPECT_EQ(back.box.origin, atoms.box.origin);
  EXPECT_EQ(back.box.periodic, atoms.box.periodic);
  EXPECT_EQ(back.box.shift({1, 1, 1}), atoms.box.shift({1, 1, 1}));
}

/// Two atoms, beside opposite faces. @param head  the second line  @param atom  what each line has behind its position
XyzData xyz_of(const std::string& head, const std::string& atom = "", const std::string& more = "") {
  std::ofstream(scratch_path(".xyz")) << "2\n"
                                      << head << "\nAr 0.5 4 4" << atom << "\nAr 7.3 4 4" << atom << "\n"
                                      << more;
  std::vector<std::string> elements;
  return read_extended_xyz(scratch_path(".xyz"), elements);
}

const std::string cube = "Lattice=\"8 0 0 0 8 0 0 0 8\" ";

TEST(MdFormats, KeysOfExtendedXyzAreReadHoweverTheyAreWritten) {
  for (const char* open : {"pbc=\"F F F\"", "PBC=\"F F F\"", "Pbc='F F F'", "pbc = \"F F F\"", "\"pbc\"=\"F F F\"",
                           "note=\"was pbc=T before\" pbc=\"F F F\"", "word pbc= \"0 False f=\" x=1"}) {
    if (std::string(open).find("f=") != std::string::npos) {
      EXPECT_THROW(static_cast<void>(xyz_of(cube + open)), base::FormatError) << open;
      continue;
    }
    EXPECT_EQ(xyz_of(cube + open).atoms.box.periodic, (std::array<bool, 3>{})) << open;
  }
  EXPECT_EQ(xyz_of(cube).atoms.box.periodic, (std::array<bool, 3>{true, true, true}));
  const XyzData turned = xyz_of("LATTICE=\"8 3e-16 0 -1 8 0 0 -4e-16 8\" TIME = 7.5");
  EXPECT_EQ(turned.atoms.box.xy, -1.0);
  EXPECT_EQ(turned.time, 7.5);
}

TEST(MdFormats, ColumnsOfExtendedXyzAreUsedNamedOrRefused) {
  const auto properties = [](const std::string& more) { return cube + "Properties=species:S:1:pos:R:3:" + more; };
  EXPECT_EQ(xyz_of(properties("masses:R:1"), " 39.948").masses, (std::vector<double>{39.948}));
  EXPECT_EQ(xyz_of(properties("move_mask:L:1"), " T").atoms.size(), 2U);
  EXPECT_EQ(xyz_of(properties("charge:R:1:spin:R:3"), " 1 0 0 1").unused, (std::vector<std::string>{"charge", "spin"}));
  const auto expect = [](const std::string& part, const std::string& head, const std::string& atom,
                         const std::string& more = "") {
    try {
      static_cast<void>(xyz_of(head, atom, more));
      ADD_FAILURE() << head << " was taken";
    } catch (const base::FormatError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  expect("has velo, and vel as well", properties("velo:R:3:vel:R:3"), " 1 2 3 1 2 3");
  expect("has pos twice", properties("pos:R:3"), " 1 2 3");
  expect("has id twice", properties("id:I:1:id:I:1"), " 1 1");
  expect("has momenta twice", properties("momenta:R:3:momenta:R:3"), " 1 2 3 1 2 3");
  expect("has 2 column(s) of velo, expected 3", properties("velo:R:2"), " 1 2");
  expect("the atom is held along some axes alone (T F T in move_mask)", properties("move_mask:L:3"), " T F T");
  expect("move_mask has the word 'x', expected T or F", properties("move_mask:L:1"), " x");
  expect("the mass 0 is not more than 0", properties("mass:R:1"), " 0");
  expect("has the key PBC a second time", cube + "pbc=\"T T T\" PBC=\"F F F\"", "");
  expect("has a quote that is not closed", cube + "note=\"x", "");
  expect("there is more behind the 2 atom(s) that the first line counts: 'Ar 1 1 1'", cube, "", "Ar 1 1 1\n");
  expect("keep the frame that is to be taken", cube, "", "2\n" + cube + "\nAr 1 1 1\nAr 2 2 2\n");
}

/// ASE keeps momenta, in sqrt(u eV). Argon at 500 m/s has 5 Angstrom/ps, and E = p^2 / 2 m = 51.754 meV.
TEST(MdFormats, MomentaOfAseAreVelocities) {
  const double p = std::sqrt(2.0 * 39.948 * 0.05175398);
  const auto read = [](const std::string& columns, const std::string& atom, const std::string& units) {
    std::ofstream(scratch_path(".xyz")) << "1\n"
                                        << cube << "Properties=species:S:1:pos:R:3:" << columns << "\nAr 0.5 4 4"
                                        << atom << "\n";
    const std::string metal =
        units == "lj" ? ""
                      : "[units]\nlength = \"1 Angstrom\"\nmass = \"1.602176634e-20 g\"\nvelocity = \"1e4 cm/s\"\n";
    return read_parameters(parameters_of(metal + "[initial]\nsetup = \"file\"\nfile = \"" +
                                         scratch_path(".xyz").string() +
                                         "\"\n[md]\ndt = 0.001\nmasses = [39.948]\nunits = \"" + units +
                                         "\"\n[lennard_jones]\nepsilon = 0.01\nsigma = 3.4\ncutoff = 3.9\n"));
  };
  const std::string momentum = fmt::format(" 0 {:.17g} 0", p);
  const base::Vec3 v = read("momenta:R:3", momentum, "metal").initial.atoms.v.at(0);
  EXPECT_NEAR(v.y, 5.0, 1e-6);
  EXPECT_EQ(v.x, 0.0);
  EXPECT_EQ(read("velo:R:3:momenta:R:3", " 0 5 0" + momentum, "metal").initial.atoms.v.at(0),
            (base::Vec3{0.0, 5.0, 0.0}));
  EXPECT_THROW(static_cast<void>(read("velo:R:3:momenta:R:3", " 0 5.1 0" + momentum, "metal")), base::FormatError);
  EXPECT_THROW(static_cast<void>(read("momenta:R:3", momentum, "lj")), config::Error);
  EXPECT_EQ(extended_xyz_header(Box{}, 1, {.has_momenta = true}).find("velo:R:3:momenta:R:3:masses:R:1:id:I:1") !=
                std::string::npos,
            true);
}

/// What would be right in reduced units alone, or is meant for other boxes, is asked for or refused.
TEST(MdFormats, WhatAFileDoesNotSayIsAskedFor) {
  const auto error_of = [](const std::string& text) {
    try {
      static_cast<void>(read_parameters(parameters_of(text)));
    } catch (const config::Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  const std::string units = "[units]\nlength = \"1 Angstrom\"\nmass = \"1.602176634e-20 g\"\nvelocity = \"1e4 cm/s\"\n";
  const std::string silicon =
      "[initial]\nsetup = \"lattice\"\n[lattice]\nstructure = \"diamond\"\nconstant = "
      "5.432\ncells = 2\n[md]\ndt = 0.001\n";
  EXPECT_NE(error_of(units + silicon + "units = \"metal\"\n").find("a mass of 1 is one of reduced units alone"),
            std::string::npos);
  EXPECT_NE(error_of(silicon + "boundary = [\"periodic\", \"periodic\", \"open\"]\n[lennard_jones]\ntail = true\n")
                .find("a face of the box is open"),
            std::string::npos);
}

TEST(MdFormats, TypesOfOneElementHaveItsNumbers) {
  const std::vector<std::string> twice{"Si", "Si"};
  const LennardJonesTypes otherwise{.epsilon = 1.0, .sigma = 1.0, .cutoff = 2.5};
  for (const LennardJonesTypes& pair : mixed_pairs("Si Si 2.0 1.5 3.0", twice, otherwise, Mixing::geometric)) {
    EXPECT_EQ(pair.epsilon, 2.0);
    EXPECT_EQ(pair.sigma, 1.5);
  }
  const kernels::TersoffTable table = parse_tersoff(tersoff_text(TersoffSet::si_1988), "the test", twice, {});
  for (std::size_t t = 0; t < 8; ++t) EXPECT_EQ(table.of(t / 4, t / 2 % 2, t % 2).A, table.of(0, 0, 0).A);
}

const std::string data_file = R"(LAMMPS data file of a test

3 atoms
2 atom types
0 bonds
-1.0 4.0 xlo xhi
0 6 ylo yhi
0 7 zlo zhi
2.0 -1.0 0.5 xy xz yz

Masses

1 28.0855  # Si
2 12.011   # C

Pair Coeffs # lj/cut

1 1 1
2 1 1

Atoms # charge

7 1 0.5 0.25 1 2 0 -1 3
4 2 -0.5 1.5 1 2 0 0 0
5 2 0.0 2.75 1 2 1 0 0

Velocities

4 1 2 3
7 4 5 6
5 7 8 9
)";

std::filesystem::path written(const std::string& text) {
  std::ofstream(scratch_path(".data")) << text;
  return scratch_path(".data");
}

TEST(MdFormats, DataFilesOfLammps) {
  const LammpsData data = read_lammps_data(written(data_file));
  const Configuration& atoms = data.atoms;
  EXPECT_EQ(data.elements, (std::vector<std::string>{"Si", "C"}));
  EXPECT_EQ(data.masses, (std::vector<double>{28.0855, 12.011}));
  EXPECT_EQ(atoms.id, (std::vector<std::uint64_t>{7, 4, 5}));
  EXPECT_EQ(atoms.type, (std::vector<std::uint32_t>{0, 1, 1}));
  EXPECT_EQ(atoms.x[1], (base::Vec3{1.5, 1.0, 2.0}));
  EXPECT_EQ(atoms.v[0], (base::Vec3{4.0, 5.0, 6.0}));
  EXPECT_EQ(atoms.v[2], (base::Vec3{7.0, 8.0, 9.0}));
  EXPECT_EQ(atoms.image[0], (ImageCount{0, -1, 3}));
  EXPECT_EQ(data.unused.size(), 2U);
  EXPECT_NE(data.unused[0].find("Pair Coeffs"), std::string::npos);
  EXPECT_NE(data.unused[1].find("charges"), std::string::npos);
  EXPECT_EQ(atoms.box.origin.x, -1.0);
  EXPECT_EQ(atoms.box.edge(2), (base::Vec3{-1.0, 0.5, 7.0}));
}

TEST(MdFormats, ARunFromADataFileIsThatOfItsAtoms) {
  const Reference reference = read_reference("lj500_kobandersen");
  std::string text = "a test\n\n500 atoms\n2 atom types\n";
  const Box& box = reference.atoms.box;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    text += fmt::format("{:.17g} {:.17g} {}lo {}hi\n", box.origin[axis], box.origin[axis] + box.size[axis], "xyz"[axis],
                        "xyz"[axis]);
  }
  text += "\nAtoms # atomic\n\n";
  for (std::size_t i = 0; i < 500; ++i) {
    const base::Vec3& x = reference.atoms.x[i];
    text += fmt::format("{} {} {:.17g} {:.17g} {:.17g}\n", i + 1, reference.atoms.type[i] + 1, x.x, x.y, x.z);
  }
  const std::string path = written(text).string();
  const MdParameters parameters = read_parameters(
      parameters_of("[initial]\nsetup = \"lammps\"\nfile = \"" + path +
                    "\"\n[md]\ndt = 0.005\nelements = \"A B\"\n[lennard_jones]\ntruncation = \"shifted\"\n"
                    "pairs = \"A A 1 1 2.5, A B 1.5 0.8 2.0, B B 0.5 0.88 2.2\"\n"));
  testing::expect_as(RunningMd(parameters).solver(), reference);
}

TEST(MdFormats, DumpsSayWhereTheBoxEnds) {
  Box box;
  box.size = {5.0, 6.0, 7.0};
  EXPECT_EQ(lammps_dump_header(box, 3, 10),
            "ITEM: TIMESTEP\n10\nITEM: NUMBER OF ATOMS\n3\nITEM: BOX BOUNDS pp pp pp\n0 5\n0 6\n0 7\n"
            "ITEM: ATOMS id type element mass x y z ix iy iz vx vy vz fx fy fz\n");
  box.xy = 2.0;
  box.xz = -1.0;
  box.yz = -0.5;
  box.periodic[2] = false;
  EXPECT_EQ(lammps_dump_header(box, 3, 10),
            "ITEM: TIMESTEP\n10\nITEM: NUMBER OF ATOMS\n3\nITEM: BOX BOUNDS xy xz yz pp pp ff\n-1 7 2\n-0.5 6 -1\n"
            "0 7 -0.5\nITEM: ATOMS id type element mass x y z ix iy iz vx vy vz fx fy fz\n");
}

TEST(MdMixing, FollowsTheRules) {
  const std::vector<std::string> names{"A", "B"};
  const LennardJonesTypes otherwise{.epsilon = 4.0, .sigma = 2.0, .cutoff = 5.0};
  const auto unlike = [&](Mixing mixing) { return mixed_pairs("A A 1 1 3", names, otherwise, mixing)[1]; };
  EXPECT_EQ(unlike(Mixing::geometric).epsilon, 2.0);
  EXPECT_DOUBLE_EQ(unlike(Mixing::geometric).sigma, std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(unlike(Mixing::geometric).cutoff, std::sqrt(15.0));
  EXPECT_EQ(unlike(Mixing::arithmetic).epsilon, 2.0);
  EXPECT_EQ(unlike(Mixing::arithmetic).sigma, 1.5);
  EXPECT_EQ(unlike(Mixing::arithmetic).cutoff, 4.0);
  EXPECT_DOUBLE_EQ(unlike(Mixing::sixthpower).sigma, std::pow(32.5, 1.0 / 6.0));
  EXPECT_DOUBLE_EQ(unlike(Mixing::sixthpower).epsilon, 2.0 * 2.0 * 8.0 / 65.0);
  const auto pairs = mixed_pairs("B A 7 8 9", names, otherwise, Mixing::arithmetic);
  EXPECT_EQ(pairs[1].epsilon, 7.0);
  EXPECT_EQ(pairs[2].cutoff, 9.0);
  EXPECT_EQ(pairs[3].sigma, 2.0);
  for (const char* wrong : {"A A 1 1", "A C 1 1 1", "A A 0 1 1", "A A one 1 1", "A B 1 1 1, B A 1 1 1"}) {
    EXPECT_THROW(static_cast<void>(mixed_pairs(wrong, names, otherwise, Mixing::geometric)), base::Error) << wrong;
  }
}

TEST(MdOpen, ADropletKeepsItsAtomsAndItsEnergy) {
  MdParameters parameters =
      testing::crystal("density = 1.0\ncells = [4]\n",
                       "[md]\ndt = 0.002\nboundary = [\"open\"]\n[velocities]\ntemperature = 3.0\n"
                       "[lennard_jones]\ntruncation = \"force_shifted\"\n");
  RunningMd run(parameters, 2);
  const double before = run.energy();
  run.steps(500, 0.002);
  EXPECT_NEAR(run.energy(), before, 1e-3 * run.solver().measured().sums.kinetic_energy);
  const Atoms& atoms = run.solver().atoms();
  std::size_t outside = 0;
  for (std::size_t i = 0; i < atoms.count(); ++i) {
    const base::Vec3 s = parameters.initial.atoms.box.fraction(atoms.position(i));
    outside += s.x < 0.0 || s.y < 0.0 || s.z < 0.0 || s.x > 1.0 || s.y > 1.0 || s.z > 1.0 ? 1 : 0;
    EXPECT_EQ(atoms.image[i], ImageCount{});
  }
  EXPECT_GT(outside, 50U);  // it evaporates
}

}  // namespace
}  // namespace tacit::md

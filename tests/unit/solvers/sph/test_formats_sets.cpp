// Sets of several files and particles that are no gas: what comes together, what is carried, what is refused.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <random>

#include "../../io/scratch.hpp"
#include "tacit/base/error.hpp"
#include "tacit/io/file.hpp"
#include "tacit/solvers/sph/formats/carried.hpp"
#include "tacit/solvers/sph/formats/gadget.hpp"
#include "tacit/solvers/sph/formats/swift_snapshot.hpp"

namespace tacit::sph::sets_test {
namespace {

namespace fs = std::filesystem;
using io::Number;
using Numbers = std::vector<double>;

/// What one file of a set holds: gas with IDs from `first_id` on, and stars.
struct Part {
  std::size_t gas = 0;
  std::uint64_t first_id = 1;
  std::size_t stars = 0;
};

void write_vectors(io::FileWriter& file, const std::string& name, std::size_t n, double from, Number type) {
  Numbers values(3 * n);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = from + static_cast<double>(i) / 64.0;
  file.array(name, values, std::array<std::uint64_t, 2>{n, 3}, type);
}

void write_scalars(io::FileWriter& file, const std::string& name, std::size_t n, double from, Number type) {
  Numbers values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = from + static_cast<double>(i);
  file.array(name, values, std::array<std::uint64_t, 1>{n}, type);
}

using Header = std::map<std::string, Numbers>;

/// A file with a set's header; `change` may overrule entries of the header.
void write_part(const fs::path& path, const Part& part, const Header& totals,
                const std::function<void(io::FileWriter&)>& more = {}) {
  io::FileWriter file(path);
  file.group("Header");
  Header header{{"BoxSize", {1}},
                {"MassTable", {0.5, 0, 0, 0, 0.25, 0}},
                {"NumPart_ThisFile", {static_cast<double>(part.gas), 0, 0, 0, static_cast<double>(part.stars), 0}}};
  for (const auto& [name, values] : totals) header[name] = values;
  for (const auto& [name, values] : header) file.attribute("Header", name, std::span<const double>(values));
  if (part.gas > 0) {
    write_vectors(file, "PartType0/Coordinates", part.gas, 0.125, Number::float64);
    write_vectors(file, "PartType0/Velocities", part.gas, static_cast<double>(part.first_id), Number::float32);
    write_scalars(file, "PartType0/InternalEnergy", part.gas, 1.0, Number::float32);
    std::vector<std::uint64_t> ids(part.gas);
    for (std::size_t i = 0; i < part.gas; ++i) ids[i] = part.first_id + i;
    file.array("PartType0/ParticleIDs", std::span<const std::uint64_t>(ids), std::array<std::uint64_t, 1>{part.gas});
  }
  if (part.stars > 0) {
    write_vectors(file, "PartType4/Coordinates", part.stars, 0.25, Number::float32);
    write_vectors(file, "PartType4/Velocities", part.stars, 7.0, Number::float32);
    write_scalars(file, "PartType4/Age", part.stars, 3.0, Number::float64);
    file.attribute("PartType4/Age", "Meaning", std::string_view("time since birth"));
    file.attribute("PartType4/Age", "scale", std::array{2.5, 3.5});
    std::vector<std::uint64_t> ids(part.stars);
    for (std::size_t i = 0; i < part.stars; ++i) ids[i] = 1000 - i;
    file.array("PartType4/ParticleIDs", std::span<const std::uint64_t>(ids), std::array<std::uint64_t, 1>{part.stars});
  }
  if (more) more(file);
  file.commit();
}

const Header of_three{{"NumFilesPerSnapshot", {3}}, {"NumPart_Total", {7, 0, 0, 0, 4, 0}}};

void write_set(const test::Scratch& scratch) {
  write_part(scratch / "ics.0.hdf5", {4, 11, 0}, of_three);
  write_part(scratch / "ics.1.hdf5", {0, 0, 3}, of_three);
  write_part(scratch / "ics.2.hdf5", {3, 21, 1}, of_three);
}

std::string refusal(const fs::path& path) {
  return test::message_of<base::Error>([&] { (void)read_gadget(path, {}); });
}

template <class T>
std::vector<T> numbers_of(const CarriedArray& array) {
  std::vector<T> numbers(array.values.size() / sizeof(T));
  std::memcpy(numbers.data(), array.values.data(), array.values.size());
  return numbers;
}

const CarriedArray& array_of(const OtherParticles& others, const std::string& name) {
  return *std::ranges::find(others.types.at(0).arrays, name, &CarriedArray::name);
}

void expect_same(const OtherParticles& a, const OtherParticles& b) {
  ASSERT_EQ(a.types.size(), b.types.size());
  for (std::size_t t = 0; t < a.types.size(); ++t) {
    EXPECT_EQ(a.types[t].type, b.types[t].type);
    EXPECT_EQ(a.types[t].count, b.types[t].count);
    EXPECT_EQ(a.types[t].mass, b.types[t].mass);
    ASSERT_EQ(a.types[t].arrays.size(), b.types[t].arrays.size());
    for (std::size_t i = 0; i < a.types[t].arrays.size(); ++i) {
      const CarriedArray& first = a.types[t].arrays[i];
      const CarriedArray& second = b.types[t].arrays[i];
      EXPECT_EQ(first.name, second.name);
      EXPECT_EQ(first.shape, second.shape);
      EXPECT_EQ(first.type, second.type);
      EXPECT_EQ(first.values, second.values) << first.name;
      EXPECT_EQ(first.description, second.description);
      EXPECT_EQ(first.dimension, second.dimension);
      EXPECT_EQ(first.attributes, second.attributes) << first.name;
    }
  }
}

}  // namespace

TEST(FileSets, AnyNameOfTheSetReadsAllOfIt) {
  const test::Scratch scratch;
  write_set(scratch);
  for (const char* name : {"ics.0.hdf5", "ics.1.hdf5", "ics.2.hdf5", "ics.hdf5", "ics"}) {
    const InitialConditions gas = read_gadget(scratch / name, {});
    EXPECT_EQ(gas.id, (std::vector<std::uint64_t>{11, 12, 13, 14, 21, 22, 23})) << name;
    EXPECT_EQ(gas.x[5], 0.125 + 3.0 / 64.0);
    EXPECT_EQ(gas.vx[4], 21.0);
    EXPECT_EQ(gas.m, Numbers(7, 0.5));
    EXPECT_EQ(gas.u[3], 4.0);
    EXPECT_EQ(gas.source, (scratch / "ics.0.hdf5").string() + " and 2 more");
    EXPECT_EQ(gas.checksum.size(), 32U);
    EXPECT_EQ(numbers_of<double>(array_of(gas.others, "Age")), (Numbers{3, 4, 5, 3}));
    // Ranks read their shares, wherever files end.
    for (const std::uint64_t ranks : {2U, 3U, 9U}) {
      InitialConditions shared;
      for (std::uint64_t rank = 0; rank < ranks; ++rank) {
        const InitialConditions part = read_gadget(scratch / name, {}, {rank, ranks});
        EXPECT_EQ(part.checksum.empty(), rank > 0);
        shared.id.insert(shared.id.end(), part.id.begin(), part.id.end());
        for (const auto field : {&InitialConditions::x, &InitialConditions::y, &InitialConditions::vx,
                                 &InitialConditions::m, &InitialConditions::u}) {
          (shared.*field).insert((shared.*field).end(), (part.*field).begin(), (part.*field).end());
        }
      }
      EXPECT_EQ(shared.id, gas.id);
      for (const auto field : {&InitialConditions::x, &InitialConditions::y, &InitialConditions::vx,
                               &InitialConditions::m, &InitialConditions::u}) {
        EXPECT_EQ(shared.*field, gas.*field);
      }
    }
  }
  EXPECT_EQ(first_of_set(scratch / "ics"), scratch / "ics.0.hdf5");
  EXPECT_EQ(first_of_set(scratch / "ics.hdf5"), scratch / "ics.0.hdf5");
  EXPECT_EQ(first_of_set(scratch / "ics.1.hdf5"), std::nullopt);  // it is there itself
  EXPECT_EQ(first_of_set(scratch / "other"), std::nullopt);
}

TEST(FileSets, AMissingPartIsNamed) {
  const test::Scratch scratch;
  write_set(scratch);
  fs::remove(scratch / "ics.1.hdf5");
  EXPECT_EQ(refusal(scratch / "ics.2.hdf5"),
            (scratch / "ics.2.hdf5").string() + ": is one of a set of 3 files, of which ics.1.hdf5 is missing");
}

TEST(FileSets, PartsMustFitTogether) {
  const test::Scratch scratch;
  write_set(scratch);
  const std::string first = (scratch / "ics.0.hdf5").string();
  const std::string last = (scratch / "ics.2.hdf5").string();
  write_part(scratch / "ics.2.hdf5", {2, 21, 1}, of_three);
  EXPECT_EQ(refusal(scratch / "ics"),
            first +
                ": Header: attribute 'NumPart_Total' says 7 particles of PartType0 (gas), but 'NumPart_ThisFile' "
                "of the 3 files adds up to 6");
  write_part(scratch / "ics.2.hdf5", {3, 12, 1}, of_three);
  EXPECT_EQ(refusal(scratch / "ics"),
            first + ": PartType0/ParticleIDs: particles 1 and 4 have the same ID 12; expected unique IDs");
  Header other_box = of_three;
  other_box["BoxSize"] = {2};
  write_part(scratch / "ics.2.hdf5", {3, 21, 1}, other_box);
  EXPECT_EQ(refusal(scratch / "ics"),
            last + ": Header: attribute 'BoxSize' is not that of ics.0.hdf5; do both belong to one set?");
  write_set(scratch);
  test::put(scratch / "ics.1.hdf5", "text");
  EXPECT_EQ(refusal(scratch / "ics"), (scratch / "ics.1.hdf5").string() + ": is not an HDF5 file");
}

TEST(FileSets, CountsAreCompared) {
  const test::Scratch scratch;
  const fs::path path = scratch / "one.hdf5";
  const std::string start = path.string() + ": Header: attribute ";
  write_part(path, {2, 1, 0}, {{"NumPart_Total", {2, 0, 0, 0, 0, 0}}, {"NumPart_Total_HighWord", {1}}});
  EXPECT_EQ(refusal(path), start +
                               "'NumPart_Total' says 4294967298 particles of PartType0 (gas), but "
                               "'NumPart_ThisFile' says 2");
  write_part(path, {2, 1, 0}, {{"NumPart_Total", {2, 5}}});
  EXPECT_EQ(refusal(path),
            start + "'NumPart_Total' says 5 particles of PartType1 (dark matter), but 'NumPart_ThisFile' says 0");
  write_part(path, {2, 1, 0}, {{"NumFilesPerSnapshot", {-1}}});
  EXPECT_EQ(refusal(path), start + "'NumFilesPerSnapshot' is -1, expected a number of files");
  write_part(path, {2, 1, 0}, {{"NumFilesPerSnapshot", {1e9}}});
  EXPECT_EQ(refusal(path), path.string() + ": is one of a set of 1000000000 files, of which one.0.hdf5 is missing");
}

TEST(OtherTypes, AreCarriedAsTheyAre) {
  const test::Scratch scratch;
  write_part(scratch / "a.hdf5", {2, 1, 2}, {});
  const OtherParticles others = read_gadget(scratch / "a.hdf5", {}).others;
  ASSERT_EQ(others.types.size(), 1U);
  EXPECT_EQ(others.types[0].type, 4U);
  EXPECT_EQ(others.types[0].count, 2U);
  EXPECT_EQ(others.types[0].mass, 0.25);
  EXPECT_EQ(others.types[0].arrays.size(), 4U);
  EXPECT_EQ(describe(others), "2 of PartType4 (stars)");
  const CarriedArray& age = array_of(others, "Age");
  EXPECT_EQ(age.type, Number::float64);
  EXPECT_EQ(age.dimension, base::dimension::none);
  ASSERT_EQ(age.attributes.size(), 2U);
  EXPECT_EQ(age.attributes[0], (std::pair<std::string, CarriedArray::Attribute>{"Meaning", "time since birth"}));
  EXPECT_EQ(age.attributes[1], (std::pair<std::string, CarriedArray::Attribute>{"scale", Numbers{2.5, 3.5}}));
  EXPECT_EQ(array_of(others, "Coordinates").type, Number::float32);
  EXPECT_EQ(numbers_of<float>(array_of(others, "Coordinates"))[1], 0.25F + 1.0F / 64.0F);
  EXPECT_EQ(numbers_of<std::uint64_t>(array_of(others, "ParticleIDs")), (std::vector<std::uint64_t>{1000, 999}));
  EXPECT_EQ(others.bytes(), 2U * (12 + 12 + 8 + 8));
}

TEST(OtherTypes, AreConvertedToTheUnitsOfTheRun) {
  const test::Scratch scratch;
  write_part(scratch / "a.hdf5", {2, 1, 1}, {{"HubbleParam", {0.5}}}, [](io::FileWriter& file) {
    write_scalars(file, "PartType4/Density", 1, 8.0, Number::float32);
    for (const auto& [name, exponent] : std::map<std::string, double>{{"U_M exponent", 1},
                                                                      {"U_L exponent", -3},
                                                                      {"U_t exponent", 0},
                                                                      {"U_I exponent", 0},
                                                                      {"U_T exponent", 0}}) {
      file.attribute("PartType4/Density", name, std::array{exponent});
    }
  });
  const OtherParticles others = read_gadget(scratch / "a.hdf5", {.h_factors = true}).others;
  EXPECT_EQ(numbers_of<float>(array_of(others, "Coordinates"))[0], 0.5F);
  EXPECT_EQ(numbers_of<float>(array_of(others, "Velocities"))[0], 7.0F);
  EXPECT_EQ(numbers_of<float>(array_of(others, "Density"))[0], 2.0F);  // 8 (M / h) / (L / h)^3
  EXPECT_EQ(others.types[0].mass, 0.5);
  EXPECT_EQ(numbers_of<double>(array_of(others, "Age"))[0], 3.0) << "of unknown unit: unchanged";
}

TEST(OtherTypes, PositionsAreWrappedIntoAPeriodicBox) {
  const test::Scratch scratch;
  write_part(scratch / "a.hdf5", {1, 1, 0}, {{"NumPart_ThisFile", {1, 1}}}, [](io::FileWriter& file) {
    file.array("PartType1/Coordinates", Numbers{-0.25, 3.5, 0.5}, std::array<std::uint64_t, 2>{1, 3}, Number::float64);
  });
  const auto at = [&](Boundary boundary) {
    return numbers_of<double>(read_gadget(scratch / "a.hdf5", {.boundary = boundary}).others.types.at(0).arrays.at(0));
  };
  EXPECT_EQ(at(Boundary::periodic), (Numbers{0.75, 0.5, 0.5}));
  EXPECT_EQ(at(Boundary::open), (Numbers{-0.25, 3.5, 0.5}));
}

TEST(OtherTypes, WhatIsMissingOrDoesNotFitIsNamed) {
  const test::Scratch scratch;
  const fs::path path = scratch / "a.hdf5";
  const auto refusal_with = [&](const Header& header, const std::function<void(io::FileWriter&)>& more) {
    write_part(path, {1, 1, 0}, header, more);
    const std::string message = refusal(path);
    return message.substr(std::min(message.size(), path.string().size() + 2));
  };
  const Header two_dark{{"NumPart_ThisFile", {1, 2}}};
  EXPECT_EQ(refusal_with(two_dark, {}),
            "group PartType1 is missing, but Header says that it holds 2 particles of this type (dark matter)");
  EXPECT_EQ(refusal_with(two_dark, [](io::FileWriter& file) { file.group("PartType1"); }),
            "PartType1/Coordinates is missing");
  EXPECT_EQ(
      refusal_with(two_dark,
                   [](io::FileWriter& file) { write_vectors(file, "PartType1/Coordinates", 3, 0.0, Number::float32); }),
      "PartType1/Coordinates has shape (3, 3), expected (2, 3): Header says 2 particles of this type (dark "
      "matter)");
  EXPECT_EQ(refusal_with(two_dark,
                         [](io::FileWriter& file) {
                           write_vectors(file, "PartType1/Coordinates", 2, std::numeric_limits<double>::quiet_NaN(),
                                         Number::float32);
                         }),
            "PartType1/Coordinates: particle 0 has x position nan; expected a finite number");
  EXPECT_EQ(refusal_with({{"NumPart_ThisFile", {1, 0, 0, 0, 0, 0, 0, 3}}}, {}),
            "holds 3 particles of PartType7; expected types 0 to 6");
}

TEST(OtherTypes, CheckpointsRestoreThemBitwise) {
  const test::Scratch scratch;
  write_part(scratch / "a.hdf5", {2, 1, 5}, {});
  const OtherParticles others = read_gadget(scratch / "a.hdf5", {}).others;
  {
    io::FileWriter file(scratch / "restart.hdf5");
    save_others(file, "Sph/Others", others);
    file.commit();
  }
  const io::FileReader file(scratch / "restart.hdf5");
  expect_same(load_others(file, "Sph/Others"), others);
  EXPECT_TRUE(load_others(file, "Sph/Nothing").types.empty());
}

// A flipped bit may pass where it changes a number only; nothing may crash, hang or end in another error.
TEST(OtherTypes, DamagedFilesEndInOneError) {
  const test::Scratch scratch;
  write_part(scratch / "whole.hdf5", {2, 1, 5}, {});
  const std::string whole = test::content(scratch / "whole.hdf5");
  const std::size_t data_bytes = test::data_bytes_of(scratch / "whole.hdf5");  // checksums behind it are not read
  std::mt19937_64 random(11);
  const int trials = std::getenv("TACIT_TEST_FULL") != nullptr ? 1000 : 80;
  for (int trial = 0; trial < trials; ++trial) {
    std::string damaged = whole;
    const std::size_t byte = random() % (trial % 2 == 0 ? data_bytes : whole.size());
    if (trial % 2 == 0) damaged.resize(byte);
    if (trial % 2 == 1) damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << random() % 8));
    test::put(scratch / "damaged.hdf5", damaged);
    const int result = test::in_child([&] { return refusal(scratch / "damaged.hdf5") == "nothing" ? 1 : 0; });
    EXPECT_TRUE(result == 0 || (result == 1 && trial % 2 == 1)) << result << " at byte " << byte;
  }
}

TEST(OtherTypes, DamagedCheckpointsEndInOneError) {
  const test::Scratch scratch;
  write_part(scratch / "a.hdf5", {2, 1, 5}, {});
  const OtherParticles others = read_gadget(scratch / "a.hdf5", {}).others;
  const auto complaint = [&](const std::function<void(OtherParticles&)>& change) {
    OtherParticles changed = others;
    change(changed);
    {
      io::FileWriter file(scratch / "restart.hdf5");
      save_others(file, "Others", changed);
      file.commit();
    }
    const std::string message = test::message_of<base::FormatError>(
        [&] { (void)load_others(io::FileReader(scratch / "restart.hdf5"), "Others"); });
    return message.substr(std::min(message.size(), (scratch / "restart.hdf5").string().size() + 2));
  };
  EXPECT_EQ(complaint([](OtherParticles& o) { o.types[0].count = 4; }),
            "Others/PartType4/Age does not hold one row per particle; the file is damaged");
  EXPECT_EQ(complaint([](OtherParticles& o) { o.types[0].mass = std::nan(""); }),
            "Others/PartType4 holds no number of particles; the file is damaged");
  EXPECT_EQ(complaint([](OtherParticles& o) {
              std::erase_if(o.types[0].arrays, [](const CarriedArray& a) { return a.name == "Coordinates"; });
            }),
            "Others/PartType4 has no positions; the file is damaged");
}

// Snapshot and initial conditions are one layout: what a snapshot holds is read back, sorted by cell.
TEST(OtherTypes, SnapshotsHoldThemSortedByCell) {
  const test::Scratch scratch;
  constexpr std::size_t n = 3000;
  write_part(scratch / "a.hdf5", {1, 1, 0}, {{"NumPart_ThisFile", {1, n}}, {"MassTable", {0.5, 0.125}}},
             [](io::FileWriter& file) {
               Numbers x(3 * n);
               std::vector<std::uint64_t> ids(n);
               for (std::size_t i = 0; i < n; ++i) {
                 ids[i] = i;
                 // 1/8, 3/8, 5/8 and 7/8 in turn along x: between the faces of two or four cells
                 x[3 * i] = static_cast<double>(i % 4) / 4.0 + 0.125;
                 x[3 * i + 1] = x[3 * i + 2] = 0.5;
               }
               file.array("PartType1/Coordinates", x, std::array<std::uint64_t, 2>{n, 3}, Number::float64);
               file.array("PartType1/ParticleIDs", std::span<const std::uint64_t>(ids),
                          std::array<std::uint64_t, 1>{n});
             });
  const OtherParticles others = read_gadget(scratch / "a.hdf5", {}).others;
  SnapshotHeader header;
  header.box = {1, 1, 1};
  const Numbers x(64000, 0.3);  // so that there are 4 x 4 x 4 cells
  std::vector<std::uint64_t> ids(x.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i;
  write_swift_snapshot(io::FileWriter(scratch / "snapshot.hdf5"), header, ids, columns({x, x, x}), {}, others);

  const io::FileReader file(scratch / "snapshot.hdf5");
  EXPECT_EQ(file.attribute("Header", "NumPart_ThisFile"), (Numbers{64000, n, 0, 0, 0, 0, 0}));
  EXPECT_EQ(file.attribute("Header", "NumPart_Total"), (Numbers{64000, n, 0, 0, 0, 0, 0}));
  EXPECT_EQ(file.attribute("Header", "CanHaveTypes"), (Numbers{1, 1, 0, 0, 0, 0, 0}));
  std::vector<std::uint64_t> counts(64), offsets(64), sorted(n);
  file.read("Cells/Counts/PartType1", std::span(counts));
  file.read("Cells/OffsetsInFile/PartType1", std::span(offsets));
  file.read("PartType1/ParticleIDs", std::span(sorted));
  Numbers back(3 * n), masses(n);
  file.read("PartType1/Coordinates", std::span(back));
  file.read("PartType1/Masses", std::span(masses));
  EXPECT_EQ(masses, Numbers(n, 0.125));
  EXPECT_EQ(file.attribute("PartType1/Masses", "U_M exponent"), Numbers{1.0});
  EXPECT_EQ(file.attribute("PartType1/ParticleIDs", "U_L exponent"), Numbers{0.0});
  std::uint64_t seen = 0;
  for (std::size_t c = 0; c < 64; ++c) {
    EXPECT_EQ(offsets[c], seen);
    for (std::uint64_t k = seen; k < seen + counts[c]; ++k) {
      ASSERT_EQ(sorted[k] % 4, c / 16);  // the cell's place along x
      ASSERT_EQ(back[3 * k], static_cast<double>(sorted[k] % 4) / 4.0 + 0.125);
    }
    seen += counts[c];
  }
  EXPECT_EQ(seen, n);
}

}  // namespace tacit::sph::sets_test

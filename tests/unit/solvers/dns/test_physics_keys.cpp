// The keys of scalars, rotation, stratification and forcing: what they become, and what contradictions say.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../../io/scratch.hpp"
#include "tacit/engine/keys.hpp"
#include "tacit/solvers/dns/parameters.hpp"

namespace tacit::dns::physics_keys_test {

constexpr const char* plain = R"(time.end = 1
dns.points = 16
dns.viscosity = 0.1
initial.setup = "taylor_green"
)";

config::Parameters read(const std::filesystem::path& file) {
  std::vector<config::KeyTable> tables;
  for (const auto part : {engine::key_tables(), key_tables()}) tables.insert(tables.end(), part.begin(), part.end());
  return config::Document(file, {}).read(tables);
}

DnsParameters parameters_of(const std::filesystem::path& file, const std::string& text) {
  test::put(file, plain + text);
  return read_parameters(read(file));
}

DnsParameters parameters_of(const std::string& text) {
  const test::Scratch scratch;
  return parameters_of(scratch / "run.toml", text);
}

/// What is said, from the line on.
std::string error_of(const std::string& text) {
  const test::Scratch scratch;
  const auto file = scratch / "run.toml";
  const std::string message = test::message_of<config::Error>([&] { static_cast<void>(parameters_of(file, text)); });
  return message.starts_with(file.string()) ? message.substr(file.string().size() + 1) : message;
}

TEST(PhysicsKeys, AreNothingByDefault) {
  const PhysicsParameters physics = parameters_of("").flow.physics;
  EXPECT_TRUE(physics.all_scalars().empty());
  EXPECT_FALSE(physics.rotates());
  EXPECT_EQ(physics.forcing.kind, ForcingKind::none);
  EXPECT_EQ(physics.phase_shift, PhaseShift::none);
}

TEST(PhysicsKeys, MakeScalars) {
  const DnsParameters p = parameters_of(R"(scalars.schmidt = [0.5, 2, 1]
scalars.gradient_z = [0, -1.5, 1e1]
scalars.initial = ["wave_x", "zero", "isotropic"]
dns.stratification = 3
dns.prandtl = 0.7
)");
  const auto all = p.flow.physics.all_scalars();
  ASSERT_EQ(all.size(), 4);
  EXPECT_DOUBLE_EQ(all[0].diffusivity, 0.2);
  EXPECT_DOUBLE_EQ(all[1].diffusivity, 0.05);
  EXPECT_EQ(all[1].gradient, (base::Vec3{0.0, 0.0, -1.5}));
  EXPECT_EQ(all[2].gradient.z, 10.0);
  EXPECT_DOUBLE_EQ(all[3].diffusivity, 0.1 / 0.7);
  EXPECT_EQ(all[3].gradient.z, 3.0);
  EXPECT_EQ(p.scalars.fields, (std::vector{ScalarField::wave_x, ScalarField::zero, ScalarField::isotropic}));
}

TEST(PhysicsKeys, MakeForcesRotationAndShifts) {
  const PhysicsParameters physics = parameters_of(R"(dns.forcing = "eswaran_pope"
forcing.power = 0.2
forcing.memory = 0.4
forcing.radius = 3
dns.rotation = [0, 1, 2]
dns.truncation = "spherical"
dns.phase_shift = "random"
dns.seed = 5
)")
                                        .flow.physics;
  EXPECT_EQ(physics.forcing.kind, ForcingKind::eswaran_pope);
  EXPECT_EQ(physics.forcing.power, 0.2);
  EXPECT_EQ(physics.forcing.memory, 0.4);
  EXPECT_EQ(physics.forcing.radius, 3.0);
  EXPECT_EQ(physics.rotation, (base::Vec3{0.0, 1.0, 2.0}));
  EXPECT_EQ(physics.phase_shift, PhaseShift::random);
  EXPECT_EQ(physics.seed, 5);
}

/// Defaults that mean nothing to this run are no mistakes where they stand in a file.
TEST(PhysicsKeys, ParametersAsUsedAreReadAgain) {
  const test::Scratch scratch;
  for (const char* text : {"", "dns.dt = 0.01\n"}) {
    test::put(scratch / "run.toml", std::string(plain) + text);
    const std::string used = read(scratch / "run.toml").as_used();
    test::put(scratch / "used.toml", used);
    EXPECT_NO_THROW(static_cast<void>(read_parameters(read(scratch / "used.toml")))) << text;
  }
}

TEST(PhysicsKeys, SayWhatIsWrong) {
  EXPECT_EQ(error_of("scalars.schmidt = [0.7, -1]\n"), "5:25: scalars.schmidt: must be > 0 (got -1)");
  EXPECT_EQ(error_of("scalars.schmidt = 1\nscalars.gradient_x = [1, 2]\n"),
            "6:22: scalars.gradient_x: has 2 entries for 1 scalars\n"
            "  hint: scalars.schmidt says how many scalars there are; give one entry for each");
  EXPECT_EQ(error_of("scalars.schmidt = 1\nscalars.initial = [\"wave_q\"]\n"),
            "6:20: scalars.initial: 'wave_q' is not one of zero, wave_x, wave_y, wave_z, isotropic\n"
            "  hint: did you mean 'wave_x'?");
  EXPECT_EQ(error_of("scalars.initial = \"zero\"\n"),
            "5:19: scalars.initial: has 1 entries for 0 scalars\n"
            "  hint: scalars.schmidt says how many scalars there are; give one entry for each");
  EXPECT_EQ(error_of("dns.forcing = \"constant\"\n"),
            "5:15: forcing.power: is missing; dns.forcing = \"constant\" needs it\n"
            "  hint: write 'power = 1.0' in [forcing] (code units), or with a unit: \"1.0 cm^2 s^-3\"");
  EXPECT_EQ(error_of("dns.forcing = \"frozen\"\nforcing.memory = 1\n"),
            "6:18: forcing.memory: is used with dns.forcing = \"eswaran_pope\" only\n"
            "  hint: set that, or remove this line");
  EXPECT_EQ(error_of("forcing.radius = 2\n"),
            "5:18: forcing.radius: is used with dns.forcing only\n"
            "  hint: set that, or remove this line");
  EXPECT_EQ(error_of("dns.forcing = \"frozen\"\nforcing.radius = 5.5\n"),
            "6:18: forcing.radius: 5.5 waves per box, but only 5 are kept\n"
            "  hint: take more points or a smaller radius; 2 to 3 are usual");
  EXPECT_EQ(error_of("dns.phase_shift = \"random\"\n"),
            "5:19: dns.phase_shift: is used with dns.truncation = \"spherical\" only\n"
            "  hint: set that, or remove this line");
  EXPECT_EQ(error_of("dns.prandtl = 2\n"),
            "5:15: dns.prandtl: is used with dns.stratification only\n"
            "  hint: add that line, or remove this one");
}

}  // namespace tacit::dns::physics_keys_test

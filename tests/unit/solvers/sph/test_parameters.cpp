// The keys of the sph solver: what they become, and what contradictions say.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "samples.hpp"
#include "tacit/solvers/sph/parameters.hpp"

namespace tacit::sph::parameters_test {
namespace {

constexpr const char* time = "time.end = 1\n";

SphParameters parameters_of(const std::string& text) {
  const test::Scratch scratch;
  return read_parameters(testing::read_text(scratch / "run.toml", time + text));
}

/// What read_parameters or the tables say, without the path.
std::string error_of(const std::string& text) {
  const test::Scratch scratch;
  const auto file = scratch / "run.toml";
  const std::string message = test::message_of<config::Error>(
      [&] { static_cast<void>(read_parameters(testing::read_text(file, time + text))); });
  return message.starts_with(file.string()) ? "run.toml" + message.substr(file.string().size()) : message;
}

}  // namespace

TEST(SphParameters, PairsAreGatheredOrVisitedOnce) {
  EXPECT_EQ(parameters_of("initial.setup = \"sedov\"\nsph.pairs = \"symmetric\"\n").pairs, Pairs::symmetric);
  EXPECT_EQ(parameters_of("initial.setup = \"sedov\"\nsph.pairs = \"gather\"\n").pairs, Pairs::gather);
}

TEST(SphParameters, DefaultsAreThoseOfTheTables) {
  const SphParameters p = parameters_of("initial.setup = \"sedov\"\n");
  EXPECT_EQ(p.kernel, Kernel::cubic_spline);
  EXPECT_EQ(p.kernel_name, "cubic_spline");
  EXPECT_EQ(p.kernel_gamma, kernels::CubicSpline::gamma);
  EXPECT_EQ(p.smoothing.eta, 1.2348);
  EXPECT_EQ(p.smoothing.tolerance, 1e-4);
  EXPECT_EQ(p.smoothing.h_max, 0.0);
  EXPECT_EQ(p.gamma, 5.0 / 3.0);
  EXPECT_EQ(p.cfl, 0.1);
  EXPECT_EQ(p.alpha, SphParameters{}.alpha);
  EXPECT_EQ(p.pairs, Pairs::gather);
  EXPECT_EQ(p.boundary, Boundary::periodic);
  EXPECT_FALSE(p.file.has_value());
  ASSERT_TRUE(p.setup.has_value());
  // The table's defaults are the struct's.
  const Sedov& sedov = std::get<Sedov>(*p.setup);
  const Sedov expected;
  EXPECT_EQ(sedov.resolution, expected.resolution);
  EXPECT_EQ(sedov.box, expected.box);
  EXPECT_EQ(sedov.rho, expected.rho);
  EXPECT_EQ(sedov.P, expected.P);
  EXPECT_EQ(sedov.energy, expected.energy);
  EXPECT_EQ(sedov.jitter, expected.jitter);
}

TEST(SphParameters, AllValuesArrive) {
  const SphParameters p = parameters_of(
      "[sph]\nkernel = \"quintic_spline\"\neta = 1.5\nh_tolerance = 1e-3\nh_max = 0.25\ngamma = 1.4\ncfl = 0.2\n"
      "alpha = 1.1\nboundary = \"open\"\n[initial]\nsetup = \"sod\"\n"
      "[sod]\nresolution = 16\nlength = 2\nrho_left = 3\nP_left = 4\nP_right = 5\n");
  EXPECT_EQ(p.kernel, Kernel::quintic_spline);
  EXPECT_EQ(p.kernel_gamma, kernels::QuinticSpline::gamma);
  EXPECT_EQ(p.smoothing.eta, 1.5);
  EXPECT_EQ(p.smoothing.tolerance, 1e-3);
  EXPECT_EQ(p.smoothing.h_max, 0.25);
  EXPECT_EQ(p.gamma, 1.4);
  EXPECT_EQ(p.cfl, 0.2);
  EXPECT_EQ(p.alpha, 1.1);
  EXPECT_EQ(p.boundary, Boundary::open);
  const Sod& sod = std::get<Sod>(*p.setup);
  EXPECT_EQ(sod.resolution, 16);
  EXPECT_EQ(sod.length, 2.0);
  EXPECT_EQ(sod.rho_left, 3.0);
  EXPECT_EQ(sod.P_left, 4.0);
  EXPECT_EQ(sod.P_right, 5.0);
  EXPECT_EQ(sod.gamma, 1.4);
  EXPECT_EQ(sod.eta, 1.5);
  EXPECT_EQ(initial_conditions(p, base::UnitSystem{}).size(), particle_count(*p.setup));
}

TEST(SphParameters, EachKernelBringsItsSupport) {
  const SphParameters p = parameters_of("initial.setup = \"sod\"\nsph.kernel = \"quartic_spline\"\n");
  EXPECT_EQ(p.kernel, Kernel::quartic_spline);
  EXPECT_EQ(p.kernel_gamma, kernels::QuarticSpline::gamma);
  const auto support = [](const char* kernel, int dimension) {
    return parameters_of("initial.setup = \"sedov\"\nsph.kernel = \"" + std::string(kernel) +
                         "\"\nsph.dimension = " + std::to_string(dimension) + "\n")
        .kernel_gamma;
  };
  EXPECT_EQ(support("cubic_spline", 1), 1.732051);
  EXPECT_EQ(support("quintic_spline", 2), 2.158130);
  EXPECT_EQ(support("wendland_c2", 1), 1.620185);
  EXPECT_EQ(support("wendland_c4", 1), 1.936492);
  EXPECT_EQ(support("wendland_c6", 1), 2.207940);
  EXPECT_EQ(support("wendland_c2", 2), 1.897367);
  EXPECT_EQ(support("wendland_c4", 3), 2.207940);
  EXPECT_EQ(support("wendland_c6", 3), 2.449490);
}

TEST(SphParameters, SetUpsAreMadeInTheRunsDimension) {
  for (const int dimension : {1, 2, 3}) {
    for (const char* setup : {"sedov", "sod"}) {
      const SphParameters p =
          parameters_of("initial.setup = \"" + std::string(setup) + "\"\nsph.dimension = " + std::to_string(dimension) +
                        "\n[sedov]\nresolution = 8\n[sod]\nresolution = 8\n");
      EXPECT_EQ(p.smoothing.dimension, dimension);
      const InitialConditions gas = initial_conditions(p, base::UnitSystem{});
      EXPECT_EQ(gas.dimension, dimension);
      EXPECT_EQ(gas.size(), particle_count(*p.setup));
    }
  }
}

TEST(SphParameters, ContradictionsSayWhereAndWhat) {
  EXPECT_EQ(error_of(""),
            "run.toml: initial.file: is missing, and so is initial.setup; one is needed\n"
            "  hint: add   file = \"ics.hdf5\"   or   setup = \"sedov\"   under [initial]");
  EXPECT_EQ(error_of("[initial]\nfile = \"a.hdf5\"\nsetup = \"sedov\"\n"),
            "run.toml:4:9: initial.setup: stands beside initial.file; only one of them is used\n"
            "  hint: remove one of the two lines");
  EXPECT_EQ(error_of("initial.setup = \"sod\"\n[sod]\nresolution = 42\n"),
            "run.toml:4:14: sod.resolution: 42 is not a multiple of 4\n"
            "  hint: write 44; the sparse side has half as many cells per length, a quarter across");
  EXPECT_EQ(error_of("initial.setup = \"sod\"\nsph.dimension = 1\n[sod]\nresolution = 44\n"),
            "run.toml:5:14: sod.resolution: 44 is not a multiple of 8\n"
            "  hint: write 48; the sparse side has an eighth as many particles");
  EXPECT_EQ(error_of("initial.setup = \"sedov\"\n[sod]\nresolution = 42\n"), "nothing");  // not used
}

TEST(SphParameters, DefaultsOfFurtherSetUpsAreThoseOfTheirStructs) {
  const auto setup_of = [](const char* name, const std::string& boundary, const std::string& more = "") {
    const std::string text = "initial.setup = \"" + std::string(name) + "\"\nsph.boundary = \"" + boundary + "\"\n";
    return *parameters_of(text + more).setup;
  };
  // The particles tell every number but those that only scale with others.
  const auto expect_same = [](const sph::Setup& read, const sph::Setup& expected) {
    ASSERT_EQ(read.index(), expected.index());
    const InitialConditions a = make(read);
    const InitialConditions b = make(expected);
    EXPECT_EQ(a.box, b.box);
    for (const auto field : {&InitialConditions::x, &InitialConditions::y, &InitialConditions::z,
                             &InitialConditions::vx, &InitialConditions::vy, &InitialConditions::vz,
                             &InitialConditions::m, &InitialConditions::u, &InitialConditions::h}) {
      EXPECT_EQ(a.*field, b.*field) << a.source;
    }
  };
  expect_same(setup_of("noh", "open"), Noh{});
  expect_same(setup_of("gresho", "periodic"), Gresho{});
  expect_same(setup_of("kelvin_helmholtz", "periodic"), KelvinHelmholtz{});
  expect_same(setup_of("square", "periodic"), Square{});
  expect_same(setup_of("blob", "periodic"), Blob{});
  // In units in which G = 1: 6.6743e-8 cm^3 g^-1 s^-2.
  const sph::Setup evrard =
      setup_of("evrard", "open", "[units]\nmass = \"6.6743e-8 g\"\nvelocity = \"6.6743e-8 cm/s\"\n");
  EXPECT_EQ(make(evrard).x, make(Evrard{}).x);
  // Code units: length 1 cm, mass 6.6743e-8 g, velocity 6.6743e-8 cm/s, so G is 6.6743e-8^2 / 6.6743e-8^2 = 1.
  EXPECT_NEAR(std::get<Evrard>(evrard).u, 0.05, 1e-12);
}

TEST(SphParameters, ValuesOfFurtherSetUpsArrive) {
  const SphParameters p = parameters_of(
      "initial.setup = \"blob\"\nsph.gamma = 1.4\nsph.dimension = 2\n[blob]\nresolution = 9\nradius = 2\n"
      "density = 3\ndensity_ratio = 4\npressure = 5\nmach = 6\n");
  const Blob& blob = std::get<Blob>(*p.setup);
  EXPECT_EQ(blob.resolution, 9);
  EXPECT_EQ(blob.radius, 2.0);
  EXPECT_EQ(blob.rho, 3.0);
  EXPECT_EQ(blob.contrast, 4.0);
  EXPECT_EQ(blob.P, 5.0);
  EXPECT_EQ(blob.mach, 6.0);
  EXPECT_EQ(blob.gamma, 1.4);
  EXPECT_EQ(blob.dimension, 2);
  const SphParameters q = parameters_of(
      "initial.setup = \"kelvin_helmholtz\"\n[kelvin_helmholtz]\nresolution = 9\nbox = 2\ndensity = 3\n"
      "density_ratio = 4\npressure = 5\nshear = 6\namplitude = 7\nmodes = 8\nsmoothing = 0.01\n");
  const KelvinHelmholtz& shear = std::get<KelvinHelmholtz>(*q.setup);
  EXPECT_EQ(shear.resolution, 9);
  EXPECT_EQ(shear.box, 2.0);
  EXPECT_EQ(shear.rho, 3.0);
  EXPECT_EQ(shear.contrast, 4.0);
  EXPECT_EQ(shear.P, 5.0);
  EXPECT_EQ(shear.shear, 6.0);
  EXPECT_EQ(shear.amplitude, 7.0);
  EXPECT_EQ(shear.modes, 8);
  EXPECT_EQ(shear.smoothing, 0.01);
}

TEST(SphParameters, GasInAHaloTakesTheHaloOfThePotential) {
  const std::string text =
      "initial.setup = \"nfw_gas\"\nsph.boundary = \"open\"\n[units]\nlength = \"1 kpc\"\nmass = \"1e10 Msun\"\n"
      "velocity = \"1 km/s\"\n[potential]\nnfw_mass = 100.0\n";
  const SphParameters p = parameters_of(text);
  const NfwGas& halo = std::get<NfwGas>(*p.setup);
  EXPECT_NEAR(halo.radius, 1.5 * 206.3, 0.2);
  EXPECT_NEAR(halo.mass, 10.0, 1e-12);
  EXPECT_EQ(halo.polytropic, 1.2);
  EXPECT_EQ(halo.c0, 0.0);
  EXPECT_EQ(halo.potential.GM_halo, p.potential.GM_halo);
  EXPECT_EQ(halo.potential.centre, (base::Vec3{halo.radius, halo.radius, halo.radius}));
  const SphParameters q =
      parameters_of("sph.equation_of_state = \"isothermal\"\nsph.sound_speed = 3.0\n" + text + "x = 7.0\n");
  EXPECT_EQ(std::get<NfwGas>(*q.setup).c0, 3.0);
  EXPECT_EQ(std::get<NfwGas>(*q.setup).potential.centre.x, 7.0);
}

TEST(SphParameters, SetUpsSayWhatTheyNeed) {
  EXPECT_EQ(error_of("initial.setup = \"noh\"\n"),
            "run.toml:2:17: sph.boundary: noh needs a box that is open, not one that is periodic\n"
            "  hint: set sph.boundary = \"open\"");
  EXPECT_EQ(error_of("initial.setup = \"gresho\"\nsph.boundary = \"reflecting\"\n"),
            "run.toml:3:16: sph.boundary: gresho needs a box that is periodic, not one that is reflecting\n"
            "  hint: set sph.boundary = \"periodic\"");
  EXPECT_EQ(error_of("initial.setup = \"square\"\nsph.dimension = 1\n"),
            "run.toml:3:17: sph.dimension: square needs 2 dimensions\n  hint: write 2 or 3");
  EXPECT_EQ(error_of("initial.setup = \"evrard\"\nsph.dimension = 2\n"),
            "run.toml:3:17: sph.dimension: evrard needs 3 dimensions\n  hint: write 3, or leave it out");
  EXPECT_EQ(error_of("initial.setup = \"square\"\nsquare.resolution = 18\n"),
            "run.toml:3:21: square.resolution: 18 is not a multiple of 4\n"
            "  hint: write 20; the sides of the square lie between cells");
  const std::string halo = "initial.setup = \"nfw_gas\"\nsph.boundary = \"open\"\n";
  EXPECT_EQ(error_of(halo),
            "run.toml:2:17: initial.setup: nfw_gas rests in a halo, and there is none\n"
            "  hint: set potential.nfw_mass, such as \"1e12 Msun\"");
  EXPECT_EQ(error_of(halo + "[potential]\nnfw_mass = 1.0\npoint_mass = 1.0\n"),
            "run.toml:2:17: initial.setup: nfw_gas is at rest in a halo alone\n"
            "  hint: remove potential.point_mass and potential.field_x, _y, _z");
  EXPECT_EQ(
      error_of(halo + "sph.equation_of_state = \"barotropic\"\nsph.sound_speed = 1.0\nsph.critical_density = 1.0\n"
                      "potential.nfw_mass = 1.0\n"),
      "run.toml:2:17: initial.setup: nfw_gas is not known for gas that is barotropic\n"
      "  hint: set sph.equation_of_state = \"ideal\"");
}

TEST(SphParameters, EquationsOfStateBringTheirNumbersOrAreRefused) {
  const std::string setup = "initial.setup = \"sedov\"\n";
  const SphParameters p = parameters_of(setup +
                                        "[sph]\nequation_of_state = \"barotropic\"\nsound_speed = 2.0\n"
                                        "critical_density = 3.0\n");
  EXPECT_EQ(p.eos.kind, kernels::EquationOfState::Kind::barotropic);
  EXPECT_EQ(p.eos.c0, 2.0);
  EXPECT_EQ(p.eos.rho_c, 3.0);
  const SphParameters q = parameters_of(setup + "[sph]\nequation_of_state = \"isothermal\"\nsound_speed = 2.0\n");
  EXPECT_TRUE(std::isinf(q.eos.rho_c));
  EXPECT_EQ(error_of(setup + "[sph]\nequation_of_state = \"isothermal\"\n"),
            "run.toml:4:21: sph.sound_speed: is missing; sph.equation_of_state = \"isothermal\" needs it\n"
            "  hint: write 'sound_speed = 1.0' in [sph] (code units), or with a unit: \"1.0 cm s^-1\"");
  EXPECT_EQ(
      error_of(setup + "[sph]\nsound_speed = 2.0\n"),
      "run.toml:4:15: sph.sound_speed: is used with sph.equation_of_state = \"isothermal\" or \"barotropic\" only\n"
      "  hint: set that, or remove this line");
  EXPECT_EQ(error_of(setup + "cooling.time = 1.0\n[sph]\nequation_of_state = \"isothermal\"\nsound_speed = 2.0\n"),
            "run.toml:3:16: cooling.time: is used with sph.equation_of_state = \"ideal\" only\n"
            "  hint: set that, or remove this line");
}

TEST(SphParameters, PotentialsComeInCodeUnits) {
  const std::string units =
      "initial.setup = \"sedov\"\nsph.boundary = \"reflecting\"\n[units]\nlength = \"1 kpc\"\nmass = \"1e10 Msun\"\n"
      "velocity = \"1 km/s\"\n";
  const SphParameters p = parameters_of(units +
                                        "[potential]\npoint_mass = 1.0\nnfw_mass = \"1e12 Msun\"\n"
                                        "nfw_concentration = 10\nsoftening = \"100 pc\"\nx = 3.0\nfield_z = 0.5\n");
  EXPECT_EQ(p.boundary, Boundary::reflecting);
  // G = 43007.1 kpc (km/s)^2 / 1e10 Msun, well known from GADGET's units; six digits of constants.
  EXPECT_NEAR(p.potential.GM_point, 43009.2, 1.0);
  EXPECT_NEAR(p.potential.softening, 0.1, 1e-12);
  EXPECT_EQ(p.potential.field, (base::Vec3{0.0, 0.0, 0.5}));
  EXPECT_EQ(p.potential.centre.x, 3.0);
  EXPECT_EQ(p.is_centre_given, (std::array{true, false, false}));
  // r200^3 = M / (4/3 pi 200 rho_c), rho_c = 9.2e-30 g cm^-3 = 135.9 Msun / kpc^3: 206.3 kpc.
  EXPECT_NEAR(p.potential.r_s, 20.63, 0.01);
  // Within r200 it pulls like its mass.
  kernels::Potential halo = p.potential;
  halo.GM_point = 0.0;
  halo.field = {};
  halo.softening = 0.0;
  const double r200 = 10.0 * halo.r_s;
  const double a = kernels::pull(halo, {3.0 + r200, 0.0, 0.0}, 1.0).a.x;
  EXPECT_NEAR(-a * r200 * r200, 100.0 * p.potential.GM_point, 1e-9 * 100.0 * p.potential.GM_point);
}

TEST(SphParameters, FieldsMustHaveSomewhereToPull) {
  const std::string setup = "initial.setup = \"sedov\"\n";
  EXPECT_EQ(error_of(setup + "potential.field_x = 1.0\n"),
            "run.toml:3:21: potential.field_x: accelerates the gas in a periodic box without end\n"
            "  hint: set sph.boundary = \"reflecting\" or \"open\"");
  EXPECT_EQ(error_of(setup + "potential.field_y = 1.0\n[sph]\ndimension = 1\nboundary = \"open\"\n"),
            "run.toml:3:21: potential.field_y: pulls along an axis that a run in 1 dimension has not");
}

TEST(SphParameters, CoolingIsASourceTerm) {
  const SphParameters p = parameters_of("initial.setup = \"sedov\"\n[cooling]\ntime = 2.0\nsound_speed = 1.0\n");
  ASSERT_EQ(p.sources.size(), 1U);
  // u_floor = c^2 / (gamma (gamma - 1)) = 0.9.
  EXPECT_TRUE(p.sources[0]->describe().starts_with("cooling within 2 to 0.89999")) << p.sources[0]->describe();
}

TEST(SphParameters, TablesRefuseWhatPhysicsForbids) {
  for (const char* line :
       {"sph.gamma = 1.0", "sph.cfl = 0", "sph.eta = 0.4", "sph.h_max = 0", "sph.h_tolerance = 0", "sph.alpha = -1",
        "sph.dimension = 4", "sedov.density = 0", "sedov.resolution = 3", "sph.kernel = \"cubic\""}) {
    EXPECT_NE(error_of("initial.setup = \"sedov\"\n" + std::string(line) + "\n"), "nothing") << line;
  }
}

}  // namespace tacit::sph::parameters_test

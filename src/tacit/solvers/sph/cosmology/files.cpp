// Scale factors and universes as headers of GADGET, SWIFT and their kin say them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/cosmology/files.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "tacit/base/error.hpp"

namespace tacit::sph {
namespace {

[[noreturn]] void refuse(const io::FileReader& file, const std::string& what) {
  throw base::FormatError(file.path().string(), what);
}

/// A number that one of the groups may have.
struct Said {
  std::string where;  ///< "Header: 'Omega0'"
  double value = 0.0;
};
std::optional<Said> find_number(const io::FileReader& file, std::string_view group, std::string_view name) {
  const std::string in(group);
  const std::string attribute(name);
  if (!file.has(in) || !file.has_attribute(in, attribute)) return std::nullopt;
  if (file.attribute_kind(in, attribute) != io::AttributeKind::numbers) return std::nullopt;
  const std::vector<double> values = file.attribute(in, attribute);
  if (values.size() != 1 || !std::isfinite(values[0])) return std::nullopt;
  return Said{fmt::format("{}: '{}'", group, name), values[0]};
}

struct Name {
  std::string_view group, attribute;
};

/// Nothing, or 0, is no word of it: programs fill headers with zeros.
void require_same(const io::FileReader& file, std::initializer_list<Name> names, const char* key, double ours) {
  constexpr double rounding = 1e-3;  // of files that give three digits
  for (const auto& [group, attribute] : names) {
    const auto said = find_number(file, group, attribute);
    if (!said || said->value == 0.0 || std::abs(said->value - ours) <= rounding * std::abs(ours)) continue;
    refuse(file, fmt::format("{} is {:.6g}, and {} of the run is {:.6g}: they are of different universes; change the "
                             "key, or take another file",
                             said->where, said->value, key, ours));
  }
}

/// @throws base::FormatError where what the file says twice differs
double scale_factor_of(const io::FileReader& file, double begin) {
  constexpr double rounding = 1e-4;
  std::optional<Said> found;
  const auto add = [&](const std::optional<Said>& said) {
    if (!said) return;
    if (!(said->value > 0.0)) {
      refuse(file, fmt::format("{} is {:.6g} as a scale factor, expected a number > 0", said->where, said->value));
    }
    if (found && std::abs(found->value - said->value) > rounding * said->value) {
      refuse(file,
             fmt::format("contradicts itself: {} is the scale factor {:.6g}, and {} is {:.6g}; remove the wrong one",
                         found->where, found->value, said->where, said->value));
    }
    if (!found) found = said;
  };
  add(find_number(file, "Header", "Scale-factor"));
  const bool is_of_swift = found.has_value();
  auto redshift = find_number(file, "Header", "Redshift");
  if (redshift) redshift->value = 1.0 / (1.0 + redshift->value);
  // Where both are 0 they have not been filled in.
  const auto time = find_number(file, "Header", "Time");
  const bool is_said = time && time->value > 0.0 && !is_of_swift;
  if (is_said) add(time);  // GADGET's scale factor; SWIFT's time is another
  if (redshift && (is_said || is_of_swift || redshift->value != 1.0)) add(redshift);
  if (!found && begin > 0.0) return begin;
  if (!found) {
    refuse(file, "says no scale factor: its Header has no Scale-factor, Time or Redshift; set time.begin");
  }
  if (begin > 0.0 && std::abs(begin - found->value) > rounding * begin) {
    refuse(file, fmt::format("{} is the scale factor {:.6g}, and time.begin is {:.6g}; leave time.begin out",
                             found->where, found->value, begin));
  }
  return begin > 0.0 ? begin : found->value;
}

/// The power of a that an array says it needs to become physical.
std::optional<double> power_of(const io::FileReader& file, const std::string& array) {
  if (!file.has(array) || !file.has_attribute(array, "a-scale exponent")) return std::nullopt;
  return file.attribute(array, "a-scale exponent").front();
}

}  // namespace

ComovingFile read_comoving(const io::FileReader& file, const std::string& type, const GadgetOptions& options) {
  for (const Name& sign : {Name{"Cosmology", "Cosmological run"}, Name{"Header", "ComovingIntegrationOn"},
                           Name{"Parameters", "ComovingIntegrationOn"}}) {
    const auto said = find_number(file, sign.group, sign.attribute);
    if (said && said->value == 0.0) {
      refuse(file,
             fmt::format("comes from a run without expansion ({} is 0), and cosmology.expanding is true", said->where));
    }
  }
  const Cosmology& ours = *options.cosmology;
  require_same(file, {{"Header", "Omega0"}, {"Parameters", "Omega0"}, {"Cosmology", "Omega_m"}}, "cosmology.omega_m",
               ours.omega_m);
  require_same(file, {{"Header", "OmegaLambda"}, {"Parameters", "OmegaLambda"}, {"Cosmology", "Omega_lambda"}},
               "cosmology.omega_lambda", ours.omega_lambda);
  require_same(file, {{"Header", "HubbleParam"}, {"Parameters", "HubbleParam"}, {"Cosmology", "h"}}, "cosmology.h",
               ours.h);

  ComovingFile result;
  const double a = result.a = scale_factor_of(file, options.begin);
  const bool is_of_swift = file.has_attribute("Header", "Scale-factor");
  const bool is_gadgets =
      options.velocities == FileVelocities::gadget || (options.velocities == FileVelocities::automatic && !is_of_swift);
  result.of_velocities = is_gadgets ? a * std::sqrt(a) : a;
  if (const auto power = power_of(file, type + "/Velocities")) result.of_velocities = a * std::pow(a, *power);
  result.of_energies = a * a;
  for (const char* name : {"/InternalEnergies", "/InternalEnergy"}) {
    if (const auto power = power_of(file, type + name)) result.of_energies = a * a * std::pow(a, *power);
  }
  return result;
}

void take_comoving(InitialConditions& particles, const io::FileReader& file, const std::string& type,
                   const GadgetOptions& options) {
  const ComovingFile comoving = read_comoving(file, type, options);
  particles.time = comoving.a;
  for (std::vector<double>* v : {&particles.vx, &particles.vy, &particles.vz}) {
    for (double& value : *v) value *= comoving.of_velocities;
  }
  for (double& u : particles.u) u *= comoving.of_energies;
}

}  // namespace tacit::sph

// The keys of the table [analysis].
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "tacit/solvers/md/analysis/motion.hpp"
#include "tacit/solvers/md/analysis/parameters.hpp"
#include "tacit/solvers/md/parameters.hpp"

namespace tacit::md {
namespace {

using config::Choice;
using config::Key;
namespace dim = base::dimension;

constexpr std::array axis_choices{
    Choice{"x", std::size_t{0}, "x"},
    Choice{"y", std::size_t{1}, "y"},
    Choice{"z", std::size_t{2}, "z"},
};

constexpr std::array analysis_table{
    Key::quantity("analysis.begin", dim::time, "Time of the first sample. Without it: that of the initial conditions."),
    Key::positive("analysis.write_every", dim::time,
                  "Time between files of what has been measured so far (analysis_STEP.hdf5). Without it: one at the "
                  "begin and one at the end.")
        .changeable(),
    Key::positive("analysis.pairs_every", dim::time,
                  "Time between samples of how far atoms are from each other, g(r), for each pair of types, a whole "
                  "number of md.dt. Without it they are not taken."),
    Key::positive("analysis.pair_distance", dim::length,
                  "The largest distance of g(r), at most half of the box. Without it: twice the cutoff, if that is not "
                  "too far.")
        .needs("analysis.pairs_every"),
    Key::integer("analysis.pair_bins", {8, 100000}, "Intervals of distance.", "200").needs("analysis.pairs_every"),
    Key::positive("analysis.motion_every", dim::time,
                  "Time between samples of how atoms move: mean squared displacements and velocity autocorrelations, a "
                  "whole number of md.dt. Without it they are not taken."),
    Key::positive("analysis.longest_lag", dim::time,
                  "The longest time over which motion is followed; it is rounded up to analysis.motion_every times 16, "
                  "32, 64, ... Each doubling takes 768 bytes of memory for each atom. Without it: a quarter of what is "
                  "left of the run at analysis.begin.")
        .needs("analysis.motion_every"),
    Key::positive("analysis.waves_every", dim::time,
                  "Time between samples of the static structure factor S(k), a whole number of md.dt. Without it they "
                  "are not taken. It needs a box that is periodic on all sides."),
    Key::positive("analysis.highest_wave_number", {.length = -1},
                  "Of S(k). Without it: four times 2 pi over the mean distance of atoms, at most 64 times the lowest.")
        .needs("analysis.waves_every"),
    Key::integer("analysis.waves_of_shell", {1, 100000}, "Waves that are taken of each shell of wave numbers, at most.",
                 "64")
        .needs("analysis.waves_every"),
    Key::positive("analysis.slabs_every", dim::time,
                  "Time between samples of densities, temperature, velocity and stress of slabs, a whole number of "
                  "md.dt. Without it they are not taken."),
    Key::integer("analysis.slabs", {1, 100000}, "Slabs of equal width, which fill the box.", "50")
        .needs("analysis.slabs_every"),
    Key::choice("analysis.slab_axis", axis_choices, std::size_t{2}, "Across which edge of the box slabs lie."),
    Key::positive("analysis.bond_length", dim::length,
                  "Atoms that are no farther apart are neighbours: snapshots have their number and Steinhardt's order "
                  "parameters q4 and q6 for each atom. The first minimum of g(r) is usual."),
};

class AnalysisReader {
 public:
  AnalysisReader(const config::Parameters& p, const MdParameters& md) : p_(p), md_(md) {}

  [[nodiscard]] AnalysisParameters read(double cutoff) const {
    AnalysisParameters result;
    const double begin = p_.real_or("analysis.begin", md_.begin);
    if (begin < md_.begin || begin > p_.real("time.end")) {
      throw config::Error(
          p_.where("analysis.begin"), "analysis.begin",
          fmt::format("is {:.6g}, but the run goes from {:.6g} to {:.6g}", begin, md_.begin, p_.real("time.end")),
          "choose a time of the run");
    }
    result.first_step = static_cast<std::uint64_t>(std::ceil((begin - md_.begin) / md_.dt - 1e-6));
    if (p_.has("analysis.write_every")) result.write_every = p_.real("analysis.write_every");
    if (p_.has("analysis.pairs_every")) result.pairs = pairs(cutoff);
    if (p_.has("analysis.motion_every")) result.motion = motion(begin);
    if (p_.has("analysis.waves_every")) result.waves = waves();
    if (p_.has("analysis.slabs_every")) {
      result.slabs = SlabSampling{.steps = steps_of("analysis.slabs_every"),
                                  .count = p_.count("analysis.slabs"),
                                  .axis = p_.choice("analysis.slab_axis", axis_choices)};
    }
    if (p_.has("analysis.bond_length")) {
      result.bond = p_.real("analysis.bond_length");
      refuse_beyond_half("analysis.bond_length", *result.bond);
    }
    if (!result.is_on() && (p_.has("analysis.begin") || p_.has("analysis.write_every"))) {
      const char* key = p_.has("analysis.begin") ? "analysis.begin" : "analysis.write_every";
      throw config::Error(p_.where(key), key, "is given, but nothing is to be measured",
                          "write analysis.pairs_every, motion_every, waves_every or slabs_every, or remove the line");
    }
    return result;
  }

 private:
  [[nodiscard]] bool is_whole(double time) const {
    const double steps = time / md_.dt;
    return std::round(steps) >= 1.0 && std::abs(steps - std::round(steps)) < 1e-6 * std::max(1.0, steps);
  }
  [[nodiscard]] std::uint64_t steps_of(const char* key) const {
    const double every = p_.real(key);
    const double steps = std::max(1.0, std::round(every / md_.dt));
    if (is_whole(every) && steps < 1e15) return static_cast<std::uint64_t>(steps);
    throw config::Error(p_.where(key), key,
                        fmt::format("is {:.6g} times md.dt, expected a whole number", every / md_.dt),
                        fmt::format("for example {:.9g}", std::min(steps, 1e15) * md_.dt));
  }

  /// Of the shortest width between periodic faces.
  [[nodiscard]] double half_of_box() const {
    const Box& box = md_.initial.atoms.box;
    double half = std::numeric_limits<double>::infinity();
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (box.periodic[axis]) half = std::min(half, 0.5 * box.width(axis));
    }
    return half;
  }
  void refuse_beyond_half(const char* key, double reach) const {
    const double half = half_of_box();
    if (reach <= half * (1.0 + 1e-12)) return;
    throw config::Error(
        p_.where(key), key,
        fmt::format("is {:.6g}, more than half of the box, {:.6g}: beyond it atoms see images of themselves", reach,
                    half),
        "a shorter distance, or more atoms");
  }

  [[nodiscard]] WaveSampling waves() const {
    const Box& box = md_.initial.atoms.box;
    const char* key = "analysis.highest_wave_number";
    if (!std::ranges::all_of(box.periodic, std::identity{})) {
      throw config::Error(p_.where("analysis.waves_every"), "analysis.waves_every",
                          "needs a box that is periodic on all sides: waves have to fit into it",
                          "remove the line, or change md.boundary");
    }
    double widest = 0.0;
    for (std::size_t axis = 0; axis < 3; ++axis) widest = std::max(widest, box.width(axis));
    const double lowest = 2.0 * std::numbers::pi / widest;
    const double distance = std::cbrt(box.volume() / static_cast<double>(md_.initial.count));
    const double highest = p_.real_or(key, std::min(8.0 * std::numbers::pi / distance, 64.0 * lowest));
    constexpr double most = 400.0;
    if (highest < lowest || highest > most * lowest) {
      throw config::Error(p_.where(key), key,
                          fmt::format("is {:.6g}, but the box has waves from {:.6g} on, and at most {:.0f} times that "
                                      "may be taken",
                                      highest, lowest, most),
                          "change it");
    }
    return {.steps = steps_of("analysis.waves_every"),
            .highest = highest,
            .waves_of_shell = p_.count("analysis.waves_of_shell")};
  }

  [[nodiscard]] PairSampling pairs(double cutoff) const {
    const char* key = "analysis.pair_distance";
    const double reach = p_.real_or(key, std::min(2.0 * cutoff, half_of_box()));
    refuse_beyond_half(key, reach);
    return {.steps = steps_of("analysis.pairs_every"), .reach = reach, .bins = p_.count("analysis.pair_bins")};
  }

  [[nodiscard]] MotionSampling motion(double begin) const {
    const char* key = "analysis.motion_every";
    const auto refuse = [&](const char* other, const std::string& what, const char* hint) {
      throw config::Error(p_.where(key), key, what + other, hint);
    };
    if (md_.minimizer) refuse("minimize.method", "does not go with ", "atoms that go downhill have no time");
    if (md_.changes_box()) {
      refuse(md_.barostat ? "barostat.pressures" : "strain.rates", "does not go with ",
             "where the box changes, so do the places of atoms: measure motion in a run of constant volume");
    }
    if (p_.real_or("time.dt_max", md_.dt) < md_.dt)
      refuse("time.dt_max", "needs steps of md.dt, but for ", "remove that");
    // Steps are cut to end on these.
    for (const char* time : {"output.snapshot_every", "time.end"}) {
      if (!p_.has(time)) continue;
      const double at = p_.real(time) - (std::string_view(time) == "time.end" ? md_.begin : 0.0);
      if (!is_whole(at))
        refuse(time, "needs steps of md.dt, but one is cut short for ", "a whole number of md.dt there");
    }
    if (p_.has("output.snapshot_times")) {
      const std::vector<double> times = p_.vector("output.snapshot_times");
      const auto is_between = [&](double at) { return at > md_.begin && !is_whole(at - md_.begin); };
      if (std::ranges::any_of(times, is_between)) {
        refuse("output.snapshot_times", "needs steps of md.dt, but one is cut short for ",
               "whole numbers of md.dt there");
      }
    }
    MotionSampling result{.steps = steps_of(key)};
    result.interval = static_cast<double>(result.steps) * md_.dt;
    const double longest = p_.real_or("analysis.longest_lag", 0.25 * (p_.real("time.end") - begin));
    for (double lag = static_cast<double>(Motion::slots) * result.interval; lag < longest * (1.0 - 1e-9); lag *= 2.0) {
      ++result.levels;
    }
    constexpr std::size_t most = 40;
    if (result.levels <= most) return result;
    throw config::Error(p_.where("analysis.longest_lag"), "analysis.longest_lag",
                        fmt::format("is {:.3g} times analysis.motion_every", longest / result.interval),
                        "a shorter one: is the unit what you meant?");
  }

  const config::Parameters& p_;
  const MdParameters& md_;
};

}  // namespace

std::span<const Key> analysis_keys() { return analysis_table; }

AnalysisParameters read_analysis(const config::Parameters& p, const MdParameters& md, double cutoff) {
  return AnalysisReader(p, md).read(cutoff);
}

}  // namespace tacit::md

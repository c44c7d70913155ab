// Takes samples when they are due, and writes files.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/analysis/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tacit/base/error.hpp"

namespace tacit::md {
namespace {

const std::string group_of_checkpoint = "Analysis";
constexpr const char* axis_names = "xyz";
constexpr std::array component_names{"xx", "yy", "zz", "xy", "xz", "yz"};

void write_values(io::FileWriter& file, const std::string& name, const std::vector<double>& values) {
  file.array(name, values, std::array<std::uint64_t, 1>{values.size()});
}

/// "Si", or where several types are called so, "Si_2".
std::vector<std::string> names_of(const std::vector<std::string>& elements) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const bool is_alone = std::ranges::count(elements, elements[k]) == 1;
    names.push_back(is_alone ? elements[k] : fmt::format("{}_{}", elements[k], k + 1));
  }
  return names;
}

/// Means and errors of one quantity, by bin or lag.
struct Curve {
  std::vector<double> mean, error;
  void add(const engine::BlockEstimate& estimate) {
    mean.push_back(estimate.mean);
    error.push_back(estimate.error);
  }
  void write(io::FileWriter& file, const std::string& name) const {
    write_values(file, name, mean);
    write_values(file, name + "_error", error);
  }
};

/// 1/3 of the integral of the autocorrelation up to each lag, by trapezes.
std::vector<double> green_kubo(const std::vector<Motion::Lag>& lags) {
  std::vector<double> result;
  double sum = 0.0;
  for (std::size_t k = 0; k < lags.size(); ++k) {
    if (k > 0) sum += (lags[k].time - lags[k - 1].time) * (lags[k].vacf.mean + lags[k - 1].vacf.mean) / 6.0;
    result.push_back(sum);
  }
  return result;
}

}  // namespace

Analysis::Analysis(const MdParameters& parameters, const Box& box, const FileOrder& order,
                   const engine::Resources& resources)
    : parameters_(parameters.analysis), elements_(names_of(parameters.initial.elements)) {
  const std::size_t types = elements_.size();
  if (parameters_.pairs) pairs_.emplace(*parameters_.pairs, types, resources);
  if (parameters_.motion) motion_.emplace(*parameters_.motion, types, order, resources);
  if (parameters_.waves) waves_.emplace(*parameters_.waves, types, box, resources);
  if (!parameters_.slabs) return;
  slabs_.emplace(*parameters_.slabs, parameters.masses, parameters.units, resources);
  slab_width_ = box.width(parameters_.slabs->axis) / static_cast<double>(parameters_.slabs->count);
}

void Analysis::look(const Atoms& atoms, const Box& box, std::uint64_t step,
                    const std::function<const PerAtom&()>& per_atom) {
  if (step < parameters_.first_step) return;
  const std::uint64_t since = step - parameters_.first_step;
  const auto is_due = [since](const auto& sampling) { return sampling && since % sampling->steps == 0; };
  if (is_due(parameters_.pairs)) pairs_->sample(atoms, box);
  if (is_due(parameters_.motion)) motion_->sample(atoms, box, since / parameters_.motion->steps);
  if (is_due(parameters_.waves)) waves_->sample(atoms, box);
  if (is_due(parameters_.slabs)) slabs_->sample(atoms, box, per_atom());
}

void Analysis::write(io::FileWriter& file) const {
  if (pairs_) write_pairs(file);
  if (motion_) write_motion(file);
  if (waves_) write_waves(file);
  if (slabs_) write_slabs(file);
}

void Analysis::write_waves(io::FileWriter& file) const {
  const std::string group = "StructureFactor";
  const std::size_t shells = waves_->samples() > 0 ? waves_->shells() : 0;
  file.group(group);
  file.attribute(group, "Samples", std::array{static_cast<std::int64_t>(waves_->samples())});
  std::vector<double> k;
  std::vector<double> waves;
  for (std::size_t shell = 0; shell < shells; ++shell) {
    k.push_back(waves_->k(shell));
    waves.push_back(static_cast<double>(waves_->waves(shell)));
  }
  write_values(file, group + "/wave_number", k);
  write_values(file, group + "/waves", waves);
  for (std::size_t a = 0; a < elements_.size(); ++a) {
    for (std::size_t b = a; b < elements_.size(); ++b) {
      Curve s;
      for (std::size_t shell = 0; shell < shells; ++shell) s.add(waves_->s(a, b, shell));
      s.write(file, fmt::format("{}/S {} {}", group, elements_[a], elements_[b]));
    }
  }
}

void Analysis::write_slabs(io::FileWriter& file) const {
  const std::string group = "Slabs";
  const std::size_t count = slabs_->samples() > 0 ? slabs_->count() : 0;
  file.group(group);
  file.attribute(group, "Samples", std::array{static_cast<std::int64_t>(slabs_->samples())});
  file.attribute(group, "Axis", std::string_view(axis_names).substr(slabs_->axis(), 1));
  std::vector<double> middle;
  for (std::size_t slab = 0; slab < count; ++slab) middle.push_back(slab_width_ * (static_cast<double>(slab) + 0.5));
  write_values(file, group + "/position", middle);
  const auto write = [&](const std::string& name, const auto& of) {
    Curve curve;
    for (std::size_t slab = 0; slab < count; ++slab) curve.add(of(slab));
    curve.write(file, group + "/" + name);
  };
  for (std::size_t type = 0; type < elements_.size(); ++type) {
    write("density " + elements_[type], [&](std::size_t slab) { return slabs_->density(slab, type); });
  }
  write("temperature all", [&](std::size_t slab) { return slabs_->temperature(slab); });
  for (std::size_t k = 0; k < component_names.size(); ++k) {
    write(fmt::format("pressure {}", component_names.at(k)), [&](std::size_t slab) { return slabs_->stress(slab, k); });
  }
  for (std::size_t along = 0; along < 3; ++along) {
    write(fmt::format("velocity {}", axis_names[along]),
          [&](std::size_t slab) { return slabs_->velocity(slab, along); });
  }
}

void Analysis::write_pairs(io::FileWriter& file) const {
  const std::string group = "PairDistribution";
  const std::size_t bins = pairs_->samples() > 0 ? pairs_->bins() : 0;
  file.group(group);
  file.attribute(group, "Samples", std::array{static_cast<std::int64_t>(pairs_->samples())});
  file.attribute(group, "BinWidth", std::array{pairs_->width()});
  std::vector<double> middle;
  std::vector<double> outer;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    middle.push_back(pairs_->width() * (static_cast<double>(bin) + 0.5));
    outer.push_back(pairs_->width() * static_cast<double>(bin + 1));
  }
  write_values(file, group + "/distance", middle);
  write_values(file, group + "/outer_edge", outer);
  for (std::size_t a = 0; a < elements_.size(); ++a) {
    for (std::size_t b = 0; b < elements_.size(); ++b) {
      Curve g;
      Curve neighbours;
      for (std::size_t bin = 0; bin < bins; ++bin) {
        g.add(pairs_->g(a, b, bin));
        neighbours.add(pairs_->neighbours(a, b, bin));
      }
      if (a <= b) g.write(file, fmt::format("{}/g {} {}", group, elements_[a], elements_[b]));
      neighbours.write(file, fmt::format("{}/neighbours {} {}", group, elements_[a], elements_[b]));
    }
  }
}

void Analysis::write_motion(io::FileWriter& file) const {
  const std::string group = "Motion";
  file.group(group);
  for (std::size_t type = 0; type < elements_.size(); ++type) {
    const std::string& name = elements_[type];
    const std::vector<Motion::Lag> lags = motion_->lags(type);
    std::vector<double> time;
    std::vector<double> samples;
    std::vector<double> along;
    Curve msd;
    Curve vacf;
    for (const Motion::Lag& lag : lags) {
      time.push_back(lag.time);
      samples.push_back(static_cast<double>(lag.samples));
      for (const engine::BlockEstimate& axis : lag.along) along.push_back(axis.mean);
      msd.add(lag.msd);
      vacf.add(lag.vacf);
    }
    if (type == 0) write_values(file, group + "/lag", time);
    if (type == 0) write_values(file, group + "/samples", samples);
    msd.write(file, fmt::format("{}/msd {}", group, name));
    file.array(fmt::format("{}/msd_along_axes {}", group, name), along, std::array<std::uint64_t, 2>{lags.size(), 3});
    vacf.write(file, fmt::format("{}/vacf {}", group, name));
    write_values(file, fmt::format("{}/green_kubo {}", group, name), green_kubo(lags));
    std::vector<double> from;
    std::vector<double> to;
    Curve diffusion;
    for (const Motion::Slope& slope : motion_->slopes(type)) {
      from.push_back(slope.from);
      to.push_back(slope.to);
      diffusion.add(slope.diffusion);
    }
    if (type == 0) write_values(file, group + "/slope_from", from);
    if (type == 0) write_values(file, group + "/slope_to", to);
    diffusion.write(file, fmt::format("{}/diffusion {}", group, name));
  }
}

void Analysis::save(io::FileWriter& file) const {
  file.group(group_of_checkpoint);
  const auto save = [&](const char* name, const auto& part) {
    if (part) write_values(file, fmt::format("{}/{}", group_of_checkpoint, name), part->state());
  };
  save("pairs", pairs_);
  save("waves", waves_);
  save("slabs", slabs_);
  if (motion_) motion_->save(file, group_of_checkpoint);
}

void Analysis::load(const io::FileReader& file) {
  if (!file.has(group_of_checkpoint)) {
    throw base::FormatError(file.path().string(), "has nothing of what [analysis] asks for");
  }
  const auto load = [&](const char* of, auto& part) {
    if (!part) return;
    const std::string name = fmt::format("{}/{}", group_of_checkpoint, of);
    const auto shape = file.info(name).shape;
    std::vector<double> state(shape.size() == 1 ? shape[0] : 0);
    file.read(name, state);
    try {
      part->restore(state);
    } catch (const base::Error& error) {
      throw base::FormatError(file.path().string(), fmt::format("{}: {}; the file is damaged", name, error.what()));
    }
  };
  load("pairs", pairs_);
  load("waves", waves_);
  load("slabs", slabs_);
  if (motion_) motion_->load(file, group_of_checkpoint);
}

}  // namespace tacit::md

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

Analysis::Analysis(const AnalysisParameters& parameters, std::vector<std::string> elements, const FileOrder& order,
                   const engine::Resources& resources)
    : parameters_(parameters), elements_(names_of(elements)) {
  if (parameters.pairs) pairs_.emplace(*parameters.pairs, elements_.size(), resources);
  if (parameters.motion) motion_.emplace(*parameters.motion, elements_.size(), order, resources);
}

void Analysis::look(const Atoms& atoms, const Box& box, std::uint64_t step) {
  if (step < parameters_.first_step) return;
  const std::uint64_t since = step - parameters_.first_step;
  if (pairs_ && since % parameters_.pairs->steps == 0) pairs_->sample(atoms, box);
  if (motion_ && since % parameters_.motion->steps == 0) motion_->sample(atoms, box, since / parameters_.motion->steps);
}

void Analysis::write(io::FileWriter& file) const {
  if (pairs_) write_pairs(file);
  if (motion_) write_motion(file);
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
  if (pairs_) write_values(file, group_of_checkpoint + "/pairs", pairs_->state());
  if (motion_) motion_->save(file, group_of_checkpoint);
}

void Analysis::load(const io::FileReader& file) {
  if (!file.has(group_of_checkpoint)) {
    throw base::FormatError(file.path().string(), "has nothing of what [analysis] asks for");
  }
  if (pairs_) {
    const std::string name = group_of_checkpoint + "/pairs";
    const auto shape = file.info(name).shape;
    std::vector<double> state(shape.size() == 1 ? shape[0] : 0);
    file.read(name, state);
    try {
      pairs_->restore(state);
    } catch (const base::FormatError&) {
      throw;
    } catch (const base::Error& error) {
      throw base::FormatError(file.path().string(), fmt::format("{}: {}; the file is damaged", name, error.what()));
    }
  }
  if (motion_) motion_->load(file, group_of_checkpoint);
}

}  // namespace tacit::md

// Times how cells, lists and the graph of a step are made from particles, with one thread and with two.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/flag_latency.hpp"
#include "sph/sections.hpp"
#include "sph/shear_gas.hpp"
#include "tacit/base/clock.hpp"
#include "tacit/base/random.hpp"
#include "tacit/solvers/sph/cell_layout.hpp"
#include "tacit/solvers/sph/fields.hpp"
#include "tacit/solvers/sph/gas_cells.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::bench {
namespace {

/// What is timed by itself, beside the whole.
constexpr std::array part_names{"refine", "sort", "link", "graph"};
using PartTimes = std::array<double, part_names.size()>;  // [s]

/// A shear layer that is sorted, but takes no steps, and its workers. All calls come from the thread that made it.
class SortedGas {
 public:
  SortedGas(std::size_t side, std::size_t workers)
      : side_(side), recorder_(workers, 1024), scheduler_(workers, recorder_) {
    sph::InitialConditions layer = shear_layer(side);
    box_ = layer.box;
    physics_ = sph::physics_of(parameters_of({}), 3, box_, 0.0);  // it is periodic
    gas_.id = std::move(layer.id);
    gas_.m = std::move(layer.m);
    gas_.vx = std::move(layer.vx);
    gas_.vy = std::move(layer.vy);
    gas_.vz = std::move(layer.vz);
    const std::size_t n = gas_.id.size();
    gas_.x.resize(n);
    sph::for_each_field(gas_, [n](std::string_view /*name*/, auto& array) { array.resize(n); });
    for (std::size_t i = 0; i < n; ++i) gas_.h[i] = typical_h() * (0.95 + 0.1 * base::uniform(1, i, 0));
    stir();
    cells_.emplace(physics_, box_, clock_, gas_, last_records_,
                   engine::Resources{.scheduler = scheduler_, .ranks = ranks_});
    rebuild();
  }

  [[nodiscard]] double particles() const noexcept { return static_cast<double>(gas_.size()); }
  /// Puts every particle somewhere near its place on the lattice: never twice at the same point.
  void stir() {
    constexpr double farthest = 0.25;  // spacings
    ++stirred_;
    tasks::parallel_for(scheduler_, 0, gas_.size(), [this](std::size_t i) {
      const std::uint64_t site = gas_.id[i] - 1;
      const auto coordinate = [&](std::uint64_t k, std::uint64_t axis) {
        const double off = 2.0 * farthest * (base::uniform(stirred_, site, axis) - 0.5);
        return (static_cast<double>(k) + 0.5 + off) * spacing();
      };
      gas_.x[i] = coordinate(site / (side_ * slab_particles), 0);
      gas_.y[i] = coordinate(site / slab_particles % side_, 1);
      gas_.z[i] = coordinate(site % slab_particles, 2);
    });
  }
  void rebuild() { cells_->rebuild(); }

  /// The parts of `rebuild`, for the particles as they stand, apart from the cells that there are.
  PartTimes times_of_parts() {
    PartTimes times{};
    base::Stopwatch watch;
    const auto note = [&](std::size_t part) {
      times[part] = watch.seconds();
      watch = {};
    };
    const double H = physics_.kernel_gamma * typical_h();
    particles::CellTree tree(sph::bounded_domain(physics_, box_), sph::cell_width(3) * H, gas_.size() / 2 + 64,
                             sph::per_group);
    std::vector<double> support(gas_.size());
    std::ranges::transform(gas_.h, support.begin(), [this](double h) { return physics_.kernel_gamma * h; });
    watch = {};
    tree.refine(gas_.x, gas_.y, gas_.z, support, sph::most_per_cell, nullptr, &scheduler_);
    note(0);
    static_cast<void>(tree.sort(gas_.x, gas_.y, gas_.z, gas_.id, &scheduler_));
    note(1);
    std::vector<double> reach =
        tree.largest_nearby({gas_.x, gas_.y, gas_.z}, support, sph::slack_in_cells, &scheduler_);
    for (double& length : reach) length *= sph::reach_margin;
    static_cast<void>(tree.link(reach, sph::slack_in_cells * tree.narrowest(0), &scheduler_));
    note(2);
    // Names the same data and tasks as the graph that there is.
    const sph::StepGraph graph = sph::build_step(cells_->data(), tasks::Conflicts::any_order, &scheduler_);
    note(3);
    return times;
  }

 private:
  [[nodiscard]] double spacing() const noexcept { return 1.0 / static_cast<double>(side_); }
  [[nodiscard]] double typical_h() const noexcept { return physics_.smoothing.eta * spacing(); }

  std::size_t side_;
  std::uint64_t stirred_ = 0;
  trace::Recorder recorder_;
  tasks::Scheduler scheduler_;
  comm::Communicator ranks_{comm::bootstrap_alone()};
  base::Vec3 box_;
  sph::Physics physics_;
  sph::StepClock clock_;
  sph::Gas gas_;
  sph::LastRecords last_records_;
  std::optional<sph::GasCells> cells_;
};

/// Such a gas on a thread of its own, which is bound to a processor where it has no other workers.
class HostedSorting {
 public:
  HostedSorting(std::size_t side, std::size_t workers) {
    host_.call([&] {
      const auto processors = topology::allowed_cpus();
      if (workers == 1 && !processors.empty()) binding_.emplace(processors.front());
      gas_ = std::make_unique<SortedGas>(side, workers);
    });
  }
  ~HostedSorting() {
    host_.call([this] {
      gas_.reset();
      binding_.reset();
    });
  }
  HostedSorting(const HostedSorting&) = delete;
  HostedSorting& operator=(const HostedSorting&) = delete;

  /// Adds a sample of each.
  void measure() {
    host_.call([this] {
      gas_->stir();
      const base::Stopwatch watch;
      gas_->rebuild();
      whole.push_back(watch.seconds());
      gas_->stir();
      const PartTimes times = gas_->times_of_parts();
      for (std::size_t part = 0; part < times.size(); ++part) parts[part].push_back(times[part]);
    });
  }
  [[nodiscard]] double particles() const noexcept { return gas_->particles(); }

  std::vector<double> whole;                                 ///< [s]
  std::array<std::vector<double>, part_names.size()> parts;  ///< [s]

 private:
  std::optional<topology::Binding> binding_;
  std::unique_ptr<SortedGas> gas_;
  tasks::HostThread host_;
};

Result beside_one_thread(std::string name, std::string unit, double factor, const std::vector<double>& two,
                         const std::vector<double>& one) {
  Result result{.name = std::move(name), .unit = std::move(unit), .ours = summarise(scaled(two, factor))};
  result.peers = {{"one thread", factor * summarise(one).median}};
  return result;
}

}  // namespace

void add_sorting(Session& session) {
  const auto processors = topology::allowed_cpus();
  const std::size_t side = session.size(790, 32);
  HostedSorting one(side, 1);
  HostedSorting two(side, 2);
  const auto before = measure_flag_latency(processors);
  for (std::size_t sample = 0; sample < session.size(7, 2); ++sample) {
    one.measure();
    two.measure();
  }
  const auto after = measure_flag_latency(processors);
  Result speedup{.name = "sort_10M_2t_speedup", .unit = "", .better = Better::higher};
  speedup.ours = summarise(ratios(one.whole, two.whole));
  speedup.limit = 1.8;
  if (before && after) speedup.flag_ns = 0.5 * (before->median + after->median);
  session.add(std::move(speedup));
  session.add(beside_one_thread("sort_10M_2t_ns", "ns", 1e9 / one.particles(), two.whole, one.whole));
  for (std::size_t part = 0; part < part_names.size(); ++part) {
    session.add(beside_one_thread(std::string("sort_10M_2t_") + part_names[part] + "_ms", "ms", 1e3, two.parts[part],
                                  one.parts[part]));
  }
}

}  // namespace tacit::bench

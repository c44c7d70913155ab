// Times steps that few particles end, those of a ball or scattered ones.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "sph/sections.hpp"
#include "sph/shear_gas.hpp"
#include "tacit/base/clock.hpp"
#include "tacit/base/random.hpp"
#include "tacit/solvers/sph/pair_tasks.hpp"

namespace tacit::bench {
namespace {

constexpr std::uint8_t slow = sph::TimeLine::first_bin;
/// The largest difference of bins that the limiter allows between neighbours: no particle is woken.
constexpr std::uint8_t quick = slow - sph::most_bins_above_neighbour;

enum class Where { ball, scattered };

/// Which particles end their steps often, by ID - 1: a hundredth of them, the first by their keys.
std::vector<std::uint8_t> choose_quick(const sph::Gas& gas, const base::Vec3& middle, Where where) {
  std::vector<std::pair<double, std::uint64_t>> keys;
  for (std::size_t i = 0; i < gas.size(); ++i) {
    const base::Vec3 d = base::Vec3{gas.x[i], gas.y[i], gas.z[i]} - middle;
    keys.emplace_back(where == Where::ball ? dot(d, d) : base::uniform(7, gas.id[i], 0), gas.id[i]);
  }
  std::ranges::sort(keys);
  std::vector<std::uint8_t> is_quick(gas.size(), 0);
  for (std::size_t k = 0; k < gas.size() / 100; ++k) is_quick[keys[k].second - 1] = 1;
  return is_quick;
}

/// A gas whose bins are set before every step. Lives on a host thread.
class BinnedGas {
 public:
  explicit BinnedGas(ShearGas& gas) : gas_(gas) {}

  /// Microseconds per particle of steps that all end. @pre synchronised
  std::vector<double> all_active(std::size_t samples) {
    std::vector<double> microseconds;
    while (microseconds.size() < samples) {
      bins_.assign(gas_.solver().elements(), slow);
      microseconds.push_back(time_step());
    }
    return microseconds;
  }

  /// Microseconds per active particle of steps that just these end. @pre synchronised
  std::vector<double> active(const std::vector<std::uint8_t>& is_quick, std::size_t samples) {
    const auto wanted = static_cast<std::uint64_t>(std::accumulate(is_quick.begin(), is_quick.end(), 0));
    std::vector<double> microseconds;
    while (microseconds.size() < samples) {
      const sph::Gas& gas = gas_.solver().gas();
      bins_.assign(gas.size(), slow);
      for (std::size_t i = 0; i < bins_.size(); ++i) {
        if (is_quick[gas.id[i] - 1] != 0) bins_[i] = quick;
      }
      const double time = time_step();
      if (gas_.solver().updated() == wanted) microseconds.push_back(time);
    }
    return microseconds;
  }

  /// Until all particles end their steps at the same time as the slow ones.
  void synchronise() {
    while (sph::TimeLine::highest_active(gas_.solver().clock().now) < slow) gas_.step();
  }

 private:
  double time_step() {
    gas_.solver().set_bins(bins_);
    const base::Stopwatch watch;
    gas_.step();
    return 1e6 * watch.seconds() / static_cast<double>(gas_.solver().updated());
  }

  ShearGas& gas_;
  std::vector<std::uint8_t> bins_;
};

Result figure(std::string name, std::vector<double> microseconds) {
  return {.name = std::move(name), .unit = "us", .ours = summarise(std::move(microseconds))};
}

}  // namespace

void add_active(Session& session) {
  HostedGas hosted({sph::Scheme::gadget2, Steps::individual, shear_side(session), 1});
  const base::Vec3 middle{0.5, 0.5,
                          0.5 * static_cast<double>(slab_particles) / static_cast<double>(shear_side(session))};
  const std::size_t samples = session.size(100, 4);
  std::vector<double> all;
  std::vector<double> ball;
  std::vector<double> scattered;
  hosted.host().call([&] {
    BinnedGas gas(hosted.gas());
    gas.synchronise();
    all = gas.all_active(session.size(15, 2));
    ball = gas.active(choose_quick(hosted.gas().solver().gas(), middle, Where::ball), samples);
    gas.synchronise();
    scattered = gas.active(choose_quick(hosted.gas().solver().gas(), middle, Where::scattered), samples);
  });
  session.add(figure("all_active_us", std::move(all)));
  Result in_ball = figure("active_1_percent_us", std::move(ball));
  in_ball.limit = 0.7;
  session.add(std::move(in_ball));
  Result at_random = figure("active_1_percent_scattered_us", std::move(scattered));
  at_random.limit = 1.5;
  session.add(std::move(at_random));
}

}  // namespace tacit::bench

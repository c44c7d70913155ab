// Sums loops of links over a lattice, lines of which are moved from site to site.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/gauge/observables.hpp"

#include <array>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/solvers/qcd/gauge/staples.hpp"

namespace tacit::qcd {
namespace {

/// A matrix for each site of a box, with another one to which it is moved.
class SiteField {
 public:
  explicit SiteField(LinkTasks& tasks) : tasks_(tasks), now_(tasks.sites().count()), next_(now_) {}

  [[nodiscard]] const Matrix3& at(std::uint32_t site) const noexcept { return now_[site]; }
  /// Becomes value(site, what it was) at all sites.
  template <class Value>
  void set(const Value& value) {
    tasks_.run_both({next_.data(), 1, 0}, [&](std::span<const std::uint32_t> sites) {
      for (const std::uint32_t site : sites) next_[site] = value(site, *this);
    });
    std::swap(now_, next_);
  }
  /// Becomes what it was at the next site along an axis.
  void shift(std::size_t axis) {
    set([&](std::uint32_t site, const SiteField& was) { return was.at(tasks_.sites().next(site, axis)); });
  }

 private:
  LinkTasks& tasks_;
  std::vector<Matrix3> now_;
  std::vector<Matrix3> next_;
};

/// Lines of one link along an axis.
void begin_line(SiteField& line, const GaugeField& field, std::size_t axis) {
  line.set([&](std::uint32_t site, const SiteField&) { return field.links[site * axes + axis]; });
}

/// One link more at their begin.
void lengthen(SiteField& line, const LinkTasks& tasks, const GaugeField& field, std::size_t axis) {
  line.set([&](std::uint32_t site, const SiteField& was) {
    return field.links[site * axes + axis] * was.at(tasks.sites().next(site, axis));
  });
}

}  // namespace

Plaquettes plaquettes(const LinkTasks& tasks, const GaugeField& field) {
  const std::vector<double> sums = tasks.sums(2, [&](std::uint32_t site, std::span<double> values) {
    values[0] = values[1] = 0.0;
    for (std::size_t mu = 0; mu < axes; ++mu) {
      for (std::size_t nu = 0; nu < mu; ++nu) {
        values[mu == 3 ? 1 : 0] += trace(plaquette_at(field.links.data(), tasks.sites(), site, mu, nu)).real();
      }
    }
  });
  const double count = 9.0 * static_cast<double>(field.extents.sites());
  return {.spatial = sums[0] / count, .temporal = sums[1] / count};
}

/// The trace does not depend on where the loop begins, so that sites of all t may be summed.
Complex polyakov_loop(LinkTasks& tasks, const GaugeField& field) {
  SiteField line(tasks);
  begin_line(line, field, 3);
  for (std::size_t t = 1; t < field.extents.n[3]; ++t) lengthen(line, tasks, field, 3);
  const std::vector<double> sums = tasks.sums(2, [&](std::uint32_t site, std::span<double> values) {
    const Complex loop = trace(line.at(site));
    values[0] = loop.real();
    values[1] = loop.imag();
  });
  const double count = 3.0 * static_cast<double>(field.extents.sites());
  return {sums[0] / count, sums[1] / count};
}

std::vector<double> wilson_loops(LinkTasks& tasks, const GaugeField& field, std::size_t r_most, std::size_t t_most) {
  std::vector<double> loops(r_most * t_most);
  SiteField across(tasks);  // r links along an axis, moved by t along t
  SiteField along(tasks);   // t links along t, moved by r along the axis
  SiteField upright(tasks);
  const double count = 9.0 * static_cast<double>(field.extents.sites());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    begin_line(upright, field, 3);
    for (std::size_t t = 1; t <= t_most; ++t) {
      if (t > 1) lengthen(upright, tasks, field, 3);
      SiteField line(tasks);
      begin_line(line, field, axis);
      along.set([&](std::uint32_t site, const SiteField&) { return upright.at(site); });
      for (std::size_t r = 1; r <= r_most; ++r) {
        if (r > 1) lengthen(line, tasks, field, axis);
        along.shift(axis);
        across.set([&](std::uint32_t site, const SiteField&) { return line.at(site); });
        for (std::size_t k = 0; k < t; ++k) across.shift(3);
        loops[(r - 1) * t_most + t - 1] += tasks.sums(1, [&](std::uint32_t site, std::span<double> values) {
          const Matrix3 low = line.at(site) * along.at(site);
          const Matrix3 high = upright.at(site) * across.at(site);
          values[0] = trace(times_dagger(low, high)).real();
        })[0] / count;
      }
    }
  }
  return loops;
}

}  // namespace tacit::qcd

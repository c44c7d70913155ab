// Cycles of multigrid for several fields at once, beside one after the other.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "qcd/heat_bath.hpp"
#include "qcd/qcd.hpp"
#include "tacit/base/error.hpp"
#include "tacit/base/random.hpp"
#include "tacit/solvers/qcd/multigrid/multigrid.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::bench {
namespace {

using Fields = std::vector<qcd::Field<float>>;

/// Of norm 1.
void fill_randomly(Fields& fields, std::size_t sites) {
  for (std::size_t which = 0; which < fields.size(); ++which) {
    for (std::size_t k = 0; k < fields[which].size(); ++k)
      fields[which][k] = base::uniform(which, k, 0) < 0.5 ? -1.0F : 1.0F;
    const double norm = std::sqrt(static_cast<double>(sites * qcd::kernels::spinor_numbers));
    for (float& number : fields[which]) number /= static_cast<float>(norm);
  }
}

double seconds_of(const auto& run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

void measure_at_once(Session& session) {
  constexpr std::size_t sources = 12;
  trace::Recorder recorder(1, 4096);
  tasks::Scheduler scheduler(1, recorder);
  const auto n = static_cast<std::uint32_t>(session.size(8, 4));
  const qcd::Division division(qcd::Extents{{n, n, n, n}});
  qcd::FieldSpace<double> space(division, qcd::kernels::loops_for<double>(qcd::most_lanes(division.part())), scheduler);
  qcd::FieldSpace<float> narrow(division, qcd::kernels::loops_for<float>(qcd::most_lanes(division.part())), scheduler);
  const qcd::GaugeField field = heat_bath_field(division, scheduler, session.size(40, 2));
  const qcd::DiracOperator<float> dirac(narrow, field,
                                        {.mass = session.effort() == Effort::full ? -0.7 : 0.1, .csw = 1.0});
  qcd::multigrid::Multigrid multigrid(space, dirac,
                                      {.vectors = session.size(20, 4), .setup_iterations = session.size(2, 0)});
  Fields b(sources, narrow.make());
  fill_randomly(b, division.part().own.sites());
  Fields alone(sources, narrow.make());
  Fields together(sources, narrow.make());
  std::vector<const qcd::Field<float>*> from;
  std::vector<qcd::Field<float>*> to_alone;
  std::vector<qcd::Field<float>*> to;
  for (std::size_t which = 0; which < sources; ++which) {
    from.push_back(&b[which]);
    to_alone.push_back(&alone[which]);
    to.push_back(&together[which]);
  }
  qcd::multigrid::Cycle& one = multigrid.cycle();
  qcd::multigrid::Cycle& all = multigrid.cycle_of(sources);
  std::vector<double> one_after_the_other;
  std::vector<double> at_once;
  for (std::size_t sample = 0; sample <= session.size(10, 2); ++sample) {
    const double first = seconds_of([&] {
      for (std::size_t which = 0; which < sources; ++which) {
        one.run(std::span(from).subspan(which, 1), std::span(to_alone).subspan(which, 1));
      }
    });
    const double second = seconds_of([&] { all.run(from, to); });
    if (alone != together) throw base::Error("cycles of several fields at once differ from those of one");
    if (sample == 0) continue;  // it warms up
    one_after_the_other.push_back(first);
    at_once.push_back(second);
  }
  session.add({.name = "sources_at_once_speedup",
               .unit = "1",
               .better = Better::higher,
               .ours = summarise(ratios(one_after_the_other, at_once)),
               .limit = 1.5});
}

}  // namespace tacit::bench

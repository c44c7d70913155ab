// What the engine asks of the qcd solver, but for files.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/qcd_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacit/base/error.hpp"
#include "tacit/engine/across_ranks.hpp"
#include "tacit/engine/error.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/solvers/qcd/file_parts.hpp"
#include "tacit/solvers/qcd/formats/gauge_file.hpp"
#include "tacit/solvers/qcd/methods.hpp"
#include "tacit/solvers/qcd/sources/sources.hpp"

namespace tacit::qcd {
namespace {

GaugeField make_gauge(const QcdParameters& parameters, const Division& division) {
  switch (parameters.gauge.setup) {
    case Setup::file:
      return read_gauge_file(parameters.gauge.file, division);
    case Setup::random:
      return random_gauge_field(division.part(), parameters.gauge.spread, parameters.gauge.seed);
    case Setup::unit:
      break;
  }
  return GaugeField(division.part());
}

}  // namespace

QcdSolver::QcdSolver(const QcdParameters& parameters, const engine::Resources& resources,
                     const io::FileReader* checkpoint)
    : parameters_(parameters),
      resources_(resources),
      gauge_checksum_(checksum_of_first(parameters.gauge.file, resources.ranks)),
      source_checksum_(checksum_of_first(parameters.source.file, resources.ranks)),
      division_(parameters.extents, parameters.ranks, resources.ranks),
      gauge_(make_gauge(parameters, division_)),
      plaquette_(plaquette(*gauge_, division_.ranks())),
      space_(division_, kernels::loops_for<double>(most_lanes(division_.part())), resources.scheduler),
      dirac_(space_, *gauge_, parameters.dirac),
      shape_(make_shape(parameters.source, *gauge_, division_, resources.scheduler)),
      b_(parameters.at_once, space_.make()) {
  solutions_.reserve(parameters.source.count());
  if (parameters.method != Method::apply) {
    if (parameters.is_even_odd) {
      schur_.emplace(dirac_);
      odd_ = schur_->make();
      rest_ = space_.make();
    }
    if (parameters.precision == Precision::mixed || parameters.method == Method::multigrid) {
      single_.emplace(*gauge_, division_, parameters, resources.scheduler);
    }
    if (parameters.method == Method::multigrid) {
      make_multigrid();
      if (parameters.at_once > 1) {
        solves_ = std::make_unique<SolvesAtOnce>(dirac_, multigrid_->cycle_of(parameters.at_once), parameters.at_once,
                                                 parameters.solve);
      } else {
        solve_ = make_solve(parameters.method, matrix(), nullptr, parameters.solve, &multigrid_->cycle());
      }
    } else {
      solve_ = make_solve(parameters.method, matrix(), single_ ? &single_->matrix() : nullptr, parameters.solve);
    }
  }
  const bool is_written = parameters.writes_gauge != GaugeFormat::none && engine::is_first(resources.ranks);
  if (!is_written || !gauge_->is_whole()) gauge_.reset();
  if (is_written && !gauge_) gauge_.emplace(make_gauge(parameters, parameters.extents));
  if (checkpoint != nullptr) {
    load(*checkpoint);
  } else {
    begin_source();
  }
}

QcdSolver::SinglePrecision::SinglePrecision(const GaugeField& gauge, const Division& division,
                                            const QcdParameters& parameters, tasks::Scheduler& scheduler)
    : space(division, kernels::loops_for<float>(most_lanes(division.part())), scheduler),
      dirac(space, gauge, parameters.dirac) {
  if (parameters.is_even_odd) schur.emplace(dirac);
}

multigrid::SetupOf QcdSolver::setup_of() const {
  return {.links = links_checksum_,
          .dirac = parameters_.dirac,
          .extents = parameters_.extents,
          .block = parameters_.multigrid.block,
          .vectors = parameters_.multigrid.vectors};
}

/// @pre the links are still there
void QcdSolver::make_multigrid() {
  const multigrid::Settings& by = parameters_.multigrid;
  if (by.writes_setup || !by.setup_file.empty()) {
    links_checksum_ = multigrid::checksum_of_links(*gauge_, division_.ranks());
  }
  if (by.setup_file.empty()) {
    multigrid_.emplace(space_, single_->dirac, by);
  } else {
    multigrid_.emplace(space_, single_->dirac, by, multigrid::read_setup(by.setup_file, setup_of(), single_->space));
  }
}

const LinearOperator<float>& QcdSolver::SinglePrecision::matrix() const {
  if (schur) return *schur;
  return dirac;
}

const LinearOperator<double>& QcdSolver::matrix() const {
  if (schur_) return *schur_;
  return dirac_;
}

void QcdSolver::begin_source() {
  const std::size_t count = std::min(b_.size(), parameters_.source.count() - source_);
  for (std::size_t which = 0; which < count; ++which) {
    make_source(parameters_.source, source_ + which, shape_, space_, b_[which]);
  }
  if (solves_) return solves_->begin(std::span(b_).first(count));
  if (!solve_) return;
  if (!schur_) return solve_->begin(b_.front());
  const double norm = space_.norm(b_.front());
  schur_->prepare(b_.front(), odd_);
  solve_->begin(odd_, norm);
}

/// The solution of D x = b from that which was iterated for.
void QcdSolver::end_source(Solve& solve, const Field<double>& b) {
  solutions_.push_back(space_.make());
  ended_.push_back({.history = solve.history(), .true_residual = solve.true_residual()});
  if (schur_) {
    schur_->reconstruct(b, solve.x(), solutions_.back());
    ended_.back().true_residual = true_residual(dirac_, b, solutions_.back(), rest_);
  } else {
    std::ranges::copy(solve.x(), solutions_.back().begin());
  }
}

std::size_t QcdSolver::converged() const noexcept {
  std::size_t count = 0;
  for (std::size_t which = 0; which < under_way(); ++which) {
    if (solve(which).status() == Solve::Status::converged) ++count;
  }
  return count;
}

double QcdSolver::largest_residual() const noexcept {
  double largest = 0.0;
  for (std::size_t which = 0; which < under_way(); ++which) {
    largest = exchange::larger(largest, solve(which).residual());
  }
  return largest;
}

double QcdSolver::time_step() const {
  for (std::size_t which = 0; which < under_way(); ++which) {
    const Solve& one = solve(which);
    if (one.status() != Solve::Status::failed) continue;
    throw engine::NumericsError(fmt::format("the solve of source {} of {} failed in its iteration {}: {}",
                                            source_ + which + 1, parameters_.source.count(), one.iterations(),
                                            one.failure()));
  }
  return 1.0;
}

/// Of several at once, the first that has not converged.
std::optional<std::string> QcdSolver::unfinished() const {
  if (has_converged()) return std::nullopt;
  const std::size_t count = parameters_.source.count();
  if (parameters_.method == Method::apply)
    return fmt::format("the operator was applied to {} of {} sources", source_, count);
  std::size_t which = 0;
  while (solve(which).status() == Solve::Status::converged) ++which;
  return fmt::format(
      "the solve of source {} of {} has not converged: |r| / |b| = {:.3g} after {} iterations of it, above "
      "solve.tolerance = {:.3g}",
      source_ + which + 1, count, solve(which).residual(), solve(which).iterations(), parameters_.solve.tolerance);
}

/// An iteration, or where none is asked for the operator.
void QcdSolver::step(const tasks::StepContext& /*step*/) {
  if (parameters_.method == Method::apply) {
    solutions_.push_back(space_.make());
    dirac_.apply(b_.front(), solutions_.back(), Conjugate::no);
    ended_.emplace_back();
    ++source_;
  } else {
    updated_ = under_way() - converged();
    if (solves_) {
      solves_->iterate();
    } else {
      solve_->iterate();
    }
    const std::size_t count = under_way();
    if (converged() < count) return;
    for (std::size_t which = 0; which < count; ++which) end_source(solve(which), b_[which]);
    source_ += count;
  }
  if (!has_converged()) begin_source();
}

std::optional<engine::Flaw> QcdSolver::not_finite() const {
  for (std::size_t which = 0; which < under_way(); ++which) {
    const double residual = solve(which).residual();
    if (std::isfinite(residual)) continue;
    return engine::Flaw{.text = fmt::format("the residual of source {} is {}", source_ + which + 1, residual),
                        .field = "residual"};
  }
  return std::nullopt;
}

/// Of several at once, the largest residual.
std::vector<engine::Statistic> QcdSolver::statistics() const {
  const bool is_over = has_converged();
  const Ended* const last = ended_.empty() ? nullptr : &ended_.back();
  double residual = last != nullptr && !last->history.empty() ? last->history.back() : 0.0;
  if (under_way() > 0 && !is_over) residual = largest_residual();
  return {{"source", static_cast<double>(std::min(source_ + 1, parameters_.source.count()))},
          {"solved", static_cast<double>(source_ + (is_over ? 0 : converged()))},
          {"residual", residual},
          {"true_residual", last != nullptr ? last->true_residual : 1.0}};
}

std::vector<std::string> QcdSolver::new_warnings() {
  if (has_warned_ || parameters_.method != Method::apply || parameters_.writes_solutions) return {};
  has_warned_ = true;
  return {"warning: solve.method = \"apply\" leaves nothing behind without qcd.write_solutions"};
}

engine::Origin QcdSolver::origin() const {
  engine::Origin origin{.input = "gauge field: " + parameters_.gauge.text(), .checksum = gauge_checksum_};
  origin.more.emplace_back("plaquette", fmt::format("{:.15g}", plaquette_));
  if (!source_checksum_.empty()) origin.more.emplace_back("checksum of the source", source_checksum_);
  return origin;
}

std::vector<QcdSolver::Correlator> QcdSolver::correlators() const {
  if (!parameters_.source.has_columns() || !has_converged()) return {};
  if (parameters_.method == Method::apply) return {};
  const std::size_t t = parameters_.source.position[3];
  return {{"pion", "Pion", from_source(pion_correlator(space_, solutions_), t)},
          {"rho", "Rho", from_source(rho_correlator(space_, solutions_), t)}};
}

}  // namespace tacit::qcd

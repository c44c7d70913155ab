// How a flow advances.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/flow.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "tacit/fft/wisdom.hpp"
#include "tacit/solvers/dns/conjugate_pairs.hpp"
#include "tacit/solvers/dns/substep.hpp"
#include "tacit/solvers/dns/sums.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::dns {
namespace {

std::array<std::vector<double>, 3> wave_numbers(const fft::Modes& modes, const base::Vec3& box) {
  const std::array<double, 3> sides{box.x, box.y, box.z};
  std::array<std::vector<double>, 3> k;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < modes.count(axis); ++i) {
      k[axis].push_back(2.0 * std::numbers::pi / sides[axis] * static_cast<double>(modes.wave_number(axis, i)));
    }
  }
  return k;
}

/// Some fields from points to modes.
class Taking final : public fft::PassWork<double> {
 public:
  /// Writes the fields at a position.
  using Value = std::function<void(const base::Vec3&, std::span<double>)>;
  Taking(const fft::Pencils& pencils, const base::Vec3& box, Value value, std::vector<std::span<Complex>> modes)
      : pencils_(pencils), box_(box), value_(std::move(value)), modes_(std::move(modes)) {}

  void load(std::size_t /*field*/, const fft::ColumnBlock& /*block*/, Complex* /*lines*/) const override {}
  void rows(std::size_t /*worker*/, std::size_t y, std::size_t z, std::span<double* const> /*in*/,
            std::span<double* const> out) const override {
    const fft::Shape& points = pencils_.modes().points();
    for (std::size_t x = 0; x < points[0]; ++x) {
      const auto place = [](std::size_t i, std::size_t n, double side) {
        return side * static_cast<double>(i) / static_cast<double>(n);
      };
      std::array<double, 3> values{};
      value_({place(x, points[0], box_.x), place(y, points[1], box_.y), place(z, points[2], box_.z)}, values);
      for (std::size_t field = 0; field < out.size(); ++field) out[field][x] = values[field];
    }
  }
  void store(std::size_t /*worker*/, const fft::ColumnBlock& block, std::span<Complex* const> lines) const override {
    const fft::Modes& modes = pencils_.modes();
    const double scale = 1.0 / static_cast<double>(fft::product(modes.points()));
    for (std::size_t field = 0; field < modes_.size(); ++field) {
      for (std::size_t kz = 0; kz < modes.count(2); ++kz) {
        const Complex* const row = lines[field] + modes.place(2, kz) * fft::lanes;
        Complex* const to = modes_[field].data() + pencils_.spectral_place(block.kx, block.ky, kz);
        for (std::size_t lane = 0; lane < block.count; ++lane) to[lane] = row[lane] * scale;
      }
    }
  }

 private:
  const fft::Pencils& pencils_;
  base::Vec3 box_;
  Value value_;
  std::vector<std::span<Complex>> modes_;
};

/// Some fields from modes to points.
class Giving final : public fft::PassWork<double> {
 public:
  using Take = std::function<void(std::size_t, std::size_t, std::span<double* const>)>;
  Giving(const fft::Pencils& pencils, std::vector<std::span<const Complex>> fields, Take take)
      : pencils_(pencils), fields_(std::move(fields)), take_(std::move(take)) {}

  void load(std::size_t field, const fft::ColumnBlock& block, Complex* lines) const override {
    const fft::Modes& modes = pencils_.modes();
    for (std::size_t kz = 0; kz < modes.count(2); ++kz) {
      const std::size_t from = pencils_.spectral_place(block.kx, block.ky, kz);
      std::copy_n(fields_[field].data() + from, block.count, lines + modes.place(2, kz) * fft::lanes);
    }
  }
  void rows(std::size_t /*worker*/, std::size_t y, std::size_t z, std::span<double* const> in,
            std::span<double* const> /*out*/) const override {
    take_(y, z, in);
  }
  void store(std::size_t /*worker*/, const fft::ColumnBlock& /*block*/,
             std::span<Complex* const> /*lines*/) const override {}

 private:
  const fft::Pencils& pencils_;
  std::vector<std::span<const Complex>> fields_;
  Take take_;
};

/// What a flow without scalars transforms: enough to choose a way by.
fft::PassFields fields_of_velocity(Form form) {
  if (form == Form::divergence) return {.in = 3, .out = 5, .mixed = 4};
  return {.in = 6, .out = 3, .mixed = 3};
}

/// The way that is given, with what it leaves open chosen. All ranks are in it together.
fft::PassAlgorithm settled_way(const FlowParameters& parameters, tasks::Scheduler& scheduler,
                               comm::Communicator* ranks) {
  const fft::Modes modes(parameters.points, parameters.truncation);
  const std::size_t count = ranks == nullptr ? 1 : ranks->size();
  fft::PassAlgorithm way = parameters.way;
  if (way.grid.row_size != 0 && way.grid.column_size == 0) way.grid.column_size = count / way.grid.row_size;
  if (parameters.way.grid.row_size != 0) fft::check_grid(way.grid, ranks);
  const std::filesystem::path& file = parameters.tuning_file;
  fft::share_wisdom<double>(parameters.points, parameters.rigor, ranks,
                            file.empty() ? file : std::filesystem::path(file.string() + ".wisdom"));
  if (parameters.tuning == fft::Tuning::measured) {
    way = fft::choose_algorithm<double>({modes, fields_of_velocity(parameters.form), parameters.rigor}, way, scheduler,
                                        ranks, file);
  }
  if (way.grid.ranks() == 0) way.grid = fft::choose_grid(modes, ranks);
  return way;
}

fft::Pencils pencils_of(const FlowParameters& parameters, const fft::RankGrid& grid, const comm::Communicator* ranks) {
  fft::check_grid(grid, ranks);
  return {fft::Modes(parameters.points, parameters.truncation), grid, ranks == nullptr ? 0 : number(ranks->rank())};
}

}  // namespace

Flow::Flow(const FlowParameters& parameters, tasks::Scheduler& scheduler, comm::Communicator* ranks)
    : parameters_(parameters),
      scheduler_(scheduler),
      way_(settled_way(parameters, scheduler, ranks)),
      pencils_(pencils_of(parameters, way_.grid, ranks)),
      k_(wave_numbers(pencils_.modes(), parameters.box)),
      reductions_(std::make_unique<RankReductions>(ranks)),
      scalars_(parameters.physics.all_scalars().size()),
      forcing_(parameters_.physics, pencils_, k_, parameters.box,
               [this](std::span<base::ExactSum> sums) { reduce(sums); }) {
  if (ranks != nullptr) ranks_ = std::make_unique<fft::GridRanks>(*ranks, pencils_.grid(), scheduler);
  for (std::size_t c = 0; c < 3; ++c) {
    u_[c].resize(pencils_.spectral_size());
    acc_[c].resize(pencils_.spectral_size());
    if (parameters.scheme == Scheme::rk4) base_[c].resize(pencils_.spectral_size());
  }
  std::vector<PhysicsTerms::Scalar> scalars;
  for (Scalar& scalar : scalars_) {
    for (Field* field : {&scalar.theta, &scalar.acc}) field->resize(pencils_.spectral_size());
    if (parameters.scheme == Scheme::rk4) scalar.base.resize(pencils_.spectral_size());
    scalars.push_back({scalar.theta, parameters.scheme == Scheme::rk4 ? scalar.base : scalar.acc, scalar.acc});
  }
  const auto three = [](Fields& fields) { return std::array<std::span<Complex>, 3>{fields[0], fields[1], fields[2]}; };
  substep_ = std::make_unique<Substep>(parameters_, pencils_, k_, scheduler.workers(), three(u_), three(acc_),
                                       three(parameters.scheme == Scheme::rk4 ? base_ : acc_), scalars, forcing_);
  pass_ = std::make_unique<fft::Pass<double>>(pencils_, substep_->fields(), *substep_, scheduler, parameters.rigor,
                                              ranks_.get(), way_.division);
  pass_->time_exchanges();
}

Flow::~Flow() = default;

void Flow::set(const std::function<base::Vec3(const base::Vec3&)>& velocity) {
  const auto value = [&velocity](const base::Vec3& at, std::span<double> out) {
    const base::Vec3 u = velocity(at);
    out[0] = u.x;
    out[1] = u.y;
    out[2] = u.z;
  };
  const Taking taking(pencils_, parameters_.box, value, {u_[0], u_[1], u_[2]});
  run_pass({.in = 0, .out = 3, .mixed = 3}, taking);
  clean();
}

void Flow::at_points(const std::function<void(std::size_t, std::size_t, const std::array<const double*, 3>&)>& take) {
  const Giving giving(pencils_, {u_[0], u_[1], u_[2]},
                      [&take](std::size_t y, std::size_t z, std::span<double* const> in) {
                        take(y, z, {in[0], in[1], in[2]});
                      });
  run_pass({.in = 3, .out = 0, .mixed = 0}, giving);
}

void Flow::run_pass(const fft::PassFields& fields, const fft::PassWork<double>& work) const {
  fft::Pass<double> pass(pencils_, fields, work, scheduler_, fft::Rigor::estimate, ranks_.get(), way_.division);
  pass.time_exchanges();
  pass.run({});
}

void Flow::set_scalar(std::size_t number, const std::function<double(const base::Vec3&)>& value) {
  const auto values = [&value](const base::Vec3& at, std::span<double> out) { out[0] = value(at); };
  const Taking taking(pencils_, parameters_.box, values, {scalars_[number].theta});
  run_pass({.in = 0, .out = 1, .mixed = 1}, taking);
  const fft::Modes& modes = pencils_.modes();
  for (std::size_t x = pencils_.kx().begin; x < pencils_.kx().end; ++x) {
    for (std::size_t z = 0; z < modes.count(2); ++z) {
      for (std::size_t y = pencils_.ky().begin; y < pencils_.ky().end; ++y) {
        if (modes.holds(modes.wave_number(0, x), modes.wave_number(1, y), modes.wave_number(2, z))) continue;
        scalars_[number].theta[pencils_.spectral_place(x, y, z)] = Complex{};
      }
    }
  }
}

void Flow::scalar_at_points(std::size_t number,
                            const std::function<void(std::size_t, std::size_t, const double*)>& take) {
  const Giving giving(pencils_, {scalars_[number].theta},
                      [&take](std::size_t y, std::size_t z, std::span<double* const> in) { take(y, z, in[0]); });
  run_pass({.in = 1, .out = 0, .mixed = 0}, giving);
}

double Flow::measure_rate() {
  const fft::Shape& n = parameters_.points;
  const base::Vec3 per_speed{static_cast<double>(n[0]) / parameters_.box.x,
                             static_cast<double>(n[1]) / parameters_.box.y,
                             static_cast<double>(n[2]) / parameters_.box.z};
  const fft::Range rows = pencils_.y();
  const fft::Range planes = pencils_.z();
  std::vector<double> largest(rows.size() * planes.size());  // by row: several threads
  const base::Vec3 mean = this->mean();
  at_points([&](std::size_t y, std::size_t z, const std::array<const double*, 3>& u) {
    double& here = largest[(z - planes.begin) * rows.size() + (y - rows.begin)];
    for (std::size_t x = 0; x < n[0]; ++x) {
      here = larger(here, std::abs(u[0][x] - mean.x) * per_speed.x + std::abs(u[1][x] - mean.y) * per_speed.y +
                              std::abs(u[2][x] - mean.z) * per_speed.z);
    }
  });
  double all = 0.0;
  for (const double row : largest) all = larger(all, row);
  return reductions_->largest(all);
}

void Flow::clean() {
  const fft::Modes& modes = pencils_.modes();
  for (std::size_t x = pencils_.kx().begin; x < pencils_.kx().end; ++x) {
    for (std::size_t z = 0; z < modes.count(2); ++z) {
      for (std::size_t y = pencils_.ky().begin; y < pencils_.ky().end; ++y) {
        const std::size_t at = pencils_.spectral_place(x, y, z);
        std::array<Complex, 3> u{u_[0][at], u_[1][at], u_[2][at]};
        const bool is_held = modes.holds(modes.wave_number(0, x), modes.wave_number(1, y), modes.wave_number(2, z));
        const std::array<double, 3> k{k_[0][x], k_[1][y], k_[2][z]};
        const double k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
        const Complex along = k2 > 0.0 ? (k[0] * u[0] + k[1] * u[1] + k[2] * u[2]) / k2 : Complex{};
        for (std::size_t c = 0; c < 3; ++c) u_[c][at] = is_held ? u[c] - k[c] * along : Complex{};
      }
    }
  }
  const std::array<std::span<Complex>, 3> fields{u_[0], u_[1], u_[2]};
  pair_conjugates(pencils_, fields, ranks_.get());
}

void Flow::step(double dt, const BeforeSubstage& before) {
  using kernels::Substage;
  static constexpr std::array rk2{Substage::rk2_first, Substage::rk2_last};
  static constexpr std::array rk4{Substage::rk4_first, Substage::rk4_second, Substage::rk4_third, Substage::rk4_last};
  // When they begin, in parts of the step.
  static constexpr std::array times{0.0, 0.5, 0.5, 1.0};
  const bool is_rk4 = parameters_.scheme == Scheme::rk4;
  const std::span<const Substage> substages = is_rk4 ? std::span<const Substage>(rk4) : std::span<const Substage>(rk2);
  substep_->begin_step(dt, mean());
  const ConstVelocity now{u_[0], u_[1], u_[2]};
  forcing_.begin_step(now);
  for (std::size_t i = 0; i < substages.size(); ++i) {
    forcing_.begin_substage(now, times[is_rk4 ? i : 3 * i] * dt * frame());
    if (before) before(substages[i]);
    substep_->begin(substages[i], steps_, i);
    pass_->run({});
  }
  forcing_.end_step({u_[0], u_[1], u_[2]}, dt, steps_);
  ++steps_;
  rate_ = reductions_->largest(holds_numbers() ? substep_->rate() : std::numeric_limits<double>::quiet_NaN());
}

// A transform carries what is no number from one place to all, so any mode shows it. The rate would not: the largest of
// numbers and others may be a number.
bool Flow::holds_numbers() const {
  return std::ranges::all_of(u_, [](const Field& component) {
    return component.empty() || (std::isfinite(component.front().real()) && std::isfinite(component.front().imag()));
  });
}

double Flow::power() const { return forcing_.power({u_[0], u_[1], u_[2]}); }

double Flow::rate() const noexcept { return rate_; }

const base::Vec3& Flow::frame() const noexcept { return substep_->frame().velocity(); }

void Flow::reduce(std::span<base::ExactSum> sums) const { reductions_->add(sums); }

double Flow::largest(double mine) const { return reductions_->largest(mine); }

std::vector<double> Flow::sum_over_columns(std::size_t count, const ColumnTerms& terms) const {
  const std::size_t adders = workers() + 1;  // and the caller, who is none between runs
  Sums sums(count, *this, adders);
  std::vector<std::vector<double>> column(adders, std::vector<double>(count));
  const fft::Range ky = pencils_.ky();
  tasks::parallel_for(scheduler_, pencils_.kx().begin, pencils_.kx().end, [&](std::size_t x) {
    const bool is_worker = tasks::Scheduler::current() == &scheduler_;
    const std::size_t worker = is_worker ? tasks::Scheduler::current_worker() : workers();
    for (std::size_t y = ky.begin; y < ky.end; ++y) {
      std::ranges::fill(column[worker], 0.0);
      terms(x, y, column[worker]);
      for (std::size_t i = 0; i < count; ++i) {
        if (column[worker][i] != 0.0) sums.add(worker, i, column[worker][i]);
      }
    }
  });
  return sums.values();
}

base::Vec3 Flow::mean() const {
  std::array<base::ExactSum, 3> sums;  // of one number, on the rank that has it
  const auto begins = [](const fft::Range& range) { return range.begin == 0 && range.size() > 0; };
  if (begins(pencils_.kx()) && begins(pencils_.ky())) {
    for (std::size_t c = 0; c < 3; ++c) sums[c].add(u_[c][pencils_.spectral_place(0, 0, 0)].real());
  }
  reduce(sums);
  return {sums[0].value(), sums[1].value(), sums[2].value()};
}

Flow::Energetics Flow::energetics() const {
  const fft::Modes& modes = pencils_.modes();
  const fft::Range kx = pencils_.kx();
  std::vector<double> divergence(kx.size());
  std::vector<double> gradient(kx.size());
  const auto sums = sum_over_columns(3, [&](std::size_t x, std::size_t y, std::span<double> column) {
    const double weight = x == 0 ? 0.5 : 1.0;  // the other half of the modes is not stored
    for (std::size_t z = 0; z < modes.count(2); ++z) {
      const std::size_t at = pencils_.spectral_place(x, y, z);
      const std::array<Complex, 3> u{u_[0][at], u_[1][at], u_[2][at]};
      const std::array<double, 3> k{k_[0][x], k_[1][y], k_[2][z]};
      const double k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
      const double u2 = std::norm(u[0]) + std::norm(u[1]) + std::norm(u[2]);
      column[0] += weight * u2;
      column[1] += weight * k2 * u2;
      // u* . (i k x u)
      const Complex curl = std::conj(u[0]) * (k[1] * u[2] - k[2] * u[1]) +
                           std::conj(u[1]) * (k[2] * u[0] - k[0] * u[2]) +
                           std::conj(u[2]) * (k[0] * u[1] - k[1] * u[0]);
      column[2] -= 2.0 * weight * curl.imag();
      double& here = divergence[x - kx.begin];
      here = larger(here, std::abs(k[0] * u[0] + k[1] * u[1] + k[2] * u[2]));
      gradient[x - kx.begin] = larger(gradient[x - kx.begin], std::sqrt(k2 * u2));
    }
  });
  const auto largest_of = [this](const std::vector<double>& numbers) {
    double all = 0.0;
    for (const double one : numbers) all = larger(all, one);
    return largest(all);
  };
  Energetics now{.energy = sums[0],
                 .dissipation = 2.0 * parameters_.viscosity * sums[1],
                 .enstrophy = sums[1],
                 .helicity = sums[2],
                 .divergence = largest_of(divergence)};
  const double steepest = largest_of(gradient);
  if (steepest > 0.0) now.divergence /= steepest;
  return now;
}

std::size_t Flow::bytes() const noexcept {
  std::size_t sum = pass_->bytes() + substep_->bytes();
  for (const Fields* fields : {&u_, &acc_, &base_}) {
    for (const Field& field : *fields) sum += field.size() * sizeof(Complex);
  }
  for (const Scalar& scalar : scalars_) {
    sum += (scalar.theta.size() + scalar.acc.size() + scalar.base.size()) * sizeof(Complex);
  }
  return sum;
}

}  // namespace tacit::dns

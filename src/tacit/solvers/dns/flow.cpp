// The fields of a flow: from points and to points, made free of divergence, and sums over them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/flow.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

#include "tacit/fft/wisdom.hpp"
#include "tacit/solvers/dns/across_ranks.hpp"
#include "tacit/solvers/dns/substep.hpp"
#include "tacit/solvers/dns/transforms.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::dns {
namespace {

ByAxis wave_numbers(const fft::Modes& modes, const base::Vec3& box) {
  const std::array<double, 3> sides{box.x, box.y, box.z};
  ByAxis k;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < modes.count(axis); ++i) {
      k[axis].push_back(2.0 * std::numbers::pi / sides[axis] * static_cast<double>(modes.wave_number(axis, i)));
    }
  }
  return k;
}

/// Rows of fields whose values at a position [length] are given.
template <class Value>
RowFunction rows_of(const FlowParameters& flow, const Value& value) {
  return [&flow, &value](std::size_t y, std::size_t z, std::span<double* const> out) {
    const auto place = [](std::size_t i, std::size_t n, double side) {
      return side * static_cast<double>(i) / static_cast<double>(n);
    };
    const fft::Shape& n = flow.points;
    for (std::size_t x = 0; x < n[0]; ++x) {
      const auto values = value({place(x, n[0], flow.box.x), place(y, n[1], flow.box.y), place(z, n[2], flow.box.z)});
      for (std::size_t field = 0; field < out.size(); ++field) out[field][x] = values[field];
    }
  };
}

/// The algorithm of the parameters, with what it leaves open chosen. Called by all ranks.
fft::PassAlgorithm settled_algorithm(const FlowParameters& parameters, tasks::Scheduler& scheduler,
                                     comm::Communicator& ranks) {
  const fft::Modes modes(parameters.points, parameters.truncation);
  fft::PassAlgorithm algorithm = parameters.algorithm;
  if (algorithm.grid.row_size != 0 && algorithm.grid.column_size == 0)
    algorithm.grid.column_size = ranks.size() / algorithm.grid.row_size;
  if (parameters.algorithm.grid.row_size != 0) fft::check_grid(algorithm.grid, ranks);
  const std::filesystem::path& file = parameters.tuning_file;
  fft::share_wisdom<double>(parameters.points, parameters.rigor, ranks,
                            file.empty() ? file : std::filesystem::path(file.string() + ".wisdom"));
  if (parameters.tuning == fft::Tuning::measured) {
    algorithm = fft::choose_algorithm<double>({modes, velocity_fields(parameters.form), parameters.rigor}, algorithm,
                                              scheduler, ranks, file);
  }
  if (algorithm.grid.ranks() == 0) algorithm.grid = fft::choose_grid(modes, ranks);
  return algorithm;
}

fft::Pencils pencils_of(const FlowParameters& parameters, const fft::ProcessGrid& grid,
                        const comm::Communicator& ranks) {
  fft::check_grid(grid, ranks);
  return {fft::Modes(parameters.points, parameters.truncation), grid, number(ranks.rank())};
}

}  // namespace

Flow::Flow(const FlowParameters& parameters, tasks::Scheduler& scheduler, comm::Communicator& ranks)
    : parameters_(parameters),
      scheduler_(scheduler),
      algorithm_(settled_algorithm(parameters, scheduler, ranks)),
      pencils_(pencils_of(parameters, algorithm_.grid, ranks)),
      ranks_(ranks, pencils_.grid(), scheduler),
      k_(wave_numbers(pencils_.modes(), parameters.box)),
      reductions_(std::make_unique<exchange::RankReductions>(ranks)),
      scalars_(parameters.physics.all_scalars().size()),
      forcing_(parameters_.physics, pencils_, k_, parameters.box,
               [this](std::span<base::ExactSum> sums) { reduce(sums); }) {
  for (std::size_t c = 0; c < 3; ++c) {
    u_[c].resize(pencils_.spectral_size());
    acc_[c].resize(pencils_.spectral_size());
    if (parameters.scheme == Scheme::rk4) base_[c].resize(pencils_.spectral_size());
  }
  for (Scalar& scalar : scalars_) {
    for (Field* field : {&scalar.theta, &scalar.acc}) field->resize(pencils_.spectral_size());
    if (parameters.scheme == Scheme::rk4) scalar.base.resize(pencils_.spectral_size());
  }
  build_step();
}

Flow::~Flow() = default;

void Flow::set(const std::function<base::Vec3(const base::Vec3&)>& velocity) {
  const ForwardWork work(pencils_, rows_of(parameters_, velocity), {u_[0], u_[1], u_[2]});
  run_pass(work.fields(), work);
  clean();
}

double Flow::set_any(const std::function<base::Vec3(const base::Vec3&)>& velocity) {
  const ForwardWork work(pencils_, rows_of(parameters_, velocity), {u_[0], u_[1], u_[2]});
  run_pass(work.fields(), work);
  const double divergence = energetics().divergence;
  clean();
  return divergence;
}

void Flow::at_points(const std::function<void(std::size_t, std::size_t, const std::array<const double*, 3>&)>& take) {
  const InverseWork work(pencils_, {u_[0], u_[1], u_[2]},
                         [&take](std::size_t y, std::size_t z, std::span<double* const> in) {
                           take(y, z, {in[0], in[1], in[2]});
                         });
  run_pass(work.fields(), work);
}

// With the transforms of a step, which by lines of one length are the same in every pass, so that the bits are, too.
void Flow::look_now(const Look& look, double dt) {
  const base::Vec3 mean = this->mean();
  const bool moves = substep_->frame().would_move(mean, dt);
  std::vector<std::span<const Complex>> all;
  for (std::size_t number = 0; number < fields(); ++number) all.push_back(std::as_const(*this).field(number));
  const InverseWork work(
      pencils_, std::move(all),
      [&](std::size_t y, std::size_t z, std::span<double* const> in) {
        look({.y = y, .z = z, .velocity = in.first(3), .scalars = in.subspan(3), .mean = moves ? mean : base::Vec3{}});
      },
      moves ? 3 : 0);
  run_pass(work.fields(), work, parameters_.rigor);
}

void Flow::run_pass(const fft::PassFields& fields, const fft::PassWork<double>& work) const {
  run_pass(fields, work, fft::Rigor::estimate);
}

void Flow::run_pass(const fft::PassFields& fields, const fft::PassWork<double>& work, fft::Rigor rigor) const {
  fft::Pass<double> pass(pencils_, fields, work, scheduler_, rigor, ranks_, algorithm_.division);
  pass.time_exchanges();
  pass.run({});
}

void Flow::set_scalar(std::size_t number, const std::function<double(const base::Vec3&)>& value) {
  const std::span<Complex> theta = scalar(number);
  const auto values = [&value](const base::Vec3& at) { return std::array{value(at)}; };
  const ForwardWork work(pencils_, rows_of(parameters_, values), {theta});
  run_pass(work.fields(), work);
  for_each_mode(pencils_, [&](std::size_t x, std::size_t y, std::size_t z, std::size_t at) {
    if (!holds(pencils_.modes(), x, y, z)) theta[at] = Complex{};
  });
}

void Flow::scalar_at_points(std::size_t number,
                            const std::function<void(std::size_t, std::size_t, const double*)>& take) {
  const InverseWork work(pencils_, {scalar(number)},
                         [&take](std::size_t y, std::size_t z, std::span<double* const> in) { take(y, z, in[0]); });
  run_pass(work.fields(), work);
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
      here =
          exchange::larger(here, std::abs(u[0][x] - mean.x) * per_speed.x + std::abs(u[1][x] - mean.y) * per_speed.y +
                                     std::abs(u[2][x] - mean.z) * per_speed.z);
    }
  });
  double all = 0.0;
  for (const double row : largest) all = exchange::larger(all, row);
  return reductions_->largest(all);
}

void Flow::clean() {
  for_each_mode(pencils_, [&](std::size_t x, std::size_t y, std::size_t z, std::size_t at) {
    const std::array<Complex, 3> u{u_[0][at], u_[1][at], u_[2][at]};
    const bool is_held = holds(pencils_.modes(), x, y, z);
    const WaveVector k = wave_vector(x, y, z);
    const double k2 = square(k);
    const Complex along = k2 > 0.0 ? (k[0] * u[0] + k[1] * u[1] + k[2] * u[2]) / k2 : Complex{};
    for (std::size_t c = 0; c < 3; ++c) u_[c][at] = is_held ? u[c] - k[c] * along : Complex{};
  });
  const std::array<std::span<Complex>, 3> fields{u_[0], u_[1], u_[2]};
  pair_conjugates(pencils_, fields, ranks_);
}

double Flow::forcing_rate() const { return forcing_.rate({u_[0], u_[1], u_[2]}); }

void Flow::expect_what_is_forced() const {
  if (parameters_.physics.forcing.kind != ForcingKind::constant) return;
  forcing_.expect_energy({u_[0], u_[1], u_[2]}, energetics().energy);
}

double Flow::power() const { return forcing_.power({u_[0], u_[1], u_[2]}); }

void Flow::reduce(std::span<base::ExactSum> sums) const { reductions_->add(sums); }

bool Flow::has_moderate_modes() const {
  constexpr double limit = 1e100;
  constexpr std::size_t chunk = std::size_t{1} << 15U;
  std::atomic<std::uint64_t> beyond{0};
  for (std::size_t number = 0; number < fields(); ++number) {
    const std::span<const Complex> modes = field(number);
    tasks::parallel_for(scheduler_, 0, (modes.size() + chunk - 1) / chunk, [&](std::size_t i) {
      const auto some = modes.subspan(i * chunk, std::min(chunk, modes.size() - i * chunk));
      std::uint64_t count = 0;  // without branches, several at once; NaN is beyond, too
      for (const Complex& mode : some) {
        count += std::abs(mode.real()) <= limit && std::abs(mode.imag()) <= limit ? 0U : 1U;
      }
      if (count > 0) beyond += count;
    });
  }
  return reductions_->largest(beyond == 0 ? 0.0 : 1.0) == 0.0;
}

double Flow::largest(double mine) const { return reductions_->largest(mine); }

std::vector<double> Sums::values() const {
  std::vector<base::ExactSum> all = of_worker_.front();
  for (std::size_t worker = 1; worker < of_worker_.size(); ++worker) {
    for (std::size_t i = 0; i < all.size(); ++i) all[i].merge(of_worker_[worker][i]);
  }
  flow_.reduce(all);
  std::vector<double> values;
  values.reserve(all.size());
  for (const base::ExactSum& sum : all) values.push_back(sum.value());
  return values;
}

std::vector<double> Flow::sum_over_columns(std::size_t count, const ColumnTerms& terms) const {
  const std::size_t adders = workers() + 1;  // and the caller, which is no worker between runs
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
      const WaveVector k = wave_vector(x, y, z);
      const double k2 = square(k);
      const double u2 = std::norm(u[0]) + std::norm(u[1]) + std::norm(u[2]);
      column[0] += weight * u2;
      column[1] += weight * k2 * u2;
      // u* . (i k x u)
      const Complex curl = std::conj(u[0]) * (k[1] * u[2] - k[2] * u[1]) +
                           std::conj(u[1]) * (k[2] * u[0] - k[0] * u[2]) +
                           std::conj(u[2]) * (k[0] * u[1] - k[1] * u[0]);
      column[2] -= 2.0 * weight * curl.imag();
      double& here = divergence[x - kx.begin];
      here = exchange::larger(here, std::abs(k[0] * u[0] + k[1] * u[1] + k[2] * u[2]));
      gradient[x - kx.begin] = exchange::larger(gradient[x - kx.begin], std::sqrt(k2 * u2));
    }
  });
  const auto largest_of = [this](const std::vector<double>& numbers) {
    double all = 0.0;
    for (const double one : numbers) all = exchange::larger(all, one);
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

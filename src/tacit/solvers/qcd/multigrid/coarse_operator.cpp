// Applies the coarse operator on all workers and ranks.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/multigrid/coarse_operator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <complex>
#include <numeric>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/engine/error.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::qcd::multigrid {
namespace {

constexpr std::size_t hops = 2 * axes;
/// Numbers of an aggregate at most, of all vectors at once: on the stack of a worker they stay in its cache.
constexpr std::size_t longest_vector = 4608;
static_assert(longest_vector >= 12 * 2 * CoarseOperator::most_columns);  // the sources of a point
constexpr std::size_t most_chosen = longest_vector / (2 * coarse_lanes);

class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// inverse <- a^-1 by Gauss and Jordan with row pivots, in double. @return whether there is one
bool invert(const CoarseShape& shape, std::span<const float> a, std::span<float> inverse) {
  using Complex = std::complex<double>;
  const std::size_t n = shape.width;
  const std::size_t rows = shape.rows;
  std::vector<Complex> left(n * n);  // [row][column]
  std::vector<Complex> right(n * n);
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t column = 0; column < n; ++column) {
      left[row * n + column] = {a[2 * rows * column + row], a[2 * rows * column + rows + row]};
    }
    right[row * n + row] = 1.0;
  }
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t row = k + 1; row < n; ++row) {
      if (std::norm(left[row * n + k]) > std::norm(left[pivot * n + k])) pivot = row;
    }
    const double size = std::norm(left[pivot * n + k]);
    if (!(size > 0.0) || !std::isfinite(size)) return false;
    for (std::size_t column = 0; column < n; ++column) {
      std::swap(left[k * n + column], left[pivot * n + column]);
      std::swap(right[k * n + column], right[pivot * n + column]);
    }
    const Complex factor = 1.0 / left[k * n + k];
    for (std::size_t column = 0; column < n; ++column) {
      left[k * n + column] *= factor;
      right[k * n + column] *= factor;
    }
    for (std::size_t row = 0; row < n; ++row) {
      const Complex by = left[row * n + k];
      if (row == k || by == 0.0) continue;
      for (std::size_t column = k; column < n; ++column) left[row * n + column] -= by * left[k * n + column];
      for (std::size_t column = 0; column < n; ++column) right[row * n + column] -= by * right[k * n + column];
    }
  }
  std::ranges::fill(inverse, 0.0F);
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t column = 0; column < n; ++column) {
      inverse[2 * rows * column + row] = static_cast<float>(right[row * n + column].real());
      inverse[2 * rows * column + rows + row] = static_cast<float>(right[row * n + column].imag());
    }
  }
  return true;
}

}  // namespace

CoarseOperator::CoarseOperator(const Aggregates& aggregates, std::size_t width, const Division& division,
                               tasks::Scheduler& scheduler, std::uint32_t level, CoarseTransport transport)
    : aggregates_(aggregates),
      shape_{.width = width, .rows = padded(width)},
      loops_(coarse_loops()),
      ranks_(division.ranks()),
      scheduler_(scheduler),
      level_(level),
      matrices_(aggregates.count() * 5 * shape_.matrix()),
      transport_(std::move(transport)) {
  find_targets();
  if (ranks_ == nullptr) return;
  halo_ = transport_.halo ? transport_.halo(aggregates, division, numbers(), level)
                          : std::make_unique<WindowHalo>(aggregates, division, numbers(), 2 * level);
}

CoarseOperator::CoarseOperator(const CoarseOperator& of, const Division& division, std::size_t count)
    : aggregates_(of.aggregates_),
      shape_(of.shape_),
      loops_(of.loops_),
      ranks_(of.ranks_),
      scheduler_(of.scheduler_),
      level_(of.level_),
      vectors_(count),
      owner_(&of) {
  TACIT_EXPECT(count > 0 && count <= most_at_once(shape_.width));
  find_targets();
  if (ranks_ != nullptr) halo_ = std::make_unique<WindowHalo>(aggregates_, division, numbers(), 2 * level_ + 1);
}

std::size_t CoarseOperator::most_at_once(std::size_t width) noexcept { return longest_vector / (2 * padded(width)); }

void CoarseOperator::choose(std::span<const std::uint32_t> which) {
  TACIT_EXPECT(which.empty() || which.back() < vectors_);
  chosen_.assign(which.begin(), which.end());
}

void CoarseOperator::find_targets() {
  chosen_.resize(vectors_);
  std::iota(chosen_.begin(), chosen_.end(), 0U);
  const std::size_t groups = aggregates_.groups();
  targets_.resize(groups);
  if (groups == 2) {
    half_.resize(aggregates_.first(1) * numbers());
    other_ = make_solved();
  }
  std::size_t most_at_rim = 0;
  for (std::size_t group = 0; group < groups; ++group) {
    const std::size_t of = groups - 1 - group;  // the neighbours of a group
    for (std::size_t k = aggregates_.first(of); k < aggregates_.first(of + 1); ++k) {
      const bool is_rim = std::ranges::any_of(
          aggregates_.neighbours(k), [](std::uint32_t neighbour) { return (neighbour & Aggregates::ghost) != 0; });
      (is_rim ? targets_[group].rim : targets_[group].interior).push_back(static_cast<std::uint32_t>(k));
    }
    most_at_rim = std::max(most_at_rim, targets_[group].rim.size());
  }
  products_.resize(most_at_rim * hops * numbers());
}

void CoarseOperator::multiply_by(Product product, const float* a, const float* x, float* y) const {
  std::array<const float*, most_chosen> from;
  std::array<float*, most_chosen> to;
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    from[i] = x + chosen_[i] * shape_.vector();
    to[i] = y + chosen_[i] * shape_.vector();
  }
  product(shape_, a, from.data(), to.data(), chosen_.size());
}

void CoarseOperator::add_hops_inside(std::span<const float> inside) {
  tasks::parallel_for(scheduler_, 0, aggregates_.count(), [&](std::size_t aggregate) {
    const float* const F = inside.data() + aggregate * shape_.matrix();
    float* const A = matrix(aggregate, itself).data();
    for (std::size_t column = 0; column < shape_.width; ++column) {
      for (std::size_t row = 0; row < shape_.width; ++row) {
        const float sign = (row + column) % 2 == 0 ? 1.0F : -1.0F;
        const std::size_t at = 2 * shape_.rows * column + row;
        const std::size_t across = 2 * shape_.rows * row + column;
        A[at] += F[at] + sign * F[across];
        A[at + shape_.rows] += F[at + shape_.rows] - sign * F[across + shape_.rows];
      }
    }
  });
}

void CoarseOperator::complete() {
  if (aggregates_.groups() == 1) return;
  inverses_.resize(aggregates_.count() * shape_.matrix());
  std::atomic<bool> is_singular = false;
  tasks::parallel_for(scheduler_, 0, aggregates_.count(), [&](std::size_t k) {
    const std::span<float> inverse = std::span(inverses_).subspan(k * shape_.matrix(), shape_.matrix());
    if (!invert(shape_, matrix(k, itself), inverse)) is_singular = true;
  });
  std::array<std::uint64_t, 1> any{is_singular ? 1U : 0U};
  if (ranks_ != nullptr) exchange::take_largest(*ranks_, any);
  if (any[0] == 0) return;
  throw engine::NumericsError(fmt::format(
      "the set-up of multigrid failed: on level {} the matrix of an aggregate is singular: take another mass, or other "
      "multigrid.vectors",
      level_ + 1));
}

/// Messages of all faces of a group: those towards the low end as they are, those towards the high end multiplied.
void CoarseOperator::send(const In& in, std::size_t group) {
  for (const std::size_t number : halo_->sending(group)) {
    const CoarseFace& face = aggregates_.faces()[number];
    std::span<float> message;
    {
      const Stopwatch watch(times_.send_s);
      message = halo_->prepare(number);
      for (std::size_t k = 0; !face.is_high && k < face.sites.size(); ++k) {
        std::copy_n(at(in, face.sites[k]), numbers(), message.data() + k * numbers());
      }
    }
    tasks::parallel_for(scheduler_, 0, face.is_high ? face.sites.size() : 0, [&](std::size_t k) {
      const std::size_t site = face.sites[k];
      multiply_back(matrix_of(site, face.axis), at(in, site), message.data() + k * numbers());
    });
    const Stopwatch watch(times_.send_s);
    halo_->post(number);
  }
}

/// Of a neighbour that is not a ghost; or of a ghost forward, when that has come.
void CoarseOperator::form_product(const In& in, std::size_t aggregate, std::size_t direction, float* product) const {
  const std::uint32_t neighbour = aggregates_.neighbours(aggregate)[direction];
  const std::size_t axis = direction / 2;
  if (direction % 2 != 0) {
    multiply_back(matrix_of(neighbour, axis), at(in, neighbour), product);
    return;
  }
  const bool is_ghost = (neighbour & Aggregates::ghost) != 0;
  multiply(matrix_of(aggregate, axis), is_ghost ? halo_->ghost(neighbour & ~Aggregates::ghost) : at(in, neighbour),
           product);
}

/// Calls finish(aggregate, sum) with the sum of what comes from the group to each aggregate that is its neighbour.
template <class Finish>
void CoarseOperator::hop(const In& in, std::size_t group, Finish&& finish) {
  if (halo_) send(in, group);
  const Targets& targets = targets_[group];
  const std::size_t numbers = this->numbers();
  const auto add = [this](const float* product, float* sum) {
    for_chosen([&](std::size_t at) {
      for (std::size_t i = at; i < at + shape_.vector(); ++i) sum[i] += product[i];
    });
  };
  TACIT_EXPECT(numbers <= longest_vector);
  tasks::parallel_for(scheduler_, 0, targets.interior.size(), [&](std::size_t i) {
    alignas(64) std::array<float, longest_vector> sum;
    alignas(64) std::array<float, longest_vector> product;
    std::fill_n(sum.begin(), numbers, 0.0F);
    const std::size_t aggregate = targets.interior[i];
    for (std::size_t direction = 0; direction < hops; ++direction) {
      if (aggregates_.neighbours(aggregate)[direction] == Aggregates::none) continue;
      form_product(in, aggregate, direction, product.data());
      add(product.data(), sum.data());
    }
    finish(aggregate, sum.data());
  });
  if (!halo_) return;
  const auto for_products = [&](std::size_t i, auto&& visit) {
    for (std::size_t direction = 0; direction < hops; ++direction) {
      const std::uint32_t neighbour = aggregates_.neighbours(targets.rim[i])[direction];
      if (neighbour == Aggregates::none) continue;
      visit(direction, neighbour, products_.data() + (i * hops + direction) * numbers);
    }
  };
  tasks::parallel_for(scheduler_, 0, targets.rim.size(), [&](std::size_t i) {
    for_products(i, [&](std::size_t direction, std::uint32_t neighbour, float* product) {
      if ((neighbour & Aggregates::ghost) == 0) form_product(in, targets.rim[i], direction, product);
    });
  });
  {
    const Stopwatch watch(times_.wait_s);
    halo_->receive(group);
  }
  tasks::parallel_for(scheduler_, 0, targets.rim.size(), [&](std::size_t i) {
    alignas(64) std::array<float, longest_vector> sum;
    std::fill_n(sum.begin(), numbers, 0.0F);
    for_products(i, [&](std::size_t direction, std::uint32_t neighbour, float* product) {
      const bool is_ghost = (neighbour & Aggregates::ghost) != 0;
      if (is_ghost && direction % 2 == 0) form_product(in, targets.rim[i], direction, product);
      add(is_ghost && direction % 2 != 0 ? halo_->ghost(neighbour & ~Aggregates::ghost) : product, sum.data());
    });
    finish(targets.rim[i], sum.data());
  });
  const Stopwatch watch(times_.send_s);
  halo_->release(group);
}

void CoarseOperator::apply(const CoarseVector& in, CoarseVector& out) {
  const std::size_t numbers = this->numbers();
  for (std::size_t group = 0; group < aggregates_.groups(); ++group) {
    hop(In{in.data(), 0}, group, [&](std::size_t k, const float* sum) {
      float* const to = out.data() + k * numbers;
      multiply(matrix_of(k, itself), in.data() + k * numbers, to);
      for_chosen([&](std::size_t at) {
        for (std::size_t i = at; i < at + shape_.vector(); ++i) to[i] += sum[i];
      });
    });
  }
}

void CoarseOperator::prepare(const CoarseVector& b, CoarseVector& rhs) {
  const std::size_t numbers = this->numbers();
  if (aggregates_.groups() == 1) {
    rhs = b;
    return;
  }
  tasks::parallel_for(scheduler_, 0, first_solved(), [&](std::size_t k) {
    multiply(inverse_of(k), b.data() + k * numbers, half_.data() + k * numbers);
  });
  hop(In{half_.data(), 0}, 0, [&](std::size_t k, const float* sum) {
    float* const to = rhs.data() + (k - first_solved()) * numbers;
    for_chosen([&](std::size_t at) {
      for (std::size_t i = at; i < at + shape_.vector(); ++i) to[i] = b[k * numbers + i] - sum[i];
    });
  });
}

void CoarseOperator::apply_solved(const CoarseVector& in, CoarseVector& out) {
  if (aggregates_.groups() == 1) return apply(in, out);
  const std::size_t numbers = this->numbers();
  const std::size_t first = first_solved();
  tasks::parallel_for(scheduler_, 0, aggregates_.count() - first, [&](std::size_t k) {
    multiply(inverse_of(first + k), in.data() + k * numbers, other_.data() + k * numbers);
  });
  hop(In{other_.data(), first}, 1,
      [&](std::size_t k, const float* sum) { multiply(inverse_of(k), sum, half_.data() + k * numbers); });
  hop(In{half_.data(), 0}, 0, [&](std::size_t k, const float* sum) {
    const std::size_t begin = (k - first) * numbers;
    for_chosen([&](std::size_t at) {
      for (std::size_t i = at; i < at + shape_.vector(); ++i) out[begin + i] = in[begin + i] - sum[i];
    });
  });
}

void CoarseOperator::reconstruct(const CoarseVector& b, const CoarseVector& y, CoarseVector& x) {
  if (aggregates_.groups() == 1) {
    x = y;
    return;
  }
  const std::size_t numbers = this->numbers();
  const std::size_t first = first_solved();
  tasks::parallel_for(scheduler_, first, aggregates_.count(), [&](std::size_t k) {
    multiply(inverse_of(k), y.data() + (k - first) * numbers, x.data() + k * numbers);
  });
  hop(In{x.data(), 0}, 1, [&](std::size_t k, const float* sum) {
    alignas(64) std::array<float, longest_vector> rest;
    for_chosen([&](std::size_t at) {
      for (std::size_t i = at; i < at + shape_.vector(); ++i) rest[i] = b[k * numbers + i] - sum[i];
    });
    multiply(inverse_of(k), rest.data(), x.data() + k * numbers);
  });
}

void CoarseOperator::embed(const CoarseVector& rhs, CoarseVector& b) const {
  const auto first = static_cast<std::ptrdiff_t>(first_solved() * numbers());
  std::fill(b.begin(), b.begin() + first, 0.0F);
  std::ranges::copy(rhs, b.begin() + first);
}

void CoarseOperator::solved_of(const CoarseVector& x, CoarseVector& y) const {
  if (aggregates_.groups() == 1) {
    y = x;
    return;
  }
  const std::size_t numbers = this->numbers();
  const std::size_t first = first_solved();
  tasks::parallel_for(scheduler_, first, aggregates_.count(), [&](std::size_t k) {
    multiply(matrix_of(k, itself), x.data() + k * numbers, y.data() + (k - first) * numbers);
  });
}

void CoarseOperator::apply_forward(const CoarseVector& in, std::array<CoarseVector, axes>& out) {
  const std::size_t numbers = this->numbers();
  for (CoarseVector& of : out) of.assign(in.size(), 0.0F);
  for (std::size_t group = 0; group < aggregates_.groups(); ++group) {
    const In from{in.data(), 0};
    if (halo_) {
      send(from, group);
      halo_->receive(group);
    }
    for (const std::vector<std::uint32_t>* const targets : {&targets_[group].interior, &targets_[group].rim}) {
      tasks::parallel_for(scheduler_, 0, targets->size(), [&](std::size_t i) {
        const std::size_t aggregate = (*targets)[i];
        for (std::size_t axis = 0; axis < axes; ++axis) {
          if (aggregates_.neighbours(aggregate)[2 * axis] == Aggregates::none) continue;
          form_product(from, aggregate, 2 * axis, out[axis].data() + aggregate * numbers);
        }
      });
    }
    if (halo_) halo_->release(group);
  }
}

}  // namespace tacit::qcd::multigrid

// Restricts, prolongs, and projects operators of coarse lattices.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/multigrid/levels/coarse_interpolation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <complex>

#include "tacit/base/error.hpp"
#include "tacit/engine/error.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/solvers/qcd/multigrid/block_loops.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::qcd::multigrid {
namespace {

using Column = std::vector<std::complex<double>>;  // a test vector on an aggregate, of one chirality

double square_of(const Column& of) {
  double sum = 0.0;
  for (const std::complex<double>& number : of) sum += std::norm(number);
  return sum;
}

/// Gram and Schmidt, twice. @return how many are independent of those before
std::size_t make_orthonormal(std::vector<Column>& columns) {
  constexpr double dependent = 1e-10;  // of a square: test vectors are in single precision
  for (std::size_t v = 0; v < columns.size(); ++v) {
    const double whole = square_of(columns[v]);
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t k = 0; k < v; ++k) {
        std::complex<double> along;
        for (std::size_t i = 0; i < columns[v].size(); ++i) along += std::conj(columns[k][i]) * columns[v][i];
        for (std::size_t i = 0; i < columns[v].size(); ++i) columns[v][i] -= along * columns[k][i];
      }
    }
    const double left = square_of(columns[v]);
    if (!(left > dependent * whole) || !std::isfinite(left)) return v;
    const double factor = 1.0 / std::sqrt(left);
    for (std::complex<double>& number : columns[v]) number *= factor;
  }
  return columns.size();
}

}  // namespace

CoarseInterpolation::CoarseInterpolation(CoarseOperator& fine, const Aggregates& aggregates, std::size_t vectors)
    : fine_(fine),
      aggregates_(aggregates),
      width_(chiralities * vectors),
      columns_(fine.aggregates().count() * width_ * fine.shape().vector()) {
  TACIT_EXPECT(width_ <= CoarseOperator::most_columns);
}

/// @return how many vectors are independent there
std::size_t CoarseInterpolation::make_orthonormal(std::size_t aggregate, const std::vector<CoarseVector>& vectors) {
  const CoarseShape& shape = fine_.shape();
  const auto members = aggregates_.members(aggregate);
  std::size_t independent = vectors.size();
  std::vector<Column> columns(vectors.size());
  for (std::size_t chirality = 0; chirality < chiralities; ++chirality) {
    for (std::size_t v = 0; v < vectors.size(); ++v) {
      columns[v].clear();
      for (const std::uint32_t site : members) {
        const float* const from = vectors[v].data() + site * shape.vector();
        for (std::size_t row = chirality; row < shape.width; row += chiralities) {
          columns[v].emplace_back(from[row], from[shape.rows + row]);
        }
      }
    }
    independent = std::min(independent, multigrid::make_orthonormal(columns));
    for (std::size_t v = 0; v < vectors.size(); ++v) {
      auto from = columns[v].begin();
      for (const std::uint32_t site : members) {
        float* const to = column(site, chiralities * v + chirality);
        std::fill_n(to, shape.vector(), 0.0F);
        for (std::size_t row = chirality; row < shape.width; row += chiralities, ++from) {
          to[row] = static_cast<float>(from->real());
          to[shape.rows + row] = static_cast<float>(from->imag());
        }
      }
    }
  }
  return independent;
}

void CoarseInterpolation::take(const std::vector<CoarseVector>& vectors) {
  TACIT_EXPECT(chiralities * vectors.size() == width_);
  std::atomic<std::size_t> least = vectors.size();
  tasks::parallel_for(fine_.scheduler(), 0, aggregates_.count(), [&](std::size_t aggregate) {
    const std::size_t independent = make_orthonormal(aggregate, vectors);
    for (std::size_t seen = least; independent < seen && !least.compare_exchange_weak(seen, independent);) {
    }
  });
  std::array<std::uint64_t, 1> missing{vectors.size() - least};
  if (fine_.ranks() != nullptr) exchange::take_largest(*fine_.ranks(), missing);
  if (missing[0] == 0) return;
  throw engine::NumericsError(fmt::format(
      "the set-up of multigrid failed: on level {} test vector {} of {} is a combination of those before it on an "
      "aggregate: fewer multigrid.vectors, or larger multigrid.coarse_block",
      fine_.level() + 1, vectors.size() - missing[0] + 1, vectors.size()));
}

/// sums <- sums + P^+ fine, of one site: [column][re, im]
void CoarseInterpolation::add_products(std::size_t site, const float* fine, std::span<double> sums) const {
  std::array<const float*, CoarseOperator::most_columns> columns;
  std::array<float, 2 * CoarseOperator::most_columns> found;
  for (std::size_t i = 0; i < width_; ++i) columns[i] = column(site, i);
  fine_.loops().dots(fine_.shape(), columns.data(), width_, fine, found.data());
  for (std::size_t i = 0; i < 2 * width_; ++i) sums[i] += static_cast<double>(found[i]);
}

void CoarseInterpolation::restrict_to(const CoarseOperator& on, const CoarseVector& fine, CoarseVector& coarse) const {
  const std::size_t numbers = fine_.shape().vector();
  const std::size_t rows = padded(width_);
  TACIT_EXPECT(coarse.size() == aggregates_.count() * on.vectors() * 2 * rows);
  tasks::parallel_for(fine_.scheduler(), 0, aggregates_.count(), [&](std::size_t aggregate) {
    std::array<double, 2 * CoarseOperator::most_columns> sums;
    for (const std::uint32_t which : on.chosen()) {
      std::fill_n(sums.begin(), 2 * width_, 0.0);
      for (const std::uint32_t site : aggregates_.members(aggregate)) {
        add_products(site, fine.data() + (site * on.vectors() + which) * numbers, sums);
      }
      float* const to = coarse.data() + (aggregate * on.vectors() + which) * 2 * rows;
      for (std::size_t row = 0; row < width_; ++row) {
        to[row] = static_cast<float>(sums[2 * row]);
        to[rows + row] = static_cast<float>(sums[2 * row + 1]);
      }
    }
  });
}

void CoarseInterpolation::prolong(const CoarseOperator& on, const CoarseVector& coarse, CoarseVector& fine) const {
  const std::size_t numbers = fine_.shape().vector();
  const std::size_t rows = padded(width_);
  TACIT_EXPECT(coarse.size() == aggregates_.count() * on.vectors() * 2 * rows);
  tasks::parallel_for(fine_.scheduler(), 0, aggregates_.count(), [&](std::size_t aggregate) {
    std::array<float, 2 * CoarseOperator::most_columns> factors;
    std::array<const float*, CoarseOperator::most_columns> columns;
    for (const std::uint32_t which : on.chosen()) {
      const float* const from = coarse.data() + (aggregate * on.vectors() + which) * 2 * rows;
      for (std::size_t row = 0; row < width_; ++row) {
        factors[2 * row] = from[row];
        factors[2 * row + 1] = from[rows + row];
      }
      for (const std::uint32_t site : aggregates_.members(aggregate)) {
        for (std::size_t i = 0; i < width_; ++i) columns[i] = column(site, i);
        fine_.loops().add(fine_.shape(), columns.data(), factors.data(), width_,
                          fine.data() + (site * on.vectors() + which) * numbers);
      }
    }
  });
}

/// Column by column on all aggregates at once, as Interpolation does it: couplings forward of the finer lattice either
/// lead to the next aggregate or stay inside, where those backward follow from them.
void CoarseInterpolation::project(CoarseOperator& coarse) {
  const CoarseShape& shape = fine_.shape();
  const CoarseShape& to = coarse.shape();
  const std::size_t numbers = shape.vector();
  base::PackVector<float> inside(aggregates_.count() * to.matrix());
  CoarseVector psi = fine_.make();
  CoarseVector local = fine_.make();
  std::array<CoarseVector, axes> forward;
  for (std::size_t number = 0; number < width_; ++number) {
    tasks::parallel_for(fine_.scheduler(), 0, fine_.aggregates().count(), [&](std::size_t site) {
      std::copy_n(column(site, number), numbers, psi.data() + site * numbers);
      fine_.loops().multiply(shape, fine_.matrix(site, CoarseOperator::itself).data(), psi.data() + site * numbers,
                             local.data() + site * numbers);
    });
    fine_.apply_forward(psi, forward);
    tasks::parallel_for(fine_.scheduler(), 0, aggregates_.count(), [&](std::size_t aggregate) {
      std::array<double, 2 * CoarseOperator::most_columns> sums;
      const auto write = [&](float* const matrix) {
        float* const re = matrix + 2 * to.rows * number;
        for (std::size_t row = 0; row < to.rows; ++row) {
          re[row] = row < width_ ? static_cast<float>(sums[2 * row]) : 0.0F;
          re[to.rows + row] = row < width_ ? static_cast<float>(sums[2 * row + 1]) : 0.0F;
        }
      };
      std::fill_n(sums.begin(), 2 * width_, 0.0);
      for (const std::uint32_t site : aggregates_.members(aggregate)) {
        add_products(site, local.data() + site * numbers, sums);
      }
      write(coarse.matrix(aggregate, CoarseOperator::itself).data());
      for (std::size_t axis = 0; axis < axes; ++axis) {
        std::fill_n(sums.begin(), 2 * width_, 0.0);
        for (const std::uint32_t site : aggregates_.members(aggregate)) {
          if ((aggregates_.leaves(site) >> axis & 1U) == 0) continue;
          add_products(site, forward[axis].data() + site * numbers, sums);
        }
        write(coarse.matrix(aggregate, axis).data());
      }
      std::fill_n(sums.begin(), 2 * width_, 0.0);
      for (std::size_t axis = 0; axis < axes; ++axis) {
        for (const std::uint32_t site : aggregates_.members(aggregate)) {
          if ((aggregates_.leaves(site) >> axis & 1U) != 0) continue;
          add_products(site, forward[axis].data() + site * numbers, sums);
        }
      }
      write(inside.data() + aggregate * to.matrix());
    });
  }
  coarse.add_hops_inside(inside);
  coarse.complete();
}

}  // namespace tacit::qcd::multigrid

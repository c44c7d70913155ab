// Restricts, prolongs, and projects the operator.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/multigrid/interpolation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacit/base/error.hpp"
#include "tacit/engine/error.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::qcd::multigrid {
namespace {

constexpr std::uint32_t all_sites = 0xffff;
constexpr std::size_t numbers_of_column = 2 * chiralities;  // of a test vector

/// Sites of a block whose coordinate along an axis is the given one, 0 or 1.
std::uint32_t face(std::size_t axis, std::size_t coordinate) {
  std::uint32_t sites = 0;
  for (std::size_t c = 0; c < block_sites; ++c) {
    if ((c >> axis & 1U) == coordinate) sites |= 1U << c;
  }
  return sites;
}

}  // namespace

Interpolation::Interpolation(FieldSpace<float>& space, const Aggregates& aggregates, const BlockLoops& loops,
                             std::size_t vectors)
    : space_(space),
      aggregates_(aggregates),
      loops_(loops),
      sums_(aggregates.blocks() * vectors * numbers_of_column * aggregates.lanes()),
      factors_(aggregates.blocks() * chiralities * aggregates.lanes()),
      overlaps_(aggregates.count() * vectors * numbers_of_column) {
  for (std::size_t v = 0; v < vectors; ++v) {
    fields_.push_back(space.make());
    pointers_.push_back(fields_.back().data());
  }
}

Columns Interpolation::columns(std::size_t first, std::size_t count) const noexcept {
  return {.vectors = pointers_.data() + first, .count = count, .first_odd = space_.lattice().sites() / 2};
}

void Interpolation::sum_blocks(const Columns& by, std::uint32_t sites, const Field<float>& psi) {
  tasks::parallel_for(space_.scheduler(), 0, aggregates_.blocks(), [&](std::size_t first, std::size_t last) {
    loops_.restrict_to(by, sites, psi.data(), sums_.data(), first, last);
  });
}

/// Sums of blocks are in single precision, those of their aggregates in double.
void Interpolation::restrict_by(const Columns& by, const Field<float>& psi, std::span<float> coarse) {
  sum_blocks(by, all_sites, psi);
  const std::size_t numbers = by.count * numbers_of_column;
  const std::size_t lanes = aggregates_.lanes();
  tasks::parallel_for(space_.scheduler(), 0, aggregates_.count(), [&](std::size_t aggregate) {
    for (std::size_t i = 0; i < numbers; ++i) {
      double sum = 0.0;
      for (const std::uint32_t member : aggregates_.members(aggregate)) {
        sum += static_cast<double>(sums_[(member / lanes * numbers + i) * lanes + member % lanes]);
      }
      coarse[aggregate * numbers + i] = static_cast<float>(sum);
    }
  });
}

void Interpolation::prolong_by(const Columns& by, std::span<const float> coarse, float sign, Field<float>& psi) {
  const std::size_t numbers = by.count * numbers_of_column;
  const std::size_t lanes = aggregates_.lanes();
  tasks::parallel_for(space_.scheduler(), 0, aggregates_.count(), [&](std::size_t aggregate) {
    for (const std::uint32_t member : aggregates_.members(aggregate)) {
      for (std::size_t i = 0; i < numbers; ++i) {
        sums_[(member / lanes * numbers + i) * lanes + member % lanes] = sign * coarse[aggregate * numbers + i];
      }
    }
  });
  tasks::parallel_for(space_.scheduler(), 0, aggregates_.blocks(), [&](std::size_t first, std::size_t last) {
    loops_.prolong(by, sums_.data(), psi.data(), first, last);
  });
}

void Interpolation::restrict_to(const Field<float>& psi, CoarseVector& coarse) {
  const std::size_t rows = padded(width());
  TACIT_EXPECT(coarse.size() == aggregates_.count() * 2 * rows);
  restrict_by(columns(0, fields_.size()), psi, overlaps_);
  tasks::parallel_for(space_.scheduler(), 0, aggregates_.count(), [&](std::size_t aggregate) {
    const float* const from = overlaps_.data() + aggregate * 2 * width();
    float* const to = coarse.data() + aggregate * 2 * rows;
    for (std::size_t row = 0; row < width(); ++row) {
      to[row] = from[2 * row];
      to[rows + row] = from[2 * row + 1];
    }
  });
}

void Interpolation::prolong(const CoarseVector& coarse, Field<float>& psi) {
  const std::size_t rows = padded(width());
  TACIT_EXPECT(coarse.size() == aggregates_.count() * 2 * rows);
  tasks::parallel_for(space_.scheduler(), 0, aggregates_.count(), [&](std::size_t aggregate) {
    const float* const from = coarse.data() + aggregate * 2 * rows;
    float* const to = overlaps_.data() + aggregate * 2 * width();
    for (std::size_t row = 0; row < width(); ++row) {
      to[2 * row] = from[row];
      to[2 * row + 1] = from[rows + row];
    }
  });
  prolong_by(columns(0, fields_.size()), overlaps_, 1.0F, psi);
}

/// Of sums of blocks of each field. They are made when they are first needed.
std::size_t Interpolation::room_for(std::size_t fields) {
  if (many_.size() < fields * sums_.size()) many_.resize(fields * sums_.size());
  return sums_.size();
}

void Interpolation::restrict_to(InFields<float> psi, const CoarseOperator& on, CoarseVector& coarse) {
  TACIT_EXPECT(psi.size() == on.chosen().size());
  const std::size_t room = room_for(psi.size());
  const Columns by = columns(0, fields_.size());
  tasks::parallel_for(space_.scheduler(), 0, aggregates_.blocks(), [&](std::size_t block) {
    for (std::size_t i = 0; i < psi.size(); ++i) {
      loops_.restrict_to(by, all_sites, psi[i]->data(), many_.data() + i * room, block, block + 1);
    }
  });
  const std::size_t rows = on.shape().rows;
  const std::size_t lanes = aggregates_.lanes();
  tasks::parallel_for(space_.scheduler(), 0, aggregates_.count(), [&](std::size_t aggregate) {
    for (std::size_t i = 0; i < psi.size(); ++i) {
      float* const to = coarse.data() + aggregate * on.numbers() + on.chosen()[i] * on.shape().vector();
      for (std::size_t number = 0; number < 2 * width(); ++number) {
        double sum = 0.0;
        for (const std::uint32_t member : aggregates_.members(aggregate)) {
          const std::size_t at = (member / lanes * 2 * width() + number) * lanes + member % lanes;
          sum += static_cast<double>(many_[i * room + at]);
        }
        to[number / 2 + number % 2 * rows] = static_cast<float>(sum);
      }
    }
  });
}

void Interpolation::prolong(const CoarseVector& coarse, const CoarseOperator& on, OutFields<float> psi) {
  TACIT_EXPECT(psi.size() == on.chosen().size());
  const std::size_t room = room_for(psi.size());
  const std::size_t rows = on.shape().rows;
  const std::size_t lanes = aggregates_.lanes();
  tasks::parallel_for(space_.scheduler(), 0, aggregates_.count(), [&](std::size_t aggregate) {
    for (std::size_t i = 0; i < psi.size(); ++i) {
      const float* const from = coarse.data() + aggregate * on.numbers() + on.chosen()[i] * on.shape().vector();
      for (const std::uint32_t member : aggregates_.members(aggregate)) {
        for (std::size_t number = 0; number < 2 * width(); ++number) {
          const std::size_t at = (member / lanes * 2 * width() + number) * lanes + member % lanes;
          many_[i * room + at] = from[number / 2 + number % 2 * rows];
        }
      }
    }
  });
  const Columns by = columns(0, fields_.size());
  tasks::parallel_for(space_.scheduler(), 0, aggregates_.blocks(), [&](std::size_t block) {
    for (std::size_t i = 0; i < psi.size(); ++i) {
      loops_.prolong(by, many_.data() + i * room, psi[i]->data(), block, block + 1);
    }
  });
}

/// To length 1 on each aggregate and chirality. @return the least length that there was
double Interpolation::normalise(std::size_t vector) {
  restrict_by(columns(vector, 1), fields_[vector], overlaps_);
  const std::size_t lanes = aggregates_.lanes();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t aggregate = 0; aggregate < aggregates_.count(); ++aggregate) {
    for (std::size_t chirality = 0; chirality < chiralities; ++chirality) {
      const auto square = static_cast<double>(overlaps_[aggregate * numbers_of_column + 2 * chirality]);
      const double length = std::sqrt(square);
      // NaN counts as 0, too.
      least = length > 0.0 ? std::min(least, length) : 0.0;
      for (const std::uint32_t member : aggregates_.members(aggregate)) {
        factors_[(member / lanes * chiralities + chirality) * lanes + member % lanes] =
            length > 0.0 ? static_cast<float>(1.0 / length) : 0.0F;
      }
      if (least == 0.0) return 0.0;
    }
  }
  tasks::parallel_for(space_.scheduler(), 0, aggregates_.blocks(), [&](std::size_t first, std::size_t last) {
    loops_.scale(factors_.data(), space_.lattice().sites() / 2, fields_[vector].data(), first, last);
  });
  return least;
}

/// Three times, with lengths of 1 between: what rounding leaves of a vector that is nearly a combination of others is
/// orthogonal to these in the end.
void Interpolation::take(const std::vector<Field<float>>& vectors) {
  TACIT_EXPECT(vectors.size() == fields_.size());
  constexpr int times = 3;
  constexpr double independent = 0.5;  // of length 1, what the last pass leaves
  for (std::size_t v = 0; v < fields_.size(); ++v) {
    std::ranges::copy(vectors[v], fields_[v].begin());
    double least = normalise(v);
    for (int pass = 0; pass < times && v > 0; ++pass) {
      restrict_by(columns(0, v), fields_[v], overlaps_);
      prolong_by(columns(0, v), overlaps_, -1.0F, fields_[v]);
      least = std::min(least > 0.0 ? 1.0 : 0.0, normalise(v));
    }
    if (!(space_.least_of_ranks(least) > (v > 0 ? independent : 0.0))) {
      throw engine::NumericsError(fmt::format(
          "test vector {} of {} is a combination of those before it on an aggregate: there are too many for so few "
          "sites; fewer multigrid.vectors, larger multigrid.block, or fewer multigrid.setup_iterations",
          v + 1, fields_.size()));
    }
  }
}

/// Adds what sums_ says of some sites of each block to column `column` of the matrices: to that along an axis where the
/// next block is in another aggregate, else to the hops inside; without an axis, to the aggregate's own.
void Interpolation::add_column(std::size_t column, std::size_t direction, CoarseOperator& coarse) {
  const std::size_t lanes = aggregates_.lanes();
  const CoarseShape& shape = coarse.shape();
  tasks::parallel_for(space_.scheduler(), 0, aggregates_.count(), [&](std::size_t aggregate) {
    for (const std::uint32_t member : aggregates_.members(aggregate)) {
      const bool stays = direction != CoarseOperator::itself && (aggregates_.leaves(member) >> direction & 1U) == 0;
      float* const matrix =
          stays ? inside_.data() + aggregate * shape.matrix() : coarse.matrix(aggregate, direction).data();
      float* const re = matrix + 2 * shape.rows * column;
      const float* const from = sums_.data() + member / lanes * 2 * shape.width * lanes + member % lanes;
      for (std::size_t row = 0; row < shape.width; ++row) {
        re[row] += from[2 * row * lanes];
        re[shape.rows + row] += from[(2 * row + 1) * lanes];
      }
    }
  });
}

/// Column by column on all aggregates at once. What comes from inside of blocks stays in the aggregate. From the next
/// block along an axis comes, at the sites of a block's face, what is at the face opposite: of a field that is there
/// alone, D less what it does inside of blocks is the hop over that face. Hops backward follow from those forward.
void Interpolation::project(const DiracOperator<float>& D, const BlockOperator& block, CoarseOperator& coarse) {
  for (std::size_t aggregate = 0; aggregate < aggregates_.count(); ++aggregate) {
    for (std::size_t d = 0; d <= CoarseOperator::itself; ++d) std::ranges::fill(coarse.matrix(aggregate, d), 0.0F);
  }
  inside_.assign(aggregates_.count() * coarse.shape().matrix(), 0.0F);
  Field<float> psi = space_.make();
  Field<float> image = space_.make();
  const std::size_t lanes = aggregates_.lanes();
  const std::size_t spinor = kernels::spinor_numbers * lanes;
  const std::size_t half = space_.lattice().sites() / 2;
  const Columns all = columns(0, fields_.size());
  // psi <- the column on some sites of each block
  const auto take_column = [&](std::size_t column, std::uint32_t sites) {
    const std::size_t chirality = column % chiralities;
    tasks::parallel_for(space_.scheduler(), 0, 2 * half, [&](std::size_t site) {
      float* const to = psi.data() + site * spinor;
      std::fill(to, to + spinor, 0.0F);
      const std::size_t in_block = site % Lattice::sites_of_half_block;
      const std::size_t parity = site / half;
      const std::size_t x = ((in_block >> 2U) ^ (in_block >> 1U) ^ in_block ^ parity) & 1U;
      if ((sites >> (2 * in_block + x) & 1U) == 0) return;
      const std::size_t first = chirality * spinor / 2;
      const float* const from = pointers_[column / chiralities] + site * spinor;
      std::copy(from + first, from + first + spinor / 2, to + first);
    });
  };
  for (std::size_t column = 0; column < width(); ++column) {
    take_column(column, all_sites);
    std::ranges::fill(image, 0.0F);
    tasks::parallel_for(space_.scheduler(), 0, aggregates_.blocks(), [&](std::size_t first, std::size_t last) {
      loops_.subtract(block, psi.data(), image.data(), first, last);
    });
    for (float& value : image) value = -value;
    sum_blocks(all, all_sites, image);
    add_column(column, CoarseOperator::itself, coarse);
    for (std::size_t axis = 0; axis < axes; ++axis) {
      take_column(column, face(axis, 0));
      D.apply(psi, image, Conjugate::no);
      tasks::parallel_for(space_.scheduler(), 0, aggregates_.blocks(), [&](std::size_t first, std::size_t last) {
        loops_.subtract(block, psi.data(), image.data(), first, last);
      });
      sum_blocks(all, face(axis, 1), image);
      add_column(column, axis, coarse);
    }
  }
  coarse.add_hops_inside(inside_);
  inside_ = {};
  coarse.complete();
}

}  // namespace tacit::qcd::multigrid

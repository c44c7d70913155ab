// Spinor fields on a folded lattice, and the operations of vectors on them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacit/base/exact_sum.hpp"
#include "tacit/base/pack_memory.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/solvers/qcd/division.hpp"
#include "tacit/solvers/qcd/kernels/dirac.hpp"
#include "tacit/solvers/qcd/lattice.hpp"
#include "tacit/solvers/qcd/su3.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::qcd {

/// A spinor of a site: spin, colour; in the chiral basis of kernels/dirac.isa.cpp.
using Spinor = std::array<Complex, 12>;

/// Numbers of a field as the loops take them: of all sites, or of those of one parity.
template <class T>
using Field = base::PackVector<T>;

enum class Parity : std::uint8_t { even, odd };

/// The fields of T on a folded lattice: makes them, and computes with them on all workers. Fields may be of all sites
/// or of one parity; those of a call are of one size. One call at a time. After set-up nothing is allocated, but by
/// make.
///
/// Of several ranks each has a space and the fields of its part; all make the same calls, and get the same sums.
template <class T>
class FieldSpace {
 public:
  /// @param division  of a lattice; its extents where one rank has all
  /// @param loops     that fit the lattice: loops_for<T>(most_lanes(division.part()))
  FieldSpace(const Division& division, const kernels::Loops<T>& loops, tasks::Scheduler& scheduler);

  [[nodiscard]] const Division& division() const noexcept { return division_; }
  [[nodiscard]] const Lattice& lattice() const noexcept { return lattice_; }
  [[nodiscard]] const kernels::Loops<T>& loops() const noexcept { return loops_; }
  [[nodiscard]] tasks::Scheduler& scheduler() const noexcept { return scheduler_; }
  /// Numbers of a field of all sites of this rank.
  [[nodiscard]] std::size_t size() const noexcept {
    return lattice_.sites() * lattice_.lanes() * kernels::spinor_numbers;
  }
  /// A field of zeros.
  [[nodiscard]] Field<T> make() const { return Field<T>(size()); }
  [[nodiscard]] Field<T> make_half() const { return Field<T>(size() / 2); }

  /// @pre the site is in the part of this rank, as for the next
  [[nodiscard]] Spinor get(const Field<T>& field, const Coordinates& at) const;
  void set(Field<T>& field, const Coordinates& at, const Spinor& value) const;
  /// The numbers of this rank's sites from `first` on, x fastest, 24 for each: the order of files.
  void copy_out(const Field<T>& field, std::size_t first, std::span<double> out) const;
  void copy_in(std::span<const double> in, Field<T>& field) const;

  /// Each sum becomes that of all ranks, exactly.
  void add_over_ranks(std::span<base::ExactSum> sums) const;
  /// The least of all ranks.
  [[nodiscard]] double least_of_ranks(double mine) const;
  /// |x|^2 of all ranks, as all that follow: sums over half blocks in T, whose sum is exact.
  [[nodiscard]] double norm2(const Field<T>& x);
  /// |x|, also where squares are too small or too large for a double.
  [[nodiscard]] double norm(const Field<T>& x);
  /// x^+ y
  [[nodiscard]] Complex dot(const Field<T>& x, const Field<T>& y);
  /// y <- y + a x
  void axpy(const Complex& a, const Field<T>& x, Field<T>& y) const;
  /// y <- x + a y
  void xpay(const Field<T>& x, const Complex& a, Field<T>& y) const;
  /// x <- x + a p, r <- r - a w. @return |r|^2
  [[nodiscard]] double advance(double a, const Field<T>& p, const Field<T>& w, Field<T>& x, Field<T>& r);

 private:
  [[nodiscard]] std::size_t half_blocks(const Field<T>& field) const noexcept;
  [[nodiscard]] std::size_t place(const Coordinates& at) const noexcept;
  [[nodiscard]] double total(std::span<const double> sums) const;

  Division division_;
  Lattice lattice_;
  kernels::Loops<T> loops_;
  tasks::Scheduler& scheduler_;
  std::vector<double> sums_;  // of half blocks
  std::vector<double> imaginary_;
  mutable std::optional<exchange::RankReductions> reductions_;  // of several ranks
};

/// out <- factor in, in the other precision and folding; both are of all sites, or of the odd ones.
template <class From, class To>
void convert(const FieldSpace<From>& from, const Field<From>& in, double factor, const FieldSpace<To>& to,
             Field<To>& out);

}  // namespace tacit::qcd

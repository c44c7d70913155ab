// An iteration of GCR, of one solve or of several that share loops, messages and sums.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tacit/solvers/qcd/at_once/fields_at_once.hpp"

namespace tacit::qcd {

/// An approximate D^-1, which may differ from one application to the next.
template <class T>
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  /// z <- M r of each. All ranks call it with as many.
  virtual void apply(InFields<T> r, OutFields<T> z) = 0;
  /// Why the last application was of no use to one of these; else empty.
  [[nodiscard]] virtual const std::string& failure(std::size_t which) const noexcept = 0;
};

/// What a solve by GCR goes on from, beside x and r.
template <class T>
struct GcrDirections {
  std::vector<Field<T>> p;
  std::vector<Field<T>> q;  ///< D p, orthogonal to each other
  std::vector<double> qq;
  double count = 0.0;  ///< of directions that there are
};

/// A solve whose x and r are moved, and what came of that.
template <class T>
struct GcrMove {
  GcrDirections<T>* directions = nullptr;
  Field<T>* x = nullptr;
  Field<T>* r = nullptr;
  double rr = 0.0;           ///< |r|^2 afterwards; 0 where it failed
  std::string failure = {};  ///< why it cannot go on; else empty

  // While it is moved.
  std::size_t k = 0;  ///< the present direction
  double size = 0.0;  ///< |D p|^2 of it, before it was made orthogonal
  Complex factor = {};
};

/// Moves x along the combination of the last directions for which the residual is the smallest, of several solves with
/// one matrix at once: one message for each face, and as many sums as one solve needs. Each has the bits that it has
/// alone, and may have more or fewer directions than others. Where D r is spanned by these, they are forgotten.
/// @see Eisenstat, Elman & Schultz (1983), SIAM J. Numer. Anal. 20, 345
template <class T>
class GcrMoves {
 public:
  using Apply = std::function<void(InFields<T>, OutFields<T>)>;
  /// @param space, preconditioner  outlive this; the latter may be null   @param apply  out <- D in of each
  /// @param most  solves at once at most. All ranks make it
  GcrMoves(FieldSpace<T>& space, std::size_t most, Apply apply, Preconditioner<T>* preconditioner);

  void move(std::span<GcrMove<T>> all);

 private:
  using Moves = std::vector<GcrMove<T>*>;
  void begin_directions(const Moves& of);
  void make_orthogonal(const Moves& of);
  void start_again_where_spanned(Moves& of);
  void drop_failed(Moves& of) const;
  void add_norms(const Moves& of, const Field<T>& (*field)(const GcrMove<T>&), double& (*to)(GcrMove<T>&));

  FieldsAtOnce<T> on_;
  Apply apply_;
  Preconditioner<T>* preconditioner_;
  // Of the present call, here so that it allocates nothing.
  Moves moving_;
  Moves some_;
  std::vector<const Field<T>*> in_;
  std::vector<Field<T>*> out_;
  std::vector<typename FieldsAtOnce<T>::Pair> pairs_;
  std::vector<typename FieldsAtOnce<T>::Update> updates_;
};

}  // namespace tacit::qcd

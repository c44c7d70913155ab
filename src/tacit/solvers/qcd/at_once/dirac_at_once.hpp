// The Dirac operator for several fields at once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tacit/solvers/qcd/at_once/fields_at_once.hpp"
#include "tacit/solvers/qcd/dirac_operator.hpp"

namespace tacit::qcd {

/// D of several fields at once: links and clover terms of a block are read once for all of them, and a message has what
/// all of them need. Each of them is computed as if it were alone.
template <class T>
class DiracAtOnce {
 public:
  /// @param D  outlives this   @param most  fields at most; 1: D itself. All ranks make it; on several ranks one at a
  ///           time in each precision that is for more than one
  DiracAtOnce(const DiracOperator<T>& D, std::size_t most);

  /// out <- D in of each. All ranks call it with as many. @pre no field of out is one of in
  void apply(InFields<T> in, OutFields<T> out);
  [[nodiscard]] const DiracOperator<T>& of_one() const noexcept { return D_; }
  [[nodiscard]] std::size_t most() const noexcept { return most_; }

 private:
  const DiracOperator<T>& D_;
  std::size_t most_;
  std::optional<HoppingTasks<T>> tasks_;
  std::vector<kernels::Hopping<T>> by_;
};

}  // namespace tacit::qcd

// When cells are divided among ranks again, because atoms have gathered on some of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tacit/comm/communicator.hpp"
#include "tacit/solvers/md/division.hpp"

namespace tacit::md {

/// What the cells of the whole box cost: their weight by the atoms of all ranks, and their own. All ranks call it.
/// @param weights  by the atoms of this rank
[[nodiscard]] std::vector<std::uint64_t> weights_of_all(std::vector<std::uint64_t> weights, comm::Communicator& ranks);

/// Looks for a better division whenever lists are made; by numbers of atoms alone, so that a run does the same when it
/// is repeated. All ranks make it, and call the same.
class Balance {
 public:
  /// @param limit  share of the rank with most to do over the mean, beyond which another division is looked for; 0:
  ///               none ever is
  /// @param share  of this rank, in units of Division::weight_of
  Balance(comm::Communicator& ranks, double limit, std::uint64_t share);

  /// Takes this one when it is asked next, whether it is better or not.
  void take_next(Division division) { next_ = std::move(division); }
  /// A division to take in place of the present one; nothing: that stays.
  /// @param largest   share of the rank that has most, when lists were made before
  /// @param weigh     the weight of each cell by this rank's atoms, without that of the cells themselves
  [[nodiscard]] std::optional<Division> better_than(const Division& present, double largest, std::uint64_t step,
                                                    const std::function<std::vector<std::uint64_t>()>& weigh);

  /// Divisions that were taken since the begin.
  [[nodiscard]] std::uint64_t divisions() const noexcept { return divisions_; }
  /// The first of them in words, for a person; once.
  [[nodiscard]] std::string take_note() { return std::exchange(note_, {}); }

 private:
  [[nodiscard]] bool is_time(double largest);

  comm::Communicator& ranks_;
  const double limit_;
  double mean_ = 0.0;
  std::optional<Division> next_;
  std::uint64_t pause_ = 0;  // calls that pass before the next look
  std::uint64_t longest_pause_ = 1;
  std::uint64_t divisions_ = 0;
  std::string note_;
};

}  // namespace tacit::md

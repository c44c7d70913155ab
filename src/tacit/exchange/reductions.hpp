// Sums, maxima and minima over ranks, several of them in one message, blocking or as tasks of a graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tacit/base/exact_sum.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::exchange {

/// The larger of two numbers; NaN if either is.
[[nodiscard]] inline double larger(double a, double b) noexcept { return a >= b || a != a ? a : b; }
/// The smaller of two numbers; NaN if either is.
[[nodiscard]] inline double smaller(double a, double b) noexcept { return a <= b || a != a ? a : b; }

/// How many numbers of each kind a reduction combines.
struct ReductionShape {
  std::size_t sums = 0;     ///< of doubles: exact, rounded once at the end
  std::size_t counts = 0;   ///< sums of integers, modulo 2^64
  std::size_t largest = 0;  ///< NaN if any is
  std::size_t least = 0;    ///< likewise
  friend auto operator<=>(const ReductionShape&, const ReductionShape&) = default;
};

/// One all-reduce of a fixed number of sums, counts, maxima and minima: one message, however many there are. What all
/// ranks get is bitwise identical on any number of ranks, and however terms are divided among them, but for the sign of
/// a zero and the payload of a NaN among maxima and minima.
///
///     exchange::Reduction found(world, {.sums = 1, .largest = 1});
///     found.sums()[0].add(energy);
///     found.largest()[0] = speed;
///     found.run();                                  // now they are those of all ranks
///
///     found.add(graph, "energy", reads(cells) + writes(result), [&](StepContext&) { ... });   // or as tasks
///
/// All ranks make the same ones in the same order, and start each equally often. One rank alone communicates nothing.
/// Memory: 0.6 kB for each sum, and for each 69 of the other numbers.
class Reduction {
 public:
  /// @param world  must outlive this
  Reduction(comm::Communicator& world, const ReductionShape& shape);
  ~Reduction();
  Reduction(const Reduction&) = delete;
  Reduction& operator=(const Reduction&) = delete;

  /// What this rank brings, and afterwards what all ranks together have.
  [[nodiscard]] std::span<base::ExactSum> sums() noexcept { return sums_; }
  [[nodiscard]] std::span<std::uint64_t> counts() noexcept { return counts_; }
  [[nodiscard]] std::span<double> largest() noexcept { return largest_; }
  [[nodiscard]] std::span<double> least() noexcept { return least_; }

  /// Combines, and waits for it: outside of tasks. All ranks call it. @throws as comm::AllReduce
  void run();

  using Fill = std::function<void(tasks::StepContext&)>;
  /// Adds tasks that combine: the first begins it and ends when all ranks have brought theirs, the second writes what
  /// came to sums(), counts(), largest() and least(). The scheduler must poll world.completions().
  /// @param accesses  what `fill` reads, and a datum that is written for those who read the result
  /// @param fill      sets what this rank brings
  /// @param cost      of the wait for others, in the unit of the costs of other tasks: the higher, the sooner it begins
  /// @return          the tasks: to be activated together, by all ranks
  /// @throws base::PreconditionError if it has tasks in this graph already: they would not know of each other
  std::vector<tasks::TaskId> add(tasks::Graph& graph, std::string_view name, const tasks::Accesses& accesses,
                                 Fill fill = {}, double cost = 1.0);

 private:
  struct Call;
  void write_message();
  void read_message();
  comm::Communicator& world_;
  std::vector<base::ExactSum> sums_;
  std::vector<std::uint64_t> counts_;
  std::vector<double> largest_;
  std::vector<double> least_;
  std::unique_ptr<Call> call_;  // of several ranks
  std::uint64_t graph_ = 0;     // number of that which has tasks of it
};

/// Blocking reductions that are made when they are first asked for, and kept. All ranks ask for the same ones in the
/// same order, from one thread, outside of runs.
class RankReductions {
 public:
  /// @param ranks  must outlive this
  explicit RankReductions(comm::Communicator& ranks) : ranks_(ranks) {}

  /// Each sum becomes that of all ranks, exactly: bitwise identical however terms are divided among ranks.
  void add(std::span<base::ExactSum> sums);
  /// The largest of all ranks; NaN if any is.
  [[nodiscard]] double largest(double mine);
  /// The least of all ranks; NaN if any is.
  [[nodiscard]] double least(double mine);
  /// The one of that shape, to be filled and run.
  [[nodiscard]] Reduction& of(const ReductionShape& shape);

 private:
  comm::Communicator& ranks_;
  std::map<ReductionShape, std::unique_ptr<Reduction>> kept_;
};

}  // namespace tacit::exchange

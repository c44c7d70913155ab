// The task graph that applies the hopping term: half spinors travel between ranks while the interior is computed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacit/base/pack_memory.hpp"
#include "tacit/exchange/exchange.hpp"
#include "tacit/solvers/qcd/fields.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::qcd {

/// To which sites the hopping term is applied. Those of one parity need those of the other alone.
enum class Target : std::uint8_t { even, odd, both };

/// Runs the loops of kernels::Hopping over all sites of a parity, or of both, on all workers and ranks:
///
///     halo pack, post .. arrive, unpack --> hop at the rim
///     hop in the interior
///
/// A rank sends 12 numbers for each site at a face of its part, half of a spinor; those that are seen backward from
/// the rank beyond it has multiplied by the link, which lies here.
///
/// Several fields at once share each message and the links of a block, while these are in the cache.
template <class T>
class HoppingTasks {
 public:
  /// @param space  outlives this. All ranks make it; on several, one at a time of those for one field and of those for
  ///               several, in each precision
  /// @param most   fields at once at most; messages have room for as many
  explicit HoppingTasks(FieldSpace<T>& space, std::size_t most = 1);

  /// @param by  of each field, without ghosts, which are added here; at most as many as there is room for, and alike on
  ///            all ranks
  void run(std::span<const kernels::Hopping<T>> by, kernels::Conjugate conjugate, Target target);

 private:
  using Tasks = std::vector<tasks::TaskId>;

  /// Receives the ghosts of a parity. @return the tasks
  [[nodiscard]] Tasks add_halo(std::uint32_t parity);
  [[nodiscard]] std::size_t numbers(const Face& face) const noexcept;
  void pack(const Face& face, std::span<T> message) const;
  void unpack(const Face& face, std::span<const T> message, T* ghosts) const;
  void add_pieces(Target target, std::span<const std::uint32_t> blocks, bool is_rim, Tasks& tasks);
  void hop(std::span<const std::uint32_t> blocks, Target target, bool is_rim) const;

  FieldSpace<T>& space_;
  std::size_t most_;
  // Of the present run.
  std::vector<kernels::Hopping<T>> by_;
  kernels::Conjugate conjugate_ = kernels::Conjugate::no;

  base::PackVector<T> ghosts_;  // [field][ghost]
  tasks::Graph graph_;
  std::array<tasks::DatumId, 2> ghosts_data_{};   // by parity
  std::optional<exchange::Exchange> exchange_;    // of several ranks
  std::array<tasks::Activation, 3> activations_;  // by target
};

}  // namespace tacit::qcd

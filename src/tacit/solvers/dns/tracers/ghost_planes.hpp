// Ghost planes: those beside the planes of a rank, which splines need, along one axis of a periodic grid.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "tacit/comm/collectives/all_to_all.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/fft/pencils.hpp"

namespace tacit::dns {

/// Planes of an axis by local number: `below` ghost planes, those of the rank, `above` ghost planes. Ghost planes come
/// from the ranks that own them, neighbours or not, so that a rank may have few planes or none.
class GhostPlanes {
 public:
  static constexpr std::size_t below = 1;
  static constexpr std::size_t above = 2;
  static constexpr std::size_t both = below + above;

  /// @param ranges  planes of each rank of `ranks`, whose places have their order; they cover the axis
  /// @param place   of this rank among them
  /// @param size    numbers of a plane, alike on all ranks
  GhostPlanes(const std::vector<fft::Range>& ranges, std::size_t place, std::size_t size, comm::Communicator& ranks);

  using Give = std::function<void(std::size_t plane, double* to)>;
  using Take = std::function<void(std::size_t plane, const double* from)>;
  /// Fills the ghost planes. All ranks call it.
  /// @param give  writes a plane of this rank to a buffer   @param take  writes a buffer to a ghost plane
  void fill(const Give& give, const Take& take);
  [[nodiscard]] std::size_t bytes() const noexcept { return 2 * both * size_ * sizeof(double); }

 private:
  std::size_t size_;
  std::vector<std::size_t> gives_;  // local numbers, by receiver
  std::vector<std::size_t> takes_;  // local numbers, by sender
  std::optional<comm::AllToAllV<double>> exchange_;
  std::vector<double> buffer_;  // of one rank
};

}  // namespace tacit::dns

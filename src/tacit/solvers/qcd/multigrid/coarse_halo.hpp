// What neighbours of a rank's part of the coarse lattice send.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tacit/comm/connection.hpp"
#include "tacit/comm/window.hpp"
#include "tacit/solvers/qcd/division.hpp"
#include "tacit/solvers/qcd/multigrid/aggregates.hpp"

namespace tacit::qcd::multigrid {

/// The halo of the coarse lattice, whatever carries it.
///
///     for (face : halo.sending(group)) { fill(halo.prepare(face)); halo.post(face); }
///     ...                                                       // compute
///     halo.receive(group);
///     use(halo.ghost(number));
///     halo.release(group);
class CoarseHalo {
 public:
  /// @param numbers  of a site   @param aggregates  outlives this
  CoarseHalo(const Aggregates& aggregates, std::size_t numbers);
  virtual ~CoarseHalo() = default;
  CoarseHalo(const CoarseHalo&) = delete;
  CoarseHalo& operator=(const CoarseHalo&) = delete;

  /// Faces with sites of a group, by number in Aggregates::faces().
  [[nodiscard]] std::span<const std::size_t> sending(std::size_t group) const noexcept { return sending_[group]; }
  /// Memory for the message of such a face: [site of the face][number].
  [[nodiscard]] virtual std::span<float> prepare(std::size_t face) = 0;
  virtual void post(std::size_t face) = 0;
  /// Waits for all messages of a group, and for the memory of those that were sent.
  virtual void receive(std::size_t group) = 0;
  /// Numbers of a ghost. @pre it has been received and not released
  [[nodiscard]] const float* ghost(std::uint32_t number) const noexcept { return ghosts_[number]; }
  /// The messages of a group have been used.
  virtual void release(std::size_t group) = 0;

 protected:
  [[nodiscard]] const Aggregates& aggregates() const noexcept { return aggregates_; }
  [[nodiscard]] std::size_t numbers() const noexcept { return numbers_; }
  /// What has come from beyond a face.
  void take(std::size_t face, const float* message);

 private:
  const Aggregates& aggregates_;
  std::size_t numbers_;
  std::array<std::vector<std::size_t>, 2> sending_;
  std::vector<const float*> ghosts_;
};

/// By persistent windows. Each end of a rank's part has a connection to the rank beyond it, and on it windows for each
/// group of sites, made once. A message is granted as soon as the one before it has been used, so that a sender hardly
/// waits for the receiver; where ranks share memory it writes straight into what the receiver reads.
class WindowHalo final : public CoarseHalo {
 public:
  /// @param number_of_halo  unlike that of others between the same ranks   @param via  the transport; without: as the
  /// communicator chooses All ranks make it.
  WindowHalo(const Aggregates& aggregates, const Division& division, std::size_t numbers, std::uint32_t number_of_halo,
             std::optional<comm::ProviderId> via = {});

  [[nodiscard]] std::span<float> prepare(std::size_t face) override { return ends_[face].send->prepare(); }
  void post(std::size_t face) override { ends_[face].send->post(); }
  void receive(std::size_t group) override;
  void release(std::size_t group) override;

 private:
  /// Of a face.
  struct Ends {
    std::optional<comm::SendWindow<float>> send;
    std::optional<comm::RecvWindow<float>> receive;
  };
  std::vector<std::unique_ptr<comm::Connection>> connections_;
  std::vector<Ends> ends_;
};

/// What carries halos and sums of a coarse lattice; empty: windows and exchange::Reduction. For measurements beside
/// others.
struct CoarseTransport {
  std::function<std::unique_ptr<CoarseHalo>(const Aggregates&, const Division&, std::size_t numbers,
                                            std::uint32_t level)>
      halo = {};
  std::function<void(std::span<std::uint64_t>)> add = {};  ///< sums modulo 2^64 over all ranks
};

}  // namespace tacit::qcd::multigrid

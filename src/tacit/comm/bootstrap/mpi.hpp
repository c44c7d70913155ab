// Ranks of an MPI communicator.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/comm/bootstrap/mailbox.hpp"

namespace tacit::comm {

/// Which threads may call MPI, as it has granted.
enum class MpiThreads : std::uint8_t { main_only, one_at_a_time, all };

/// Carries messages of the set-up over MPI. All messages have one tag; keys travel with them.
class MpiBootstrap final : public Bootstrap {
 public:
  enum class Ends : std::uint8_t { leaves_mpi, ends_mpi };

  /// @param ranks  duplicated; collective
  /// @param ends   whether MPI is finalised with this object
  MpiBootstrap(MPI_Comm ranks, Ends ends);
  ~MpiBootstrap() override;

  [[nodiscard]] MPI_Comm communicator() const noexcept { return ranks_; }
  [[nodiscard]] MpiThreads threads() const noexcept { return threads_; }
  /// What notices that a rank is lost; null: nothing does.
  [[nodiscard]] detail::PeerWatch* watch() const noexcept { return watch_; }
  /// Held during calls of MPI; other callers of MPI hold it too where MPI allows one at a time.
  [[nodiscard]] std::mutex& calls() noexcept { return mutex_; }

  [[nodiscard]] RankId rank() const noexcept override { return rank_; }
  [[nodiscard]] std::size_t size() const noexcept override { return size_; }
  [[nodiscard]] std::string_view name() const noexcept override { return "MPI"; }
  void send(RankId to, const SetupKey& key, std::span<const std::byte> message) override;
  std::optional<Bytes> try_receive(RankId from, const SetupKey& key) override;
  std::vector<Bytes> all_gather(std::span<const std::byte> mine, double deadline_s) override;
  void send_on() noexcept override;

 private:
  struct Sending {
    MPI_Request request = MPI_REQUEST_NULL;
    Bytes bytes;
  };
  void require_allowed() const;
  void take_all();
  void drop_sent();
  using Lock = std::unique_lock<std::mutex>;
  void finish(Lock& lock, MPI_Request& request, double deadline_s, const char* what);
  void leave_together();

  MPI_Comm ranks_ = MPI_COMM_NULL;
  Ends ends_;
  MpiThreads threads_ = MpiThreads::all;
  RankId rank_{};
  std::size_t size_ = 1;
  std::mutex mutex_;
  Mailbox mailbox_;
  std::vector<std::unique_ptr<Sending>> sending_;
  std::atomic<bool> has_unsent_{false};
  int exceptions_;
};

/// Whether MPI_Finalize has been called: then MPI would end the process at the next call of it.
/// @pre there has been an MpiBootstrap
[[nodiscard]] bool has_mpi_ended() noexcept;

/// The ranks of an MPI communicator of the caller, who initialises and finalises MPI. Collective.
/// @throws ProviderError if MPI has not been started, or has been ended
[[nodiscard]] std::unique_ptr<Bootstrap> bootstrap_mpi(MPI_Comm ranks);

/// @throws ProviderError with MPI's own words unless `code` is MPI_SUCCESS
void check_mpi(int code, const char* call);
[[nodiscard]] std::string mpi_text(int code);

}  // namespace tacit::comm

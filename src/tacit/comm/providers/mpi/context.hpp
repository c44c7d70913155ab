// MPI as the windows see it: a communicator of their own, tags, the network, and which threads may call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "tacit/comm/bootstrap/mpi.hpp"
#include "tacit/comm/providers/mpi/pool.hpp"
#include "tacit/comm/rank.hpp"

namespace tacit::comm::mpi {

/// What Open MPI sends over TCP without asking the receiver first.
/// Where MPI is not Open MPI, or has a better network than TCP, `eager` is 0.
struct TcpLimits {
  std::size_t eager = 0;      ///< bytes of the longest message that goes without asking
  bool within_nodes = false;  ///< whether ranks of one node have nothing better, too
};

/// What MPI's own variables (MPI_T) say, asked by the first call of the process, as they do not change: a question
/// takes some milliseconds, 0.2 s where libfabric was not loaded before, and Open MPI keeps 4 KB of each to its end.
/// @param calls  held while MPI is asked; null: any thread may call it
/// @pre MPI is initialised, and this thread may call it
[[nodiscard]] const TcpLimits& tcp_limits(std::mutex* calls);

class Context;

/// What both ends of a window have in common: requests of MPI that may outlive the window.
///
/// A send cannot be taken back, and a receive only until its message has begun to come. So an end lives on, with its
/// memory, until MPI has done with it: it is kept by the context when its window goes.
class End {
 public:
  explicit End(Context& its_context) : context(its_context) {}
  End(const End&) = delete;
  End& operator=(const End&) = delete;
  virtual ~End() = default;

  /// Takes back what MPI lets go, and asks for the rest; to be called again and again when the window is gone.
  /// @return  whether MPI has done with all memory, and no note is on its way; then the end may be destroyed
  [[nodiscard]] bool let_go() noexcept;
  /// Whether it only waits for the other end to say that nothing more comes. @pre let_go() has returned false
  [[nodiscard]] bool is_draining() const noexcept { return is_given_up_ && left_.empty(); }
  /// Whether MPI writes to memory of the user, which does not live on.
  [[nodiscard]] virtual bool writes_to_user() const noexcept = 0;

  Context& context;

 protected:
  /// Adds all requests under way to `left`, receives cancelled; the pool asks for none of them any more.
  virtual void give_up(std::vector<MPI_Request>& left) noexcept = 0;
  /// Takes what the other end may still send to this one, when no request of `give_up` is left.
  /// @return  whether nothing more can come
  [[nodiscard]] virtual bool drain() noexcept { return true; }

 private:
  bool is_given_up_ = false;
  std::vector<MPI_Request> left_;
};

/// Safe for threads, where MPI is or not.
class Context {
 public:
  /// The longest message that MPI, which counts in int, carries as one [byte].
  static constexpr std::size_t longest_of_mpi = INT_MAX;

  /// @param ranks    all of them, for their hosts
  /// @param longest  message that goes as one; tests of what is longer name less
  Context(MpiBootstrap& bootstrap, std::span<const RankInfo> ranks, std::size_t longest = longest_of_mpi);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context();

  [[nodiscard]] MPI_Comm ranks() const noexcept { return ranks_; }
  /// Whether the calling thread may ever call MPI.
  [[nodiscard]] bool is_usable_here() const noexcept {
    return threads_ != MpiThreads::main_only || std::this_thread::get_id() == main_;
  }
  /// A tag that no other window uses that receives from `from`. @throws ProviderError when MPI has no more
  [[nodiscard]] int next_tag(RankId from);
  /// Bytes of the pieces in which long messages to and from `peer` go, where that is of use: over TCP so short that MPI
  /// asks no receiver, else for what is longer than `longest()`. 0: no use, as for windows of `bytes` that are too
  /// short.
  [[nodiscard]] std::size_t piece(RankId peer, std::size_t bytes);
  /// Bytes of the longest message that goes as one.
  [[nodiscard]] std::size_t longest() const noexcept { return longest_; }
  /// Takes the end of a window that is gone, and destroys it once MPI has done with it. Waits only where MPI writes to
  /// memory of the user: until that is over or a rank is lost, and 30 s for all ends together at most.
  void keep(std::unique_ptr<End> end) noexcept;
  [[nodiscard]] RequestPool& pool() noexcept { return pool_; }

  /// Leave to call MPI for as long as it lives; without it, come again later.
  class Entry {
   public:
    explicit Entry(Context& context) noexcept;
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry() {
      if (locked_ != nullptr) locked_->unlock();
    }
    explicit operator bool() const noexcept { return is_allowed_; }

   private:
    std::mutex* locked_ = nullptr;
    bool is_allowed_ = false;
  };

 private:
  MpiBootstrap* bootstrap_;
  MPI_Comm ranks_ = MPI_COMM_NULL;
  MpiThreads threads_;
  std::thread::id main_;
  std::mutex* calls_;  // held during any call where MPI takes one at a time
  std::mutex mutex_;
  std::map<RankId, int> tags_;
  int last_tag_ = 32767;
  std::vector<std::string> hosts_;
  [[nodiscard]] std::size_t piece_over_tcp(RankId peer, std::size_t bytes);
  void await(End& end) noexcept;
  void await_kept() noexcept;
  void drop_kept() noexcept;

  std::size_t longest_;
  RequestPool pool_;
  std::vector<std::unique_ptr<End>> kept_;   // the mutex guards them
  std::atomic<std::int64_t> waited_ns_ = 0;  // for ends that were to be destroyed
  int exceptions_;
};

}  // namespace tacit::comm::mpi

// MPI as the windows see it: a communicator of their own, tags, and who may call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "tacit/comm/bootstrap/mpi.hpp"
#include "tacit/comm/providers/mpi/pool.hpp"
#include "tacit/comm/providers/provider.hpp"

namespace tacit::comm::mpi {

/// Safe for threads, where MPI is or not.
class Context {
 public:
  explicit Context(MpiBootstrap& bootstrap);
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
  RequestPool pool_;
  int exceptions_;
};

/// A request for each message: in Open MPI 4.1 a persistent one costs 1.3 to 1.6 times as much at 8 B, and the same at
/// 64 KB. The destructor ends what is under way as far as MPI allows.
class SenderState {
 public:
  SenderState(Context& context, const WindowSpec& spec, RankId to);
  SenderState(const SenderState&) = delete;
  SenderState& operator=(const SenderState&) = delete;
  ~SenderState();
  void join(int tag) noexcept { tag_ = tag; }

  [[nodiscard]] bool start(std::size_t bytes) noexcept;
  [[nodiscard]] bool test() noexcept;

  Context& context;
  Layout memory;
  int error = 0;

 private:
  void begin() noexcept;
  [[nodiscard]] const std::byte* source() const noexcept {
    return memory.is_contiguous() ? memory.data : buffer_.get();
  }

  int to_;
  int tag_ = 0;
  std::unique_ptr<std::byte[]> buffer_;  // of the library's memory, or where blocks are gathered
  Pending pending_;
  std::size_t bytes_ = 0;
  enum class Step : std::uint8_t { idle, wanted, sending } step_ = Step::idle;
};

class ReceiverState {
 public:
  ReceiverState(Context& context, const WindowSpec& spec, RankId from, int tag);
  ReceiverState(const ReceiverState&) = delete;
  ReceiverState& operator=(const ReceiverState&) = delete;
  ~ReceiverState();

  void grant() noexcept;
  [[nodiscard]] bool test() noexcept;

  Context& context;
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  int error = 0;

 private:
  struct Buffer {
    std::byte* data = nullptr;
    Pending pending = {};
  };
  void start_granted() noexcept;
  void cancel_all() noexcept;

  int from_;
  int tag_;
  std::size_t capacity_;
  std::unique_ptr<std::byte[]> memory_;
  Layout copied_to_;  // no data: messages stay where they came
  std::vector<Buffer> buffers_;
  std::uint64_t granted_ = 0;
  std::uint64_t started_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace tacit::comm::mpi

// All communicators that the shim serves, and how a call waits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tacit/comm/c/shim/attached.hpp"

namespace tacit::comm::shim {

/// What the calls of MPI know besides their arguments. MPI's interface names no object of ours: there is one per
/// process.
class Registry {
 public:
  [[nodiscard]] static Registry& instance();

  void attach(MPI_Comm comm, const Options& options);
  void detach(MPI_Comm comm);
  /// Null: MPI does it.
  [[nodiscard]] Attached* find(MPI_Comm comm) noexcept {
    for (const auto& attached : attached_) {
      if (attached->user() == comm) return attached.get();
    }
    return nullptr;
  }
  /// @throws c::BadUse if it is not attached
  [[nodiscard]] Attached& at(MPI_Comm comm);

  /// A request for a message between declared ends; its memory is described.
  [[nodiscard]] Request& describe(Attached& owner, const Buffer& buffer);
  [[nodiscard]] Requests& requests() noexcept { return requests_; }
  /// Whether it is over; progresses what it waits for.
  [[nodiscard]] bool is_over(Request& request);
  void wait(Request& request);
  /// Waits until one is over. @return  its number; nothing if all are null
  [[nodiscard]] std::optional<std::size_t> wait_any(std::span<Request* const> requests);
  /// The number of the first that is over; nothing if none is.
  [[nodiscard]] std::optional<std::size_t> first_over(std::span<Request* const> requests);
  /// Everything of everybody once.
  void progress();

 private:
  Registry();
  void finish(Attached& owner, detail::Collective& collective);
  template <class Question, class Fail>
  void wait_until(Attached& owner, const Request* request, Question&& is_over, Fail&& fail);
  [[nodiscard]] bool is_over_by_mpi(Request& request);
  [[nodiscard]] bool must_help() noexcept;
  void wait_for_mpi(Request& request);
  static int forget_freed(MPI_Comm comm, int keyval, void* value, void* state);

  std::vector<std::unique_ptr<Attached>> attached_;
  Requests requests_;
  DenseTypes dense_;
  int keyval_ = MPI_KEYVAL_INVALID;
};

}  // namespace tacit::comm::shim

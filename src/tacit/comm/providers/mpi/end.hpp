// What both ends of a window have in common: requests of MPI that may outlive the window.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <vector>

namespace tacit::comm::mpi {

class Context;

/// A send cannot be taken back, and a receive only until its message has begun to come. So an end lives on, with its
/// memory, until MPI has done with it: it is kept by the context when its window goes.
class End {
 public:
  explicit End(Context& its_context) : context(its_context) {}
  End(const End&) = delete;
  End& operator=(const End&) = delete;
  virtual ~End() = default;

  /// Takes back what MPI lets go, and asks for the rest; to be called again and again when the window is gone.
  /// @return  whether MPI has done with all memory; then the end may be destroyed
  [[nodiscard]] bool let_go() noexcept;
  /// Whether MPI writes to memory of the user, which does not live on.
  [[nodiscard]] virtual bool writes_to_user() const noexcept = 0;

  Context& context;

 protected:
  /// Adds all requests under way to `left`, receives cancelled; the pool asks for none of them any more.
  virtual void give_up(std::vector<MPI_Request>& left) noexcept = 0;

 private:
  bool is_given_up_ = false;
  std::vector<MPI_Request> left_;
};

}  // namespace tacit::comm::mpi

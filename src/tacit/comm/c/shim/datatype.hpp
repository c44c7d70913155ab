// Where elements of one of MPI's types lie.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>

#include "tacit/comm/layout.hpp"

namespace tacit::comm::shim {

/// Memory that a caller of MPI describes: address, count and type.
struct Buffer {
  void* data = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_BYTE;

  [[nodiscard]] std::size_t bytes() const;
};

/// The bytes of a buffer in the order in which MPI sends them; nothing where they are neither dense nor a vector of
/// dense blocks.
[[nodiscard]] std::optional<Layout> layout_of(const Buffer& buffer);

/// The length of an element of a type of MPI's own without gaps; nothing for others. Types of the user are not
/// remembered: their handles may come again with another meaning.
class DenseTypes {
 public:
  [[nodiscard]] std::optional<std::size_t> bytes(MPI_Datatype type) {
    if (is_known_ && type == last_) [[likely]]
      return last_bytes_;
    return look_up(type);
  }

 private:
  [[nodiscard]] std::optional<std::size_t> look_up(MPI_Datatype type);
  bool is_known_ = false;
  MPI_Datatype last_ = MPI_DATATYPE_NULL;
  std::size_t last_bytes_ = 0;
};

}  // namespace tacit::comm::shim

// Lets the HDF5 library write into a temporary file and never fail half-way; private to the io layer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tacit/io/detail/atomic_write.hpp"
#include "tacit/io/detail/hdf5.hpp"

namespace tacit::io::detail {

/// Where a file that the library writes goes to. It must outlive the library's file.
struct StreamedTarget {
  WholeFile* file = nullptr;
  std::uint64_t size = 0;  ///< of the file as laid out so far
  bool closed = false;     ///< whether the library has closed it: all of it is handed over
};

/// File access by which H5Fcreate writes into `target`.
///
/// The library does not recover from a write that fails: it may keep the file open and trip over it when the process
/// ends. So it is never told; WholeFile remembers and says so when the file is committed.
[[nodiscard]] Properties streamed_access(StreamedTarget& target);

}  // namespace tacit::io::detail

// A device that computes beside the processor: its memory, its streams, and how what it was given ends.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tacit/base/completion.hpp"
#include "tacit/gpu/kernel.hpp"

namespace tacit::gpu {

/// Rows of bytes in up to three dimensions; one row where the rest is left out.
struct Copy {
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  std::size_t row_bytes = 0;
  std::size_t rows = 1;  ///< of a plane
  std::size_t planes = 1;
  std::size_t from_row = 0;  ///< bytes from one row to the next
  std::size_t from_plane = 0;
  std::size_t to_row = 0;
  std::size_t to_plane = 0;

  [[nodiscard]] std::size_t bytes() const noexcept { return row_bytes * rows * planes; }
  /// Where both sides are memory of the host.
  void run() const noexcept;
};

/// One thing that a stream does after what came before.
struct Operation {
  enum class What : std::uint8_t {
    fill,      ///< memory of the device with one value
    copy_in,   ///< from the host to the device
    kernel,    ///< on memory of the device
    copy_out,  ///< from the device to the host
  };
  What what = What::kernel;
  Copy copy = {};          ///< of `fill` only `to` and `row_bytes`
  std::uint8_t value = 0;  ///< of each byte that is filled
  KernelCall kernel = {};
};

/// How operations end that do not succeed; Completion::error has it as a number.
enum class Failure : std::int32_t {
  none = 0,
  launch = 1,      ///< a kernel failed; nothing has been copied to the host
  lost = 2,        ///< the device answers no more; nothing has been copied to the host
  in_results = 3,  ///< either, when some results had been copied
};

/// Operations that are submitted to a stream run one after the other, those of different streams in any order. Their
/// end is a completion with the token that they were submitted with.
///
/// All memory of a device is allocated once, when it is made: a share of it goes to each slot. After the loss of a
/// device all that it has not completed, and what is still submitted to it, completes with an error.
class Device : public base::CompletionSource {
 public:
  [[nodiscard]] virtual std::size_t streams() const noexcept = 0;
  /// Memory of the device. Its addresses mean nothing to the host, unless the device is one of the host.
  [[nodiscard]] virtual std::span<std::byte> memory() const noexcept = 0;
  /// Memory of the host that the device reads and writes fastest.
  [[nodiscard]] virtual std::span<std::byte> pinned() const noexcept = 0;
  [[nodiscard]] virtual bool is_lost() const noexcept = 0;

  /// Starts operations; never blocks. From any thread, for one stream by one at a time.
  /// @param operations  with what they point to, stay as they are until they have completed or been cancelled
  /// @param token       of no other operations of this device that are under way
  virtual void submit(std::size_t stream, std::span<const Operation> operations, base::Token token) noexcept = 0;
};

}  // namespace tacit::gpu

// Asynchronous operations outside the processor: messages, kernels on a device, files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tacit::base {

/// Identifies a posted operation; made by the waiter, carried by the operation, returned on completion.
enum class Token : std::uint64_t { none = 0 };

/// The end of an operation. A failure is a completion too.
struct Completion {
  Token token = Token::none;
  std::int32_t error = 0;  ///< 0: done; otherwise a code that CompletionSource::explain puts into words
  float alone_s = 0.0F;    ///< what the operation takes alone and blocking [s]; 0 if unknown
};

/// One context in which posted operations finish: a network provider, a device, the I/O thread.
///
/// The only interface shared by tasks, communication and devices. Polling costs per source,
/// not per operation.
class CompletionSource {
 public:
  CompletionSource() = default;
  CompletionSource(const CompletionSource&) = delete;
  CompletionSource& operator=(const CompletionSource&) = delete;
  virtual ~CompletionSource() = default;

  /// For messages: "shm", "device 0".
  [[nodiscard]] virtual std::string_view name() const = 0;

  /// Takes finished operations; never blocks. Called by one thread at a time, not always the same.
  /// @param completions  filled from the front
  /// @return             how many were filled; as many as fit means there may be more
  virtual std::size_t poll(std::span<Completion> completions) = 0;

  /// A file descriptor that becomes readable when an operation finishes, or -1.
  [[nodiscard]] virtual int descriptor() const { return -1; }
  /// Asks for the descriptor to be raised from now on.
  /// @return  false: something has finished already, poll instead of sleeping
  [[nodiscard]] virtual bool arm() { return true; }

  /// Cancels an operation: after the return its memory is not touched any more. It may complete or not.
  virtual void cancel(Token /*token*/) {}

  /// What an outstanding operation is, for "who waits for what": "64 kB from rank 3 (node7)". From any thread.
  [[nodiscard]] virtual std::string describe(Token /*token*/) const { return {}; }
  /// What went wrong, for completions with an error.
  [[nodiscard]] virtual std::string explain(const Completion& completion) const {
    return "error " + std::to_string(completion.error);
  }
};

}  // namespace tacit::base

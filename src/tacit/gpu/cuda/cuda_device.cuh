// A device of NVIDIA behind the interface of all devices: its memory, streams and events.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/gpu/cuda.hpp"

namespace tacit::gpu::cuda {

/// An array of the device, or of the host in memory that the device reaches.
class Memory {
 public:
  enum class Where : std::uint8_t { device, host };
  /// Throws Refused where there is not as much.
  Memory(Where where, std::size_t bytes);
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();
  [[nodiscard]] std::span<std::byte> all() const noexcept { return {first_, bytes_}; }

 private:
  Where where_;
  std::byte* first_ = nullptr;
  std::size_t bytes_ = 0;
};

/// What CUDA said where a device could not be made ready.
struct Refused {
  std::string what;
  cudaError_t error = cudaSuccess;
};

/// Copies go by way of a mirror: memory of the host that the device reaches, a byte for each of the device's at the
/// same distance from the first. What lies in rows of the host's arrays is gathered there by the thread that submits,
/// and scattered from there by the one that polls; so any memory of the host will do, the device copies whole ranges,
/// and submit never blocks. Results reach the host only after the launch has succeeded as a whole.
class CudaDevice final : public Device {
 public:
  explicit CudaDevice(const CudaOptions& options);
  ~CudaDevice() override;

  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] std::size_t streams() const noexcept override { return streams_.size(); }
  [[nodiscard]] std::span<std::byte> memory() const noexcept override { return memory_->all(); }
  [[nodiscard]] std::span<std::byte> pinned() const noexcept override { return pinned_->all(); }
  [[nodiscard]] bool is_lost() const noexcept override { return is_lost_.load(std::memory_order_acquire); }
  void submit(std::size_t stream, std::span<const Operation> operations, base::Token token) noexcept override;

  std::size_t poll(std::span<base::Completion> completions) override;
  /// Waits until the device has done with it.
  void cancel(base::Token token) override;
  [[nodiscard]] std::string explain(const base::Completion& completion) const override;

 private:
  /// What a stream has been given.
  struct Stream {
    cudaStream_t stream = nullptr;
    cudaEvent_t ended = nullptr;
    base::Token token = base::Token::none;  // under the lock, as all below
    std::span<const Operation> operations;
    bool has_failed = false;  // when it was submitted
  };
  /// A range of the device's memory, as places from the first byte.
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
    [[nodiscard]] bool is_empty() const noexcept { return begin >= end; }
    void add(std::size_t first, std::size_t bytes) noexcept;
  };

  void use() const noexcept { static_cast<void>(cudaSetDevice(number_)); }
  [[nodiscard]] std::size_t place_of(const std::byte* on_device) const noexcept;
  /// The same copy with the mirror in place of the device.
  [[nodiscard]] Copy with_mirror(const Operation& operation) const noexcept;
  [[nodiscard]] static std::size_t extent(std::size_t row_bytes, std::size_t rows, std::size_t planes, std::size_t row,
                                          std::size_t plane) noexcept;
  [[nodiscard]] Range range_of(const Operation& operation) const noexcept;
  [[nodiscard]] bool start(const Stream& to, std::span<const Operation> operations) noexcept;
  [[nodiscard]] bool bring_in(const Stream& to, std::span<const Operation> operations) noexcept;
  [[nodiscard]] bool run(const Stream& to, const Operation& operation) noexcept;
  [[nodiscard]] bool bring_out(const Stream& to, std::span<const Operation> operations) noexcept;
  void scatter(std::span<const Operation> operations) const noexcept;
  [[nodiscard]] bool is_good(cudaError_t error) noexcept;
  [[nodiscard]] std::optional<base::Completion> end_of(Stream& stream) noexcept;

  int number_;
  std::string name_;
  std::unique_ptr<Memory> memory_, mirror_, pinned_;
  std::vector<Stream> streams_;
  std::mutex mutex_;
  std::vector<std::size_t> under_way_;  // numbers of streams, those that began first in front
  std::atomic<bool> is_lost_{false};
  std::atomic<int> last_error_{0};
};

}  // namespace tacit::gpu::cuda

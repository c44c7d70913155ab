// Copies, kernels and events in streams of a device of NVIDIA.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "tacit/gpu/cuda/cuda_device.cuh"

namespace tacit::gpu::cuda {
namespace {

/// A poll asks for the ends of so many launches at most, the oldest first: later ones have seldom ended before.
constexpr std::size_t looks_of_poll = 16;

void expect(cudaError_t error, const char* what) {
  if (error != cudaSuccess) throw Refused{what, error};
}

/// In place of an error of CUDA.
constexpr int has_no_code = -1;
constexpr int has_late_work = -2;

bool is_copy_or_fill(const Operation& operation) {
  return operation.what == Operation::What::fill || operation.what == Operation::What::copy_in;
}

bool is_copy_out(const Operation& operation) { return operation.what == Operation::What::copy_out; }

}  // namespace

Memory::Memory(Where where, std::size_t bytes) : where_(where), bytes_(bytes) {
  if (bytes == 0) return;
  void* memory = nullptr;
  if (where == Where::device) {
    expect(cudaMalloc(&memory, bytes), "memory of the device cannot be allocated");
  } else {
    expect(cudaMallocHost(&memory, bytes), "pinned memory of the host cannot be allocated");
  }
  first_ = static_cast<std::byte*>(memory);
}

Memory::~Memory() {
  if (first_ == nullptr) return;
  static_cast<void>(where_ == Where::device ? cudaFree(first_) : cudaFreeHost(first_));
}

CudaDevice::CudaDevice(const CudaOptions& options) : number_(options.number) {
  expect(cudaSetDevice(number_), "the device cannot be used");
  cudaDeviceProp properties{};
  expect(cudaGetDeviceProperties(&properties, number_), "the device does not say what it is");
  name_ = std::string(properties.name) + ", device " + std::to_string(number_);
  memory_ = std::make_unique<Memory>(Memory::Where::device, options.memory_bytes);
  mirror_ = std::make_unique<Memory>(Memory::Where::host, options.memory_bytes);
  pinned_ = std::make_unique<Memory>(Memory::Where::host, options.pinned_bytes);
  under_way_.reserve(options.streams);
  streams_.resize(options.streams);
  try {
    for (Stream& one : streams_) {
      expect(cudaStreamCreateWithFlags(&one.stream, cudaStreamNonBlocking), "a stream cannot be made");
      expect(cudaEventCreateWithFlags(&one.ended, cudaEventDisableTiming), "an event cannot be made");
    }
  } catch (const Refused&) {
    for (const Stream& one : streams_) {
      if (one.ended != nullptr) static_cast<void>(cudaEventDestroy(one.ended));
      if (one.stream != nullptr) static_cast<void>(cudaStreamDestroy(one.stream));
    }
    throw;
  }
}

CudaDevice::~CudaDevice() {
  use();
  for (const Stream& one : streams_) {
    static_cast<void>(cudaStreamSynchronize(one.stream));
    static_cast<void>(cudaEventDestroy(one.ended));
    static_cast<void>(cudaStreamDestroy(one.stream));
  }
}

// ---- places --------------------------------------------------------------------------------------------------------

void CudaDevice::Range::add(std::size_t first, std::size_t bytes) noexcept {
  if (bytes == 0) return;
  const bool was_empty = is_empty();
  begin = was_empty ? first : std::min(begin, first);
  end = was_empty ? first + bytes : std::max(end, first + bytes);
}

std::size_t CudaDevice::place_of(const std::byte* on_device) const noexcept {
  return static_cast<std::size_t>(on_device - memory_->all().data());
}

std::size_t CudaDevice::extent(std::size_t row_bytes, std::size_t rows, std::size_t planes, std::size_t row,
                               std::size_t plane) noexcept {
  if (row_bytes == 0 || rows == 0 || planes == 0) return 0;
  return (planes - 1) * plane + (rows - 1) * row + row_bytes;
}

Copy CudaDevice::with_mirror(const Operation& operation) const noexcept {
  Copy copy = operation.copy;
  if (operation.what == Operation::What::copy_out) {
    copy.from = mirror_->all().data() + place_of(copy.from);
  } else {
    copy.to = mirror_->all().data() + place_of(copy.to);
  }
  return copy;
}

/// What an operation touches of the device's memory.
CudaDevice::Range CudaDevice::range_of(const Operation& operation) const noexcept {
  const Copy& copy = operation.copy;
  Range range;
  if (operation.what == Operation::What::copy_out) {
    range.add(place_of(copy.from), extent(copy.row_bytes, copy.rows, copy.planes, copy.from_row, copy.from_plane));
  } else {
    range.add(place_of(copy.to), extent(copy.row_bytes, copy.rows, copy.planes, copy.to_row, copy.to_plane));
  }
  return range;
}

// ---- to the device -------------------------------------------------------------------------------------------------

void CudaDevice::submit(std::size_t number, std::span<const Operation> operations, base::Token token) noexcept {
  use();
  Stream& to = streams_[number];
  const bool has_started = !is_lost() && start(to, operations);
  const std::lock_guard lock(mutex_);
  to.token = token;
  to.operations = operations;
  to.has_failed = !has_started;
  under_way_.push_back(number);
}

/// What comes before the first kernel is done in the mirror and copied as one range; behind it, gaps between what is
/// copied may hold results of kernels. The mirror holds one content of each place: results are copied last.
bool CudaDevice::start(const Stream& to, std::span<const Operation> operations) noexcept {
  const auto first_kernel = std::ranges::find_if_not(operations, is_copy_or_fill);
  const auto first_out = std::ranges::find_if(operations, is_copy_out);
  if (!std::all_of(first_out, operations.end(), is_copy_out)) {
    last_error_.store(has_late_work, std::memory_order_relaxed);
    return false;
  }
  if (!bring_in(to, {operations.begin(), std::min(first_kernel, first_out)})) return false;
  for (auto operation = std::min(first_kernel, first_out); operation != first_out; ++operation) {
    if (!run(to, *operation)) return false;
  }
  return bring_out(to, {first_out, operations.end()}) && is_good(cudaEventRecord(to.ended, to.stream));
}

bool CudaDevice::bring_in(const Stream& to, std::span<const Operation> operations) noexcept {
  Range range;
  for (const Operation& operation : operations) {
    const Copy copy = with_mirror(operation);
    if (operation.what == Operation::What::fill) {
      std::memset(copy.to, operation.value, copy.row_bytes);
    } else {
      copy.run();
    }
    const Range touched = range_of(operation);
    range.add(touched.begin, touched.end - touched.begin);
  }
  if (range.is_empty()) return true;
  return is_good(cudaMemcpyAsync(memory_->all().data() + range.begin, mirror_->all().data() + range.begin,
                                 range.end - range.begin, cudaMemcpyHostToDevice, to.stream));
}

bool CudaDevice::bring_out(const Stream& to, std::span<const Operation> operations) noexcept {
  Range range;
  for (const Operation& operation : operations) {
    const Range touched = range_of(operation);
    range.add(touched.begin, touched.end - touched.begin);
  }
  if (range.is_empty()) return true;
  return is_good(cudaMemcpyAsync(mirror_->all().data() + range.begin, memory_->all().data() + range.begin,
                                 range.end - range.begin, cudaMemcpyDeviceToHost, to.stream));
}

/// A kernel, or what stands between kernels. A copy goes straight from the host's memory, as the mirror may not have
/// been read yet; that may block.
bool CudaDevice::run(const Stream& to, const Operation& operation) noexcept {
  if (operation.what == Operation::What::kernel) {
    const KernelCall& kernel = operation.kernel;
    if (kernel.on_device == nullptr) last_error_.store(has_no_code, std::memory_order_relaxed);
    return kernel.on_device != nullptr &&
           is_good(static_cast<cudaError_t>(kernel.on_device(kernel.arguments, kernel.blocks, to.stream)));
  }
  const Copy& copy = operation.copy;
  if (operation.what == Operation::What::fill) {
    return is_good(cudaMemsetAsync(copy.to, operation.value, copy.row_bytes, to.stream));
  }
  const auto pitch_of = [&copy](std::size_t row) { return copy.rows > 1 ? row : copy.row_bytes; };
  for (std::size_t plane = 0; plane < copy.planes; ++plane) {
    if (!is_good(cudaMemcpy2DAsync(copy.to + plane * copy.to_plane, pitch_of(copy.to_row),
                                   copy.from + plane * copy.from_plane, pitch_of(copy.from_row), copy.row_bytes,
                                   copy.rows, cudaMemcpyHostToDevice, to.stream))) {
      return false;
    }
  }
  return true;
}

/// What CUDA says again of whatever it is asked next is the loss of the device.
bool CudaDevice::is_good(cudaError_t error) noexcept {
  if (error == cudaSuccess) return true;
  last_error_.store(static_cast<int>(error), std::memory_order_relaxed);
  static_cast<void>(cudaGetLastError());
  const cudaError_t again = cudaStreamQuery(streams_.front().stream);
  if (again != cudaSuccess && again != cudaErrorNotReady) is_lost_.store(true, std::memory_order_release);
  static_cast<void>(cudaGetLastError());
  return false;
}

// ---- and back ------------------------------------------------------------------------------------------------------

std::size_t CudaDevice::poll(std::span<base::Completion> completions) {
  const std::lock_guard lock(mutex_);
  if (under_way_.empty()) return 0;
  use();
  std::size_t count = 0;
  std::size_t looks = 0;
  for (std::size_t i = 0; i < under_way_.size() && looks < looks_of_poll && count < completions.size();) {
    const auto end = end_of(streams_[under_way_[i]]);
    if (!end) {
      ++looks;
      ++i;
      continue;
    }
    completions[count++] = *end;
    under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return count;
}

/// Nothing while it runs.
std::optional<base::Completion> CudaDevice::end_of(Stream& stream) noexcept {
  Failure failure = Failure::none;
  if (stream.has_failed) {
    // What came before the failure may still run, on memory that the slot's next launch is to have.
    if (!is_lost() && cudaStreamQuery(stream.stream) == cudaErrorNotReady) return std::nullopt;
    failure = is_lost() ? Failure::lost : Failure::launch;
  } else {
    const cudaError_t state = is_lost() ? cudaErrorUnknown : cudaEventQuery(stream.ended);
    if (state == cudaErrorNotReady) {
      static_cast<void>(cudaGetLastError());
      return std::nullopt;
    }
    if (state == cudaSuccess) {
      scatter(stream.operations);
    } else {
      static_cast<void>(is_good(state));
      failure = is_lost() ? Failure::lost : Failure::launch;
    }
  }
  return base::Completion{.token = stream.token, .error = static_cast<std::int32_t>(failure)};
}

void CudaDevice::scatter(std::span<const Operation> operations) const noexcept {
  for (const Operation& operation : operations) {
    if (operation.what == Operation::What::copy_out) with_mirror(operation).run();
  }
}

void CudaDevice::cancel(base::Token token) {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::ranges::find(under_way_, token, [this](std::size_t number) { return streams_[number].token; });
  if (found == under_way_.end()) return;
  use();
  if (!is_lost()) static_cast<void>(cudaStreamSynchronize(streams_[*found].stream));
  under_way_.erase(found);
}

std::string CudaDevice::explain(const base::Completion& completion) const {
  const int error = last_error_.load(std::memory_order_relaxed);
  if (completion.error == static_cast<std::int32_t>(Failure::none)) return "no error";
  if (error == has_no_code) return "a kernel has not been compiled for devices";
  if (error == has_late_work) return "results are copied before the last kernel";
  const std::string why = cudaGetErrorString(static_cast<cudaError_t>(error));
  const bool is_loss = completion.error != static_cast<std::int32_t>(Failure::launch);
  return (is_loss ? "the device is lost: " : "the launch failed: ") + why;
}

}  // namespace tacit::gpu::cuda

namespace tacit::gpu {

bool is_built_for_cuda() noexcept { return true; }

FoundDevice find_cuda_device(const CudaOptions& options) {
  const auto none = [](const std::string& what, cudaError_t error) {
    static_cast<void>(cudaGetLastError());
    return FoundDevice{.device = nullptr, .why_not = what + ": " + cudaGetErrorString(error)};
  };
  int count = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess) {
    return none("no device of NVIDIA can be used", error);
  }
  if (options.number >= count) return none("no device of NVIDIA is there", cudaErrorNoDevice);
  try {
    return {.device = std::make_unique<cuda::CudaDevice>(options)};
  } catch (const cuda::Refused& refused) {
    return none(refused.what, refused.error);
  }
}

}  // namespace tacit::gpu

// A counter is one signal, exposed by one rank.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/one_sided/shared_counter.hpp"

#include <fmt/format.h>

#include "tacit/comm/error.hpp"

namespace tacit::comm {
namespace {

std::unique_ptr<detail::MemoryRegion> make(Communicator& communicator, const CounterOptions& options) {
  if (number(options.home) >= communicator.size()) {
    throw base::Error(fmt::format("{}: rank {} shall keep a counter, there are {}", describe(communicator.own()),
                                  number(options.home), communicator.size()));
  }
  return std::make_unique<detail::MemoryRegion>(
      communicator,
      detail::MemoryRegionSpec{.kind = "shared counter", .signals = 1, .access = options.access, .home = options.home});
}

}  // namespace

SharedCounter::SharedCounter(Communicator& communicator, const CounterOptions& options)
    : home_(options.home), core_(make(communicator, options)) {}

void SharedCounter::reset(std::uint64_t value, double deadline_s) {
  core_->fence(deadline_s);  // all have drawn what they wanted of the phase before
  if (core_->communicator().own().rank == home_) {
    core_->own().signals[0].value.store(value, std::memory_order_release);
  }
  core_->fence(deadline_s);
}

}  // namespace tacit::comm

// Keeps the bindings of threads that other libraries own.
// SPDX-License-Identifier: Apache-2.0
#include "framework/processors.hpp"

#include <optional>

namespace tacit::bench {

WorkerBinder::WorkerBinder(std::size_t workers) {
  if (topology::should_bind(workers)) processors_ = topology::allowed_cpus();
}

void WorkerBinder::bind(std::size_t worker) const {
  thread_local std::optional<topology::Binding> binding;
  if (worker < processors_.size() && !binding) binding.emplace(processors_[worker]);
}

}  // namespace tacit::bench

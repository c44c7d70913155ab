// Asks the first rank for what is known, and has all ranks measure what is not.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/choose_fastest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "tacit/base/error.hpp"
#include "tacit/comm/connections/communicator_core.hpp"

namespace tacit::comm {

std::string of_first_rank(detail::CommunicatorCore& communicator, const std::string& task,
                          const std::function<std::string()>& make) {
  constexpr char failed = '-';  // else '+' and the result
  std::string said;
  std::exception_ptr error;
  if (communicator.own().rank == RankId{0}) {
    try {
      said = '+' + make();
    } catch (...) {
      error = std::current_exception();
      said = failed;
    }
  }
  const auto all = communicator.all_gather("lets the first rank " + task, std::as_bytes(std::span(said)));
  if (error) std::rethrow_exception(error);
  const Bytes& first = all.front();
  if (first.front() == std::byte{failed}) {
    throw base::Error(fmt::format("{}: {} could not {}; its message says why", describe(communicator.own()),
                                  describe(communicator.ranks().front()), task));
  }
  return {reinterpret_cast<const char*>(first.data()) + 1, first.size() - 1};
}

std::string choose_fastest(detail::CommunicatorCore& communicator, base::TuningCache& cache,
                           const base::TuningFormat& format, const std::string& key,
                           const std::function<std::string()>& measure) {
  std::string answer = of_first_rank(communicator, "read the tunings", [&] { return cache.find(format, key); });
  if (!answer.empty()) {
    cache.keep(key, answer);
    return answer;
  }
  cache.count_measurement();
  answer = measure();
  cache.keep(key, answer);
  if (!cache.file().empty()) {
    static_cast<void>(of_first_rank(communicator, "write the tunings", [&] {
      cache.write(format);
      return std::string();
    }));
  }
  return answer;
}

std::size_t fastest(std::span<const double> seconds) noexcept {
  constexpr double clearly = 0.95;
  const auto least = std::ranges::min_element(seconds);
  return *least < clearly * seconds.front() ? static_cast<std::size_t>(least - seconds.begin()) : 0;
}

}  // namespace tacit::comm

// Trials of exchanges and reductions, on memory of their own.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/collectives/detail/make.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "tacit/comm/collectives/detail/tuning.hpp"
#include "tacit/comm/connections/communicator_core.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::comm::detail {
namespace {

Algorithm given(const CollectiveOptions& options, const Pull& pull) {
  return {.pattern = options.pattern, .leaders = options.leaders, .chunk = pull.chunk, .copying = pull.copying};
}

std::size_t longest(const CommunicatorCore& communicator, const Routes& routes) {
  std::size_t bytes = 0;
  for (const RankInfo& rank : communicator.ranks()) bytes = std::max(bytes, routes.brings(rank.rank));
  return bytes;
}

/// In place of a function of the user, which may be made for other values than zeros.
void add_words(std::byte* accumulated, const std::byte* other, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) accumulated[i] ^= other[i];
}

}  // namespace

std::unique_ptr<Exchange> make_exchange(CommunicatorCore& communicator, const Routes& routes, const Elements& elements,
                                        const CollectiveOptions& options, const Pull& pull,
                                        std::span<const std::byte> in, std::span<std::byte> out) {
  if (options.tuning == Tuning::none) {
    return std::make_unique<Exchange>(communicator, routes, elements, options, pull, in, out);
  }
  Algorithm algorithm;
  {
    const std::vector<std::byte> from(in.size());
    std::vector<std::byte> to(out.size());
    const auto trial = [&](const Algorithm& tried) -> std::unique_ptr<Collective> {
      return std::make_unique<Exchange>(communicator, routes, elements, tried.options(), tried.pull(), from, to);
    };
    algorithm = choose_algorithm(communicator,
                                 {.kind = routes.kind,
                                  .bytes = longest(communicator, routes),
                                  .given = given(options, pull),
                                  .is_all_to_all = routes.is_all_to_all},
                                 trial);
  }
  return std::make_unique<Exchange>(communicator, routes, elements, algorithm.options(), algorithm.pull(), in, out);
}

std::unique_ptr<Reduction> make_reduction(CommunicatorCore& communicator, ReductionSpec spec,
                                          const CollectiveOptions& options, std::span<const std::byte> in,
                                          std::span<std::byte> out) {
  if (options.tuning == Tuning::none) {
    return std::make_unique<Reduction>(communicator, std::move(spec), options, in, out);
  }
  Algorithm algorithm;
  {
    const std::vector<std::byte> from(in.size());
    std::vector<std::byte> to(out.size());
    ReductionSpec tried_spec = spec;
    tried_spec.combine = [bytes = spec.elements.bytes](std::byte* accumulated, const std::byte* other,
                                                       std::size_t count) {
      add_words(accumulated, other, count * bytes);
    };
    const auto trial = [&](const Algorithm& tried) -> std::unique_ptr<Collective> {
      return std::make_unique<Reduction>(communicator, tried_spec, tried.options(), from, to);
    };
    algorithm =
        choose_algorithm(communicator, {.kind = spec.kind, .bytes = in.size(), .given = given(options, {})}, trial);
  }
  return std::make_unique<Reduction>(communicator, std::move(spec), algorithm.options(), in, out);
}

std::vector<std::vector<std::size_t>> gather_counts(Communicator& communicator, std::span<const std::size_t> mine) {
  CommunicatorCore& core = communicator.core();
  std::vector<std::vector<std::size_t>> counts;
  for (const Bytes& bytes : core.all_gather("makes an all-to-all-v", std::as_bytes(mine))) {
    const RankId rank{static_cast<std::uint32_t>(counts.size())};
    std::vector<std::size_t>& row = counts.emplace_back(bytes.size() / sizeof(std::size_t));
    if (row.size() != communicator.size()) {
      throw MismatchError(fmt::format("{} makes an all-to-all-v with counts for {} ranks, there are {}",
                                      comm::describe(core.rank(rank)), row.size(), communicator.size()));
    }
    std::memcpy(row.data(), bytes.data(), bytes.size());
  }
  return counts;
}

std::vector<std::vector<std::size_t>> in_bytes(std::vector<std::vector<std::size_t>> counts, std::size_t bytes) {
  for (std::vector<std::size_t>& row : counts) {
    for (std::size_t& count : row) count = length_of(count, bytes);
  }
  return counts;
}

}  // namespace tacit::comm::detail

// Trials of exchanges and reductions, on memory that nobody else uses.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/collectives/detail/make.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "tacit/comm/collectives/detail/tuning.hpp"

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
  Algorithm way;
  {
    const std::vector<std::byte> from(in.size());
    std::vector<std::byte> to(out.size());
    const auto trial = [&](const Algorithm& tried) -> std::unique_ptr<Collective> {
      return std::make_unique<Exchange>(communicator, routes, elements, tried.options(), tried.pull(), from, to);
    };
    way = choose_algorithm(communicator,
                           {.kind = routes.kind,
                            .bytes = longest(communicator, routes),
                            .given = given(options, pull),
                            .is_all_to_all = routes.is_all_to_all},
                           trial);
  }
  return std::make_unique<Exchange>(communicator, routes, elements, way.options(), way.pull(), in, out);
}

std::unique_ptr<Reduction> make_reduction(CommunicatorCore& communicator, ReductionSpec spec,
                                          const CollectiveOptions& options, std::span<const std::byte> in,
                                          std::span<std::byte> out) {
  if (options.tuning == Tuning::none) {
    return std::make_unique<Reduction>(communicator, std::move(spec), options, in, out);
  }
  Algorithm way;
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
    way = choose_algorithm(communicator, {.kind = spec.kind, .bytes = in.size(), .given = given(options, {})}, trial);
  }
  return std::make_unique<Reduction>(communicator, std::move(spec), way.options(), in, out);
}

}  // namespace tacit::comm::detail

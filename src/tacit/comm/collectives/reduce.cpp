// Exact sums are a reduction of accumulators.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/collectives/reduce.hpp"

namespace tacit::comm {
namespace {

base::ExactSum merged(const base::ExactSum& a, const base::ExactSum& b) {
  base::ExactSum sum = a;
  sum.merge(b);
  return sum;
}

std::unique_ptr<detail::Reduction> make(Communicator& communicator, std::span<const base::ExactSum> terms,
                                        std::span<base::ExactSum> sums, const CollectiveOptions& options) {
  detail::ReductionSpec spec{.kind = "exact sums",
                             .elements = detail::elements_of<base::ExactSum>(terms.size()),
                             .combine = detail::combine_with<base::ExactSum>(merged)};
  return detail::make_reduction(communicator.core(), std::move(spec), options, std::as_bytes(terms),
                                std::as_writable_bytes(sums));
}

}  // namespace

ExactSums::ExactSums(Communicator& communicator, std::size_t count, const CollectiveOptions& options)
    : ExactSums(communicator, Sums(count), Sums(count), options) {}

// The memory of a vector stays where it is when the vector moves.
ExactSums::ExactSums(Communicator& communicator, Sums terms, Sums sums, const CollectiveOptions& options)
    : CollectiveHandle(make(communicator, terms, sums, options)), terms_(std::move(terms)), sums_(std::move(sums)) {}

void ExactSums::clear() {
  for (base::ExactSum& sum : terms_) sum = {};
}

}  // namespace tacit::comm

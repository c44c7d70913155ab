// Finds or makes the persistent collective that a call of MPI asks for.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/c/shim/collectives.hpp"

#include <algorithm>
#include <bit>
#include <climits>
#include <cstring>
#include <optional>
#include <string_view>

#include "tacit/comm/bootstrap/mpi.hpp"
#include "tacit/comm/c/handles.hpp"
#include "tacit/comm/collectives/detail/plan.hpp"
#include "tacit/comm/collectives/reduce.hpp"

namespace tacit::comm::shim {
namespace {

// A program has few lengths; one that has more would fill memory with shared buffers.
constexpr std::size_t most_exchanges = 16;
constexpr std::size_t most_sums = 128;
constexpr std::size_t longest_sum = 2048;  // [byte]: up to here a rank combines all by itself, with one flag

/// How numbers of a type of MPI's are combined, and how many bytes one has.
struct Numbers {
  std::size_t bytes = 0;
  detail::Combine combine;
};

/// @param parts  numbers in an element: the two of a complex one are added part by part
template <class T>
std::optional<Numbers> numbers_of(MPI_Op operation, std::size_t parts) {
  const auto with = [parts](auto function) {
    return Numbers{parts * sizeof(T),
                   [parts, combine = detail::combine_with<T>(function)](std::byte* a, const std::byte* b,
                                                                        std::size_t n) { combine(a, b, parts * n); }};
  };
  if (operation == MPI_SUM) return with([](const T& a, const T& b) { return static_cast<T>(a + b); });
  if (parts == 1 && operation == MPI_MAX) return with(Maximum{});
  if (parts == 1 && operation == MPI_MIN) return with(Minimum{});
  return std::nullopt;
}

std::optional<Numbers> numbers_of(MPI_Datatype type, MPI_Op operation) {
  if (type == MPI_DOUBLE) return numbers_of<double>(operation, 1);
  if (type == MPI_FLOAT) return numbers_of<float>(operation, 1);
  if (type == MPI_INT) return numbers_of<int>(operation, 1);
  if (type == MPI_UNSIGNED) return numbers_of<unsigned>(operation, 1);
  if (type == MPI_LONG) return numbers_of<long>(operation, 1);
  if (type == MPI_UNSIGNED_LONG) return numbers_of<unsigned long>(operation, 1);
  if (type == MPI_LONG_LONG) return numbers_of<long long>(operation, 1);
  if (type == MPI_INT64_T) return numbers_of<std::int64_t>(operation, 1);
  if (type == MPI_UINT64_T) return numbers_of<std::uint64_t>(operation, 1);
  if (type == MPI_C_DOUBLE_COMPLEX || type == MPI_DOUBLE_COMPLEX) return numbers_of<double>(operation, 2);
  if (type == MPI_C_FLOAT_COMPLEX || type == MPI_COMPLEX) return numbers_of<float>(operation, 2);
  return std::nullopt;
}

detail::Elements bytes_of(std::string_view kind, std::size_t bytes) {
  detail::Elements elements{.count = bytes, .bytes = 1};
  std::ranges::copy(kind, elements.type.begin());
  return elements;
}

void pack(const Buffer& from, std::span<std::byte> to, MPI_Comm ranks) {
  if (const auto layout = layout_of(from)) return gather(*layout, to.size(), to.data());
  int at = 0;
  check_mpi(MPI_Pack(from.data, from.count, from.type, to.data(), static_cast<int>(to.size()), &at, ranks), "MPI_Pack");
}

void unpack(std::span<const std::byte> from, const Buffer& to, MPI_Comm ranks) {
  if (const auto layout = layout_of(to)) return scatter(from.data(), from.size(), *layout);
  int at = 0;
  check_mpi(MPI_Unpack(from.data(), static_cast<int>(from.size()), &at, to.data, to.count, to.type, ranks),
            "MPI_Unpack");
}

}  // namespace

void Collectives::carry_out(detail::Collective& collective) {
  constexpr std::uint32_t turns = 500;  // about 1 us: what comes by then needs no detour
  collective.start(turns);
  finish_(collective);
  ++calls_;
}

/// Collective: the first use of a collective waits for the other ranks, which may still wait for a message that MPI
/// carries on only while we call it.
void Collectives::meet() const { check_mpi(MPI_Barrier(ranks_), "MPI_Barrier"); }

detail::Exchange* Collectives::exchange_for(std::size_t block) {
  const auto known = std::ranges::find(exchanges_, block, &KnownExchange::bytes);
  if (known != exchanges_.end()) return known->exchange.get();
  if (exchanges_.size() == most_exchanges) return nullptr;
  const auto routes = detail::routes_all_to_all(world_->size(), block);
  auto made = std::make_unique<detail::Exchange>(world_->core(), routes, bytes_of("byte", block), CollectiveOptions{},
                                                 Pull{.copying = Copying::by_receiver}, std::span<const std::byte>(),
                                                 std::span<std::byte>());
  meet();
  return exchanges_.emplace_back(KnownExchange{block, std::move(made)}).exchange.get();
}

bool Collectives::all_to_all(Buffer out, Buffer in) {
  const std::size_t block = in.bytes();
  const std::size_t bytes = block * world_->size();
  if (bytes == 0) return true;
  if (bytes > INT_MAX) return false;  // what MPI_Pack can count
  if (out.data == MPI_IN_PLACE) out = in;
  c::require(out.bytes() == block, "an all-to-all sends blocks of another length than it receives");
  detail::Exchange* exchange = exchange_for(block);
  if (exchange == nullptr) return false;
  out.count *= static_cast<int>(world_->size());
  in.count *= static_cast<int>(world_->size());
  pack(out, {exchange->input(), bytes}, ranks_);
  const auto layout = layout_of(in);
  const std::span<std::byte> own = exchange->output();
  if (layout && layout->is_contiguous()) exchange->receive_into({layout->data, bytes});
  carry_out(*exchange);
  exchange->receive_into(own);
  if (!layout || !layout->is_contiguous()) unpack(own, in, ranks_);
  return true;
}

Collectives::KnownSum* Collectives::sum_for(std::size_t count, MPI_Datatype type, MPI_Op operation) {
  // Lengths are rounded up, so that sums that grow by a term at a time share one.
  const auto is_it = [&](const KnownSum& sum) { return sum.type == type && sum.operation == operation; };
  for (KnownSum& sum : sums_) {
    if (is_it(sum) && sum.count == std::bit_ceil(count)) return &sum;
  }
  auto numbers = numbers_of(type, operation);
  if (!numbers || numbers->bytes * std::bit_ceil(count) > longest_sum || sums_.size() == most_sums) return nullptr;
  KnownSum& sum = sums_.emplace_back();
  sum.type = type;
  sum.operation = operation;
  sum.count = std::bit_ceil(count);
  sum.element = numbers->bytes;
  const std::size_t bytes = sum.count * sum.element;
  sum.memory = std::make_unique<std::byte[]>(bytes);
  detail::ReductionSpec spec{
      .kind = "all-reduce", .elements = bytes_of("number", 0), .combine = std::move(numbers->combine)};
  spec.elements.count = sum.count;
  spec.elements.bytes = sum.element;
  const std::span memory(sum.memory.get(), bytes);
  sum.reduction =
      std::make_unique<detail::Reduction>(world_->core(), std::move(spec), CollectiveOptions{}, memory, memory);
  meet();
  return &sum;
}

bool Collectives::all_reduce(const void* out, void* in, int count, MPI_Datatype type, MPI_Op operation) {
  if (count <= 0) return false;
  const auto elements = static_cast<std::size_t>(count);
  KnownSum* sum = sum_for(elements, type, operation);
  if (sum == nullptr) return false;
  const std::size_t bytes = elements * sum->element;
  const std::size_t rest = (sum->count - elements) * sum->element;
  std::memcpy(sum->memory.get(), out == MPI_IN_PLACE ? in : out, bytes);
  std::memset(sum->memory.get() + bytes, 0, rest);
  carry_out(*sum->reduction);
  std::memcpy(in, sum->memory.get(), bytes);
  return true;
}

}  // namespace tacit::comm::shim

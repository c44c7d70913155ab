// The checks of the collectives that only copy, and of several at once.
// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include "mpi/collectives_support.hpp"
#include "tacit/comm/collectives/all_to_all.hpp"
#include "tacit/comm/collectives/broadcast.hpp"
#include "tacit/comm/collectives/gather.hpp"
#include "tacit/comm/collectives/reduce.hpp"

namespace tacit::comm::conformance {
namespace {

/// Fills what `rank` brings to call `n` for `to`.
void fill(std::span<std::uint64_t> in, std::size_t rank, std::uint64_t n, std::size_t to = 0) {
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = element(rank, n, i, to);
}

/// Throws unless `got` is what `rank` brought to call `n` for `to`.
void must_be(std::span<const std::uint64_t> got, std::size_t rank, std::uint64_t n, std::size_t to,
             const CollectiveOptions& options) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] == element(rank, n, i, to)) continue;
    must(false, fmt::format("{}: element {} of {} from rank {} in call {}", describe_options(options), i, got.size(),
                            rank, n));
  }
}

/// Calls `function` with all options and numbers of elements.
void for_shapes(const Setting& setting, const std::function<void(const CollectiveOptions&, std::size_t)>& function) {
  for (const CollectiveOptions& options : all_options()) {
    for (const std::size_t count : counts(setting)) function(options, count);
  }
}

/// One all-to-all, of the library's memory or the user's, called again and again.
void check_one_all_to_all(Communicator& world, const Setting& setting, const CollectiveOptions& options,
                          const Pull& pull, std::size_t count, Owner owner) {
  const std::size_t own = number(world.rank());
  std::vector<std::uint64_t> in(count * world.size());
  std::vector<std::uint64_t> out(count * world.size());
  AllToAll<std::uint64_t> exchange = owner == Owner::user
                                         ? AllToAll<std::uint64_t>(world, in, std::span(out), options, pull)
                                         : AllToAll<std::uint64_t>(world, count, options, pull);
  check_messages(world, options, exchange.messages());
  for (std::uint64_t n = 0; n < repetitions(setting, 8 * count); ++n) {
    const std::span<std::uint64_t> brought = owner == Owner::user ? std::span(in) : exchange.input();
    for (std::size_t to = 0; to < world.size(); ++to) fill(brought.subspan(to * count, count), own, n, to);
    call(world, exchange, n);
    const std::span<const std::uint64_t> got = owner == Owner::user ? std::span(out) : exchange.output();
    must(got.size() == count * world.size(), "an all-to-all gives another size");
    for (std::size_t rank = 0; rank < world.size(); ++rank) {
      must_be(got.subspan(rank * count, count), rank, n, own, options);
    }
  }
}

/// Elements from `from` to `to`: none for some, all different.
std::size_t count_of_pair(std::size_t from, std::size_t to, std::size_t longest) {
  const std::uint64_t draw = element(from, 77, longest, to);
  return draw % 4 == 0 ? 0 : draw % (longest + 1);
}

}  // namespace

void check_broadcast(Communicator& world, const Setting& setting) {
  for_shapes(setting, [&](const CollectiveOptions& options, std::size_t count) {
    const RankId root{static_cast<std::uint32_t>((count + options.leaders) % world.size())};
    std::vector<std::uint64_t> data(count);
    Broadcast<std::uint64_t> broadcast(world, root, std::span(data), options);
    for (std::uint64_t n = 0; n < repetitions(setting, 8 * count); ++n) {
      if (world.rank() == root) fill(data, number(root), n);
      call(world, broadcast, n);
      must_be(data, number(root), n, 0, options);
    }
  });
}

void check_all_gather(Communicator& world, const Setting& setting) {
  for_shapes(setting, [&](const CollectiveOptions& options, std::size_t count) {
    std::vector<std::uint64_t> in(count);
    std::vector<std::uint64_t> out(count * world.size());
    AllGather<std::uint64_t> gather(world, in, std::span(out), options);
    check_messages(world, options, gather.messages());
    for (std::uint64_t n = 0; n < repetitions(setting, 8 * count); ++n) {
      fill(in, number(world.rank()), n);
      call(world, gather, n);
      for (std::size_t rank = 0; rank < world.size(); ++rank) {
        must_be(std::span(out).subspan(rank * count, count), rank, n, 0, options);
      }
    }
  });
}

void check_all_gather_view(Communicator& world, const Setting& setting) {
  for_shapes(setting, [&](const CollectiveOptions& options, std::size_t count) {
    AllGatherView<std::uint64_t> gather(world, count, options);
    for (std::uint64_t n = 0; n < repetitions(setting, 8 * count); ++n) {
      fill(gather.input(), number(world.rank()), n);
      call(world, gather, n);
      // The next block is written while others still read this one.
      fill(gather.input(), number(world.rank()), ~n);
      for (std::uint32_t rank = 0; rank < world.size(); ++rank) {
        must(gather.block(RankId{rank}).size() == count, "a block has another size");
        must_be(gather.block(RankId{rank}), rank, n, 0, options);
      }
    }
  });
}

void check_gather(Communicator& world, const Setting& setting) {
  for_shapes(setting, [&](const CollectiveOptions& options, std::size_t count) {
    const RankId root{static_cast<std::uint32_t>((count + options.leaders) % world.size())};
    std::vector<std::uint64_t> in(count);
    std::vector<std::uint64_t> out(world.rank() == root ? count * world.size() : 0);
    Gather<std::uint64_t> gather(world, root, in, std::span(out), options);
    for (std::uint64_t n = 0; n < repetitions(setting, 8 * count); ++n) {
      fill(in, number(world.rank()), n);
      call(world, gather, n);
      for (std::size_t rank = 0; rank < world.size() && !out.empty(); ++rank) {
        must_be(std::span(out).subspan(rank * count, count), rank, n, 0, options);
      }
    }
  });
}

void check_scatter(Communicator& world, const Setting& setting) {
  for_shapes(setting, [&](const CollectiveOptions& options, std::size_t count) {
    const RankId root{static_cast<std::uint32_t>((count + options.leaders) % world.size())};
    std::vector<std::uint64_t> in(world.rank() == root ? count * world.size() : 0);
    std::vector<std::uint64_t> out(count);
    Scatter<std::uint64_t> scatter(world, root, in, std::span(out), options);
    for (std::uint64_t n = 0; n < repetitions(setting, 8 * count); ++n) {
      for (std::size_t to = 0; to < world.size() && !in.empty(); ++to) {
        fill(std::span(in).subspan(to * count, count), number(root), n, to);
      }
      call(world, scatter, n);
      must_be(out, number(root), n, number(world.rank()), options);
    }
  });
}

void check_all_to_all(Communicator& world, const Setting& setting) {
  for_shapes(setting, [&](const CollectiveOptions& options, std::size_t count) {
    check_one_all_to_all(world, setting, options, {}, count, Owner::library);
    check_one_all_to_all(world, setting, options, {.chunk = Pull::default_chunk}, count, Owner::user);
    if (count < 1000) check_one_all_to_all(world, setting, options, {.chunk = 24}, count, Owner::library);
    check_one_all_to_all(world, setting, options, {.copying = Copying::by_sender}, count,
                         count % 2 == 0 ? Owner::user : Owner::library);
  });
}

void check_all_to_all_v(Communicator& world, const Setting& setting) {
  const std::size_t own = number(world.rank());
  for_shapes(setting, [&](const CollectiveOptions& options, std::size_t longest) {
    std::vector<std::size_t> counts;
    for (std::size_t to = 0; to < world.size(); ++to) counts.push_back(count_of_pair(own, to, longest));
    Pull pull{.chunk = longest % 2 == 0 ? 0 : Pull::default_chunk};
    if (longest % 4 == 0) pull.copying = longest == 256 ? Copying::by_receiver : Copying::by_sender;
    AllToAllV<std::uint64_t> exchange(world, counts, options, pull);
    check_messages(world, options, exchange.messages());
    for (std::uint64_t n = 0; n < repetitions(setting, 8 * longest); ++n) {
      std::span<std::uint64_t> in = exchange.input();
      for (std::size_t to = 0; to < world.size(); ++to) {
        fill(in.first(counts[to]), own, n, to);
        in = in.subspan(counts[to]);
      }
      call(world, exchange, n);
      std::span<const std::uint64_t> out = exchange.output();
      for (std::size_t rank = 0; rank < world.size(); ++rank) {
        const std::size_t count = count_of_pair(rank, own, longest);
        must(exchange.counts_received()[rank] == count, "another count is received");
        must_be(out.first(count), rank, n, own, options);
        out = out.subspan(count);
      }
      must(out.empty(), "an all-to-all-v gives more than was sent");
    }
  });
}

/// Several calls under options at once, ended in another order on every rank; on parts and on the whole.
void check_together(Communicator& world, const Setting& setting) {
  const std::uint32_t own = number(world.rank());
  Communicator part = world.split(own % 2, own);
  for (const CollectiveOptions& options : all_options()) {
    std::vector<std::uint64_t> sums(300);
    std::vector<std::uint64_t> data(1000);
    std::vector<std::uint64_t> mine(40);
    std::vector<std::uint64_t> all(40 * part.size());
    AllReduce<std::uint64_t> reduce(world, std::span(sums), std::plus<>(), options);
    Broadcast<std::uint64_t> broadcast(world, RankId{0}, std::span(data), options);
    AllGather<std::uint64_t> gather(part, mine, std::span(all), options);
    for (std::uint64_t n = 0; n < repetitions(setting, 4096); ++n) {
      fill(sums, own, n);
      fill(mine, own, n);
      if (own == 0) fill(data, 0, n);
      const std::array<std::function<void(bool)>, 3> calls{
          [&](bool starts) { starts ? reduce.start() : reduce.wait(); },
          [&](bool starts) { starts ? broadcast.start() : broadcast.wait(); },
          [&](bool starts) { starts ? gather.start() : gather.wait(); }};
      for (std::size_t i = 0; i < 3; ++i) calls[(i + n) % 3](true);
      for (std::size_t i = 0; i < 3; ++i) calls[(i + own) % 3](false);
      must_be(data, 0, n, 0, options);
      for (std::size_t rank = 0; rank < part.size(); ++rank) {
        must_be(std::span(all).subspan(40 * rank, 40), 2 * rank + own % 2, n, 0, options);
      }
      for (std::size_t i = 0; i < sums.size(); ++i) {
        for (std::size_t rank = 0; rank < world.size(); ++rank) sums[i] -= element(rank, n, i);
        must(sums[i] == 0, "a sum beside other collectives");
      }
    }
  }
}

}  // namespace tacit::comm::conformance

// The checks of the collectives: each against a loop over all ranks that knows what every rank brings.
// SPDX-License-Identifier: Apache-2.0
#include "mpi/collectives.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "mpi/collectives_support.hpp"
#include "tacit/comm/collectives/barrier.hpp"
#include "tacit/comm/collectives/reduce.hpp"
#include "tacit/comm/error.hpp"
#include "tacit/comm/window.hpp"

namespace tacit::comm::conformance {
namespace {

void check_split(Communicator& world, const Setting& /*setting*/) {
  const std::uint32_t own = number(world.rank());
  const auto ranks = static_cast<std::uint32_t>(world.size());
  {
    Communicator backwards = world.split(own % 2, ranks - own);  // numbered from the last rank on
    std::vector<std::uint32_t> members;
    for (std::uint32_t rank = ranks; rank-- > 0;) {
      if (rank % 2 == own % 2) members.push_back(rank);
    }
    must(backwards.size() == members.size(), "a part has another size");
    must(members[number(backwards.rank())] == own, "ranks of a part are not in the order of their keys");
    for (std::uint32_t rank = 0; rank < members.size(); ++rank) {
      const RankInfo& there = backwards.ranks()[rank];
      must(number(there.rank) == rank && there.process_id == world.ranks()[members[rank]].process_id,
           "a part knows another rank than the whole");
    }
    // A ring within each part, beside one of a part of the part.
    const auto size = static_cast<std::uint32_t>(backwards.size());
    Communicator again = backwards.split(0, number(backwards.rank()));
    for (Communicator* part : {&backwards, &again}) {
      const std::uint32_t place = number(part->rank());
      Connection right(*part, {.rank = RankId{(place + 1) % size}, .key = 1});
      std::optional<Connection> left;
      if (size > 2) left.emplace(*part, Target{.rank = RankId{place == 0 ? size - 1 : place - 1}, .key = 1});
      Connection& back = left ? *left : right;
      SendWindow<std::uint32_t> send(right, 1);
      RecvWindow<std::uint32_t> receive(back, 1);
      receive.init();
      send.data()[0] = own;
      send.post();
      must(receive.wait()[0] == members[(place + size - 1) % size], "a message of a part went astray");
      send.wait();
    }
  }
  Communicator node = world.split_by_node();
  for (const RankInfo& rank : node.ranks()) must(rank.domain == 0 && rank.shares_memory, "a node is not one");
  std::size_t expected = 0;
  for (const RankInfo& rank : world.ranks()) expected += rank.domain == world.own().domain ? 1U : 0U;
  must(node.size() == expected, "a node has another number of ranks");
  world.synchronise();
}

void check_barrier(Communicator& world, const Setting& setting) {
  for (const CollectiveOptions& options : all_options()) {
    Barrier barrier(world, options);
    check_messages(world, options, barrier.messages());
    for (std::uint64_t i = 0; i < setting.exchanges; ++i) call(world, barrier, i);
    // It cannot be over before the last rank has begun it.
    for (std::uint32_t late = 0; late < world.size(); ++late) {
      const bool is_late = number(world.rank()) == late;
      if (!is_late) barrier.start();
      world.synchronise();
      if (!is_late) must(!barrier.test(), fmt::format("{}: over before rank {} came", describe_options(options), late));
      world.synchronise();
      if (is_late) barrier.start();
      barrier.wait();
    }
  }
}

/// Sums of what all ranks bring, which wrap around and so depend on no order.
void check_all_reduce(Communicator& world, const Setting& setting) {
  for (const CollectiveOptions& options : all_options()) {
    for (const std::size_t count : counts(setting)) {
      std::vector<std::uint64_t> in(count);
      std::vector<std::uint64_t> out(count);
      AllReduce<std::uint64_t> sum(world, in, std::span(out), std::plus<>(), options);
      check_messages(world, options, sum.messages());
      for (std::uint64_t n = 0; n < repetitions(setting, 8 * count); ++n) {
        for (std::size_t i = 0; i < count; ++i) in[i] = element(number(world.rank()), n, i);
        call(world, sum, n);
        for (std::size_t i = 0; i < count; ++i) {
          std::uint64_t expected = 0;
          for (std::size_t rank = 0; rank < world.size(); ++rank) expected += element(rank, n, i);
          if (out[i] != expected)
            must(false, fmt::format("{}: sum {} of {} in call {}", describe_options(options), i, count, n));
        }
      }
    }
  }
}

/// The least value and who has it.
struct Least {
  double value = std::numeric_limits<double>::infinity();
  std::uint32_t rank = 0;
  std::uint32_t at = 0;
};

void check_user_functions(Communicator& world, const Setting& setting) {
  const auto least = [](const Least& a, const Least& b) { return b.value < a.value ? b : a; };
  for (const CollectiveOptions& options : all_options()) {
    for (const std::size_t count : {std::size_t{2}, std::size_t{5000}}) {
      std::vector<Least> all(count);
      AllReduce<Least> reduce(world, std::span(all), least, options);  // in place
      for (std::uint64_t n = 0; n < repetitions(setting, 16 * count); ++n) {
        for (std::uint32_t i = 0; i < count; ++i) {
          all[i] = {base::uniform(n, number(world.rank()), i), number(world.rank()), i};
        }
        reduce.run();
        for (std::uint32_t i = 0; i < count; ++i) {
          Least expected;
          for (std::uint32_t rank = 0; rank < world.size(); ++rank) {
            expected = least(expected, {base::uniform(n, rank, i), rank, i});
          }
          must(all[i].value == expected.value && all[i].rank == expected.rank && all[i].at == i, "another is least");
        }
      }
    }
  }
}

/// Whoever has a number that is none, all get to know: element r is that of rank r, the last one is a number of all.
void check_not_a_number(Communicator& world, const Setting& /*setting*/) {
  const auto own = static_cast<double>(number(world.rank()));
  for (const CollectiveOptions& options : all_options()) {
    std::vector<double> least(world.size() + 1, own);
    least[number(world.rank())] = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> largest = least;
    AllReduce<double>(world, std::span(least), Minimum{}, options).run();
    AllReduce<double>(world, std::span(largest), Maximum{}, options).run();
    for (std::size_t rank = 0; rank < world.size(); ++rank)
      must(std::isnan(least[rank]) && std::isnan(largest[rank]), fmt::format("the NaN of rank {} is lost", rank));
    must(least.back() == 0.0 && largest.back() == static_cast<double>(world.size() - 1), "numbers are lost");
  }
}

/// Sums of doubles round; but all ranks get bitwise identical results, whichever comes first.
void check_same_bits(Communicator& world, const Setting& setting) {
  for (const CollectiveOptions& options : all_options()) {
    double value = 0.0;
    AllReduce<double> sum(world, std::span(&value, 1), std::plus<>(), options);
    for (std::uint64_t n = 0; n < repetitions(setting, 4096); ++n) {
      value = base::uniform(7, number(world.rank()), n) * 1e3;
      sum.run();
      for (const double other : all_of(world, value)) must(other == value, "two ranks have other bits");
    }
  }
}

void check_exact_sums(Communicator& world, const Setting& setting) {
  constexpr std::size_t sums = 5;
  constexpr std::size_t terms = 200;
  const std::size_t ranks = world.size();
  const auto term = [](std::size_t sum, std::size_t i, std::uint64_t n) {
    // Magnitudes over 10^+-100: almost every order of an ordinary sum has another result.
    return std::ldexp(base::uniform(n, sum, i) - 0.5, static_cast<int>(element(i, n, sum) % 600) - 300);
  };
  for (const CollectiveOptions& options : all_options()) {
    ExactSums exact(world, sums, options);
    for (std::uint64_t n = 0; n < repetitions(setting, 4096); ++n) {
      exact.clear();
      for (std::size_t sum = 0; sum < sums; ++sum) {
        for (std::size_t i = 0; i < terms; ++i) {
          if ((i * 7 + n) % ranks == number(world.rank())) exact.add(sum, term(sum, i, n));
        }
      }
      exact.run();
      for (std::size_t sum = 0; sum < sums; ++sum) {
        base::ExactSum expected;
        for (std::size_t i = 0; i < terms; ++i) expected.add(term(sum, i, n));
        must(exact.value(sum) == expected.value(), fmt::format("exact sum {} of call {}", sum, n));
      }
    }
  }
}

void check_reduce(Communicator& world, const Setting& setting) {
  for (const CollectiveOptions& options : all_options()) {
    for (const std::size_t count : counts(setting)) {
      const RankId root{static_cast<std::uint32_t>(count % world.size())};
      std::vector<std::uint64_t> in(count);
      std::vector<std::uint64_t> out(world.rank() == root ? count : 0);
      Reduce<std::uint64_t> sum(world, root, in, std::span(out), std::plus<>(), options);
      for (std::uint64_t n = 0; n < repetitions(setting, 8 * count); ++n) {
        for (std::size_t i = 0; i < count; ++i) in[i] = element(number(world.rank()), n, i);
        call(world, sum, n);
        for (std::size_t i = 0; i < out.size(); ++i) {
          std::uint64_t expected = 0;
          for (std::size_t rank = 0; rank < world.size(); ++rank) expected += element(rank, n, i);
          if (out[i] != expected)
            must(false, fmt::format("{}: sum {} of {} in call {}", describe_options(options), i, count, n));
        }
      }
    }
  }
}

std::string mismatch_in(const std::function<void()>& function) {
  try {
    function();
  } catch (const MismatchError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

/// One rank says another number of elements than the others: who has business with it says so.
void check_collective_mismatch(Communicator& world, const Setting& /*setting*/) {
  if (world.size() != 2) return;
  for (const CollectiveOptions& options : all_options()) {
    std::vector<double> data(10 + number(world.rank()));
    AllReduce<double> sum(world, std::span(data), std::plus<>(), options);
    const std::string text = mismatch_in([&] { sum.run(); });
    for (const RankInfo& rank : world.ranks()) {
      must(text.find(describe(rank)) != std::string::npos, "'" + text + "' does not name " + describe(rank));
    }
    must(text.find("all-reduce") != std::string::npos, "'" + text + "' does not name the collective");
    world.synchronise();
  }
}

}  // namespace

std::vector<std::uint32_t> nodes_of(std::string_view digits, std::size_t ranks) {
  std::vector<std::uint32_t> nodes;
  if (digits == "found") return nodes;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    nodes.push_back(static_cast<std::uint32_t>(digits.at(rank % digits.size()) - '0'));
  }
  return nodes;
}

const std::vector<NamedCheck>& collective_checks() {
  static const std::vector<NamedCheck> all{{"split", check_split},
                                           {"barrier", check_barrier},
                                           {"all_reduce", check_all_reduce},
                                           {"user_functions", check_user_functions},
                                           {"not_a_number", check_not_a_number},
                                           {"same_bits", check_same_bits},
                                           {"exact_sums", check_exact_sums},
                                           {"reduce", check_reduce},
                                           {"broadcast", check_broadcast},
                                           {"all_gather", check_all_gather},
                                           {"all_gather_view", check_all_gather_view},
                                           {"gather", check_gather},
                                           {"scatter", check_scatter},
                                           {"all_to_all", check_all_to_all},
                                           {"all_to_all_v", check_all_to_all_v},
                                           {"together", check_together},
                                           {"mismatch", check_collective_mismatch}};
  return all;
}

}  // namespace tacit::comm::conformance

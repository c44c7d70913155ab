// Counts what collectives put on the wires between emulated nodes, and compares it with the least that must go there.
// SPDX-License-Identifier: Apache-2.0
//
// usage: comm_wire TRANSPORT KILOBYTES COLLECTIVE...: on the ranks that tools/nodes/nodes.py starts, as many on each
// node
//   TRANSPORT: mpi or ofi, which is told to use TCP on the wire
//   COLLECTIVE: all_to_all, scatter, gather, all_gather: what a node brings has so many KB, for all nodes together or,
//               all_gather, for each (scatter: what the root brings has so many per node)
//               row: an all-to-all among the ranks of each node, which must put nothing there
#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "mpi/collectives_support.hpp"
#include "nodes/wire_counters.hpp"
#include "tacit/base/error.hpp"
#include "tacit/comm/collectives/all_to_all.hpp"
#include "tacit/comm/collectives/gather.hpp"
#include "tacit/comm/detail/arena.hpp"

namespace {

using namespace tacit;
using comm::RankId;
using comm::conformance::all_of;
using comm::conformance::must;
using tests::Traffic;

constexpr std::size_t calls = 50;
constexpr RankId root{1};  // not the first of all, to see that nothing depends on it

/// A collective that is ready, and what it must cost.
struct Subject {
  std::function<void()> call = {};
  std::size_t messages = 0;  ///< that this rank sends to other nodes per call
};

template <class Collective>
Subject subject(std::shared_ptr<Collective> collective) {
  return {[collective] { collective->run(); }, collective->messages()};
}

/// What one collective must send from a node, per call.
struct Bound {
  std::size_t messages = 0;  ///< to other nodes
  std::size_t bytes = 0;     ///< in all of them
  std::size_t received = 0;  ///< bytes that come from other nodes
};

struct Case {
  Subject ours;
  std::vector<Bound> bounds;  ///< by node
};

std::size_t node_of(const comm::Communicator& world, RankId rank) { return world.ranks()[number(rank)].domain; }

/// The collective of that name, in memory that lives as long as it.
Case make_case(comm::Communicator& world, const std::string& name, std::size_t bytes_of_node) {
  const std::size_t nodes = comm::conformance::count_nodes(world);
  const std::size_t bytes = bytes_of_node / (world.size() / nodes);  // that a rank brings
  auto in = std::make_shared<std::vector<std::byte>>(bytes);
  auto out = std::make_shared<std::vector<std::byte>>();
  const std::size_t far = bytes_of_node * (nodes - 1);
  Case made;
  if (name == "all_to_all") {
    made.ours = subject(std::make_shared<comm::AllToAll<std::byte>>(world, bytes / world.size()));
    made.bounds.assign(nodes, {nodes - 1, far / nodes, far / nodes});
  } else if (name == "all_gather") {
    out->resize(bytes * world.size());
    made.ours = subject(std::make_shared<comm::AllGather<std::byte>>(world, *in, std::span(*out)));
    made.bounds.assign(nodes, {nodes - 1, far, far});
  } else if (name == "gather") {
    if (world.rank() == root) out->resize(bytes * world.size());
    made.ours = subject(std::make_shared<comm::Gather<std::byte>>(world, root, *in, std::span(*out)));
    made.bounds.assign(nodes, {1, bytes_of_node, 0});
    made.bounds[node_of(world, root)] = {0, 0, far};
  } else {
    must(name == "scatter", "there is no collective " + name);
    out->resize(bytes);
    in->resize(world.rank() == root ? bytes * world.size() : 0);
    made.ours = subject(std::make_shared<comm::Scatter<std::byte>>(world, root, *in, std::span(*out)));
    made.bounds.assign(nodes, {0, 0, bytes_of_node});
    made.bounds[node_of(world, root)] = {nodes - 1, far, 0};
  }
  made.ours.call = [call = made.ours.call, in, out] { call(); };  // which keeps the memory
  return made;
}

/// What goes out of each node while all call so often: by node. Beside it goes what brings the ranks together.
std::vector<Traffic> count(comm::Communicator& world, const std::function<void()>& call, std::size_t times) {
  using namespace std::chrono_literals;
  constexpr auto settle = 60ms;  // the system acknowledges within 40 ms; what is later is 66 bytes among the others
  world.synchronise();
  std::this_thread::sleep_for(settle);
  const Traffic before = tests::traffic_sent("e0");
  world.synchronise();
  for (std::size_t i = 0; i < times; ++i) call();
  world.synchronise();
  std::this_thread::sleep_for(settle);
  const Traffic mine = tests::traffic_sent("e0") - before;
  std::vector<Traffic> by_node(comm::conformance::count_nodes(world));
  const auto all = all_of(world, mine);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    Traffic& node = by_node[world.ranks()[rank].domain];
    node = std::max(node, all[rank], [](const Traffic& a, const Traffic& b) { return a.bytes < b.bytes; });
  }
  return by_node;
}

/// The most that a node may send per call for what it must.
///
/// On the wire: 1448 bytes of a stream per segment (1500 less 20 for IP and 32 for TCP with its time stamps), and 66 of
/// headers (these and 14 of Ethernet); each segment that comes may be acknowledged by one of 66. Around a message: MPI
/// and libfabric put headers of at most 100 bytes before each part of it, of which there is one, and one more per 32
/// KB, and beside those above 32 KB exchange three notes of that size: a request, a leave and an end. The counters
/// count segments that the system hands over together as one with one header: that is less.
std::size_t most_bytes(const Bound& bound, std::size_t messages_received) {
  constexpr std::size_t payload = 1448;
  constexpr std::size_t headers = 66;
  constexpr std::size_t part = std::size_t{32} << 10U;
  constexpr std::size_t around = 100;
  const auto stream = [](std::size_t messages, std::size_t bytes) {
    return bytes + around * (messages + bytes / part);
  };
  const auto segments = [](std::size_t messages, std::size_t bytes) { return bytes / payload + messages; };
  const std::size_t out = stream(bound.messages, bound.bytes);
  const std::size_t in = stream(messages_received, bound.received);
  const std::size_t notes = 3 * (bound.messages + messages_received);
  return out + headers * (segments(bound.messages, out) + segments(messages_received, in)) + (around + headers) * notes;
}

double per_call(std::size_t sent, std::size_t without) {
  return (static_cast<double>(sent) - static_cast<double>(without)) / calls;
}

void check_counts(const std::string& name, const Case& subject, const std::vector<Traffic>& sent,
                  const std::vector<Traffic>& nothing, const std::vector<std::size_t>& messages) {
  for (std::size_t node = 0; node < sent.size(); ++node) {
    const Bound& bound = subject.bounds[node];
    must(messages[node] == bound.messages, fmt::format("{}: node {} sends {} messages per call, {} are needed", name,
                                                       node, messages[node], bound.messages));
    // Who receives anything has it from each other node, or from the root's.
    const std::size_t senders = name == "scatter" ? 1 : sent.size() - 1;
    const std::size_t most = calls * most_bytes(bound, bound.received > 0 ? senders : 0) + 2 * nothing[node].bytes;
    std::cout << fmt::format("{}: node {} sends {} messages, {:.0f} B and {:.1f} frames per call; must send {} B\n",
                             name, node, messages[node], per_call(sent[node].bytes, nothing[node].bytes),
                             per_call(sent[node].frames, nothing[node].frames), bound.bytes);
    must(sent[node].bytes >= calls * bound.bytes, "less than what must be sent was counted: the counters are wrong");
    must(sent[node].bytes <= most, fmt::format("{}: node {} sends {} B in {} calls, {} at most are needed", name, node,
                                               sent[node].bytes, calls, most));
  }
}

std::size_t sum_of_bytes(const std::vector<Traffic>& traffic) {
  std::size_t sum = 0;
  for (const Traffic& node : traffic) sum += node.bytes;
  return sum;
}

/// The same all-gather by MPI, which knows no nodes: what each rank must receive crosses a wire for that rank alone.
void compare_with_flat(comm::Communicator& world, std::size_t bytes_of_node, const std::vector<Traffic>& ours,
                       const std::vector<Traffic>& nothing) {
  const std::size_t ranks_per_node = world.size() / ours.size();
  const std::size_t bytes = bytes_of_node / ranks_per_node;
  std::vector<std::byte> in(bytes);
  std::vector<std::byte> out(bytes * world.size());
  const auto call = [&] {
    const int count = static_cast<int>(bytes);
    MPI_Allgather(in.data(), count, MPI_BYTE, out.data(), count, MPI_BYTE, MPI_COMM_WORLD);
  };
  call();
  const auto flat = count(world, call, calls);
  const double share = static_cast<double>(sum_of_bytes(ours) - sum_of_bytes(nothing)) /
                       static_cast<double>(sum_of_bytes(flat) - sum_of_bytes(nothing));
  if (number(world.rank()) == 0) std::cout << fmt::format("all_gather: {:.3f} of the bytes of MPI_Allgather\n", share);
  // Headers and acknowledgements are 2 x 66 bytes for 1448 at most: 9.2 %, and MPI's might be none of these.
  const double most = 1.092 / static_cast<double>(ranks_per_node);
  must(share <= most, fmt::format("our all-gather sends {:.3f} of the bytes of MPI's, {:.3f} at most", share, most));
}

void check_collective(comm::Communicator& world, const std::string& name, std::size_t bytes_of_node) {
  const Case subject = make_case(world, name, bytes_of_node);
  for (int i = 0; i < 3; ++i) subject.ours.call();  // connections are made, and their windows grow
  const auto nothing = count(
      world, [] {}, 0);
  const auto sent = count(world, subject.ours.call, calls);
  const auto messages = comm::conformance::messages_by_node(world, subject.ours.messages);
  if (number(world.rank()) == 0) check_counts(name, subject, sent, nothing, messages);
  if (name == "all_gather") compare_with_flat(world, bytes_of_node, sent, nothing);
}

/// Ranks of a node exchange data among themselves; not one byte may leave the node.
void check_row(comm::Communicator& world, std::size_t bytes_of_node) {
  using namespace std::chrono_literals;
  comm::Communicator row = world.split_by_node();
  comm::AllToAll<std::byte> exchange(row, bytes_of_node / row.size() / row.size());
  exchange.run();
  const Traffic before = [&] {
    world.synchronise();
    std::this_thread::sleep_for(1s);  // others may be late, and what they send makes us acknowledge
    return tests::traffic_sent("e0");
  }();
  for (std::size_t i = 0; i < 20 * calls; ++i) exchange.run();
  const Traffic sent = tests::traffic_sent("e0") - before;
  std::this_thread::sleep_for(1s);  // before we make others acknowledge
  must(exchange.messages() == 0, "a row has messages to other nodes");
  must(sent.bytes == 0 && sent.frames == 0,
       fmt::format("a row of ranks on one node put {} B in {} frames on the wire", sent.bytes, sent.frames));
  world.synchronise();
  if (number(world.rank()) == 0) std::cout << "row: not a byte on the wire\n";
}

/// What a rank says of a file that it shares: ranks of its node can map it, others cannot.
struct Probe {
  comm::detail::Place place;
  std::int64_t process_id = 0;
};

bool can_map(const Probe& probe) {
  try {
    const comm::shm::Segment theirs(probe.process_id, probe.place);
    return true;
  } catch (const base::SystemError&) {
    return false;
  }
}

/// @pre what locality found is what nodes.py has made: as many ranks on each node
void check_nodes(comm::Communicator& world) {
  const comm::shm::Segment page(4096);
  const auto probes = all_of(world, Probe{page.place(0), world.own().process_id});
  for (const comm::RankInfo& rank : world.ranks()) {
    const bool is_near = rank.domain == world.own().domain;
    must(is_near == (rank.host == world.own().host), "nodes are not those of the host names");
    must(rank.shares_memory == is_near, "a rank of another node shares memory");
    must((rank.process == world.own().process) == (rank.rank == world.rank()),
         fmt::format("rank {}, process {} of {}, passes for a thread of rank {}, process {} of {}", number(rank.rank),
                     rank.process_id, rank.host, number(world.rank()), world.own().process_id, world.own().host));
    must(can_map(probes[number(rank.rank)]) == is_near,
         fmt::format("memory of rank {} can be mapped: {}", number(rank.rank), !is_near));
  }
  must(comm::conformance::count_nodes(world) > 1, "there is one node: start this by tools/nodes/nodes.py");
  world.synchronise();  // until then others map our page
}

/// Who has sent a short message may end its connection before the other end opens, also where both processes have the
/// same number, as the first ones of emulated nodes have.
void check_early_ends(comm::Communicator& world) {
  using namespace std::chrono_literals;
  const auto ranks = static_cast<std::uint32_t>(world.size());
  const std::uint32_t own = number(world.rank());
  const std::uint32_t distance = ranks / static_cast<std::uint32_t>(comm::conformance::count_nodes(world));
  const std::uint32_t next = (own + distance) % ranks;  // the like rank of the next node
  const std::uint32_t last = (own + ranks - distance) % ranks;
  std::optional<comm::Connection> to(std::in_place, world, comm::Target{.rank = RankId{next}, .key = own + 1});
  comm::Connection from(world, {.rank = RankId{last}, .key = last + 1});
  std::optional<comm::SendWindow<std::uint64_t>> sends(std::in_place, *to, 1);
  comm::RecvWindow<std::uint64_t> receives(from, 1);
  to->open();
  sends->data()[0] = own;
  sends->post();
  sends->wait();
  sends.reset();
  to.reset();
  world.synchronise();
  from.open();
  receives.init();
  must(receives.wait()[0] == last, "a message of who has left is not what was sent");
}

/// A file that says how nodes reach each other, which vanishes with the node. @return  its path
std::string write_routes(const std::string& transport) {
  must(transport == "mpi" || transport == "ofi", "there is no transport " + transport);
  std::string path = fmt::format("/dev/shm/routes-{}", getpid());
  std::ofstream(path) << (transport == "mpi" ? "between nodes mpi\n" : "between nodes ofi tcp e0\n");
  return path;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    must(argc > 3, "usage: comm_wire mpi|ofi KILOBYTES all_to_all|scatter|gather|all_gather|row...");
    const std::size_t bytes = std::strtoull(argv[2], nullptr, 10) << 10U;
    const std::string routes = write_routes(argv[1]);
    // No heartbeats to other nodes: they would be counted, too.
    comm::Communicator world({.setup_deadline_s = 120.0, .deadline_s = 120.0, .silent_s = 0.0, .routes = routes});
    check_nodes(world);
    if (argv[1] == std::string_view("mpi")) check_early_ends(world);  // others send once the receiver is there
    for (int i = 3; i < argc; ++i) {
      const std::string name = argv[i];
      name == "row" ? check_row(world, bytes) : check_collective(world, name, bytes);
    }
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    std::_Exit(EXIT_FAILURE);  // the other ranks may wait for this one: the launcher ends them
  }
}

// Windows, collectives and one-sided access in turns, and the end of the rank that is to be lost.
// SPDX-License-Identifier: Apache-2.0
#include "mpi/faults_rank.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <deque>
#include <exception>
#include <fstream>
#include <functional>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include "tacit/base/clock.hpp"
#include "tacit/comm/collectives/all_to_all.hpp"
#include "tacit/comm/collectives/barrier.hpp"
#include "tacit/comm/collectives/reduce.hpp"
#include "tacit/comm/one_sided/one_sided.hpp"
#include "tacit/comm/window.hpp"

namespace tacit::comm::testing {
namespace {

namespace fs = std::filesystem;

// Waits that end by these have not noticed the loss.
constexpr Options options{.setup_deadline_s = 20.0, .deadline_s = 20.0, .stopped_s = 0.5};
constexpr std::size_t longest = 5000;  // elements: messages of 40 KB, for which MPI asks the receiver

fs::path file_of(const fs::path& folder, Event event, std::size_t rank) {
  return folder / fmt::format("{}.{}", static_cast<int>(event), rank);
}

/// Counts the operations of a rank, and ends it at the chosen one.
class Operations {
 public:
  Operations(std::string_view status, std::optional<std::uint64_t> last, fs::path folder, std::size_t rank)
      : status_(status), last_(last), folder_(std::move(folder)), rank_(rank) {}

  void count() {
    if (done_++ != last_) return;
    tell(folder_, Event::lost, rank_, status_);
    if (status_ == "kill") kill(getpid(), SIGKILL);
    if (status_ == "stop") kill(getpid(), SIGSTOP);
    if (status_ == "exit") std::_Exit(EXIT_FAILURE);
    if (status_ == "exception") throw std::runtime_error("an error of its own");
  }

 private:
  std::string_view status_;
  std::optional<std::uint64_t> last_;
  fs::path folder_;
  std::size_t rank_;
  std::uint64_t done_ = 0;
};

/// Both ends of windows to one rank, in memory of the library and of the user.
struct Peer {
  Peer(Communicator& world, RankId rank)
      : sent(longest),
        received(longest),
        connection(world, {.rank = rank}),
        out(connection, longest),
        in(connection, longest, {}),
        out_of_user(connection, std::span<const double>(sent)),
        in_of_user(connection, std::span<double>(received)) {}
  std::vector<double> sent;
  std::vector<double> received;
  Connection connection;
  SendWindow<double> out;
  RecvWindow<double> in;
  SendWindow<double> out_of_user;
  RecvWindow<double> in_of_user;
};

void exchange(std::deque<Peer>& peers, std::size_t count, Operations& operations) {
  for (Peer& peer : peers) {
    peer.in.init();
    peer.in_of_user.init();
    operations.count();
  }
  for (Peer& peer : peers) {
    peer.out.post(count);
    operations.count();
    peer.out_of_user.post(longest - count);
    operations.count();
  }
  for (Peer& peer : peers) {
    peer.in.wait();
    operations.count();
    peer.in_of_user.wait();
    operations.count();
  }
  for (Peer& peer : peers) {
    peer.out.wait();
    peer.out_of_user.wait();
    operations.count();
  }
}

/// Makes windows and collectives, and uses them until a rank is lost.
void use_everything(Communicator& world, Operations& operations, const std::function<void(const char*)>& tell_known) {
  Communicator half = world.split(number(world.rank()) % 2, 0);
  operations.count();
  std::deque<Peer> peers;
  for (std::uint32_t rank = 0; rank < world.size(); ++rank) {
    if (RankId{rank} != world.rank()) peers.emplace_back(world, RankId{rank});
    operations.count();
  }
  double term = 1.0;
  AllReduce<double> sum(world, std::span(&term, 1), std::plus<>{});
  AllToAll<double> transpose(world, 100);
  Barrier barrier(half);
  OneSidedWindow<double> exposed(world, longest, {.access = Access::messages});
  const RankId next{(number(world.rank()) + 1) % static_cast<std::uint32_t>(world.size())};
  const std::vector<double> put(longest);
  operations.count();
  try {
    for (std::size_t turn = 0;; ++turn) {
      exchange(peers, turn * 37 % longest, operations);
      sum.run();
      operations.count();
      transpose.run();
      operations.count();
      barrier.run();
      operations.count();
      exposed.put(next, 0, std::span<const double>(put));
      operations.count();
      exposed.fence();
    }
  } catch (const std::exception& error) {
    tell_known(error.what());  // before the destructors
    throw;
  }
}

}  // namespace

void tell(const fs::path& folder, Event event, std::size_t rank, std::string_view text) {
  const fs::path path = file_of(folder, event, rank);
  const fs::path unfinished = path.string() + ".part";
  std::ofstream(unfinished) << fmt::format("{} {} {}", base::now_ns(), getpid(), text);
  fs::rename(unfinished, path);
}

std::optional<Note> read_note(const fs::path& folder, Event event, std::size_t rank) {
  std::ifstream file(file_of(folder, event, rank));
  Note note;
  if (!(file >> note.time_ns >> note.process)) return std::nullopt;
  std::getline(file >> std::ws, note.text, '\0');
  return note;
}

Loss loss_of(std::uint64_t seed, std::size_t ranks) {
  constexpr std::uint64_t in_set_up = 12;  // operations; one loss in three is there
  constexpr std::uint64_t all = 3000;
  std::mt19937_64 random(seed);
  const std::size_t rank = random() % ranks;
  return {.rank = rank, .operation = random() % (random() % 3 == 0 ? in_set_up : all)};
}

void live_as_rank(char** arguments) {
  const std::string_view status = arguments[0];
  const std::uint64_t seed = std::strtoull(arguments[1], nullptr, 10);
  const fs::path folder = arguments[3];
  std::size_t own = 0;
  try {
    Options with_routes = options;
    with_routes.routes = arguments[2];
    Communicator world(with_routes);
    own = number(world.rank());
    tell(folder, Event::begun, own, "");
    const Loss loss = loss_of(seed, world.size());
    Operations operations(status, own == loss.rank ? std::optional(loss.operation) : std::nullopt, folder, own);
    operations.count();
    use_everything(world, operations, [&](const char* text) { tell(folder, Event::known, own, text); });
  } catch (const std::exception& error) {
    if (!read_note(folder, Event::known, own)) tell(folder, Event::known, own, error.what());  // lost in the set-up
    tell(folder, Event::ended, own, error.what());
  }
}

}  // namespace tacit::comm::testing

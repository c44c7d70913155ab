// Loses a rank of another emulated node by several failures, and checks what the others report.
// SPDX-License-Identifier: Apache-2.0
//
// usage: comm_node_failures STATUS [TURNS]: under tools/nodes/nodes.py --nodes 2 --ranks 0
//   STATUS: died, stopped, failed (it throws), computes (must not be noticed), cut (a wire is cut)
//
// Two ranks on each of two nodes, which synchronise in one turn and, where there is libfabric, exchange messages in the
// next. No launcher starts them: it would end the others before they can say anything.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <exception>
#include <iostream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "mpi/socket_bootstrap.hpp"
#include "tacit/base/clock.hpp"
#include "tacit/comm/backoff.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/comm/error.hpp"
#include "tacit/comm/window.hpp"

namespace {

using namespace tacit;
using comm::RankId;

constexpr std::size_t size = 4;
constexpr std::size_t ranks_per_node = 2;
constexpr double stopped_s = 0.5;
constexpr double silent_s = 10.0;  // as users have it
constexpr comm::Options options{
    .setup_deadline_s = 60.0, .deadline_s = 60.0, .stopped_s = stopped_s, .silent_s = silent_s};

/// How ranks wait for each other.
enum class Mode : std::uint8_t { synchronise, messages };
#if defined(TACIT_HAS_OFI)
constexpr std::size_t modes = 2;
#else
constexpr std::size_t modes = 1;  // nothing else carries messages between nodes without MPI
#endif

volatile sig_atomic_t is_asked_to_go = 0;

struct Report {
  std::int64_t time_ns = 0;
  std::array<char, 1000> text{};
};

/// A rank that has begun: its process as its node counts.
struct Ready {
  std::int64_t process_id = 0;
};

struct Process {
  pid_t parent = 0;  ///< which only waits for it
  pid_t id = 0;      ///< as we count
  int reports = -1;
  Ready ready = {};
};

template <class T>
void write_to(int pipe, const T& value) {
  if (write(pipe, &value, sizeof(value)) != sizeof(value)) std::_Exit(EXIT_FAILURE);
}

/// @throws std::runtime_error if nothing comes: the rank hangs
template <class T>
T read_from(int pipe, const std::string& who) {
  constexpr int longest_ms = 50'000;  // less than the deadlines: those must not be what ends the waits
  pollfd ready{pipe, POLLIN, 0};
  T value{};
  if (poll(&ready, 1, longest_ms) != 1) throw std::runtime_error(who + " hangs");
  if (read(pipe, &value, sizeof(value)) != sizeof(value)) throw std::runtime_error(who + " says nothing");
  return value;
}

/// The processes that keep the nodes.
std::vector<std::string> keepers() {
  const char* words = std::getenv("TACIT_NODES");
  if (words == nullptr) throw std::runtime_error("TACIT_NODES is not set: start this by tools/nodes/nodes.py");
  std::istringstream stream(words);
  std::vector<std::string> ids;
  for (std::string id; stream >> id;) ids.push_back(id);
  if (ids.size() != size / ranks_per_node) throw std::runtime_error("there must be two nodes");
  return ids;
}

/// Moves this process to a node, and its children with all they see of processes. The mounts come last: then /proc is
/// another.
void enter(const std::string& keeper) {
  std::vector<int> files;
  for (const char* kind : {"net", "uts", "ipc", "pid_for_children", "mnt"}) {
    files.push_back(open(fmt::format("/proc/{}/ns/{}", keeper, kind).c_str(), O_RDONLY | O_CLOEXEC));
  }
  for (const int file : files) {
    if (file < 0 || setns(file, 0) != 0) std::_Exit(EXIT_FAILURE);
  }
}

/// Computes for longer than any wait on it may last without an answer, in which it calls nothing of the library.
void compute() {
  const base::Stopwatch time;
  while (time.seconds() < 1.5 * silent_s) comm::relax();
}

struct Pair {
  Pair(comm::Communicator& world, RankId peer)
      : connection(world, {.rank = peer}), out(connection, 1000), in(connection, 1000) {}
  comm::Connection connection;
  comm::SendWindow<double> out;
  comm::RecvWindow<double> in;
};

std::deque<Pair> pairs_for(comm::Communicator& world, Mode mode) {
  std::deque<Pair> pairs;
  for (std::uint32_t peer = 0; peer < size && mode == Mode::messages; ++peer) {
    if (RankId{peer} != world.rank()) pairs.emplace_back(world, RankId{peer});
  }
  for (Pair& pair : pairs) pair.connection.open();
  return pairs;
}

void obey() {
  if (is_asked_to_go == SIGUSR1) throw std::runtime_error("an error of its own");
  if (is_asked_to_go != SIGUSR2) return;
  is_asked_to_go = 0;
  compute();
}

/// All meet again and again, until one is lost.
void meet_for_ever(comm::Communicator& world, std::deque<Pair>& pairs) {
  for (;;) {
    obey();
    if (pairs.empty()) world.synchronise();
    for (Pair& pair : pairs) pair.in.init();
    for (Pair& pair : pairs) pair.out.post();
    for (Pair& pair : pairs) {
      pair.in.wait();
      pair.out.wait();
    }
  }
}

/// A rank, from its birth to its report.
[[noreturn]] void live(std::uint32_t rank, std::vector<int> sockets, int reports, Mode mode) {
  Report report;
  std::string text;
  try {
    auto bootstrap = std::make_unique<comm::testing::SocketBootstrap>(RankId{rank}, std::move(sockets));
    comm::Communicator world(std::move(bootstrap), options);
    std::deque<Pair> pairs = pairs_for(world, mode);
    write_to(reports, Ready{getpid()});
    meet_for_ever(world, pairs);
  } catch (const std::exception& error) {
    report.time_ns = base::now_ns();
    text = error.what();
  }
  text.copy(report.text.data(), report.text.size() - 1);
  write_to(reports, report);
  std::_Exit(EXIT_SUCCESS);
}

/// The rank is a grandchild: only children of who enters a node live among its processes.
[[noreturn]] void give_birth(std::uint32_t rank, const std::string& keeper, std::vector<int> sockets, int reports,
                             Mode mode) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  enter(keeper);
  const pid_t id = fork();
  if (id == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    live(rank, std::move(sockets), reports, mode);
  }
  write_to(reports, id);
  close(reports);
  for (const int socket : sockets) close(socket);
  waitpid(id, nullptr, 0);
  std::_Exit(EXIT_SUCCESS);
}

std::vector<Process> start(Mode mode) {
  const auto ids = keepers();
  auto sockets = comm::testing::connect_all(size);
  std::vector<Process> processes;
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    const pid_t parent = fork();
    if (parent < 0) throw std::runtime_error("no process");
    if (parent == 0) give_birth(rank, ids[rank / ranks_per_node], sockets[rank], ends[1], mode);
    close(ends[1]);
    processes.push_back({.parent = parent, .reports = ends[0]});
    processes.back().id = read_from<pid_t>(ends[0], "a rank that is born");
  }
  for (const auto& row : sockets) {
    for (const int socket : row) close(socket);
  }
  for (Process& process : processes) process.ready = read_from<Ready>(process.reports, "a rank that starts");
  return processes;
}

void end_all(std::vector<Process>& processes) {
  for (Process& process : processes) {
    kill(process.id, SIGKILL);
    waitpid(process.parent, nullptr, 0);
    close(process.reports);
  }
  processes.clear();
}

/// The wire of a node, cut or joined again.
void set_wire(std::size_t node, const char* state) {
  const std::string command = fmt::format("nsenter --net=/proc/{}/ns/net ip link set e0 {}", keepers()[node], state);
  if (std::system(command.c_str()) != 0) throw std::runtime_error("'" + command + "' failed");
}

void meet(const std::string& status, pid_t victim, std::size_t node) {
  if (status == "cut") return set_wire(node, "down");
  const int number = status == "died"      ? SIGKILL
                     : status == "stopped" ? SIGSTOP
                     : status == "failed"  ? SIGUSR1
                                           : SIGUSR2;
  kill(victim, number);
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string name_of(std::size_t rank) { return fmt::format("rank {} (node{})", rank, rank / ranks_per_node); }

/// Whether a survivor's words name itself, the victim with its process, and what became of it.
bool is_right(const std::string& text, std::size_t rank, std::size_t victim, std::int64_t process,
              const std::string& status) {
  if (!text.starts_with(name_of(rank) + ": ") || !contains(text, "while we waited for ")) return false;
  const std::string who = fmt::format("{}, process {}, ", name_of(victim), process);
  if (status == "died") return contains(text, who + "has died");
  if (status == "stopped") return contains(text, who + "has been stopped for 0.5 s");
  return contains(text, who + "has ended with an error");
}

/// A cut wire: who is at its other end is named, by either side.
bool names_the_other_node(const std::string& text, std::size_t rank) {
  const std::size_t other = 1 - rank / ranks_per_node;
  return text.starts_with(name_of(rank) + ": ") && contains(text, fmt::format("(node{}), process ", other)) &&
         contains(text, "cannot be reached: its node has not answered for 8 s");
}

/// Whether no rank reports anything while one computes, and all continue afterwards.
void must_stay_quiet(std::vector<Process>& processes) {
  std::this_thread::sleep_for(std::chrono::duration<double>(2.0 * silent_s));
  for (const Process& process : processes) {
    pollfd report{process.reports, POLLIN, 0};
    if (poll(&report, 1, 0) == 0) continue;
    const auto said = read_from<Report>(process.reports, "a rank");
    throw std::runtime_error(fmt::format("while a rank computed, another ended: {}", said.text.data()));
  }
}

/// @return  how long it took until all others knew [s]
double await_all(std::vector<Process>& processes, std::size_t victim, const std::string& status,
                 std::int64_t begin_ns) {
  std::int64_t end_ns = begin_ns;
  for (std::size_t rank = 0; rank < size; ++rank) {
    if (rank == victim && status != "cut") continue;
    const auto report = read_from<Report>(processes[rank].reports, fmt::format("rank {}", rank));
    const std::string text = report.text.data();
    const bool is_good = status == "cut" ? names_the_other_node(text, rank)
                                         : is_right(text, rank, victim, processes[victim].ready.process_id, status);
    if (!is_good) throw std::runtime_error(fmt::format("rank {} was lost; rank {} says: {}", victim, rank, text));
    end_ns = std::max(end_ns, report.time_ns);
  }
  return 1e-9 * static_cast<double>(end_ns - begin_ns);
}

double lose_one(const std::string& status, Mode mode, std::mt19937_64& random) {
  std::vector<Process> processes = start(mode);
  const std::size_t victim = random() % size;
  double seconds = 0.0;
  try {
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 50'000));
    const std::int64_t begin_ns = base::now_ns();
    meet(status, processes[victim].id, victim / ranks_per_node);
    if (status == "computes") {
      must_stay_quiet(processes);
    } else {
      seconds = await_all(processes, victim, status, begin_ns);
    }
  } catch (...) {
    end_all(processes);
    throw;
  }
  end_all(processes);
  if (status == "cut") set_wire(victim / ranks_per_node, "up");
  return seconds;
}

void run(const std::string& status, std::size_t turns) {
  constexpr std::array statuses{"died", "stopped", "failed", "computes", "cut"};
  if (std::ranges::find(statuses, status) == statuses.end()) throw std::runtime_error("there is no status " + status);
  std::mt19937_64 random(1);
  std::vector<double> times;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    times.push_back(lose_one(status, static_cast<Mode>(turn % modes), random));
  }
  std::ranges::sort(times);
  std::cout << fmt::format("known to all others after {:.3f} s (median), {:.3f} s (longest of {})\n",
                           times[times.size() / 2], times.back(), turns);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 2) throw std::runtime_error("usage: comm_node_failures STATUS [TURNS]");
    for (const int number : {SIGUSR1, SIGUSR2}) signal(number, [](int asked) { is_asked_to_go = asked; });
    run(argv[1], argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    return EXIT_FAILURE;
  }
}

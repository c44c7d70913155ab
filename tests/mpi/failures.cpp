// Kills, stops or sends away one of several ranks at a random moment, and looks at what the others say.
// SPDX-License-Identifier: Apache-2.0
//
// usage: comm_failures STATUS [TURNS [SEED [ROUTES]]]
//   STATUS: died, stopped, failed (it throws) or left (it ends without a word)
//   ROUTES: a file that says what carries messages
//
// No launcher starts the ranks: it would end the others before they can say anything.
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "mpi/failures_modes.hpp"
#include "mpi/socket_bootstrap.hpp"
#include "tacit/base/clock.hpp"
#include "tacit/comm/error.hpp"

namespace {

using namespace tacit;
using comm::RankId;
using namespace comm::testing;

constexpr std::size_t size = 3;
constexpr double stopped_s = 0.5;
// Deadlines are shorter than the watchdog waits: a rank that hangs says for whom and for what.
constexpr comm::Options options{.setup_deadline_s = deadline_s, .deadline_s = deadline_s, .stopped_s = stopped_s};
std::string routes;          // the file
std::vector<pid_t> all_ids;  // of the processes of all turns

/// Whether a process has a file in /dev/shm, which would outlive it.
/// @param process  its number, or self
bool uses_named_memory(const std::string& process) {
  std::ifstream maps("/proc/" + process + "/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("/dev/shm/") != std::string::npos) return true;
  }
  return false;
}

struct Report {
  std::int64_t time_ns = 0;
  std::array<char, 1000> text{};
};

/// A rank, from its birth to its report.
void live(std::uint32_t rank, std::vector<int> sockets, int reports, const Mode& mode, RankStatus status) {
  Report report;
  std::string text;
  try {
    auto bootstrap = std::make_unique<comm::testing::SocketBootstrap>(RankId{rank}, std::move(sockets));
    comm::Options with_routes = options;
    with_routes.routes = routes;
    comm::Communicator world(std::move(bootstrap), with_routes);
    // Networks are opened when they are first wanted, which may take a second.
    if (!routes.empty()) comm::testing::meet_all(world);
    if (write(reports, "r", 1) != 1) std::_Exit(EXIT_FAILURE);
    try {
      mode.run(world, status);
    } catch (const Leaves&) {
      text = "leaves";
    }
  } catch (const std::exception& error) {
    report.time_ns = base::now_ns();
    text = error.what();
  }
  if (uses_named_memory("self")) text = "uses memory with a name";
  text.copy(report.text.data(), report.text.size() - 1);
  const bool is_told = write(reports, &report, sizeof(report)) == sizeof(report);
  std::_Exit(is_told ? EXIT_SUCCESS : EXIT_FAILURE);
}

struct Process {
  pid_t id = 0;
  int reports = -1;  ///< to read from
};

void end_all(std::vector<Process>& processes) {
  for (Process& process : processes) {
    kill(process.id, SIGKILL);
    waitpid(process.id, nullptr, 0);
    close(process.reports);
  }
  processes.clear();
}

std::vector<Process> start(const Mode& mode, RankStatus status) {
  auto sockets = comm::testing::connect_all(size);
  std::vector<Process> processes;
  for (std::uint32_t rank = 0; rank < size; ++rank) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    const pid_t id = fork();
    if (id < 0) throw std::runtime_error("no process");
    if (id == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      live(rank, sockets[rank], ends[1], mode, status);
    }
    close(ends[1]);
    processes.push_back({id, ends[0]});
    all_ids.push_back(id);
  }
  for (const auto& row : sockets) {
    for (const int socket : row) {
      if (socket >= 0) close(socket);
    }
  }
  return processes;
}

/// @throws std::runtime_error if nothing comes: the rank hangs
template <class T>
T read_from(const Process& process, const std::string& who) {
  constexpr int longest_ms = 30'000;  // more than the deadlines; no verdict but that a rank hangs depends on time
  pollfd ready{process.reports, POLLIN, 0};
  T value{};
  if (poll(&ready, 1, longest_ms) != 1) throw std::runtime_error(who + " hangs");
  if (read(process.reports, &value, sizeof(value)) != sizeof(value)) throw std::runtime_error(who + " says nothing");
  return value;
}

void meet(pid_t victim, RankStatus status) {
  constexpr std::array signals{SIGKILL, SIGSTOP, SIGUSR1, SIGUSR1};
  kill(victim, signals[static_cast<std::size_t>(status)]);
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Whether a survivor's words name itself, the victim, what became of it, and what it waited for.
bool is_right(const std::string& text, std::size_t rank, std::size_t victim, pid_t process, RankStatus status) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  if (!contains(text, fmt::format("rank {} ({}): ", rank, host.data()))) return false;
  if (!contains(text, "waited for ")) return false;
  const std::string who = fmt::format("rank {} ({})", victim, host.data());
  if (status == RankStatus::died) return contains(text, fmt::format("{}, process {}, has died", who, process));
  if (status == RankStatus::stopped)
    return contains(text, fmt::format("{}, process {}, has been stopped for 0.5 s", who, process));
  if (status == RankStatus::failed)
    return contains(text, fmt::format("{}, process {}, has ended with an error", who, process));
  // The rank that sees it first fails, which another may see first.
  return contains(text, who + " has left") || contains(text, "but it has left") ||
         contains(text, "ended with an error");
}

/// One run that loses a rank. @return  how long it took until all others knew [s]
double lose_one(const Mode& mode, RankStatus status, std::mt19937_64& random) {
  std::vector<Process> processes = start(mode, status);
  try {
    for (const Process& process : processes) static_cast<void>(read_from<char>(process, "a rank that starts"));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
    const std::size_t victim = random() % size;
    // Those that are lost cannot say it themselves.
    if (uses_named_memory(std::to_string(processes[victim].id))) {
      throw std::runtime_error(fmt::format("{}: rank {} uses memory with a name", mode.name, victim));
    }
    const std::int64_t begin_ns = base::now_ns();
    meet(processes[victim].id, status);
    std::int64_t end_ns = begin_ns;
    std::string words;
    bool all_right = true;
    for (std::size_t rank = 0; rank < size; ++rank) {
      if (rank == victim) continue;
      const auto report = read_from<Report>(processes[rank], fmt::format("{}: rank {}", mode.name, rank));
      words += fmt::format("\nrank {} says: {}", rank, report.text.data());
      all_right = all_right && is_right(report.text.data(), rank, victim, processes[victim].id, status);
      end_ns = std::max(end_ns, report.time_ns);
    }
    if (!all_right) throw std::runtime_error(fmt::format("{}: rank {} was lost;{}", mode.name, victim, words));
    end_all(processes);
    return 1e-9 * static_cast<double>(end_ns - begin_ns);
  } catch (...) {
    end_all(processes);
    throw;
  }
}

/// What is left in /dev/shm with our name and the number of one of our processes: other programs have theirs there.
std::size_t named_memory() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) {
    const std::string name = entry.path().filename().string();
    if (contains(name, "tacit") &&
        std::ranges::any_of(all_ids, [&](pid_t id) { return contains(name, std::to_string(id)); })) {
      ++count;
    }
  }
  return count;
}

RankStatus status_of(const std::string& name) {
  constexpr std::array<const char*, 4> names{"died", "stopped", "failed", "left"};
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) throw std::runtime_error("the status of a rank: died, stopped, failed or left");
  return static_cast<RankStatus>(found - names.begin());
}

void run(RankStatus status, std::size_t turns, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Mode> usable;
  for (const Mode& mode : modes()) {
    if (status != RankStatus::left || mode.leaving == Mode::Leaving::noticed) usable.push_back(mode);
  }
  std::vector<double> times;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    times.push_back(lose_one(usable[turn % usable.size()], status, random));
  }
  std::ranges::sort(times);
  std::cout << fmt::format("known to all others after {:.3f} s (median), {:.3f} s (longest of {})\n",
                           times[times.size() / 2], times.back(), turns);
  if (named_memory() != 0) throw std::runtime_error("something was left in /dev/shm");
  if (waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD) throw std::runtime_error("a process was left behind");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 2) throw std::runtime_error("usage: comm_failures STATUS [TURNS [SEED [ROUTES]]]");
    if (argc > 4) routes = argv[4];
    signal(SIGUSR1, [](int) { is_asked_to_go = 1; });
    run(status_of(argv[1]), argc > 2 ? std::strtoull(argv[2], nullptr, 10) : modes().size(),
        argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    return EXIT_FAILURE;
  }
}

// Loses one of three ranks at a random operation, again and again, and looks whether the others end, and how soon.
// SPDX-License-Identifier: Apache-2.0
//
// usage: comm_faults STATUS RUNS SEED ROUTES LAUNCHER...
//   STATUS: kill, exit, exception or stop
//   ROUTES: a file that says what carries messages
//   LAUNCHER: the words that start three ranks, and end none of them when another does
//
// In contrast to comm_failures the ranks belong to a launcher, so that MPI can carry messages, and a rank is lost
// between two of its own operations, so that the same seed loses it in the same place.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "mpi/faults_rank.hpp"

namespace {

using namespace tacit::comm::testing;
namespace fs = std::filesystem;

constexpr std::size_t ranks = 3;
constexpr std::chrono::seconds hang_after(60);  // three times the deadlines of the ranks

struct Setting {
  std::string status;
  std::size_t runs = 0;
  std::uint64_t seed = 0;
  std::string routes;
  std::vector<std::string> launcher;
};

/// A folder for the notes of one run, which goes with this object.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "comm_faults.XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder " + name);
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const noexcept { return path_; }

 private:
  fs::path path_;
};

pid_t start(const Setting& setting, std::uint64_t seed, const fs::path& folder) {
  std::vector<std::string> words = setting.launcher;
  for (const std::string& word : {fs::read_symlink("/proc/self/exe").string(), std::string("rank"), setting.status,
                                  std::to_string(seed), setting.routes, folder.string()}) {
    words.push_back(word);
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::string output = folder / "output";
  const pid_t id = fork();
  if (id < 0) throw std::runtime_error("no process");
  if (id > 0) return id;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  const int file = open(output.c_str(), O_WRONLY | O_CREAT, 0600);
  dup2(file, STDOUT_FILENO);
  dup2(file, STDERR_FILENO);
  execvp(arguments[0], arguments.data());
  std::_Exit(EXIT_FAILURE);
}

bool have_all_ended(const fs::path& folder, std::size_t lost) {
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (rank != lost && !read_note(folder, Event::ended, rank)) return false;
  }
  return true;
}

/// Those that have told who they are; a stopped one, too.
void kill_ranks(const fs::path& folder) {
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (const auto note = read_note(folder, Event::begun, rank)) kill(static_cast<pid_t>(note->process), SIGKILL);
  }
}

/// Waits until the launcher and with it all ranks have ended; ends those that hang.
void await_end(pid_t launcher, const fs::path& folder, std::size_t lost) {
  const auto begin = std::chrono::steady_clock::now();
  bool is_stopped_ended = false;
  while (waitpid(launcher, nullptr, WNOHANG) == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const bool is_late = std::chrono::steady_clock::now() - begin > hang_after;
    if (is_late || (!is_stopped_ended && have_all_ended(folder, lost))) {
      is_stopped_ended = true;
      kill_ranks(folder);
    }
    if (is_late) kill(launcher, SIGTERM);
  }
}

struct Latency {
  double known_s = 0.0;
  double ended_s = 0.0;
};

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// @throws std::runtime_error if a rank that was not lost has hung, or says something else than who was lost
Latency judge(const fs::path& folder, std::size_t lost) {
  const auto fault = read_note(folder, Event::lost, lost);
  if (!fault) throw std::runtime_error("nothing was lost:\n" + text_of(folder / "output"));
  Latency latency;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (rank == lost) continue;
    const auto known = read_note(folder, Event::known, rank);
    if (!known) throw std::runtime_error(fmt::format("rank {} hangs, and does not know of the loss", rank));
    const auto ended = read_note(folder, Event::ended, rank);
    if (!ended) throw std::runtime_error(fmt::format("rank {} hangs in a destructor after: {}", rank, known->text));
    if (known->text.find(fmt::format("rank {} (", lost)) == std::string::npos) {
      throw std::runtime_error(fmt::format("rank {} does not name rank {}: {}", rank, lost, known->text));
    }
    latency.known_s = std::max(latency.known_s, 1e-9 * static_cast<double>(known->time_ns - fault->time_ns));
    latency.ended_s = std::max(latency.ended_s, 1e-9 * static_cast<double>(ended->time_ns - fault->time_ns));
  }
  return latency;
}

Latency lose_one(const Setting& setting, std::uint64_t seed) {
  const Folder folder;
  const Loss loss = loss_of(seed, ranks);
  await_end(start(setting, seed, folder.path()), folder.path(), loss.rank);
  try {
    return judge(folder.path(), loss.rank);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(
        fmt::format("seed {}, rank {} lost at its operation {}: {}", seed, loss.rank, loss.operation, error.what()));
  }
}

std::string summary(std::vector<double> seconds) {
  std::ranges::sort(seconds);
  return fmt::format("{:8.3f} {:8.3f}", seconds[seconds.size() / 2], seconds.back());
}

/// @return  how many runs went wrong
std::size_t run(const Setting& setting) {
  std::vector<double> known_s;
  std::vector<double> ended_s;
  std::size_t wrong = 0;
  for (std::uint64_t seed = setting.seed; seed < setting.seed + setting.runs; ++seed) {
    try {
      const Latency latency = lose_one(setting, seed);
      known_s.push_back(latency.known_s);
      ended_s.push_back(latency.ended_s);
    } catch (const std::runtime_error& error) {
      ++wrong;
      std::cerr << error.what() << std::endl;
    }
  }
  if (known_s.empty()) return wrong;
  std::cout << fmt::format(
      "{:9} {:4} runs {:4} wrong; until the last of the others knew and had ended [s], median and longest: {} {}\n",
      setting.status, setting.runs, wrong, summary(known_s), summary(ended_s));
  return wrong;
}

Setting setting_of(int argc, char** argv) {
  if (argc < 6) throw std::runtime_error("usage: comm_faults STATUS RUNS SEED ROUTES LAUNCHER...");
  Setting setting{.status = argv[1],
                  .runs = std::strtoull(argv[2], nullptr, 10),
                  .seed = std::strtoull(argv[3], nullptr, 10),
                  .routes = fs::absolute(argv[4]).string(),
                  .launcher = {argv + 5, argv + argc}};
  if (std::ranges::find(statuses, setting.status) == std::end(statuses)) {
    throw std::runtime_error("the status of a rank: kill, exit, exception or stop");
  }
  return setting;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 6 && std::strcmp(argv[1], "rank") == 0) {
      live_as_rank(argv + 2);
      return EXIT_SUCCESS;
    }
    return run(setting_of(argc, argv)) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    return EXIT_FAILURE;
  }
}

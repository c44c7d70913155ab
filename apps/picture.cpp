// Starts Python, in place of this process or as a child.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "commands.hpp"
#include "python_folder.hpp"
#include "tacit/base/error.hpp"

extern char** environ;

namespace tacit::apps {
namespace {

std::string variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

/// The Python that the launcher set up, or the one on the path; told where the package is.
std::vector<std::string> python_command(const std::string& command, const std::vector<std::string>& arguments) {
  const std::string source = variable("TACIT_SOURCE", "");
  const std::string package = source.empty() ? python_folder() : source + "/python";
  const std::string old = variable("PYTHONPATH", "");
  ::setenv("PYTHONPATH", (old.empty() ? package : package + ":" + old).c_str(), 1);
  std::vector<std::string> words{variable("TACIT_PYTHON", "python3"), "-m", "tacit", command};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

/// The launcher draws where there is one: it waits for its Python environment if that is still being made.
std::vector<std::string> drawing_command(const std::filesystem::path& directory) {
  const std::string launcher = variable("TACIT_LAUNCHER", "");
  if (launcher.empty()) return python_command("plot", {directory.string()});
  ::setenv("TACIT_NO_BUILD", "1", 1);
  return {launcher, "plot", directory.string()};
}

}  // namespace

int draw(const std::string& command, const std::vector<std::string>& arguments) {
  std::vector<std::string> words = python_command(command, arguments);
  ::execvp(words[0].c_str(), pointers(words).data());
  throw base::SystemError(words[0], "cannot be started to draw; run ./tacit plot, which sets it up", errno);
}

void draw_run(const std::filesystem::path& directory) {
  std::vector<std::string> words = drawing_command(directory);
  ::pid_t child = 0;
  int status = ::posix_spawnp(&child, words[0].c_str(), nullptr, nullptr, pointers(words).data(), environ);
  if (status == 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  fmt::print(stderr, "warning: no picture was drawn; the results are complete. Try: tacit plot {}\n",
             directory.string());
}

}  // namespace tacit::apps

// Programs that a benchmark starts beside itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace tacit::bench {

enum class Output { to_us, nowhere };

/// A program that runs beside us: lines go to it and come back. Killed with its owner.
class Child {
 public:
  /// @param words      the program and its arguments
  /// @param directory  where it runs; empty: here
  /// @throws base::SystemError if it cannot be started
  explicit Child(std::vector<std::string> words, Output output = Output::to_us,
                 const std::filesystem::path& directory = {});
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// @throws base::SystemError if it no longer listens
  void send_line(const std::string& line);
  /// The next line of its output. @throws base::SystemError if it ended before
  [[nodiscard]] std::string read_line();
  /// Waits for its end. @throws base::SystemError if it failed
  void wait_for_end();

 private:
  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  std::string name_;
  int process_ = -1;
  std::unique_ptr<std::FILE, Close> to_;
  std::unique_ptr<std::FILE, Close> from_;
};

/// The file of this program.
[[nodiscard]] std::filesystem::path own_program();

}  // namespace tacit::bench

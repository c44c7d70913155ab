// Reads files of lines, and replaces them whole.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/base/kept_lines.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tacit/base/error.hpp"
#include "tacit/base/text.hpp"

namespace tacit::base {

void parse_kept(const KeptLines& format, const std::string& text, const std::string& path,
                const std::function<bool(const std::string&)>& take) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != format.first_line) {
    throw FormatError(path + ":1", fmt::format("'{}' stands where {} begins with '{}'{}", printable(line), format.name,
                                               format.first_line, format.remedy));
  }
  for (std::size_t number = 2; std::getline(lines, line); ++number) {
    if (take(line)) continue;
    throw FormatError(fmt::format("{}:{}", path, number), fmt::format("'{}' {}", printable(line), format.wrong_line));
  }
}

std::optional<std::string> read_kept(const KeptLines& format, const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  std::ifstream stream(file);
  // A folder opens like a file, and fails when it is read.
  if (std::filesystem::is_directory(file)) throw SystemError(file.string(), std::string(format.cannot_read), EISDIR);
  if (!stream) throw SystemError(file.string(), std::string(format.cannot_read), errno);
  return std::string{std::istreambuf_iterator<char>(stream), {}};
}

void write_kept(const KeptLines& format, const std::filesystem::path& file, std::string_view text) {
  const std::string partial = fmt::format("{}.{}.partial", file.string(), ::getpid());
  std::ofstream stream(partial);
  stream << text;
  stream.close();
  if (stream.good() && std::rename(partial.c_str(), file.c_str()) == 0) return;
  const int code = errno;
  static_cast<void>(std::remove(partial.c_str()));
  throw SystemError(file.string(), std::string(format.cannot_write), code);
}

}  // namespace tacit::base

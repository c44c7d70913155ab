// Reads tuning files, and replaces them whole.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/base/tuning_cache.hpp"

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
namespace {

/// Adds what a line says. @return  false: it is not one of the format
bool take_line(const TuningFormat& format, const std::string& line, Tunings& tunings) {
  std::istringstream words(line);
  if (!format.takes_answer(words) || words.eof()) return false;
  const std::string answer = line.substr(0, static_cast<std::size_t>(words.tellg()));
  std::string key;
  std::getline(words >> std::ws, key);
  // A stream reads "-1" as the largest number.
  if (key.empty() || answer.front() == '-' || answer.find(" -") != std::string::npos) return false;
  tunings.insert_or_assign(key, answer);
  return true;
}

}  // namespace

Tunings parse_tunings(const TuningFormat& format, const std::string& text, const std::string& path) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != format.first_line) {
    throw FormatError(path + ":1", fmt::format("'{}' stands where {} begins with '{}'{}", printable(line), format.name,
                                               format.first_line, format.remedy));
  }
  Tunings tunings;
  for (std::size_t number = 2; std::getline(lines, line); ++number) {
    if (take_line(format, line, tunings)) continue;
    throw FormatError(fmt::format("{}:{}", path, number), fmt::format("'{}' {}", printable(line), format.wrong_line));
  }
  return tunings;
}

std::string tunings_text(const TuningFormat& format, const Tunings& tunings) {
  std::string text = fmt::format("{}\n", format.first_line);
  for (const auto& [key, answer] : tunings) text += fmt::format("{} {}\n", answer, key);
  return text;
}

Tunings TuningCache::in_file(const TuningFormat& format) const {
  if (!std::filesystem::exists(file_)) return {};
  std::ifstream stream(file_);
  // A folder opens like a file, and fails when it is read.
  const int code = std::filesystem::is_directory(file_) ? EISDIR : stream ? 0 : errno;
  if (code != 0) throw SystemError(file_.string(), std::string(format.cannot_read), code);
  return parse_tunings(format, std::string{std::istreambuf_iterator<char>(stream), {}}, file_.string());
}

std::string TuningCache::find(const TuningFormat& format, const std::string& key) {
  if (!is_read_) tunings_.merge(in_file(format));
  is_read_ = true;
  const auto at = tunings_.find(key);
  return at == tunings_.end() ? std::string() : at->second;
}

void TuningCache::write(const TuningFormat& format) const {
  if (file_.empty()) return;
  Tunings all = tunings_;
  all.merge(in_file(format));
  const std::string partial = fmt::format("{}.{}.partial", file_.string(), ::getpid());
  std::ofstream stream(partial);
  stream << tunings_text(format, all);
  stream.close();
  if (stream.good() && std::rename(partial.c_str(), file_.c_str()) == 0) return;
  const int code = errno;
  static_cast<void>(std::remove(partial.c_str()));
  throw SystemError(file_.string(), std::string(format.cannot_write), code);
}

}  // namespace tacit::base

// Reads a text file that may be anything.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/base/read_text.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "tacit/base/error.hpp"

namespace tacit::base {

std::string read_text(const std::filesystem::path& path, std::size_t largest, const std::string& what) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw SystemError(path.string(), fmt::format("is a directory; expected a {}", what), 0);
  }
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw SystemError(path.string(), fmt::format("cannot open the {}, check its path", what), errno);
  std::string text;
  constexpr std::size_t piece = 1U << 16U;
  while (stream && text.size() <= largest) {
    const std::size_t before = text.size();
    text.resize(before + piece);
    stream.read(text.data() + before, static_cast<std::streamsize>(piece));
    text.resize(before + static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) throw SystemError(path.string(), fmt::format("cannot read the {}", what), errno);
  if (text.size() > largest) {
    throw FormatError(path.string(),
                      fmt::format("is larger than {} MB, too large for a {}", largest / 1'000'000, what));
  }
  if (const auto zero = text.find('\0'); zero != std::string::npos) {
    throw FormatError(path.string(), fmt::format("is no text (byte {} is zero); expected a {}", zero, what));
  }
  return text;
}

}  // namespace tacit::base

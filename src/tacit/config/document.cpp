// Opens a parameter file and reads its syntax.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "tacit/config/detail/content.hpp"
#include "tacit/config/detail/convert.hpp"
#include "tacit/config/detail/describe.hpp"
#include "tacit/config/detail/overrides.hpp"
#include "tacit/config/detail/toml.hpp"

namespace tacit::config {
namespace {

constexpr std::size_t largest_file = 1'000'000;  // bytes; a parameter file has a few thousand

/// At most one byte more than `largest_file`, so that an endless device ends too.
std::string read_text(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw base::SystemError(file.string(), "is a directory; give the parameter file in it, as in run.toml", 0);
  }
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw base::SystemError(file.string(), "cannot open the parameter file, check its path", errno);
  std::string text(largest_file + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) throw base::SystemError(file.string(), "cannot read the parameter file", errno);
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

/// Refuses what was never meant to be a parameter file, before the parser says something less helpful.
void check_is_text(std::string_view text, const std::string& file) {
  if (text.starts_with("\x89HDF")) {
    throw Error({.file = file}, "", "is an HDF5 file, not a parameter file", "give the .toml file of the run");
  }
  if (const auto zero = text.find('\0'); zero != text.npos) {
    throw Error({.file = file}, "", fmt::format("is not a text file (byte {} is zero)", zero),
                "give the .toml file of the run");
  }
  if (text.size() > largest_file) {
    throw Error({.file = file}, "", "is larger than 1 MB, too large for a parameter file",
                "give the .toml file of the run; data belong into files that it names");
  }
}

}  // namespace

Document::Document(const std::filesystem::path& file, std::span<const Override> overrides)
    : Document(read_text(file), file, overrides) {}

Document::Document(std::string_view text, const std::filesystem::path& name, std::span<const Override> overrides)
    : content_(std::make_unique<Content>()) {
  check_is_text(text, name.string());
  content_->file = name;
  content_->entries = detail::parse_toml(text, name.string());
  detail::apply_overrides(overrides, content_->entries);
}

Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

std::string Document::choice(const Key& key) const {
  TACIT_EXPECT(key.type == Type::choice);
  if (const auto* entry = content_->find(key.name)) {
    return std::get<std::string>(detail::convert(key, *entry, {}));
  }
  if (key.need == Need::has_default) return std::string(key.default_value);
  throw Error({.file = content_->file.string()}, std::string(key.name),
              "is missing; expected " + detail::expectation(key), detail::example(key));
}

}  // namespace tacit::config

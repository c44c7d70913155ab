// Names and checks files of parts.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/detail/parts_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>
#include <optional>
#include <sstream>
#include <system_error>

#include "tacit/base/error.hpp"
#include "tacit/base/text.hpp"
#include "tacit/io/detail/footer.hpp"
#include "tacit/io/file.hpp"

namespace tacit::io::detail {

namespace fs = std::filesystem;

fs::path part_path(const fs::path& path, std::size_t part, std::size_t parts, const std::string& tag) {
  const std::size_t digits = fmt::format("{}", parts - 1).size();
  fs::path name = path.stem();
  name += fmt::format(".part{:0{}}-{}", part, digits, tag);
  name += path.extension();
  return path.parent_path() / name;
}

std::vector<PartFile> look_at_parts(std::span<const fs::path> paths) {
  std::vector<PartFile> parts;
  for (const fs::path& path : paths) {
    std::string damage;
    const std::optional<Footer> footer = read_footer(path.string(), damage);
    if (!footer) throw base::FormatError(path.string(), damage.empty() ? "has no checksums behind its data" : damage);
    parts.push_back(
        {path.filename().string(), footer->data_bytes + Footer::size(footer->extents.size()), footer->hash});
  }
  return parts;
}

fs::path beside(const fs::path& path, const std::string& name) {
  const fs::path here = path.parent_path() / name;
  std::error_code error;
  if (fs::exists(here, error)) return here;
  const fs::path real = fs::canonical(path, error);
  const fs::path there = real.parent_path() / name;
  return !error && fs::exists(there, error) ? there : here;
}

std::string flaw_of(const fs::path& main, const PartFile& part) {
  const fs::path path = beside(main, part.name);
  std::error_code error;
  const std::uint64_t bytes = fs::file_size(path, error);
  if (error == std::errc::no_such_file_or_directory) return "is missing";
  if (error) throw base::SystemError(path.string(), "cannot be read", error.value());
  if (bytes != part.bytes)
    return fmt::format("has {} bytes, expected {}: it is cut off, or that of another file", bytes, part.bytes);
  std::string damage;
  const std::optional<Footer> footer = read_footer(path.string(), damage);
  if (!damage.empty()) return damage;
  if (!footer) return "has no checksums behind its data";
  if (footer->hash != part.hash) return "is that of another file: its checksums are not those that were written";
  return {};
}

std::string to_text(std::span<const PartFile> parts) {
  std::string text;
  for (const PartFile& part : parts) text += fmt::format("{} {} {:016x}\n", part.name, part.bytes, part.hash);
  return text;
}

std::vector<PartFile> parts_from_text(const std::string& text, const std::string& source) {
  std::vector<PartFile> parts;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    PartFile part;
    std::string rest;
    // Only files beside it: a hostile one could name any.
    if (!(words >> part.name >> std::dec >> part.bytes >> std::hex >> part.hash) || words >> rest ||
        part.name.find('/') != std::string::npos || part.name == "." || part.name == "..") {
      throw base::FormatError(source, fmt::format("{}: '{}' does not name a part; the file is damaged", parts_group,
                                                  base::printable(line)));
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

std::vector<PartFile> parts_of(const fs::path& path) {
  const FileReader file(path, FileReader::Parts::unseen);
  if (!file.has(parts_group)) return {};
  return parts_from_text(file.text_attribute(parts_group, parts_attribute), path.string());
}

std::vector<fs::path> former_parts(const fs::path& path) noexcept try {
  std::vector<fs::path> paths;
  if (!fs::is_regular_file(path)) return paths;
  for (const PartFile& part : parts_of(path)) paths.push_back(path.parent_path() / part.name);
  return paths;
} catch (const std::exception&) {
  return {};
}

namespace {

/// The main file of what has a name as `part_path` makes them; empty for other names.
fs::path main_of(const fs::path& part) {
  const std::string stem = part.stem().string();
  const std::size_t at = stem.rfind(".part");
  if (at == std::string::npos || at == 0) return {};
  const std::string_view rest = std::string_view(stem).substr(at + 5);
  const std::size_t dash = rest.find('-');
  const auto is_digits = [](std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  };
  // NUMBER-RUN-COUNT
  if (dash == std::string_view::npos || !is_digits(rest.substr(0, dash))) return {};
  const std::string_view tag = rest.substr(dash + 1);
  if (tag.size() < 10 || tag[8] != '-' || !is_digits(tag.substr(9))) return {};
  return part.parent_path() / (stem.substr(0, at) + part.extension().string());
}

/// The names of parts of files of that name in runs that were moved aside: of one that was moved without its parts.
std::vector<fs::path> parts_moved_aside(const fs::path& main) {
  std::vector<fs::path> names;
  for (const auto& entry : fs::directory_iterator(main.parent_path())) {
    if (!entry.is_directory() || !entry.path().filename().string().starts_with("earlier-")) continue;
    for (const fs::path& part : former_parts(entry.path() / main.filename())) names.push_back(part.filename());
  }
  return names;
}

}  // namespace

void remove_orphans(const fs::path& directory) noexcept try {
  std::map<fs::path, std::vector<fs::path>> parts;  // by main file
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    if (const fs::path main = main_of(entry.path()); !main.empty()) parts[main].push_back(entry.path());
  }
  for (const auto& [main, found] : parts) {
    std::error_code ignored;
    // A main file that cannot be read may still be saved by a person, and needs its parts then.
    const std::vector<fs::path> named = former_parts(main);
    const bool is_there = fs::exists(fs::symlink_status(main, ignored));
    if (is_there && named.empty()) continue;
    const std::vector<fs::path> of_others = parts_moved_aside(main);
    for (const fs::path& part : found) {
      const bool is_of_another = std::ranges::find(of_others, part.filename()) != of_others.end();
      if (std::ranges::find(named, part) == named.end() && !is_of_another) fs::remove(part, ignored);
    }
  }
} catch (const std::exception&) {  // what stays does no harm
}

}  // namespace tacit::io::detail

namespace tacit::io {
namespace {

/// Of all files in a folder.
std::uint64_t bytes_in(const std::filesystem::path& folder) noexcept try {
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
} catch (const std::exception&) {  // it is being removed meanwhile
  return 0;
}

}  // namespace

std::uint64_t bytes_of_file(const std::filesystem::path& path) noexcept {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return bytes_in(path);
  const auto bytes_of_one = [&ignored](const std::filesystem::path& one) -> std::uint64_t {
    const std::uint64_t bytes = std::filesystem::file_size(one, ignored);
    return ignored ? 0 : bytes;
  };
  std::uint64_t bytes = bytes_of_one(path);
  for (const std::filesystem::path& part : detail::former_parts(path)) {
    bytes += bytes_of_one(detail::beside(path, part.filename().string()));
  }
  return bytes;
}

void remove_file(const std::filesystem::path& path) noexcept {
  const std::vector<std::filesystem::path> parts = detail::former_parts(path);
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  for (const std::filesystem::path& part : parts) std::filesystem::remove(part, ignored);
}

}  // namespace tacit::io

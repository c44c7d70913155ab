// Verification by footers.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/verify.hpp"

#include <fmt/format.h>

#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/io/detail/footer.hpp"
#include "tacit/io/detail/parts_table.hpp"
#include "tacit/io/file.hpp"

namespace tacit::io {
namespace {

struct Located {
  std::string path;
  detail::Extent extent;
};

/// Adds the extents of a file. @return what is wrong with its footer; empty if nothing is
std::string add_extents(const std::filesystem::path& path, std::vector<Located>& all) {
  std::string damage;
  const std::optional<detail::Footer> footer = detail::read_footer(path.string(), damage);
  if (!damage.empty()) return damage;
  if (!footer) {
    return "has no checksums behind its data: it is truncated, was changed by another program, or written by an "
           "earlier version";
  }
  for (const detail::Extent& extent : footer->extents) all.push_back({path.string(), extent});
  return {};
}

/// Those of a share: neighbours, of about as many bytes as those of another one.
std::span<const Located> share_of(std::span<const Located> all, std::uint64_t share, std::uint64_t shares) {
  std::uint64_t bytes = 0;
  for (const Located& one : all) bytes += one.extent.bytes;
  const auto begin_of = [&](std::uint64_t s) {
    const double limit = static_cast<double>(bytes) * static_cast<double>(s) / static_cast<double>(shares);
    std::uint64_t before = 0;
    std::size_t i = 0;
    while (i < all.size() && (s == shares || static_cast<double>(before) < limit)) before += all[i++].extent.bytes;
    return i;
  };
  const std::size_t begin = begin_of(share);
  return all.subspan(begin, begin_of(share + 1) - begin);
}

}  // namespace

bool has_checksums(const std::filesystem::path& path) {
  std::string damage;
  return detail::read_footer(path.string(), damage).has_value() || !damage.empty();
}

bool should_have_checksums(const FileReader& file) { return file.has_attribute("/", detail::checksums_attribute); }

std::vector<std::string> names_of_parts(const std::filesystem::path& path) {
  std::vector<std::string> names;
  for (detail::PartFile& part : detail::parts_of(path)) names.push_back(std::move(part.name));
  return names;
}

std::optional<std::string> find_damage(const std::filesystem::path& path, std::uint64_t share, std::uint64_t shares) {
  TACIT_EXPECT(share < shares);
  std::vector<Located> all;
  if (std::string damage = add_extents(path, all); !damage.empty()) return damage;
  std::vector<detail::PartFile> parts;
  try {
    parts = detail::parts_of(path);
  } catch (const base::FormatError&) {
    return "cannot be read: bytes of it are not what was written";
  }
  for (const detail::PartFile& part : parts) {
    std::string damage = detail::flaw_of(path.parent_path(), part);
    if (damage.empty()) damage = add_extents(path.parent_path() / part.name, all);
    if (!damage.empty()) return fmt::format("its part {} {}", part.name, damage);
  }
  for (const Located& one : share_of(all, share, shares)) {
    if (!detail::first_damaged(one.path, std::span(&one.extent, 1))) continue;
    return fmt::format("{}bytes {} to {} are not what was written",
                       one.path == path.string()
                           ? ""
                           : fmt::format("its part {}: ", std::filesystem::path(one.path).filename().string()),
                       one.extent.offset, one.extent.offset + one.extent.bytes - 1);
  }
  return std::nullopt;
}

}  // namespace tacit::io

// Verification by footers.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/verify.hpp"

#include <fmt/format.h>

#include <atomic>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/io/detail/footer.hpp"
#include "tacit/io/detail/input_file.hpp"
#include "tacit/io/detail/parts_table.hpp"
#include "tacit/io/file.hpp"
#include "tacit/tasks/parallel_for.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

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

/// What one worker compares at a time: neighbours in one file.
struct Stretch {
  std::size_t begin = 0;  // of extents
  std::size_t end = 0;
  std::uint64_t bytes = 0;
};

std::vector<Stretch> stretches_of(std::span<const Located> all) {
  constexpr std::uint64_t most = std::uint64_t{8} << 20U;
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool goes_on = i > 0 && all[i].path == all[i - 1].path && stretches.back().bytes < most;
    if (!goes_on) stretches.push_back({i, i, 0});
    stretches.back().end = i + 1;
    stretches.back().bytes += all[i].extent.bytes;
  }
  return stretches;
}

/// @return the number of extents if none is
std::size_t first_damaged(std::span<const Located> all, tasks::Scheduler* workers) {
  const std::vector<Stretch> stretches = stretches_of(all);
  std::atomic<std::size_t> first{all.size()};
  const auto compare = [&](std::size_t s, std::vector<std::byte>& memory) {
    const Stretch& stretch = stretches[s];
    if (stretch.begin > first.load(std::memory_order_relaxed)) return;
    const detail::InputFile file(all[stretch.begin].path);
    // The disk reads the next stretch while this one is compared.
    file.announce(all[stretch.begin].extent.offset, 2 * stretch.bytes);
    std::size_t i = stretch.begin;
    while (i < stretch.end && detail::is_sound(file, all[i].extent, memory)) ++i;
    std::size_t lowest = first.load(std::memory_order_relaxed);
    while (i < stretch.end && i < lowest && !first.compare_exchange_weak(lowest, i)) {
    }
  };
  if (workers == nullptr) {
    std::vector<std::byte> memory;
    for (std::size_t s = 0; s < stretches.size(); ++s) compare(s, memory);
  } else {
    const trace::KindId kind = workers->recorder().kind("compare checksums");
    const auto body = [&](std::size_t s) {
      std::vector<std::byte> memory;
      compare(s, memory);
    };
    tasks::parallel_for(*workers, 0, stretches.size(), body, {.chunk = 1, .job = {.kind = kind}});
  }
  return first.load();
}

}  // namespace

bool has_checksums(const std::filesystem::path& path) {
  std::string damage;
  return detail::read_footer(path.string(), damage).has_value() || !damage.empty();
}

std::optional<std::string> damage_without_checksums(const std::filesystem::path& path) {
  const FileReader file(path, FileReader::Parts::unseen);
  if (!file.has_attribute("/", detail::checksums_attribute)) return {};
  return "is truncated: the checksums behind its data are missing";
}

std::vector<std::string> names_of_parts(const std::filesystem::path& path) {
  std::vector<std::string> names;
  for (detail::PartFile& part : detail::parts_of(path)) names.push_back(std::move(part.name));
  return names;
}

std::filesystem::path path_of_part(const std::filesystem::path& path, const std::string& name) {
  return detail::beside(path, name);
}

std::optional<std::string> find_damage(const std::filesystem::path& path, std::uint64_t share, std::uint64_t shares,
                                       tasks::Scheduler* workers) {
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
    std::string damage = detail::flaw_of(path, part);
    if (damage.empty()) damage = add_extents(detail::beside(path, part.name), all);
    if (!damage.empty()) return fmt::format("its part {} {}", part.name, damage);
  }
  const std::span<const Located> mine = share_of(all, share, shares);
  const std::size_t damaged = first_damaged(mine, workers);
  if (damaged == mine.size()) return std::nullopt;
  const Located& one = mine[damaged];
  return fmt::format("{}bytes {} to {} are not what was written",
                     one.path == path.string()
                         ? ""
                         : fmt::format("its part {}: ", std::filesystem::path(one.path).filename().string()),
                     one.extent.offset, one.extent.offset + one.extent.bytes - 1);
}

}  // namespace tacit::io

// Lists, verifies and removes checkpoints.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/checkpoint_ring.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <functional>
#include <optional>
#include <string_view>
#include <system_error>

#include "tacit/base/error.hpp"
#include "tacit/comm/collectives/broadcast.hpp"
#include "tacit/engine/across_ranks.hpp"
#include "tacit/io/file.hpp"
#include "tacit/io/verify.hpp"

namespace tacit::engine {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view begin_of_name = "restart_";
constexpr std::string_view end_of_name = ".hdf5";

/// The step in "restart_000120.hdf5"; nothing for other names.
std::optional<std::uint64_t> step_of(std::string_view name) {
  if (!name.starts_with(begin_of_name) || !name.ends_with(end_of_name)) return std::nullopt;
  name.remove_prefix(begin_of_name.size());
  name.remove_suffix(end_of_name.size());
  std::uint64_t step = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), step);
  const bool is_one = error == std::errc{} && end == name.data() + name.size();
  return is_one ? std::optional(step) : std::nullopt;
}

/// What the first rank sees, on all.
std::vector<std::uint64_t> seen_by_all(std::vector<std::uint64_t> steps, comm::Communicator& ranks) {
  if (ranks.size() == 1) return steps;
  std::uint64_t count = steps.size();
  comm::Broadcast<std::uint64_t>(ranks, comm::RankId{0}, std::span(&count, 1)).run();
  steps.resize(count);
  if (count > 0) comm::Broadcast<std::uint64_t>(ranks, comm::RankId{0}, std::span(steps)).run();
  return steps;
}

/// What is wrong with a file, on all ranks alike; empty if nothing is.
std::string damage_of(const fs::path& path, comm::Communicator& ranks, Agreement& agreement,
                      tasks::Scheduler* workers) {
  std::string mine;
  try {
    mine = io::find_damage(path, number(ranks.rank()), ranks.size(), workers).value_or("");
  } catch (const base::Error& error) {
    mine = error.what();
  }
  return agreement.first_text(mine);
}

}  // namespace

std::string checkpoint_name(std::uint64_t step) { return fmt::format("{}{:06}{}", begin_of_name, step, end_of_name); }

std::vector<std::uint64_t> checkpoints_in(const fs::path& directory) {
  std::vector<std::uint64_t> steps;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(directory, none)) {
    const auto step = step_of(entry.path().filename().string());
    if (step && entry.is_regular_file(none)) steps.push_back(*step);
  }
  std::ranges::sort(steps, std::greater{});
  return steps;
}

FoundCheckpoint find_checkpoint(const fs::path& directory, comm::Communicator& ranks, tasks::Scheduler* workers) {
  FoundCheckpoint found;
  Agreement agreement(ranks);
  const bool looks = is_first(ranks);
  for (const std::uint64_t step :
       seen_by_all(looks ? checkpoints_in(directory) : std::vector<std::uint64_t>(), ranks)) {
    const fs::path path = directory / checkpoint_name(step);
    const std::string damage = damage_of(path, ranks, agreement, workers);
    if (damage.empty()) {
      found.path = path;
      found.step = step;
      return found;
    }
    found.damaged.insert(step);
    found.notes.push_back(fmt::format("{}: {}", path.string(), damage));
  }
  if (found.notes.empty()) return found;
  throw base::FormatError(directory.string(), fmt::format("none of its checkpoints can be continued from:\n  {}\n"
                                                          "  Start from a snapshot, or leave out --restart.",
                                                          fmt::join(found.notes, "\n  ")));
}

void remove_old_checkpoints(const fs::path& directory, std::size_t kept,
                            const std::set<std::uint64_t>& damaged) noexcept try {
  std::size_t sound = 0;
  for (const std::uint64_t step : checkpoints_in(directory)) {
    if (!damaged.contains(step) && sound++ < kept) continue;
    io::remove_file(directory / checkpoint_name(step));
  }
} catch (const std::exception&) {  // a file too many does no harm
}

}  // namespace tacit::engine

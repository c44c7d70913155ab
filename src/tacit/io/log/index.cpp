// Collects and sorts the last records of the elements of a log, and keeps them in a file.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/log/index.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string_view>

#include "tacit/io/detail/atomic_write.hpp"
#include "tacit/io/log/checksum.hpp"

namespace tacit::io::detail {
namespace {

constexpr std::string_view index_magic = "TACITIDX";
constexpr std::uint64_t index_version = 1;
constexpr std::size_t index_words = 6;  // before the entries

}  // namespace

std::filesystem::path log_index_path(const std::filesystem::path& log) {
  std::filesystem::path path = log;
  return path += ".index";
}

void LogIndex::note(std::uint64_t id, std::uint64_t offset) {
  entries_.push_back({id, offset});
  if (entries_.size() - settled_ > std::max<std::size_t>(settled_, std::size_t{1} << 20)) settle();
}

void LogIndex::settle() {
  const auto by_id = [](const LogIndexEntry& a, const LogIndexEntry& b) { return a.id < b.id; };
  const auto fresh = entries_.begin() + static_cast<std::ptrdiff_t>(settled_);
  std::stable_sort(fresh, entries_.end(), by_id);
  std::inplace_merge(entries_.begin(), fresh, entries_.end(), by_id);
  // Of each element, the last one noted is the last of its run, since all of this is stable.
  std::size_t kept = 0;
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    if (k + 1 < entries_.size() && entries_[k + 1].id == entries_[k].id) continue;
    entries_[kept++] = entries_[k];
  }
  entries_.resize(kept);
  settled_ = kept;
}

std::optional<std::uint64_t> LogIndex::last_of(std::uint64_t id) const noexcept {
  const auto found = std::ranges::lower_bound(entries_, id, {}, &LogIndexEntry::id);
  if (found == entries_.end() || found->id != id) return std::nullopt;
  return found->offset;
}

void StoredLogIndex::write(const std::filesystem::path& path) const {
  const std::span<const LogIndexEntry> entries = index.entries();
  std::vector<std::uint64_t> words(index_words + 2 * entries.size() + 1);
  std::memcpy(words.data(), index_magic.data(), index_magic.size());
  words[1] = index_version;
  words[2] = key;
  words[3] = until;
  words[4] = last_mark;
  words[5] = entries.size();
  if (!entries.empty()) std::memcpy(&words[index_words], entries.data(), entries.size_bytes());
  words.back() = xxh64(std::as_bytes(std::span(words).first(words.size() - 1)), 0);
  write_whole(path, std::as_bytes(std::span(words)));
}

std::optional<StoredLogIndex> StoredLogIndex::read(const std::filesystem::path& path) {
  std::error_code code;
  const std::uintmax_t bytes = std::filesystem::file_size(path, code);
  if (code || bytes < 8 * (index_words + 1) || bytes % 8 != 0) return std::nullopt;
  std::vector<std::uint64_t> words(bytes / 8);
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(words.data()), static_cast<std::streamsize>(bytes))) return std::nullopt;
  const std::span<const std::byte> hashed = std::as_bytes(std::span(words).first(words.size() - 1));
  const bool is_index = std::memcmp(words.data(), index_magic.data(), index_magic.size()) == 0 &&
                        words[1] == index_version && xxh64(hashed, 0) == words.back() &&
                        words[5] == (words.size() - index_words - 1) / 2;
  if (!is_index) return std::nullopt;
  StoredLogIndex stored{words[2], words[3], words[4], {}};
  for (std::size_t k = index_words; k + 2 < words.size(); k += 2) stored.index.note(words[k], words[k + 1]);
  stored.index.settle();
  return stored;
}

}  // namespace tacit::io::detail

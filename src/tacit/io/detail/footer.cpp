// Writes, reads and checks footers.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/detail/footer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "tacit/base/checksum.hpp"
#include "tacit/base/error.hpp"
#include "tacit/io/detail/atomic_write.hpp"
#include "tacit/io/detail/input_file.hpp"

namespace tacit::io::detail {
namespace {

static_assert(std::endian::native == std::endian::little);

/// Of data that is not written in pieces of its own: metadata.
constexpr std::uint64_t longest_extent = std::uint64_t{1} << 20;
constexpr std::array<char, 8> magic{'T', 'A', 'C', 'I', 'T', 'S', 'U', 'M'};

struct Row {
  std::uint64_t bytes = 0;
  std::uint64_t hash = 0;
};
struct Trailer {
  std::array<char, 8> name = magic;
  std::uint64_t version = Footer::version;
  std::uint64_t extents = 0;
  std::uint64_t data_bytes = 0;
  std::array<std::uint64_t, 3> unused{};
  std::uint64_t hash = 0;
};
static_assert(sizeof(Row) == 16 && sizeof(Trailer) == 64);

std::uint64_t hash_of_footer(std::span<const Row> rows, const Trailer& trailer) {
  std::vector<std::byte> bytes(rows.size_bytes() + sizeof trailer - sizeof trailer.hash);
  if (!rows.empty()) std::memcpy(bytes.data(), rows.data(), rows.size_bytes());
  std::memcpy(bytes.data() + rows.size_bytes(), &trailer, sizeof trailer - sizeof trailer.hash);
  return base::hash(bytes);
}

/// Adds what lies before `end`, in pieces, with the hashes of what the file holds there.
void fill_gap(const WholeFile& file, std::uint64_t& at, std::uint64_t end, std::vector<Extent>& extents) {
  std::vector<std::byte> bytes;
  while (at < end) {
    bytes.resize(std::min(end - at, longest_extent));
    file.read(at, bytes);
    extents.push_back({at, bytes.size(), base::hash(bytes)});
    at += bytes.size();
  }
}

}  // namespace

std::uint64_t append_footer(WholeFile& file, std::uint64_t bytes, std::vector<Extent> known) {
  std::ranges::sort(known, {}, &Extent::offset);
  std::vector<Extent> extents;
  std::uint64_t at = 0;
  for (const Extent& extent : known) {
    TACIT_EXPECT(extent.offset >= at && extent.offset + extent.bytes <= bytes);
    fill_gap(file, at, extent.offset, extents);
    extents.push_back(extent);
    at += extent.bytes;
  }
  fill_gap(file, at, bytes, extents);
  std::vector<Row> rows;
  for (const Extent& extent : extents) rows.push_back({extent.bytes, extent.hash});
  Trailer trailer{.extents = rows.size(), .data_bytes = bytes};
  trailer.hash = hash_of_footer(rows, trailer);
  file.write(bytes, std::as_bytes(std::span(rows)));
  file.write(bytes + std::span(rows).size_bytes(), std::as_bytes(std::span(&trailer, 1)));
  return bytes + Footer::size(rows.size());
}

std::optional<Footer> read_footer(const std::string& path, std::string& damage) {
  damage.clear();
  const InputFile file(path);
  const std::uint64_t size = file.size();
  Trailer trailer;
  if (size < sizeof trailer) return std::nullopt;
  const std::span<std::byte> raw = std::as_writable_bytes(std::span(&trailer, 1));
  if (file.read(size - sizeof trailer, raw) != raw.size() || trailer.name != magic) return std::nullopt;
  const auto damaged = [&](const std::string& what) {
    damage = "its footer of checksums " + what;
    return std::nullopt;
  };
  if (trailer.version != Footer::version) return damaged(fmt::format("has the version {}", trailer.version));
  const std::uint64_t most = (size - sizeof trailer) / sizeof(Row);
  if (trailer.extents > most || trailer.data_bytes != size - Footer::size(trailer.extents)) {
    return damaged("is that of a file of another length");
  }
  std::vector<Row> rows(trailer.extents);
  const std::span<std::byte> table = std::as_writable_bytes(std::span(rows));
  if (file.read(trailer.data_bytes, table) != table.size() || hash_of_footer(rows, trailer) != trailer.hash) {
    return damaged("does not fit its own checksum");
  }
  Footer footer{trailer.data_bytes, {}, trailer.hash};
  std::uint64_t at = 0;
  for (const Row& row : rows) {
    footer.extents.push_back({at, row.bytes, row.hash});
    if (row.bytes > trailer.data_bytes - at) return damaged("is that of a file of another length");
    at += row.bytes;
  }
  if (at != trailer.data_bytes) return damaged("is that of a file of another length");
  return footer;
}

bool is_sound(const InputFile& file, const Extent& extent, std::vector<std::byte>& memory) {
  base::Hash hash;
  for (std::uint64_t done = 0; done < extent.bytes;) {
    memory.resize(std::max<std::uint64_t>(memory.size(), std::min(extent.bytes - done, longest_extent)));
    const auto piece = std::span(memory).first(std::min<std::uint64_t>(extent.bytes - done, memory.size()));
    if (file.read(extent.offset + done, piece) != piece.size()) return false;
    if (piece.size() == extent.bytes) return base::hash(piece) == extent.hash;
    hash.add(piece);
    done += piece.size();
  }
  return hash.value() == extent.hash;
}

}  // namespace tacit::io::detail

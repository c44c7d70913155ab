// Looks at every size, type, link and filter before anything is allocated for it.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/detail/reader_handle.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tacit/base/memory.hpp"
#include "tacit/io/detail/hdf5.hpp"

namespace tacit::io {

using detail::element_count;
using detail::is_integer;
using detail::is_number;
using detail::number_of;
using detail::shape_of;
using detail::times;

/// Checks each part of `name`: the library treats a link inside a missing group as an error.
FileReader::Handle::Presence FileReader::Handle::presence(const std::string& name) const {
  for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
    const std::string part = name.substr(0, end);
    if (part.empty() || part == "/") return Presence::there;
    if (H5Lexists(file.get(), part.c_str(), links.get()) <= 0) return Presence::missing;
    if (H5Oexists_by_name(file.get(), part.c_str(), links.get()) <= 0) return Presence::dangling;
    if (end == std::string::npos) return Presence::there;
  }
}

/// The first part of `name` that leads nowhere is the link.
void FileReader::Handle::fail_dangling(const std::string& name) const {
  std::size_t end = name.find('/', 1);
  while (end != std::string::npos && presence(name.substr(0, end)) == Presence::there) end = name.find('/', end + 1);
  fail(name.substr(0, end) + " is a link that leads to nothing in this file; links to other files are not followed");
}

detail::Object FileReader::Handle::open(const std::string& name) const {
  detail::Object object(H5Oopen(file.get(), name.c_str(), links.get()));
  if (object) return object;
  const std::string reason = detail::failure_reason();
  const Presence found = presence(name);
  if (found == Presence::missing) fail(name + " is missing");
  if (found == Presence::dangling) fail_dangling(name);
  fail(fmt::format("{} cannot be read: the file is damaged ({})", name, reason));
}

detail::Object FileReader::Handle::open_array(const std::string& name) const {
  detail::Object object = open(name);
  if (H5Iget_type(object.get()) != H5I_DATASET) fail(name + " is a group, expected an array");
  return object;
}

Number FileReader::Handle::number_type(const std::string& array) const {
  const detail::Session session;
  const detail::Object object = open_array(array);
  const detail::Type stored(H5Dget_type(object.get()));
  return stored ? number_of(stored.get()) : Number::other;
}

detail::Attribute FileReader::Handle::open_attribute(const std::string& object, const std::string& name) const {
  const detail::Object owner = open(object);
  if (H5Aexists(owner.get(), name.c_str()) <= 0) fail(fmt::format("{}: attribute '{}' is missing", object, name));
  detail::Attribute attribute(H5Aopen(owner.get(), name.c_str(), H5P_DEFAULT));
  if (!attribute) fail_attribute(object, name);
  return attribute;
}

void FileReader::Handle::fail_attribute(const std::string& object, const std::string& name) const {
  fail(fmt::format("{}: attribute '{}' cannot be read: the file is damaged ({})", object, name,
                   detail::failure_reason()));
}

// Deflate packs at most 1032 to 1; other filters may store a constant in almost nothing.
void FileReader::Handle::check_filters(const std::string& name, hid_t creation, double& ratio) const {
  const int count = H5Pget_nfilters(creation);
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0;
    std::size_t values = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &values, nullptr, 0, nullptr, nullptr);
    if (H5Zfilter_avail(filter) <= 0) {
      fail(
          fmt::format("{} is stored with filter {}, which this HDF5 library does not have; repack the file, for "
                      "example with h5repack -f GZIP=4",
                      name, static_cast<int>(filter)));
    }
    const bool plain = filter == H5Z_FILTER_SHUFFLE || filter == H5Z_FILTER_FLETCHER32;
    if (!plain) ratio *= filter == H5Z_FILTER_DEFLATE ? 1100.0 : 1e5;
  }
}

void FileReader::Handle::fail_claim(const std::string& name, std::uint64_t bytes, std::uint64_t stored) const {
  fail(fmt::format("{} claims {} bytes of data, but the file stores only {} for it: truncated or damaged", name, bytes,
                   stored));
}

/// Of an array that is not all there: its shape is safe to allocate if such a file, or the machine, could hold it.
void FileReader::Handle::check_claim(const std::string& name, hid_t array, std::uint64_t bytes) const {
  std::error_code ignored;
  const std::uint64_t of_file = std::filesystem::file_size(path, ignored);
  const double in_file = ignored ? 0.0 : 1100.0 * static_cast<double>(of_file);
  const auto memory = static_cast<double>(base::usable_memory().value_or(std::uint64_t{1} << 36U));
  if (static_cast<double>(bytes) > std::max(in_file, memory)) fail_claim(name, bytes, H5Dget_storage_size(array));
}

/// What was never written is the fill value, which the library gives; where that is never used, it gives anything.
void FileReader::Handle::require_fill_value(const std::string& name, hid_t creation) const {
  H5D_fill_value_t fill = H5D_FILL_VALUE_DEFAULT;
  H5D_fill_time_t time = H5D_FILL_TIME_IFSET;
  const bool is_known = H5Pfill_value_defined(creation, &fill) >= 0 && H5Pget_fill_time(creation, &time) >= 0;
  if (is_known && fill != H5D_FILL_VALUE_UNDEFINED && time != H5D_FILL_TIME_NEVER) return;
  fail(name + " was never written, or not all of it, and has no fill value for the rest: write its numbers");
}

FileReader::Handle::Written FileReader::Handle::check_storage(const std::string& name, hid_t array,
                                                              std::uint64_t bytes) const {
  const detail::Properties creation(H5Dget_create_plist(array));
  if (H5Pget_external_count(creation.get()) > 0) fail(name + " keeps its data in another file, which is not followed");
  const H5D_layout_t layout = H5Pget_layout(creation.get());
  if (layout == H5D_VIRTUAL) {
    check_sources(name, creation.get(), bytes);
    return Written::whole;
  }
  double ratio = 1.0;
  check_filters(name, creation.get(), ratio);
  const std::uint64_t stored = H5Dget_storage_size(array);
  std::uint64_t written = bytes;
  if (layout == H5D_CHUNKED) written = check_chunks(name, array, creation.get(), bytes);
  H5D_space_status_t status = H5D_SPACE_STATUS_ERROR;
  if (layout == H5D_CONTIGUOUS && H5Dget_space_status(array, &status) >= 0 &&
      status == H5D_SPACE_STATUS_NOT_ALLOCATED) {
    written = 0;
  }
  if (static_cast<double>(written) > ratio * static_cast<double>(stored)) fail_claim(name, written, stored);
  if (written == bytes) return Written::whole;
  require_fill_value(name, creation.get());
  check_claim(name, array, bytes);
  return Written::in_part;
}

void FileReader::Handle::look_at_parts(const std::string& table) {
  std::vector<detail::PartFile> found = detail::parts_from_text(table, path.string());
  for (const detail::PartFile& part : found) {
    const std::string flaw = detail::flaw_of(path, part);
    if (!flaw.empty()) fail(fmt::format("its part {} {}", part.name, flaw));
  }
  parts = std::move(found);
}

std::filesystem::path FileReader::Handle::source_path(const std::string& name) const {
  namespace fs = std::filesystem;
  if (name == ".") return path;
  const fs::path asked = fs::path(name).lexically_normal();
  const auto leads_out = [](const fs::path& relative) { return relative.empty() || *relative.begin() == ".."; };
  std::error_code error;
  if (asked.is_relative() && !leads_out(asked)) return detail::beside(path, asked.string());
  if (asked.is_absolute()) {
    // The library, too, looks here for one that is no longer where it was.
    if (!fs::exists(asked, error)) return detail::beside(path, asked.filename().string());
    const fs::path folder = fs::canonical(path, error).parent_path();
    if (!leads_out(fs::weakly_canonical(asked, error).lexically_relative(folder))) return asked;
  }
  fail(
      fmt::format("names {} as a file of virtual arrays, which is not in its folder; copy it there, or give the file "
                  "with the data itself",
                  name));
}

/// The library would give fill values for what it does not find.
void FileReader::Handle::check_source(const std::string& name, const detail::VirtualSource& source) const {
  constexpr int deepest = 8;  // a virtual array over itself has no end
  if (depth >= deepest) fail(name + " is a virtual array over too many others; give the file with the data itself");
  const std::filesystem::path there = source_path(source.file);
  std::error_code error;
  const bool is_own = std::filesystem::equivalent(there, path, error);
  if (source.file.find('%') != std::string::npos || (is_own && source.file != ".")) {
    fail(fmt::format("{} is a virtual array over files '{}', which is not followed; give the file with the data itself",
                     name, source.file));
  }
  if (!std::filesystem::exists(there, error)) {
    fail(fmt::format("{} is a virtual array over other files, of which {} is missing", name, source.file));
  }
  const Handle& part = *part_file(source.file).handle_;
  const detail::Object array = part.open_array(source.array);
  const detail::Space space(H5Dget_space(array.get()));
  const detail::Type type(H5Dget_type(array.get()));
  if (!space || !type) part.fail(source.array + " cannot be read: the file is damaged");
  if (const std::uint64_t count = element_count(shape_of(space.get())); count > 0) {
    part.check_storage(source.array, array.get(), times(count, H5Tget_size(type.get())));
  }
}

/// A virtual array of this program is spread over the parts that have been looked at. Those of others are followed to
/// files in the same folder.
void FileReader::Handle::check_sources(const std::string& name, hid_t creation, std::uint64_t bytes) const {
  const auto sources = detail::virtual_sources(creation);
  if (!sources) fail(name + " does not say of what it is made: the file is damaged");
  std::uint64_t stored = 0;
  for (const detail::PartFile& part : parts) stored += part.bytes;
  std::set<std::string> files;
  std::set<std::pair<std::string, std::string>> seen;
  for (const detail::VirtualSource& source : *sources) {
    if (std::ranges::find(parts, source.file, &detail::PartFile::name) != parts.end()) continue;
    if (!seen.emplace(source.file, source.array).second) continue;
    check_source(name, source);
    std::error_code ignored;
    if (files.insert(source.file).second) stored += std::filesystem::file_size(source_path(source.file), ignored);
  }
  const bool fits = static_cast<double>(bytes) <= 1100.0 * static_cast<double>(stored);
  if (fits || (parts.empty() && bytes <= base::usable_memory().value_or(0))) return;
  fail(
      fmt::format("{} claims {} bytes of data, but its parts hold only {}: truncated or damaged", name, bytes, stored));
}

namespace {

/// How an array is cut into chunks.
struct Chunks {
  int axes = 0;
  std::array<hsize_t, H5S_MAX_RANK> shape{};
  std::array<hsize_t, H5S_MAX_RANK> counts{};  // along each axis
  std::uint64_t number = 1;                    // of all that the shape of the array needs
  std::uint64_t elements = 1;                  // of one
};

/// @return nothing if they do not fit the array
std::optional<Chunks> chunks_of(hid_t space, hid_t creation) {
  Chunks chunks;
  std::array<hsize_t, H5S_MAX_RANK> shape{}, largest{};
  chunks.axes = H5Sget_simple_extent_dims(space, shape.data(), largest.data());
  if (chunks.axes <= 0 || H5Pget_chunk(creation, H5S_MAX_RANK, chunks.shape.data()) != chunks.axes) return std::nullopt;
  for (std::size_t i = 0; i < static_cast<std::size_t>(chunks.axes); ++i) {
    const hsize_t chunk = chunks.shape[i];
    if (chunk == 0 || (chunk > shape[i] && largest[i] == shape[i])) return std::nullopt;
    chunks.counts[i] = (shape[i] - 1) / chunk + 1;
    chunks.number = times(chunks.number, chunks.counts[i]);
    chunks.elements = times(chunks.elements, chunk);
  }
  return chunks;
}

/// Those that the file lists at a place that the shape needs, looked for one by one.
std::uint64_t chunks_found(hid_t array, const Chunks& chunks) {
  const auto axes = static_cast<std::size_t>(chunks.axes);
  std::array<hsize_t, H5S_MAX_RANK> at{};
  std::uint64_t found = 0;
  for (std::uint64_t i = 0; i < chunks.number; ++i) {
    hsize_t stored = 0;
    if (H5Dget_chunk_storage_size(array, at.data(), &stored) >= 0 && stored > 0) ++found;
    for (std::size_t axis = axes; axis-- > 0;) {
      at[axis] += chunks.shape[axis];
      if (at[axis] / chunks.shape[axis] < chunks.counts[axis]) break;
      at[axis] = 0;
    }
  }
  return found;
}

}  // namespace

// In files without checksums on metadata a damaged chunk shape makes the library copy beyond the unpacked chunk (seen
// with 1.10.8). Such a shape does not fit the array, the number of chunks or their places.
std::uint64_t FileReader::Handle::check_chunks(const std::string& name, hid_t array, hid_t creation,
                                               std::uint64_t bytes) const {
  const std::string damaged = name + " is stored in pieces that do not fit its shape: truncated or damaged";
  const detail::Space space(H5Dget_space(array));
  const std::optional<Chunks> chunks = chunks_of(space.get(), creation);
  // One chunk at a time is unpacked in memory.
  if (!chunks || chunks->elements > std::max(bytes, std::uint64_t{64} << 20U)) fail(damaged);
#if H5_VERSION_GE(1, 10, 5)
  hsize_t count = 0;
  if (H5Dget_num_chunks(array, space.get(), &count) < 0 || count > chunks->number) fail(damaged);
  if (count == 0) return 0;
  if (count < chunks->number) {
    check_claim(name, array, bytes);  // before all of them are looked for
    if (chunks_found(array, *chunks) != count) fail(damaged);
    const double share = static_cast<double>(count) / static_cast<double>(chunks->number);
    return std::min(bytes - 1, static_cast<std::uint64_t>(share * static_cast<double>(bytes)));
  }
  std::array<hsize_t, H5S_MAX_RANK> last{};
  for (std::size_t i = 0; i < static_cast<std::size_t>(chunks->axes); ++i)
    last[i] = (chunks->counts[i] - 1) * chunks->shape[i];
  hsize_t stored = 0;
  unsigned skipped_filters = 0;
  haddr_t address = HADDR_UNDEF;
  if (H5Dget_chunk_info_by_coord(array, last.data(), &skipped_filters, &address, &stored) < 0 ||
      address == HADDR_UNDEF) {
    fail(damaged);
  }
#endif
  return bytes;
}

/// The part that these rows are; a scalar is a part without axes.
Part FileReader::Handle::part_of(const std::string& name, std::span<const std::uint64_t> shape, const Rows& rows,
                                 std::uint64_t count) const {
  Part part{std::vector<std::uint64_t>(shape.size(), 0), {shape.begin(), shape.end()}};
  if (rows.all) {
    if (element_count(shape) == count) return part;
    fail(fmt::format("{} has shape ({}), expected {} elements", name, fmt::join(shape, ", "), count));
  }
  const std::uint64_t per_row = shape.empty() ? 0 : element_count(shape.subspan(1));
  const std::uint64_t number = per_row == 0 ? 0 : count / per_row;
  if (number * per_row != count || (!shape.empty() && (rows.first > shape[0] || number > shape[0] - rows.first))) {
    fail(fmt::format("{} has shape ({}), expected {} elements from row {} on", name, fmt::join(shape, ", "), count,
                     rows.first));
  }
  if (!shape.empty()) {
    part.first[0] = rows.first;
    part.count[0] = number;
  }
  return part;
}

void FileReader::Handle::read_by_library(const std::string& name, const detail::Object& array, const Part& part,
                                         Number type, std::span<std::byte> out, detail::ArrayRead& pieces) const {
  // For a virtual array the library opens the parts in its own way, which it refuses, and gives zeros, while they are
  // open in another one.
  pieces.clear();
  part_files.clear();
  const detail::Space space(H5Dget_space(array.get()));
  const hsize_t numbers = count_of(type, out.size());
  const detail::Space memory(H5Screate_simple(1, &numbers, nullptr));
  if (!part.count.empty()) {
    const std::vector<hsize_t> first(part.first.begin(), part.first.end());
    const std::vector<hsize_t> count(part.count.begin(), part.count.end());
    H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, first.data(), nullptr, count.data(), nullptr);
  }
  if (H5Dread(array.get(), detail::native_type(type), memory.get(), space.get(), H5P_DEFAULT, out.data()) < 0) {
    fail(fmt::format("{} cannot be read: the file is damaged ({})", name, detail::failure_reason()));
  }
}

void FileReader::Handle::read(const std::string& name, const Rows& rows, std::size_t count, bool integers, Number type,
                              std::span<std::byte> out) const {
  detail::ArrayRead pieces;
  Part part;
  {
    const detail::Session session;
    const detail::Object array = open_array(name);
    const detail::Type stored_type(H5Dget_type(array.get()));
    const detail::Space space(H5Dget_space(array.get()));
    if (!stored_type || !space) fail(name + " cannot be read: the file is damaged");
    const Number stored = number_of(stored_type.get());
    if (integers ? !is_integer(stored) : !is_number(stored)) {
      fail(fmt::format("{} holds {}, expected {}", name, detail::description_of(stored_type.get()),
                       integers ? "integers" : "numbers"));
    }
    const std::vector<std::uint64_t> shape = shape_of(space.get());
    if (H5Sget_simple_extent_type(space.get()) == H5S_NULL) {
      fail(fmt::format("{} has shape (), expected {} elements", name, count));
    }
    part = part_of(name, shape, rows, count);
    if (count == 0) return;
    const Written written =
        check_storage(name, array.get(), times(element_count(shape), H5Tget_size(stored_type.get())));
    const detail::Cut cut{part, std::vector<std::uint64_t>(shape.size(), 0)};
    if (written == Written::in_part || !find_pieces(name, array, cut, type, pieces)) {
      return read_by_library(name, array, part, type, out, pieces);
    }
  }
  pieces.run({out, type, part.count}, reading.workers);
}

void FileReader::Handle::read_part(const std::string& name, const Part& part, std::span<double> out) const {
  TACIT_EXPECT(part.first.size() == part.count.size() && out.size() == part.size());
  const std::span<std::byte> bytes = std::as_writable_bytes(out);
  detail::ArrayRead pieces;
  {
    const detail::Session session;
    const detail::Object array = open_array(name);
    const detail::Type stored_type(H5Dget_type(array.get()));
    const detail::Space space(H5Dget_space(array.get()));
    if (!stored_type || !space) fail(name + " cannot be read: the file is damaged");
    if (const Number type = number_of(stored_type.get()); !is_number(type)) {
      fail(fmt::format("{} holds {}, expected numbers", name, detail::description_of(stored_type.get())));
    }
    const std::vector<std::uint64_t> shape = shape_of(space.get());
    bool fits = shape.size() == part.count.size();
    for (std::size_t axis = 0; fits && axis < shape.size(); ++axis) {
      fits = part.first[axis] <= shape[axis] && part.count[axis] <= shape[axis] - part.first[axis];
    }
    if (!fits) {
      fail(fmt::format("{} has shape ({}), expected ({}) elements from ({}) on", name, fmt::join(shape, ", "),
                       fmt::join(part.count, ", "), fmt::join(part.first, ", ")));
    }
    if (part.is_empty()) return;
    const Written written =
        check_storage(name, array.get(), times(element_count(shape), H5Tget_size(stored_type.get())));
    const detail::Cut cut{part, std::vector<std::uint64_t>(shape.size(), 0)};
    if (written == Written::in_part || !find_pieces(name, array, cut, Number::float64, pieces)) {
      return read_by_library(name, array, part, Number::float64, bytes, pieces);
    }
  }
  pieces.run({bytes, Number::float64, part.count}, reading.workers);
}

/// Reads non-negative integers; signed ones as what they are, since the library would turn negative ones into 0.
void FileReader::Handle::read_counts(const std::string& name, const Rows& rows, std::span<std::uint64_t> out) const {
  const Number stored = number_type(name);
  const bool is_signed = is_integer(stored) && stored >= Number::int8 && stored <= Number::int64;
  read(name, rows, out.size(), true, is_signed ? Number::int64 : Number::uint64, std::as_writable_bytes(out));
  if (!is_signed) return;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (const auto value = static_cast<std::int64_t>(out[i]); value < 0) {
      fail(fmt::format("{}: element {} is {}, expected an integer >= 0", name, rows.first + i, value));
    }
  }
}

}  // namespace tacit::io

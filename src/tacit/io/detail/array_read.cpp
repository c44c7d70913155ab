// Finds the pieces of what is read, and goes through them in a loop over all workers.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/detail/array_read.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "tacit/io/detail/reader_handle.hpp"
#include "tacit/tasks/parallel_for.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::io::detail {
namespace {

/// Of the pieces that all workers unpack at a time.
constexpr std::uint64_t most_memory = std::uint64_t{1} << 30U;

/// The box that a selection is; nothing for other selections.
std::optional<Part> box_of(const Space& space) {
  const int axes = space ? H5Sget_simple_extent_ndims(space.get()) : -1;
  std::array<hsize_t, H5S_MAX_RANK> first{};
  std::array<hsize_t, H5S_MAX_RANK> last{};
  if (axes <= 0 || H5Sget_select_bounds(space.get(), first.data(), last.data()) < 0) return std::nullopt;
  Part box;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(axes); ++axis) {
    box.first.push_back(first[axis]);
    box.count.push_back(last[axis] - first[axis] + 1);
  }
  const hssize_t elements = H5Sget_select_npoints(space.get());
  const bool is_full = elements >= 0 && static_cast<std::uint64_t>(elements) == element_count(box.count);
  return is_full ? std::optional(std::move(box)) : std::nullopt;
}

/// A name as the library gives it in two calls; empty if it does not.
template <class Ask>
std::string name_from(const Ask& ask) {
  const ssize_t length = ask(nullptr, 0);
  if (length <= 0) return {};
  std::string name(static_cast<std::size_t>(length) + 1, '\0');
  if (ask(name.data(), name.size()) != length) return {};
  name.pop_back();
  return name;
}

}  // namespace

ArrayRead::~ArrayRead() {
  const Session session;
  sources_.clear();
}

void ArrayRead::add(StoredArray array, Cut cut) { sources_.push_back({std::move(array), std::move(cut)}); }

std::vector<ArrayRead::Piece> ArrayRead::pieces() const {
  std::vector<Piece> found;
  for (const Source& source : sources_) {
    const std::uint64_t rows = source.array.piece_rows();
    const Part& part = source.cut.from;
    const std::uint64_t end = part.first[0] + part.count[0];
    for (std::uint64_t first = part.first[0] / rows * rows; first < end; first += rows)
      found.push_back({&source, first});
  }
  return found;
}

void ArrayRead::run(const Target& target, tasks::Scheduler* workers) const {
  const std::vector<Piece> all = pieces();
  std::uint64_t room = 0;
  for (const Source& source : sources_) room = std::max(room, source.array.piece_room());
  const auto read = [&](std::size_t i, Unpacker& unpacker) {
    all[i].source->array.read(all[i].first, all[i].source->cut, target, unpacker);
  };
  if (workers == nullptr || all.size() < 2 || times(room, workers->workers()) > most_memory) {
    Unpacker unpacker;
    for (std::size_t i = 0; i < all.size(); ++i) read(i, unpacker);
    return;
  }
  std::vector<Unpacker> unpackers(workers->workers() + 1);  // the last one: of a thread that is no worker
  const auto own = [&]() -> Unpacker& {
    return tasks::Scheduler::current() == workers ? unpackers[tasks::Scheduler::current_worker()] : unpackers.back();
  };
  const trace::KindId kind = workers->recorder().kind("read arrays");
  tasks::parallel_for(*workers, 0, all.size(), [&](std::size_t i) { read(i, own()); },
                      {.chunk = 1, .job = {.kind = kind}});
}

std::optional<std::vector<VirtualSource>> virtual_sources(hid_t creation) {
  std::size_t count = 0;
  if (H5Pget_virtual_count(creation, &count) < 0) return std::nullopt;
  std::vector<VirtualSource> sources;
  for (std::size_t i = 0; i < count; ++i) {
    sources.push_back(
        {name_from([&](char* text, std::size_t size) { return H5Pget_virtual_filename(creation, i, text, size); }),
         name_from([&](char* text, std::size_t size) { return H5Pget_virtual_dsetname(creation, i, text, size); })});
    if (sources.back().file.empty() || sources.back().array.empty()) return std::nullopt;
  }
  return sources;
}

std::optional<std::vector<MappedBox>> mapped_boxes(hid_t creation) {
  auto sources = virtual_sources(creation);
  if (!sources) return std::nullopt;
  std::vector<MappedBox> boxes;
  for (std::size_t i = 0; i < sources->size(); ++i) {
    const auto place = box_of(Space(H5Pget_virtual_vspace(creation, i)));
    auto source = box_of(Space(H5Pget_virtual_srcspace(creation, i)));
    if (!place || !source || place->count != source->count) return std::nullopt;
    boxes.push_back({std::move((*sources)[i].file), std::move((*sources)[i].array), *place, std::move(source->first)});
  }
  return boxes;
}

Part common_part(const Part& a, const Part& b) {
  Part part;
  for (std::size_t axis = 0; axis < a.first.size(); ++axis) {
    const std::uint64_t first = std::max(a.first[axis], b.first[axis]);
    const std::uint64_t end = std::min(a.first[axis] + a.count[axis], b.first[axis] + b.count[axis]);
    part.first.push_back(first);
    part.count.push_back(end > first ? end - first : 0);
  }
  return part;
}

}  // namespace tacit::io::detail

namespace tacit::io {

using detail::element_count;
using detail::number_of;
using detail::shape_of;
using detail::times;

bool FileReader::Handle::find_pieces(const std::string& name, const detail::Object& array, const detail::Cut& cut,
                                     Number type, detail::ArrayRead& pieces) const {
  const detail::Properties creation(H5Dget_create_plist(array.get()));
  if (H5Pget_layout(creation.get()) == H5D_VIRTUAL) return find_mapped(array, creation.get(), cut, type, pieces);
  auto stored = detail::StoredArray::of(array, file.get(), {path.string(), name}, reading.is_verified);
  if (!stored || !detail::can_widen(stored->type(), type)) return false;
  pieces.add(std::move(*stored), cut);
  return true;
}

/// The library looks for each of its pieces for as long as the others take to read.
bool FileReader::Handle::find_mapped(const detail::Object& array, hid_t creation, const detail::Cut& cut, Number type,
                                     detail::ArrayRead& pieces) const {
  const detail::Type stored(H5Dget_type(array.get()));
  const auto boxes = detail::mapped_boxes(creation);
  if (!stored || !boxes) return false;
  std::uint64_t covered = 0;
  for (const detail::MappedBox& box : *boxes) {
    if (box.place.first.size() != cut.from.first.size()) return false;
    const Part common = detail::common_part(box.place, cut.from);
    if (common.is_empty()) continue;
    covered += common.size();
    if (!find_in_part(box, common, number_of(stored.get()), cut, type, pieces)) return false;
  }
  return covered == cut.from.size();
}

/// @param common  what is read of the box, in the virtual array, which has numbers of type `stored`
bool FileReader::Handle::find_in_part(const detail::MappedBox& box, const Part& common, Number stored,
                                      const detail::Cut& cut, Number type, detail::ArrayRead& pieces) const {
  const Handle& part = *part_file(box.file).handle_;
  const detail::Object array = part.open_array(box.array);
  const detail::Space space(H5Dget_space(array.get()));
  const std::vector<std::uint64_t> shape = shape_of(space.get());
  detail::Cut there{.from = common, .to = cut.to};
  if (shape.size() != box.first.size() || part.number_type(box.array) != stored) return false;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    there.from.first[axis] += box.first[axis] - box.place.first[axis];
    there.to[axis] += common.first[axis] - cut.from.first[axis];
    const std::uint64_t first = there.from.first[axis];
    if (first > shape[axis] || common.count[axis] > shape[axis] - first) return false;
  }
  const detail::Type type_there(H5Dget_type(array.get()));
  const Written written =
      part.check_storage(box.array, array.get(), times(element_count(shape), H5Tget_size(type_there.get())));
  return written == Written::whole && part.find_pieces(box.array, array, there, type, pieces);
}

const FileReader& FileReader::Handle::part_file(const std::string& name) const {
  const auto found = part_files.find(name);
  if (found != part_files.end()) return found->second;
  FileReader part(source_path(name), Parts::unseen, {.workers = reading.workers, .is_verified = reading.is_verified});
  part.handle_->depth = depth + 1;
  return part_files.emplace(name, std::move(part)).first->second;
}

}  // namespace tacit::io

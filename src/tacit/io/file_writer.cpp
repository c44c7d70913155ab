// Files as those who write them see them: cut into pieces, which go to disk at once or through the queue.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <exception>
#include <functional>
#include <optional>
#include <utility>

#include "tacit/base/checksum.hpp"
#include "tacit/base/clock.hpp"
#include "tacit/comm/collectives/reduce.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/io/detail/convert.hpp"
#include "tacit/io/detail/file_builder.hpp"
#include "tacit/io/detail/file_sink.hpp"
#include "tacit/io/detail/part_gather.hpp"
#include "tacit/io/detail/parts_table.hpp"
#include "tacit/io/detail/shared_file.hpp"
#include "tacit/io/detail/strategy_choice.hpp"
#include "tacit/io/detail/write_queue.hpp"
#include "tacit/io/file.hpp"

namespace tacit::io {
namespace {

using detail::ArrayLayout;
using detail::as;
using detail::AttributeValue;
using detail::convert;
using detail::FileBuilder;
using detail::FileSink;

template <class T>
AttributeValue attribute_value(Number type, std::span<const T> values) {
  const std::span<const std::byte> bytes = std::as_bytes(values);
  return {type, {bytes.begin(), bytes.end()}};
}

}  // namespace

struct FileWriter::Handle {
  std::filesystem::path path;
  int compression = 0;
  comm::Communicator* ranks = nullptr;  // that write together, where there are several
  Output* output = nullptr;
  const Strategy* strategy = nullptr;  // of the output
  std::shared_ptr<detail::FileTime> time = std::make_shared<detail::FileTime>();
  base::Stopwatch watch = {};
  std::optional<FileSink> main;  // on the first rank, or the only one
  std::optional<FileSink> part;  // where files are in parts: on those that write one
  std::vector<std::filesystem::path> parts;
  std::optional<detail::SharedFile> shared;  // in place of both where all ranks write one file
  bool is_committed = false;

  Handle(std::filesystem::path where, int level, comm::Communicator* of, Output* through)
      : path(std::move(where)), compression(level), output(through) {
    TACIT_EXPECT(level >= 0 && level <= 9);
    if (of != nullptr && of->size() > 1) ranks = of;
    if (output != nullptr) {
      open(*output);
    } else if (!is_silent()) {
      main.emplace(path, nullptr, time);
    }
  }
  void open(Output& through) {
    strategy = &through.strategy_for(path, compression);
    if (strategy->is_shared()) {
      shared.emplace(path, ranks, through.queue(), time);
      return;
    }
    const bool has_parts = strategy->groups.size() > 1;
    if (!is_silent()) main.emplace(path, &through, has_parts ? nullptr : time);
    if (has_parts) open_parts(through);
  }
  void open_parts(Output& through) {
    const WriterGroups& groups = strategy->groups;
    const std::string tag = through.next_tag();
    for (std::size_t i = 0; i < groups.size(); ++i) {
      parts.push_back(detail::part_path(path, i, groups.size(), tag));
    }
    const std::uint32_t own = number(ranks->rank());
    if (groups.is_writer(own)) part.emplace(parts[groups.group_of[own]], &through, time);
  }

  /// Whether another rank writes the main file.
  [[nodiscard]] bool is_silent() const noexcept { return ranks != nullptr && ranks->rank() != comm::RankId{0}; }

  template <class Action>
  void act(Action action) {
    TACIT_EXPECT(!is_committed);
    if (shared) return shared->act(std::move(action));
    main->act(std::move(action));
  }

  void write(const ArrayLayout& layout, const FileSink::Fill& fill, FileSink::Calls calls) {
    TACIT_EXPECT(!is_committed);
    time->bytes += layout.size() * bytes_of(layout.type);
    if (shared) return shared->array(layout, fill);
    main->write(layout, fill, calls);
  }

  /// Whether each rank writes its own, or its group does: not of a small one.
  [[nodiscard]] bool is_divided(const ArrayLayout& layout) const {
    constexpr std::uint64_t least = std::uint64_t{1} << 16U;
    return (shared || !parts.empty()) && layout.size() * bytes_of(layout.type) >= least;
  }
  /// @param fill  rows of what this rank has, the first 0, where that is one part and no copy of it was made
  void write_divided(const ArrayLayout& layout, const detail::PartsOfRank& mine, const FileSink::Fill& fill = {});
  void write_parts(const ArrayLayout& layout, const detail::PartsOfRank& mine);
  [[nodiscard]] std::unique_ptr<std::byte[]> fill_all(const ArrayLayout& layout, const FileSink::Fill& fill) const;
  std::uint64_t commit_whole();
  std::uint64_t commit_in_parts();
  std::uint64_t commit_shared();
  void write_own_first(const std::function<void()>& write) const;
};

namespace {

/// An array in a part, of what one rank has: one for all its pieces where these are whole rows, else one for each.
struct Piecewise {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::uint64_t first_byte = 0;  // in what the rank has
  std::vector<detail::Mapping> mappings;
};

std::vector<Piecewise> arrays_of(const ArrayLayout& whole, std::uint32_t rank, std::span<const Part> parts,
                                 const std::string& file) {
  const auto is_of_rows = [&](const Part& part) {
    return std::equal(part.count.begin() + 1, part.count.end(), whole.shape.begin() + 1);
  };
  const bool are_rows = std::ranges::all_of(parts, is_of_rows);
  std::vector<Piecewise> arrays;
  std::uint64_t at = 0;
  for (const Part& part : parts) {
    if (part.is_empty()) continue;
    if (arrays.empty() || !are_rows) {
      std::string name = fmt::format("{}/{}", whole.name, rank);
      if (!are_rows && parts.size() > 1) name += fmt::format(".{}", arrays.size());
      arrays.push_back({std::move(name), part.count, at, {}});
      arrays.back().shape[0] = 0;
    }
    Piecewise& array = arrays.back();
    array.mappings.push_back({file, array.name, {}, array.shape[0], part});
    array.shape[0] += part.count[0];
    at += part.size() * bytes_of(whole.type);
  }
  for (Piecewise& array : arrays) {
    for (detail::Mapping& mapping : array.mappings) mapping.shape = array.shape;
  }
  return arrays;
}

}  // namespace

/// Each writer takes what its group has, rank by rank; the first rank says in the main file where all of it is.
void FileWriter::Handle::write_divided(const ArrayLayout& layout, const detail::PartsOfRank& mine,
                                       const FileSink::Fill& fill) {
  time->bytes += layout.size() * bytes_of(layout.type);
  const WriterGroups& groups = strategy->groups;
  const std::uint32_t own = number(ranks->rank());
  const auto all = detail::parts_of_all(*ranks, mine.parts, layout.shape.size());
  const auto of_rank = [&](std::uint32_t rank) {
    return arrays_of(layout, rank, all[rank], parts[groups.group_of[rank]].filename().string());
  };
  if (main) {
    std::vector<detail::Mapping> mappings;
    for (std::uint32_t rank = 0; rank < all.size(); ++rank) {
      for (Piecewise& array : of_rank(rank)) {
        mappings.insert(mappings.end(), array.mappings.begin(), array.mappings.end());
      }
    }
    act([layout, mappings = std::move(mappings)](FileBuilder& builder) { builder.virtual_array(layout, mappings); });
  }
  const auto layout_of = [&](const Piecewise& array) {
    return ArrayLayout{array.name, array.shape, layout.type, compression};
  };
  if (!part) {
    detail::RankStream stream(*ranks, comm::RankId{groups.writer_of(own)}, mine.values.size());
    for (const Piecewise& array : of_rank(own)) {
      const ArrayLayout of_array = layout_of(array);
      const std::uint64_t bytes = of_array.size() * bytes_of(layout.type);
      stream.send(mine.values.subspan(array.first_byte, bytes), of_array.chunk_rows() * of_array.row_bytes());
    }
    return;
  }
  for (const std::uint32_t rank : groups.members[groups.group_of[own]]) {
    const std::vector<Piecewise> arrays = of_rank(rank);
    std::optional<detail::RankStream> stream;
    if (rank != own) stream.emplace(*ranks, comm::RankId{rank}, detail::elements_of(all[rank]) * bytes_of(layout.type));
    for (const Piecewise& array : arrays) {
      const ArrayLayout of_array = layout_of(array);
      const auto copy = [&](std::uint64_t first, std::span<std::byte> out) {
        std::ranges::copy(mine.values.subspan(array.first_byte + first * of_array.row_bytes(), out.size()),
                          out.begin());
      };
      if (stream) {
        part->write(
            of_array, [&](std::uint64_t, std::span<std::byte> out) { stream->receive(out); },
            FileSink::Calls::in_order);
      } else {
        part->write(of_array, fill ? fill : copy, FileSink::Calls::any);
      }
    }
  }
}

/// By the writers of parts, or by the first rank, who take from the others what these have.
void FileWriter::Handle::write_parts(const ArrayLayout& layout, const detail::PartsOfRank& mine) {
  if (is_divided(layout) && !shared) return write_divided(layout, mine);
  if (is_divided(layout)) {
    time->bytes += layout.size() * bytes_of(layout.type);
    return shared->parts(layout, mine);
  }
  detail::PartGather gather(*ranks, layout.shape, bytes_of(layout.type), layout.chunk_rows(), mine);
  if (is_silent()) return gather.hand_over();
  write(
      layout, [&](std::uint64_t first, std::span<std::byte> out) { gather.collect(first, out); },
      FileSink::Calls::in_order);
}

/// A copy of a whole array, made by all threads.
std::unique_ptr<std::byte[]> FileWriter::Handle::fill_all(const ArrayLayout& layout, const FileSink::Fill& fill) const {
  const std::uint64_t rows = layout.size() == 0 ? 0 : layout.shape[0];
  auto memory = std::make_unique_for_overwrite<std::byte[]>(rows * layout.row_bytes());
  const std::span<std::byte> all(memory.get(), rows * layout.row_bytes());
  const std::uint64_t step = rows == 0 ? 1 : layout.chunk_rows();
  const auto fill_some = [&](std::size_t i) {
    const std::uint64_t first = i * step;
    fill(first, all.subspan(first * layout.row_bytes(), std::min(step, rows - first) * layout.row_bytes()));
  };
  const std::size_t count = (rows + step - 1) / step;
  if (output != nullptr) {
    output->for_each(count, fill_some);
  } else {
    for (std::size_t i = 0; i < count; ++i) fill_some(i);
  }
  return memory;
}

/// Writes what is this rank's own, at once: what fails is known to all before the main file takes its name.
void FileWriter::Handle::write_own_first(const std::function<void()>& write) const {
  std::exception_ptr failure;
  try {
    write();
  } catch (const base::Error&) {
    failure = std::current_exception();
  }
  std::uint32_t has_failed = failure ? 1 : 0;
  if (ranks != nullptr) comm::AllReduce<std::uint32_t>(*ranks, std::span(&has_failed, 1), comm::Maximum{}).run();
  if (failure) std::rethrow_exception(failure);
  if (has_failed != 0)
    throw base::SystemError(path.string(), "cannot be written: another rank failed to write its part");
}

/// The first rank makes a file of what all have written. @return bytes of it, on the first rank
std::uint64_t FileWriter::Handle::commit_shared() {
  shared->seal();
  if (output->queue() == nullptr) {
    write_own_first([this] { shared->finish(); });
    return is_silent() ? 0 : shared->completion()()->commit();
  }
  detail::WriteQueue& queue = *output->queue();
  std::uint64_t own = shared->push_finish();
  std::shared_ptr<detail::QueuedFile> whole;
  std::function<void(detail::QueuedFile&)> complete;
  if (!is_silent()) {
    whole = std::make_shared<detail::QueuedFile>();
    complete = [make = shared->completion(), time = time](detail::QueuedFile& file) {
      file.time = time;
      file.builder = make();
    };
  }
  if (ranks == nullptr) {  // nobody to wait for
    queue.push(whole, std::exchange(complete, {}));
    own = queue.push_commit(std::exchange(whole, nullptr));
  }
  output->note_commit(own, std::move(whole), std::move(complete));
  return 0;
}

/// @return bytes of the file, where that is complete and of this rank
std::uint64_t FileWriter::Handle::commit_whole() {
  detail::WriteQueue* const queue = output != nullptr ? output->queue() : nullptr;
  if (queue == nullptr) return main ? main->commit() : 0;
  output->note_commit(main ? queue->push_commit(main->take_queued()) : 0, nullptr, {});
  return 0;
}

/// @return bytes of what this rank has written
std::uint64_t FileWriter::Handle::commit_in_parts() {
  const auto complete = [paths = parts](FileBuilder& builder) { builder.name_parts(paths); };
  if (output->queue() != nullptr) {
    const std::uint64_t own = part ? output->queue()->push_commit(part->take_queued()) : 0;
    std::function<void(detail::QueuedFile&)> then;
    if (main) {
      then = [complete, time = time](detail::QueuedFile& file) {
        file.time = time;
        file.begun_ns = base::now_ns();  // before, it waited for the other ranks
        complete(*file.builder);
      };
    }
    output->note_commit(own, main ? main->take_queued() : nullptr, std::move(then));
    return 0;
  }
  std::uint64_t bytes = 0;
  write_own_first([&] { bytes = part ? part->commit() : 0; });
  if (!main) return bytes;
  main->act(complete);
  return bytes + main->commit();
}

FileWriter::FileWriter(const std::filesystem::path& path, int compression)
    : handle_(std::make_unique<Handle>(path, compression, nullptr, nullptr)) {}

FileWriter::FileWriter(const std::filesystem::path& path, int compression, comm::Communicator& ranks)
    : handle_(std::make_unique<Handle>(path, compression, &ranks, nullptr)) {}

FileWriter::FileWriter(const std::filesystem::path& path, int compression, Output& output)
    : handle_(std::make_unique<Handle>(path, compression, &output.ranks(), &output)) {}

FileWriter::~FileWriter() = default;
FileWriter::FileWriter(FileWriter&&) noexcept = default;
FileWriter& FileWriter::operator=(FileWriter&& other) noexcept = default;

void FileWriter::group(const std::string& name) {
  if (handle_->is_silent()) return;
  handle_->act([name](FileBuilder& builder) { builder.group(name); });
}

void FileWriter::array(const std::string& name, const Values& values, std::span<const std::uint64_t> shape) {
  array(name, values, shape, values.type());
}

void FileWriter::array(const std::string& name, const Values& values, std::span<const std::uint64_t> shape,
                       Number type) {
  if (handle_->is_silent()) return;
  const ArrayLayout layout{name, {shape.begin(), shape.end()}, type, handle_->compression};
  TACIT_EXPECT(detail::can_become(values.type(), type) && values.size() == layout.size());
  const std::uint64_t row = count_of(type, layout.row_bytes());
  const auto fill = [&](std::uint64_t first, std::span<std::byte> out) {
    convert(values.part(first * row, count_of(type, out.size())), type, out);
  };
  handle_->write(layout, fill, FileSink::Calls::any);
}

void FileWriter::stream(const std::string& name, std::span<const std::uint64_t> shape, Number type,
                        const RowSource<double>& rows) {
  if (handle_->is_silent()) return;
  handle_->write({name, {shape.begin(), shape.end()}, type, handle_->compression}, FileSink::in_type(rows, type),
                 FileSink::Calls::any);
}

void FileWriter::stream(const std::string& name, std::span<const std::uint64_t> shape,
                        const RowSource<std::uint64_t>& rows) {
  if (handle_->is_silent()) return;
  const auto fill = [&](std::uint64_t first, std::span<std::byte> out) { rows(first, as<std::uint64_t>(out)); };
  handle_->write({name, {shape.begin(), shape.end()}, Number::uint64, handle_->compression}, fill,
                 FileSink::Calls::any);
}

void FileWriter::stream(const std::string& name, std::span<const std::uint64_t> shape, Number type,
                        const RowSource<std::byte>& rows) {
  if (handle_->is_silent()) return;
  handle_->write({name, {shape.begin(), shape.end()}, type, handle_->compression}, rows, FileSink::Calls::any);
}

void FileWriter::part(const std::string& name, std::span<const std::uint64_t> shape, Number type, const Part& mine,
                      const RowSource<double>& rows) {
  part(name, shape, type, mine, FileSink::in_type(rows, type));
}

void FileWriter::part(const std::string& name, std::span<const std::uint64_t> shape, Number type, const Part& mine,
                      const RowSource<std::byte>& fill) {
  const ArrayLayout layout{name, {shape.begin(), shape.end()}, type, handle_->compression};
  if (handle_->ranks == nullptr) {
    TACIT_EXPECT(std::ranges::equal(mine.count, shape));
    return handle_->write(layout, fill, FileSink::Calls::any);
  }
  if (handle_->part && handle_->is_divided(layout)) return handle_->write_divided(layout, {{&mine, 1}, {}}, fill);
  const ArrayLayout of_part{name, mine.count, type, 0};
  const auto copy = handle_->fill_all(of_part, fill);
  handle_->write_parts(layout, {{&mine, 1}, {copy.get(), of_part.size() * bytes_of(type)}});
}

void FileWriter::part(const std::string& name, std::span<const std::uint64_t> shape, Number type, const Part& mine,
                      const Values& values) {
  parts(name, shape, type, std::span(&mine, 1), values);
}

void FileWriter::parts(const std::string& name, std::span<const std::uint64_t> shape, Number type,
                       std::span<const Part> mine, const Values& values) {
  const ArrayLayout layout{name, {shape.begin(), shape.end()}, type, handle_->compression};
  TACIT_EXPECT(detail::can_become(values.type(), type));
  if (handle_->ranks == nullptr && mine.size() == 1) {
    TACIT_EXPECT(std::ranges::equal(mine[0].count, shape));
    return array(name, values, shape, type);
  }
  // Converted by who has it, so that half as much travels where numbers become shorter.
  const ArrayLayout of_rank{name, {values.size()}, type, 0};
  std::unique_ptr<std::byte[]> converted;
  std::span<const std::byte> bytes = values.bytes();
  if (values.type() != type) {
    converted = handle_->fill_all(of_rank, [&](std::uint64_t first, std::span<std::byte> out) {
      convert(values.part(first, count_of(type, out.size())), type, out);
    });
    bytes = {converted.get(), values.size() * bytes_of(type)};
  }
  if (handle_->ranks != nullptr) return handle_->write_parts(layout, {mine, bytes});
  const auto fill = [&](std::uint64_t first, std::span<std::byte> out) {
    detail::place_parts(shape, bytes_of(type), {mine, bytes}, first, out);
  };
  handle_->write(layout, fill, FileSink::Calls::any);
}

void FileWriter::attribute(const std::string& object, const std::string& name, std::span<const double> values) {
  if (handle_->is_silent()) return;
  handle_->act([object, name, value = attribute_value(Number::float64, values)](FileBuilder& builder) {
    builder.attribute(object, name, value);
  });
}

void FileWriter::attribute(const std::string& object, const std::string& name, std::span<const std::int64_t> values) {
  if (handle_->is_silent()) return;
  handle_->act([object, name, value = attribute_value(Number::int64, values)](FileBuilder& builder) {
    builder.attribute(object, name, value);
  });
}

void FileWriter::attribute(const std::string& object, const std::string& name, std::string_view text) {
  if (handle_->is_silent()) return;
  handle_->act([object, name, value = attribute_value(Number::text, std::span(text.data(), text.size()))](
                   FileBuilder& builder) { builder.attribute(object, name, value); });
}

std::uint64_t FileWriter::commit() {
  Handle& file = *handle_;
  TACIT_EXPECT(!std::exchange(file.is_committed, true));
  const std::uint64_t bytes = file.shared          ? file.commit_shared()
                              : file.parts.empty() ? file.commit_whole()
                                                   : file.commit_in_parts();
  if (file.output == nullptr) return bytes;
  if (file.output->queue() == nullptr) {
    file.time->seconds = file.watch.seconds();
    file.output->note_bytes(bytes);
  } else {
    file.time->felt_s = file.watch.seconds();
  }
  file.output->note_time(file.path, file.compression, *file.strategy, file.time);
  return bytes;
}

}  // namespace tacit::io

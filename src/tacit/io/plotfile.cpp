// The format: AMReX's documentation, "Plotfile", and what yt reads. Text headers; cells in native numbers.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/plotfile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/comm/communicator.hpp"

namespace tacit::io {
namespace {

constexpr std::string_view file_of_cells = "Cell_D_00000";

std::string corner_text(const std::array<std::int64_t, 3>& at, std::size_t dimensions) {
  std::string text = fmt::format("({}", at[0]);
  for (std::size_t axis = 1; axis < dimensions; ++axis) text += fmt::format(",{}", at[axis]);
  return text + ")";
}

/// "((0,0,0) (7,7,7) (0,0,0))": the last corner says that numbers are of cells.
std::string box_text(const PlotBox& box, std::size_t dimensions) {
  return fmt::format("({} {} {})", corner_text(box.low, dimensions), corner_text(box.high, dimensions),
                     corner_text({}, dimensions));
}

/// Seventeen digits give back every double.
std::string numbers_text(std::span<const double> numbers) {
  std::string text;
  for (const double number : numbers) text += fmt::format("{:.17g} ", number);
  return text;
}

/// How numbers are stored: bits of sign, exponent and mantissa and where they are, then the order of the bytes.
std::string number_text(Number number) {
  const bool is_double = number == Number::float64;
  std::string order;
  const int bytes = is_double ? 8 : 4;
  for (int i = 0; i < bytes; ++i) {
    order += fmt::format("{}{}", i > 0 ? " " : "", std::endian::native == std::endian::little ? bytes - i : i + 1);
  }
  return fmt::format("((8, ({})),({}, ({})))", is_double ? "64 11 52 0 1 12 0 1023" : "32 8 23 0 1 9 0 127", bytes,
                     order);
}

std::size_t cells_of(const PlotBox& box) {
  std::size_t cells = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) cells *= static_cast<std::size_t>(box.high[axis] - box.low[axis] + 1);
  return cells;
}

/// The boxes of a level in the file of their cells.
struct BoxesInFile {
  std::string number;  ///< how numbers are stored
  std::size_t fields;
  std::vector<std::string> texts = {};     ///< of the boxes
  std::vector<std::uint64_t> places = {};  ///< where each begins

  BoxesInFile(const PlotfileContent& content, const PlotLevel& level)
      : number(number_text(content.number)), fields(content.fields.size()) {
    std::uint64_t place = 0;
    for (const PlotBox& box : level.boxes) {
      texts.push_back(box_text(box, content.dimensions));
      places.push_back(place);
      place += before_cells(texts.size() - 1).size() + fields * cells_of(box) * bytes_of(content.number);
    }
  }
  /// What precedes the cells of a box.
  [[nodiscard]] std::string before_cells(std::size_t box) const {
    return fmt::format("FAB {}{} {}\n", number, texts[box], fields);
  }
};

void append_numbers(std::span<const double> values, Number number, std::vector<std::byte>& to) {
  const std::size_t before = to.size();
  to.resize(before + values.size() * bytes_of(number));
  if (number == Number::float64) {
    std::memcpy(to.data() + before, values.data(), values.size_bytes());
    return;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto narrow = static_cast<float>(values[i]);
    std::memcpy(to.data() + before + i * sizeof narrow, &narrow, sizeof narrow);
  }
}

/// Of each field, as it is stored, with a comma behind each.
void append_extremes(std::span<const double> values, const PlotfileContent& content, std::string& low,
                     std::string& high) {
  const std::size_t cells = values.size() / content.fields.size();
  const auto stored = [&](double value) {
    return content.number == Number::float64 ? value : static_cast<double>(static_cast<float>(value));
  };
  for (std::size_t field = 0; field < content.fields.size(); ++field) {
    const auto [least, largest] = std::ranges::minmax(values.subspan(field * cells, cells));
    fmt::format_to(std::back_inserter(low), "{:.17e},", stored(least));
    fmt::format_to(std::back_inserter(high), "{:.17e},", stored(largest));
  }
  low += '\n';
  high += '\n';
}

std::string name_of_level(std::size_t level) { return fmt::format("Level_{}", level); }

/// Where each box begins and ends along each axis.
void append_places(const PlotfileContent& content, const PlotLevel& level, std::string& text) {
  for (const PlotBox& box : level.boxes) {
    for (std::size_t axis = 0; axis < content.dimensions; ++axis) {
      const auto place = [&](std::int64_t cell) {
        return content.low[axis] + static_cast<double>(cell - level.domain.low[axis]) * level.spacing[axis];
      };
      fmt::format_to(std::back_inserter(text), "{:.17g} {:.17g}\n", place(box.low[axis]), place(box.high[axis] + 1));
    }
  }
}

std::string header_text(const PlotfileContent& content) {
  const std::size_t levels = content.levels.size();
  std::string text = fmt::format("HyperCLaw-V1.1\n{}\n", content.fields.size());
  for (const std::string& field : content.fields) text += field + "\n";
  text += fmt::format("{}\n{:.17g}\n{}\n", content.dimensions, content.time, levels - 1);
  text += numbers_text(std::span(content.low).first(content.dimensions)) + "\n";
  text += numbers_text(std::span(content.high).first(content.dimensions)) + "\n";
  for (std::size_t level = 1; level < levels; ++level) text += "2 ";
  text += "\n";
  for (const PlotLevel& level : content.levels) text += box_text(level.domain, content.dimensions) + " ";
  text += "\n";
  for (std::size_t level = 0; level < levels; ++level) text += fmt::format("{} ", content.step);
  text += "\n";
  for (const PlotLevel& level : content.levels) {
    text += numbers_text(std::span(level.spacing).first(content.dimensions)) + "\n";
  }
  text += "0\n0\n";  // Cartesian; no width of a boundary
  for (std::size_t level = 0; level < levels; ++level) {
    text += fmt::format("{} {} {:.17g}\n{}\n", level, content.levels[level].boxes.size(), content.time, content.step);
    append_places(content, content.levels[level], text);
    text += name_of_level(level) + "/Cell\n";
  }
  return text;
}

/// Boxes, and where their cells are, before the extremes.
std::string boxes_text(const BoxesInFile& boxes) {
  // Version, one file for a group of ranks, fields, ghost cells.
  std::string text = fmt::format("1\n1\n{}\n0\n({} 0\n", boxes.fields, boxes.texts.size());
  for (const std::string& box : boxes.texts) text += box + "\n";
  text += fmt::format(")\n{}\n", boxes.texts.size());
  for (const std::uint64_t place : boxes.places) {
    fmt::format_to(std::back_inserter(text), "FabOnDisk: {} {}\n", file_of_cells, place);
  }
  return text + "\n";
}

}  // namespace

Plotfile::Plotfile(const std::filesystem::path& path, PlotfileContent content, comm::Communicator& ranks)
    : content_(std::move(content)), ranks_(ranks), folder_(path, ranks) {
  TACIT_EXPECT(!content_.levels.empty() && (content_.number == Number::float64 || content_.number == Number::float32));
}

void Plotfile::write_level(std::size_t level, std::size_t first, std::size_t count, const Fill& fill) {
  const PlotLevel& of_level = content_.levels[level];
  const BoxesInFile boxes(content_, of_level);
  std::string low;
  std::string high;
  folder_.make(name_of_level(level));
  RankFile cells = folder_.file(fmt::format("{}/{}", name_of_level(level), file_of_cells));
  std::vector<double> values;
  std::vector<std::byte> bytes;
  for (std::size_t box = first; box < first + count; ++box) {
    values.resize(content_.fields.size() * cells_of(of_level.boxes[box]));
    fill(box, values);
    append_extremes(values, content_, low, high);
    const std::string before = boxes.before_cells(box);
    const auto text = std::as_bytes(std::span(before));
    bytes.assign(text.begin(), text.end());
    append_numbers(values, content_.number, bytes);
    cells.write(boxes.places[box], bytes);
  }
  bytes_ += cells.commit();
  const bool is_first = ranks_.rank() == comm::RankId{0};
  write_box_header(level, is_first ? boxes_text(boxes) : std::string(), low, high);
  ++written_;
}

void Plotfile::write_box_header(std::size_t level, const std::string& boxes, std::string_view low,
                                std::string_view high) {
  const bool is_first = ranks_.rank() == comm::RankId{0};
  const std::string shape =
      is_first ? fmt::format("{},{}\n", content_.levels[level].boxes.size(), content_.fields.size()) : "";
  const std::string gap = is_first ? "\n" : "";
  RankFile file = folder_.file(name_of_level(level) + "/Cell_H");
  file.append(boxes + shape);
  file.append(low);
  file.append(gap + shape);
  file.append(high);
  file.append(gap);
  bytes_ += file.commit();
}

void Plotfile::add_text(const std::filesystem::path& name, std::string_view text) {
  RankFile file = folder_.file(name);
  file.append(ranks_.rank() == comm::RankId{0} ? text : std::string_view());
  bytes_ += file.commit();
}

std::uint64_t Plotfile::commit() {
  TACIT_EXPECT(written_ == content_.levels.size());
  add_text("Header", ranks_.rank() == comm::RankId{0} ? header_text(content_) : std::string());
  folder_.commit();
  return bytes_;
}

}  // namespace tacit::io

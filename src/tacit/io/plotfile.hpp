// AMReX plotfiles: fields on boxes of several levels, which yt, VisIt and ParaView read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/io/number.hpp"
#include "tacit/io/rank_folder.hpp"

namespace tacit::io {

/// Cells of a level, from the first to the last one along each axis, both included.
struct PlotBox {
  std::array<std::int64_t, 3> low{};
  std::array<std::int64_t, 3> high{};
};

struct PlotLevel {
  PlotBox domain;                   ///< cells of the whole level; each level has twice as many along each axis
  std::array<double, 3> spacing{};  ///< of the cells
  std::vector<PlotBox> boxes;       ///< of all ranks, those of the first one first; the first level covers the domain
};

/// What is in a plotfile, alike on all ranks.
struct PlotfileContent {
  std::size_t dimensions = 3;
  std::vector<std::string> fields;
  std::vector<PlotLevel> levels;
  std::array<double, 3> low{};  ///< corners of the domain
  std::array<double, 3> high{};
  double time = 0.0;
  std::uint64_t step = 0;
  Number number = Number::float64;  ///< of the fields: that, or float32
};

/// A folder in AMReX's format: complete, or absent. Of each level one file has the cells of all ranks, each box at a
/// place that follows from the content alone: so no byte depends on how boxes are divided among ranks.
///
///     io::Plotfile file("plt_000120", content, world);            // all ranks, as all calls
///     file.write_level(level, first_of_mine, count_of_mine, fill);  // of each level, in any order
///     file.commit();
class Plotfile {
 public:
  /// Sets the numbers of a box: shape (fields, cells), x fastest.
  using Fill = std::function<void(std::size_t box, std::span<double> values)>;

  /// @param ranks  must outlive this. @throws base::SystemError as RankFolder
  Plotfile(const std::filesystem::path& path, PlotfileContent content, comm::Communicator& ranks);

  /// @param first, count  the boxes of this rank, behind those of the ranks before it
  /// @throws base::SystemError on all ranks if they cannot be written
  void write_level(std::size_t level, std::size_t first, std::size_t count, const Fill& fill);
  /// Adds a text of the first rank as a file. @throws base::SystemError as above
  void add_text(const std::filesystem::path& name, std::string_view text);
  /// @return bytes of all files. @pre all levels have been written. @throws base::SystemError as RankFolder
  std::uint64_t commit();

 private:
  void write_box_header(std::size_t level, const std::string& boxes, std::string_view low, std::string_view high);

  PlotfileContent content_;
  comm::Communicator& ranks_;
  RankFolder folder_;
  std::size_t written_ = 0;  // levels
  std::uint64_t bytes_ = 0;
};

}  // namespace tacit::io

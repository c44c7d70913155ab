// The fields of a solver on a rank, and what follows from them: files, their bytes, and the look for broken numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tacit/base/field.hpp"
#include "tacit/engine/field_row.hpp"
#include "tacit/engine/solver.hpp"
#include "tacit/exchange/reductions.hpp"
#include "tacit/io/file.hpp"

namespace tacit::engine {

/// What the arrays of files take of a run with those fields.
/// @param elements  of all ranks
[[nodiscard]] OutputBytes bytes_of(std::span<const FieldRow> rows, std::uint64_t elements, bool double_precision);

/// "temperature time^-1"; empty for a plain number.
[[nodiscard]] std::string unit_text(const base::Dimension& unit);

/// The rows as a section of a page of documentation.
[[nodiscard]] std::string fields_markdown(std::span<const FieldRow> rows);

/// The fields that a solver has in a run. A solver that shows it (Solver::table_of_fields) leaves to the engine what
/// follows from it: snapshots of a grid, checkpoints, their bytes, and the look for numbers that are not finite.
///
///     FieldTable table(mesh::field_place(grid), rows, "Heat", resources);
///     table.bind(row_of_temperature, T);
///     table.add_number("time", "time of the temperature", time);
///     table.set_image({.cells = cells, .spacing = spacing, .box = box, .dimensions = 2});
///     if (checkpoint != nullptr) table.load(*checkpoint);
///
/// Other solvers call what they need of it: `write` in a snapshot with a layout of their own, `save` beside what else
/// they keep. All ranks make the same calls.
class FieldTable {
 public:
  /// @param place  where the fields stand   @param rows  the fields of this run
  /// @param group  of theirs in checkpoints
  FieldTable(base::FieldPlace place, std::span<const FieldRow> rows, std::string group, const Resources& resources);

  /// Says where the numbers of a field are, ghosts included, as the place says. A row that this run does not have is
  /// passed over: which it has is said once. @param numbers  outlive this; may move or grow meanwhile
  template <class Vector>
    requires std::floating_point<typename Vector::value_type>
  void bind(const FieldRow& row, Vector& numbers) {
    TACIT_EXPECT(row.info.number == base::number_type<typename Vector::value_type>());
    bind(row, Numbers{.memory = [&numbers]() -> Memory { return std::span(numbers); }});
  }
  /// Likewise, of a field of snapshots whose numbers are made for each file: rows of this rank's part, from 0 on.
  using Maker = std::function<io::RowSource<double>(const FileContext& context)>;
  void bind(const FieldRow& row, Maker make) { bind(row, Numbers{.make = std::move(make)}); }

  /// A number of the state that checkpoints hold beside the fields. @param what  it is, in words   @param value
  /// outlives
  void add_number(std::string_view name, std::string_view what, double& value);
  /// Settings beside keys without which a checkpoint cannot be continued. @param advice  what to do about other ones
  void set_settings(std::string settings, std::string advice);

  /// How ParaView sees the grid on which the fields stand.
  struct GridImage {
    std::array<std::int64_t, 3> cells{1, 1, 1};
    std::array<double, 3> spacing{1.0, 1.0, 1.0};  ///< [length]
    std::array<double, 3> box{1.0, 1.0, 1.0};      ///< [length]
    std::size_t dimensions = 3;
  };
  void set_image(const GridImage& image) { image_ = image; }

  [[nodiscard]] const base::FieldPlace& place() const noexcept { return place_; }
  [[nodiscard]] std::uint64_t elements() const { return place_.elements(); }
  [[nodiscard]] OutputBytes bytes(bool double_precision) const;

  /// A snapshot of the grid: the fields of its cells as an image, and the header. @return bytes written
  /// @throws NumericsError on all ranks if a number of a field of checkpoints is not finite: there is no file then
  /// @pre set_image has been called
  std::uint64_t write_snapshot(const std::filesystem::path& path, const FileContext& context) const;
  /// The fields of snapshots, into a group of a file. @throws NumericsError likewise
  void write(io::FileWriter& file, const std::string& group, const FileContext& context) const;

  /// The fields and numbers of checkpoints.
  void save(io::FileWriter& checkpoint) const;
  /// Takes them back, whichever ranks wrote them. @throws base::FormatError if it does not fit, or is damaged
  void load(const io::FileReader& checkpoint) const;

  /// A field in the memory of this rank, for who looks at it between steps.
  struct View {
    base::FieldInfo info = {};
    const void* first = nullptr;               ///< number of the part that this rank has, without ghosts
    std::vector<std::uint64_t> shape = {};     ///< of that part, and then of an element
    std::vector<std::ptrdiff_t> strides = {};  ///< along these axes [byte]
  };
  /// Those that lie in memory, in the order of the rows. Good until the next step, which may move them.
  [[nodiscard]] std::vector<View> views() const;

  /// The first number of a field of checkpoints that is not finite, of the first rank that has one.
  [[nodiscard]] std::optional<Flaw> not_finite() const;

 private:
  using Memory = std::variant<std::span<double>, std::span<float>>;
  struct Numbers {
    std::function<Memory()> memory = {};  // empty: they are made
    Maker make = {};
  };
  struct Entry {
    FieldRow row;
    Numbers numbers = {};
    [[nodiscard]] Memory memory() const;
  };
  struct StateNumber {
    std::string name;
    std::string what;
    double* value;
  };
  void bind(const FieldRow& row, Numbers numbers);
  [[nodiscard]] io::Part part_of(const base::FieldInfo& info) const;
  [[nodiscard]] std::vector<std::uint64_t> shape_of(const base::FieldInfo& info) const;
  [[nodiscard]] std::optional<Flaw> find_flaw(const Entry& entry) const;

  base::FieldPlace place_;
  std::string group_;
  Resources resources_;
  mutable exchange::RankReductions reductions_;
  std::vector<Entry> entries_;
  std::vector<StateNumber> numbers_;
  std::string settings_;  // empty: there are none
  std::string advice_;
  std::optional<GridImage> image_;
};

}  // namespace tacit::engine

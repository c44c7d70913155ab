// Copies fields between memory and files, and looks at their numbers.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/field_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/engine/across_ranks.hpp"
#include "tacit/engine/checkpoint.hpp"
#include "tacit/engine/field_file.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::engine {
namespace {

/// In snapshots: doubles become floats, unless all of them are asked for.
base::Number number_in_snapshot(const base::FieldInfo& info, bool double_precision) {
  return info.number == base::Number::float64 && !double_precision ? base::Number::float32 : info.number;
}

/// Calls visit(first number in memory, how many) for rows of a rank's part, in the order of files.
template <class Visit>
void for_numbers_of_rows(const base::FieldPlace& place, std::size_t components, std::uint64_t first, std::uint64_t rows,
                         const Visit& visit) {
  const std::size_t last = place.count.size() - 1;
  const std::size_t along = last == 0 ? rows : place.count[last];
  const bool is_dense = place.strides[last] == 1;
  std::vector<std::uint64_t> at(last + 1, 0);
  at[0] = first;
  const std::uint64_t lines = last == 0 ? 1 : rows * place.elements_of_row() / std::max<std::uint64_t>(along, 1);
  for (std::uint64_t line = 0; line < lines; ++line) {
    std::size_t begin = place.origin;
    for (std::size_t axis = 0; axis <= last; ++axis) begin += at[axis] * place.strides[axis];
    if (is_dense) {
      visit(begin * components, along * components);
    } else {
      for (std::size_t i = 0; i < along; ++i) visit((begin + i * place.strides[last]) * components, components);
    }
    for (std::size_t axis = last; axis-- > 0;) {
      if (++at[axis] < place.count[axis] || axis == 0) break;
      at[axis] = 0;
    }
  }
}

std::uint64_t rows_in(const base::FieldPlace& place, std::size_t components, std::size_t numbers) {
  const std::uint64_t row = place.elements_of_row() * components;
  return row == 0 ? 0 : numbers / row;
}

/// Copies numbers to the front of `to`. @return what is left of it
template <class T>
std::span<std::byte> store_numbers(std::span<const T> numbers, base::Number type, std::span<std::byte> to) {
  if (type == base::number_type<T>()) {
    std::memcpy(to.data(), numbers.data(), numbers.size_bytes());
  } else {
    auto* const out = reinterpret_cast<float*>(to.data());
    for (std::size_t i = 0; i < numbers.size(); ++i) out[i] = static_cast<float>(numbers[i]);
  }
  return to.subspan(numbers.size() * base::bytes_of(type));
}

template <class T>
bool all_are_finite(std::span<const T> numbers) noexcept {
  std::size_t flaws = 0;  // counted without a branch, several at once
  for (const T number : numbers) flaws += std::abs(number) <= std::numeric_limits<T>::max() ? 0 : 1;
  return flaws == 0;
}

/// A field in memory as rows of a file.
/// @param has_flaw  set where a number is not finite, looked at while it is in the caches; may be null
template <class T>
io::RowSource<std::byte> rows_of_memory(const base::FieldPlace& place, std::span<const T> memory,
                                        std::size_t components, base::Number type, std::atomic<bool>* has_flaw) {
  return [&place, memory, components, type, has_flaw](std::uint64_t first, std::span<std::byte> out) {
    const std::uint64_t rows = rows_in(place, components, base::count_of(type, out.size()));
    for_numbers_of_rows(place, components, first, rows, [&](std::size_t begin, std::size_t length) {
      const auto run = memory.subspan(begin, length);
      if (has_flaw != nullptr && !all_are_finite(run)) *has_flaw = true;
      out = store_numbers(run, type, out);
    });
  };
}

/// The first number of a rank that is not finite.
struct BrokenNumber {
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t number = none;  // which, in the order of files, of those of this rank
  double value = 0.0;
};

/// Looked for by all threads.
template <class T>
BrokenNumber find_broken(const base::FieldPlace& place, std::span<const T> memory, std::size_t components,
                         tasks::Scheduler& scheduler) {
  const auto in_rows = [&](std::size_t first, std::size_t end) {
    BrokenNumber found;
    std::uint64_t number = first * place.elements_of_row() * components;
    for_numbers_of_rows(place, components, first, end - first, [&](std::size_t begin, std::size_t length) {
      const auto run = memory.subspan(begin, length);
      if (found.number == BrokenNumber::none && !all_are_finite(run)) {
        const auto broken = std::ranges::find_if(run, [](T one) { return !std::isfinite(one); });
        found = {number + static_cast<std::uint64_t>(broken - run.begin()), static_cast<double>(*broken)};
      }
      number += length;
    });
    return found;
  };
  const auto first_of = [](const BrokenNumber& a, const BrokenNumber& b) { return b.number < a.number ? b : a; };
  const auto rows = static_cast<std::size_t>(place.count[0]);
  return tasks::parallel_reduce(scheduler, 0, rows, rows / 32 + 1, BrokenNumber{}, in_rows, first_of);
}

/// An element of a rank among those of all.
struct ElementOfAll {
  std::uint64_t number = 0;  // in the order of files
  std::string name;          // "cell (3, 4, 0)", x first; "particle 17"
};

ElementOfAll element_of_all(const base::FieldPlace& place, std::uint64_t number) {
  std::vector<std::uint64_t> at;
  std::uint64_t of_all = 0;
  std::uint64_t stride = 1;
  for (std::size_t axis = place.count.size(); axis-- > 0;) {
    at.push_back(place.first[axis] + number % place.count[axis]);
    number /= place.count[axis];
    of_all += at.back() * stride;
    stride *= place.shape[axis];
  }
  const std::string name = at.size() == 1 ? fmt::format("{} {}", place.element, at[0])
                                          : fmt::format("{} ({})", place.element, fmt::join(at, ", "));
  return {of_all, name};
}

}  // namespace

std::string unit_text(const base::Dimension& unit) {
  if (unit == base::dimension::none) return {};
  std::string text = base::describe(unit);
  for (const std::string_view article : {"a ", "an "}) {
    if (text.starts_with(article)) return text.substr(article.size());
  }
  return text;
}

OutputBytes bytes_of(std::span<const FieldRow> rows, std::uint64_t elements, bool double_precision) {
  OutputBytes bytes;
  for (const FieldRow& row : rows) {
    const std::uint64_t numbers = elements * row.info.components();
    if (row.in.snapshot) bytes.snapshot += numbers * base::bytes_of(number_in_snapshot(row.info, double_precision));
    if (row.in.checkpoint) bytes.checkpoint += numbers * base::bytes_of(row.info.number);
  }
  return bytes;
}

std::string fields_markdown(std::span<const FieldRow> rows) {
  std::string text = "\n## Fields\n\n| field | symbol | unit | meaning | in |\n|---|---|---|---|---|\n";
  for (const FieldRow& row : rows) {
    std::vector<std::string_view> files;
    if (row.in.snapshot) files.emplace_back("snapshots");
    if (row.in.checkpoint) files.emplace_back("checkpoints");
    if (row.in.input) files.emplace_back("initial conditions");
    text += fmt::format("| `{}` | {} | {} | {}{}{} | {} |\n", row.info.name, row.info.symbol, unit_text(row.info.unit),
                        row.info.meaning, row.where.empty() ? "" : "; ", row.where, fmt::join(files, ", "));
  }
  return text;
}

FieldTable::FieldTable(base::FieldPlace place, std::span<const FieldRow> rows, std::string group,
                       const Resources& resources)
    : place_(std::move(place)), group_(std::move(group)), resources_(resources), reductions_(resources.ranks) {
  TACIT_EXPECT(!place_.shape.empty() && place_.first.size() == place_.shape.size() &&
               place_.count.size() == place_.shape.size() && place_.strides.size() == place_.shape.size());
  for (const FieldRow& row : rows) entries_.push_back({row, {}});
}

void FieldTable::bind(const FieldRow& row, Numbers numbers) {
  TACIT_EXPECT(numbers.memory || (!row.in.checkpoint && row.info.number == base::Number::float64));
  const auto entry = std::ranges::find(entries_, row.info.name, [](const Entry& one) { return one.row.info.name; });
  if (entry != entries_.end()) entry->numbers = std::move(numbers);
}

FieldTable::Memory FieldTable::Entry::memory() const {
  if (numbers.memory) return numbers.memory();
  throw base::PreconditionError(fmt::format("nothing is bound to the field {}", row.info.name));
}

void FieldTable::add_number(std::string_view name, std::string_view what, double& value) {
  numbers_.push_back({std::string(name), std::string(what), &value});
}

void FieldTable::set_settings(std::string settings, std::string advice) {
  settings_ = std::move(settings);
  advice_ = std::move(advice);
}

OutputBytes FieldTable::bytes(bool double_precision) const {
  std::vector<FieldRow> rows;
  for (const Entry& entry : entries_) rows.push_back(entry.row);
  return bytes_of(rows, elements(), double_precision);
}

std::vector<std::uint64_t> FieldTable::shape_of(const base::FieldInfo& info) const {
  std::vector<std::uint64_t> shape = place_.shape;
  std::ranges::copy_if(info.shape, std::back_inserter(shape), [](std::uint32_t length) { return length > 0; });
  return shape;
}

io::Part FieldTable::part_of(const base::FieldInfo& info) const {
  io::Part part{place_.first, place_.count};
  for (const std::uint32_t length : info.shape) {
    if (length == 0) continue;
    part.first.push_back(0);
    part.count.push_back(length);
  }
  return part;
}

void FieldTable::write(io::FileWriter& file, const std::string& group, const FileContext& context) const {
  std::atomic<bool> has_flaw{false};
  for (const Entry& entry : entries_) {
    const base::FieldInfo& info = entry.row.info;
    if (!entry.row.in.snapshot) continue;
    const std::string name = fmt::format("{}/{}", group, info.name);
    const base::Number type = number_in_snapshot(info, context.double_precision);
    if (entry.numbers.make) {
      file.part(name, shape_of(info), type, part_of(info), entry.numbers.make(context));
      continue;
    }
    std::atomic<bool>* const look = entry.row.in.checkpoint ? &has_flaw : nullptr;  // others do not change
    std::visit(
        [&](const auto& memory) {
          using T = std::remove_reference_t<decltype(memory[0])>;
          file.part(name, shape_of(info), type, part_of(info),
                    rows_of_memory(place_, std::span<const T>(memory), info.components(), type, look));
        },
        entry.memory());
  }
  if (reductions_.largest(has_flaw ? 1.0 : 0.0) > 0.0) throw NumericsError("a number of the state is not finite");
}

std::uint64_t FieldTable::write_snapshot(const std::filesystem::path& path, const FileContext& context) const {
  TACIT_EXPECT(image_.has_value());
  io::FileWriter file = context.file(path, resources_.ranks);
  const auto drawn = std::ranges::find_if(entries_, [](const Entry& entry) { return entry.row.in.snapshot; });
  TACIT_EXPECT(drawn != entries_.end());
  const base::FieldInfo& first = drawn->row.info;
  write_image(file, {.intervals = image_->cells,
                     .spacing = image_->spacing,
                     .data = "CellData",
                     .kind = first.components() == 1 ? "Scalars" : "Vectors",
                     .first = first.name});
  write(file, "VTKHDF/CellData", context);
  write_header(file, context, image_->box);
  file.attribute("Header", "Dimension", std::array{static_cast<std::int64_t>(image_->dimensions)});
  return file.commit();
}

void FieldTable::save(io::FileWriter& file) const {
  file.group(group_);
  for (const Entry& entry : entries_) {
    const base::FieldInfo& info = entry.row.info;
    if (!entry.row.in.checkpoint) continue;
    std::visit(
        [&](const auto& memory) {
          using T = std::remove_reference_t<decltype(memory[0])>;
          file.part(fmt::format("{}/{}", group_, info.name), shape_of(info), info.number, part_of(info),
                    rows_of_memory(place_, std::span<const T>(memory), info.components(), info.number, nullptr));
        },
        entry.memory());
  }
  for (const StateNumber& number : numbers_) file.attribute(group_, number.name, std::array{*number.value});
  if (!settings_.empty()) save_settings(file, group_, settings_);
}

void FieldTable::load(const io::FileReader& file) const {
  if (!settings_.empty()) require_same_settings(file, group_, settings_, advice_);
  for (const Entry& entry : entries_) {
    const base::FieldInfo& info = entry.row.info;
    if (!entry.row.in.checkpoint) continue;
    const io::Part part = part_of(info);
    std::vector<double> values(part.size());
    file.read_part(fmt::format("{}/{}", group_, info.name), part, values);
    std::visit(
        [&](const auto& memory) {
          using T = std::remove_reference_t<decltype(memory[0])>;
          auto from = values.begin();
          for_numbers_of_rows(place_, info.components(), 0, place_.count[0],
                              [&](std::size_t begin, std::size_t length) {
                                const auto end = from + static_cast<std::ptrdiff_t>(length);
                                std::transform(from, end, memory.begin() + static_cast<std::ptrdiff_t>(begin),
                                               [](double value) { return static_cast<T>(value); });
                                from = end;
                              });
        },
        entry.memory());
  }
  for (const StateNumber& number : numbers_) *number.value = load_number(file, group_, number.name, number.what);
}

std::vector<FieldTable::View> FieldTable::views() const {
  std::vector<View> views;
  for (const Entry& entry : entries_) {
    if (!entry.numbers.memory) continue;
    const base::FieldInfo& info = entry.row.info;
    const std::size_t number = base::bytes_of(info.number);
    View view{.info = info, .shape = place_.count};
    view.first =
        std::visit([&](const auto& memory) -> const void* { return memory.data() + place_.origin * info.components(); },
                   entry.memory());
    for (const std::size_t stride : place_.strides) {
      view.strides.push_back(static_cast<std::ptrdiff_t>(stride * info.components() * number));
    }
    std::size_t inner = info.components() * number;
    for (const std::uint32_t length : info.shape) {
      if (length == 0) continue;
      inner /= length;
      view.shape.push_back(length);
      view.strides.push_back(static_cast<std::ptrdiff_t>(inner));
    }
    views.push_back(std::move(view));
  }
  return views;
}

std::optional<Flaw> FieldTable::not_finite() const {
  std::optional<Flaw> mine;
  for (const Entry& entry : entries_) {
    if (!mine && entry.row.in.checkpoint) mine = find_flaw(entry);
  }
  if (reductions_.largest(mine ? 1.0 : 0.0) == 0.0) return std::nullopt;
  return first_flaw(resources_.ranks, mine);
}

std::optional<Flaw> FieldTable::find_flaw(const Entry& entry) const {
  const base::FieldInfo& info = entry.row.info;
  const BrokenNumber broken = std::visit(
      [&](const auto& memory) {
        using T = std::remove_reference_t<decltype(memory[0])>;
        return find_broken(place_, std::span<const T>(memory), info.components(), resources_.scheduler);
      },
      entry.memory());
  if (broken.number == BrokenNumber::none) return std::nullopt;
  const ElementOfAll element = element_of_all(place_, broken.number / info.components());
  return Flaw{.text = fmt::format("the {} of {} is {}", info.name, element.name, broken.value),
              .field = std::string(info.name),
              .element = element.number};
}

}  // namespace tacit::engine

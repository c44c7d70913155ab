// Tells what a file of gauge links says of itself, and whether it is sound.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/formats/describe.hpp"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <string_view>
#include <system_error>

#include "tacit/base/memory.hpp"
#include "tacit/base/text.hpp"
#include "tacit/solvers/qcd/formats/gauge_file.hpp"
#include "tacit/solvers/qcd/formats/ildg.hpp"
#include "tacit/solvers/qcd/formats/lime.hpp"

namespace tacit::qcd {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view nersc_begin = "BEGIN_HEADER";
constexpr std::string_view nersc_end = "END_HEADER";
constexpr std::uint64_t longest_shown = 4096;  // [byte], of a record that is shown

bool begins_as_nersc(const fs::path& path) {
  std::array<char, nersc_begin.size()> begin{};
  std::ifstream(path, std::ios::binary).read(begin.data(), begin.size());
  return std::string_view(begin.data(), begin.size()) == nersc_begin;
}

std::string nersc_lines(const fs::path& path) {
  std::ifstream file(path);
  std::string text;
  for (std::string line; std::getline(file, line) && line != nersc_end;) {
    if (line != nersc_begin) text += fmt::format("  {}\n", base::printable(line));
  }
  return text;
}

std::string lime_lines(const fs::path& path) {
  std::string text;
  for (const LimeRecord& record : lime_records(path)) {
    text += fmt::format("  message {}, {}: {} B\n", record.message, base::printable(record.text()), record.length);
    if (record.length > longest_shown || record.type == "ildg-binary-data") continue;
    text += fmt::format("    {}\n", base::printable(lime_text(path, record), longest_shown));
  }
  return text;
}

}  // namespace

std::optional<std::string> describe_gauge_file(const fs::path& path) {
  const bool has_records = is_lime(path);
  if (!has_records && !begins_as_nersc(path)) return std::nullopt;
  return fmt::format("{}: {:.3g} MB, links of a lattice of {} sites\n{}", path.string(),
                     static_cast<double>(fs::file_size(path)) / 1e6, read_gauge_extents(path).text(),
                     has_records ? lime_lines(path) : nersc_lines(path));
}

void require_sound_gauge_file(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored) || (!is_lime(path) && !begins_as_nersc(path))) return;
  constexpr double links = 4 * 144.0;  // [byte] of a site
  const auto usable = base::usable_memory();
  const double bytes = links * static_cast<double>(read_gauge_extents(path).sites());
  if (usable && bytes > 0.25 * static_cast<double>(*usable)) return;
  static_cast<void>(read_gauge_file(path));
}

}  // namespace tacit::qcd

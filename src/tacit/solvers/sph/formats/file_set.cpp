// Finds and opens the files of a set and compares what their headers say.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/formats/file_set.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <system_error>

#include "tacit/base/checksum.hpp"
#include "tacit/base/error.hpp"

namespace tacit::sph {
namespace {

namespace fs = std::filesystem;
using base::FormatError;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

fs::path part_of(const fs::path& folder, const std::string& stem, std::uint64_t number, const std::string& ending) {
  return folder / fmt::format("{}.{}{}", stem, number, ending);
}

/// The name without the number of a part: "name" of "name.3" (from "name.3.hdf5"); all of it if it has none.
std::string without_number(const std::string& stem) {
  const std::size_t dot = stem.rfind('.');
  if (dot == std::string::npos || dot + 1 == stem.size()) return stem;
  const bool is_number = std::all_of(stem.begin() + static_cast<std::ptrdiff_t>(dot) + 1, stem.end(),
                                     [](char c) { return c >= '0' && c <= '9'; });
  return is_number ? stem.substr(0, dot) : stem;
}

double header_number(const io::FileReader& file, const std::string& name, double absent) {
  return file.has_attribute("Header", name) ? file.attribute("Header", name).front() : absent;
}

/// How many files the header says there are.
std::uint64_t file_count(const io::FileReader& file) {
  const double files = header_number(file, "NumFilesPerSnapshot", 1.0);
  if (!(files >= 0.0 && files < 0x1.0p31) || files != std::floor(files)) {
    throw FormatError(file.path().string(),
                      fmt::format("Header: attribute 'NumFilesPerSnapshot' is {}, expected a number of files", files));
  }
  return std::max<std::uint64_t>(static_cast<std::uint64_t>(files), 1);
}

io::FileReader open(const fs::path& path) {
  return io::FileReader(first_part_of(path).value_or(path));  // the latter says where there is no such file
}

/// Parts of one set have the same box and the same numbers in all.
void require_same(const io::FileReader& first, const io::FileReader& part, const std::string& name) {
  const bool has_it = first.has_attribute("Header", name);
  if (has_it != part.has_attribute("Header", name) ||
      (has_it && first.attribute("Header", name) != part.attribute("Header", name))) {
    throw FormatError(part.path().string(),
                      fmt::format("Header: attribute '{}' is not that of {}; do both belong to one set?", name,
                                  first.path().filename().string()));
  }
}

}  // namespace

std::vector<std::uint64_t> header_counts(const io::FileReader& file, const std::string& name) {
  std::vector<std::uint64_t> counts;
  // Counts pass through double, which is exact to 2^53; an array of more particles could not be stored anyway.
  for (const double count : file.attribute("Header", name)) {
    if (!(count >= 0.0 && count < 0x1.0p53) || count != std::floor(count)) {
      throw FormatError(file.path().string(),
                        fmt::format("Header: attribute '{}' holds {}, expected numbers of particles", name, count));
    }
    counts.push_back(static_cast<std::uint64_t>(count));
  }
  return counts;
}

std::optional<fs::path> first_part_of(const fs::path& path) {
  if (is_there(path)) return std::nullopt;
  const fs::path folder = path.parent_path();
  for (const fs::path& candidate : {part_of(folder, path.stem().string(), 0, path.extension().string()),
                                    part_of(folder, path.filename().string(), 0, ".hdf5")}) {
    if (is_there(candidate)) return candidate;
  }
  return std::nullopt;
}

std::vector<fs::path> files_of_set(const fs::path& path) noexcept try {
  const FileSet set(path);
  std::vector<fs::path> files;
  for (const FilePart& part : set.parts()) files.push_back(part.file.path());
  return files;
} catch (const std::exception&) {  // its reader says what is wrong
  return {};
}

FileSet::FileSet(const fs::path& path) {
  io::FileReader file = open(path);
  if (!file.has("Header")) {
    throw FormatError(file.path().string(), "group Header is missing: not a GADGET or SWIFT file");
  }
  if (const std::uint64_t files = file_count(file); files > 1) {
    open_others(file.path(), files);
  } else {
    add(std::move(file));
  }
  check_totals();
}

void FileSet::open_others(const fs::path& path, std::uint64_t files) {
  const std::string stem = without_number(path.stem().string());
  for (std::uint64_t i = 0; i < files; ++i) {
    const fs::path name = part_of(path.parent_path(), stem, i, path.extension().string());
    if (!is_there(name)) {
      throw FormatError(path.string(), fmt::format("is one of a set of {} files, of which {} is missing", files,
                                                   name.filename().string()));
    }
    io::FileReader file(name);
    if (!file.has("Header")) {
      throw FormatError(name.string(), "group Header is missing: not a GADGET or SWIFT file");
    }
    if (!parts_.empty()) {
      for (const char* attribute : {"NumFilesPerSnapshot", "NumPart_Total", "NumPart_Total_HighWord", "BoxSize"}) {
        require_same(first(), file, attribute);
      }
    }
    add(std::move(file));
  }
}

void FileSet::add(io::FileReader file) {
  const std::vector<std::uint64_t> counts = header_counts(file, "NumPart_ThisFile");
  for (std::size_t type = particle_types; type < counts.size(); ++type) {
    if (counts[type] == 0) continue;
    throw FormatError(file.path().string(), fmt::format("holds {} particles of PartType{}; expected types 0 to {}",
                                                        counts[type], type, particle_types - 1));
  }
  FilePart part{std::move(file), {}, totals_};
  for (std::size_t type = 0; type < std::min(counts.size(), particle_types); ++type) {
    part.counts[type] = counts[type];
    totals_[type] += counts[type];
  }
  parts_.push_back(std::move(part));
}

void FileSet::check_totals() const {
  if (first().has_attribute("Header", "TotalNumberOfParticles")) {  // SWIFT's, which is not cut to 32 bits
    compare_totals("TotalNumberOfParticles", header_counts(first(), "TotalNumberOfParticles"));
  }
  if (!first().has_attribute("Header", "NumPart_Total")) return;
  std::vector<std::uint64_t> expected = header_counts(first(), "NumPart_Total");
  if (first().has_attribute("Header", "NumPart_Total_HighWord")) {
    const std::vector<std::uint64_t> high = header_counts(first(), "NumPart_Total_HighWord");
    for (std::size_t type = 0; type < std::min(high.size(), expected.size()); ++type) {
      expected[type] += high[type] << 32U;
    }
  }
  compare_totals("NumPart_Total", expected);
}

void FileSet::compare_totals(const std::string& name, std::span<const std::uint64_t> expected) const {
  for (std::size_t type = 0; type < std::min(expected.size(), particle_types); ++type) {
    if (expected[type] == totals_[type]) continue;
    throw FormatError(
        first().path().string(),
        fmt::format("Header: attribute '{}' says {} particles of PartType{} ({}), but "
                    "'NumPart_ThisFile' {} {}",
                    name, expected[type], type, type_names[type],
                    parts_.size() == 1 ? "says" : fmt::format("of the {} files adds up to", parts_.size()),
                    totals_[type]));
  }
}

std::string FileSet::source() const {
  std::string name = first().path().string();
  if (parts_.size() == 1) return name;
  return fmt::format("{} and {} more", name, parts_.size() - 1);
}

std::string FileSet::checksum() const {
  if (parts_.size() == 1) return base::file_checksum(first().path());
  std::string all;
  for (const FilePart& part : parts_) all += base::file_checksum(part.file.path());
  return base::checksum(std::as_bytes(std::span(all.data(), all.size())));
}

}  // namespace tacit::sph

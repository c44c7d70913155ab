// tacit info: what a file or the directory of a run holds.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "commands.hpp"
#include "info_log.hpp"
#include "number_names.hpp"
#include "tacit/base/error.hpp"
#include "tacit/io/file.hpp"
#include "tacit/io/verify.hpp"
#include "tacit/solvers/registry.hpp"

namespace tacit::apps {
namespace {

namespace fs = std::filesystem;

/// Which hold no arrays that a person looks for.
constexpr std::array<std::string_view, 10> groups_of_notes{
    "Header", "Units", "Provenance", "Parameters", "Parts", "Engine", "Code", "Cells", "Failure", "HydroScheme"};

void print_header(const io::FileReader& file) {
  if (!file.has("Header")) return;
  for (const char* name : {"RunName", "Time", "BoxSize", "NumPart_ThisFile"}) {
    if (!file.has_attribute("Header", name)) continue;
    if (std::string_view(name) == "RunName") {
      fmt::print("  {:<17} {}\n", name, file.text_attribute("Header", name));
    } else {
      fmt::print("  {:<17} {}\n", name, fmt::join(file.attribute("Header", name), " "));
    }
  }
}

void print_provenance(const io::FileReader& file) {
  for (const char* group : {"Provenance", "Engine"}) {
    if (!file.has(group)) continue;
    if (file.has_attribute(group, "time")) fmt::print("  {:<17} {}\n", "Time", file.attribute(group, "time").at(0));
    for (const char* name : {"commit", "compiler", "host", "date", "input", "input checksum"}) {
      if (file.has_attribute(group, name)) fmt::print("  {:<17} {}\n", name, file.text_attribute(group, name));
    }
  }
}

/// Of failed.hdf5.
void print_failure(const io::FileReader& file) {
  if (!file.has("Failure")) return;
  fmt::print("  {:<17} {}\n", "failed in step", file.attribute("Failure", "step").at(0));
  fmt::print("  {:<17} {}\n", "error", file.text_attribute("Failure", "error"));
}

/// Those of a group and of the groups in it.
void print_arrays(const io::FileReader& file, const std::string& group) {
  for (const std::string& child : file.list(group)) {
    const std::string name = group + "/" + child;
    if (!file.is_array(name)) {
      print_arrays(file, name);
      continue;
    }
    const io::ArrayInfo array = file.info(name);
    fmt::print("  {:<36} {:<8} {}\n", name, name_of(array.type), fmt::join(array.shape, " x "));
  }
}

double megabytes(const fs::path& path) { return static_cast<double>(fs::file_size(path)) / 1e6; }

void print_parts(const fs::path& path) {
  for (const std::string& part : io::names_of_parts(path)) {
    fmt::print("  {:<17} {}: {:.3g} MB\n", "part", part, megabytes(io::path_of_part(path, part)));
  }
}

int info_of_file(const fs::path& path) {
  const io::FileReader file(path);
  fmt::print("{}: {:.3g} MB\n", path.string(), megabytes(path));
  print_parts(path);
  print_header(file);
  print_failure(file);
  print_provenance(file);
  for (const std::string& group : file.list("/")) {
    if (std::ranges::find(groups_of_notes, group) != groups_of_notes.end()) continue;
    if (!file.is_array(group)) print_arrays(file, group);
  }
  return success;
}

/// A file in the directory of a run, with its parts.
struct Entry {
  fs::path path;
  std::vector<std::string> parts = {};  ///< names in the same folder
  double size = 0.0;                    ///< of all that are there [MB]
};

/// As far as the file says; one that is damaged has none.
std::vector<std::string> parts_if_readable(const fs::path& path) {
  if (path.extension() != ".hdf5") return {};
  try {
    return io::names_of_parts(path);
  } catch (const base::Error&) {
    return {};
  }
}

double size_with_parts(const fs::path& path, const std::vector<std::string>& parts) {
  double size = megabytes(path);
  for (const std::string& part : parts) {
    if (const fs::path there = io::path_of_part(path, part); fs::is_regular_file(there)) size += megabytes(there);
  }
  return size;
}

/// Its files in order, those that are parts of another one with that one.
std::vector<Entry> entries_of_run(const fs::path& directory) {
  if (!fs::exists(directory / "parameters.toml")) {
    throw base::FormatError(directory.string(), "is not the directory of a run (it has no parameters.toml)");
  }
  std::vector<Entry> entries;
  std::set<std::string> parts;
  for (const auto& item : fs::directory_iterator(directory)) {
    if (!item.is_regular_file() || item.path().filename().string().starts_with('.')) continue;
    entries.push_back({.path = item.path(), .parts = parts_if_readable(item.path())});
    parts.insert(entries.back().parts.begin(), entries.back().parts.end());
  }
  std::erase_if(entries, [&](const Entry& entry) { return parts.contains(entry.path.filename().string()); });
  std::ranges::sort(entries, {}, &Entry::path);
  for (Entry& entry : entries) entry.size = size_with_parts(entry.path, entry.parts);
  return entries;
}

int info_of_directory(const fs::path& path) {
  const std::vector<Entry> entries = entries_of_run(path);
  fmt::print("{}: a run of Tacit\n", path.string());
  for (const Entry& entry : entries) {
    fmt::print("  {:<24} {:>10.3f} MB{}\n", entry.path.filename().string(), entry.size,
               entry.parts.empty() ? "" : fmt::format(" with its {} parts", entry.parts.size()));
  }
  if (std::ifstream summary(path / "summary.json"); summary) {
    fmt::print("{}", std::string(std::istreambuf_iterator<char>(summary), {}));
  } else {
    fmt::print(
        "no summary.json: the run has not ended; it is continued with the command that began it and --restart\n");
  }
  return success;
}

/// What is wrong with a file that has no checksums behind its data.
std::string text_without_checksums(const fs::path& path) {
  try {
    if (const auto damage = io::damage_without_checksums(path)) return "damaged: " + *damage;
    return "no checksums (written by another program, or an earlier version)";
  } catch (const base::FormatError& error) {
    const std::string what = error.what();
    const std::string name = path.string() + ": ";
    return "damaged: " + (what.starts_with(name) ? what.substr(name.size()) : what);
  }
}

/// Prints whether a file is as it was written.
bool verify_file(const fs::path& path, const std::string& name) {
  std::string text;
  const bool has_checksums = io::has_checksums(path);
  const auto damage = has_checksums ? io::find_damage(path) : std::nullopt;
  if (damage) {
    text = "damaged: " + *damage;
  } else if (!has_checksums) {
    text = text_without_checksums(path);
  } else {
    text = fmt::format("sound, {:.3g} MB", size_with_parts(path, parts_if_readable(path)));
  }
  fmt::print("{}: {}\n", name, text);
  return has_checksums && !damage;
}

int verify(const fs::path& path) {
  if (!fs::is_directory(path)) {
    if (is_log(path)) return verify_log(path, path.string()) ? success : bad_input;
    io::require_hdf5(path);
    return verify_file(path, path.string()) ? success : bad_input;
  }
  bool is_sound = true;
  for (const Entry& entry : entries_of_run(path)) {
    if (entry.path.extension() == ".hdf5") {
      is_sound = verify_file(entry.path, entry.path.filename().string()) && is_sound;
    } else if (is_log(entry.path)) {
      is_sound = verify_log(entry.path, entry.path.filename().string()) && is_sound;
    }
  }
  return is_sound ? success : bad_input;
}

}  // namespace

int info(const fs::path& path, InfoOf what) {
  if (what == InfoOf::checksums) return verify(path);
  if (fs::is_directory(path)) return info_of_directory(path);
  if (is_log(path)) return info_of_log(path);
  const std::optional<std::string> text = describe_file(path);
  if (!text) return info_of_file(path);
  fmt::print("{}", *text);
  return success;
}

}  // namespace tacit::apps

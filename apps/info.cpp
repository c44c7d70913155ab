// tacit info: what a file or the directory of a run holds.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#include "commands.hpp"
#include "tacit/base/error.hpp"
#include "tacit/io/file.hpp"

namespace tacit::apps {
namespace {

namespace fs = std::filesystem;

/// Whose arrays are listed, beside those of particles.
constexpr std::array<std::string_view, 8> groups_of_arrays{
    "Sph", "Dns", "VTKHDF", "Spectra", "LineSpectra", "Slice", "StructureFunctions", "Densities"};

std::string_view type_name(io::Number type) {
  switch (type) {
    case io::Number::float32:
      return "float32";
    case io::Number::float64:
      return "float64";
    case io::Number::int32:
      return "int32";
    case io::Number::int64:
      return "int64";
    case io::Number::uint32:
      return "uint32";
    case io::Number::uint64:
      return "uint64";
    case io::Number::float16:
      return "float16";
    case io::Number::text:
      return "text";
    case io::Number::other:
      break;
  }
  return "other";
}

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
    fmt::print("  {:<36} {:<8} {}\n", name, type_name(array.type), fmt::join(array.shape, " x "));
  }
}

int info_of_file(const fs::path& path) {
  const io::FileReader file(path);
  fmt::print("{}: {:.3g} MB\n", path.string(), static_cast<double>(fs::file_size(path)) / 1e6);
  print_header(file);
  print_failure(file);
  print_provenance(file);
  for (const std::string& group : file.list("/")) {
    if (group.starts_with("PartType") || std::ranges::find(groups_of_arrays, group) != groups_of_arrays.end()) {
      print_arrays(file, group);
    }
  }
  return success;
}

int info_of_directory(const fs::path& path) {
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(path)) {
    if (entry.is_regular_file() && !entry.path().filename().string().starts_with('.')) entries.push_back(entry.path());
  }
  std::ranges::sort(entries);
  if (!fs::exists(path / "parameters.toml")) {
    throw base::FormatError(path.string(), "is not the directory of a run (it has no parameters.toml)");
  }
  fmt::print("{}: a run of Tacit\n", path.string());
  for (const auto& entry : entries) {
    fmt::print("  {:<24} {:>10.3f} MB\n", entry.filename().string(), static_cast<double>(fs::file_size(entry)) / 1e6);
  }
  if (std::ifstream summary(path / "summary.json"); summary) {
    fmt::print("{}", std::string(std::istreambuf_iterator<char>(summary), {}));
  } else {
    fmt::print(
        "no summary.json: the run has not ended; it is continued with the command that began it and --restart\n");
  }
  return success;
}

}  // namespace

int info(const fs::path& path) { return fs::is_directory(path) ? info_of_directory(path) : info_of_file(path); }

}  // namespace tacit::apps

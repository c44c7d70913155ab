// tacit info of a continuous log: what it holds, up to when, and whether it is whole.
// SPDX-License-Identifier: Apache-2.0
#include "info_log.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

#include "commands.hpp"
#include "number_names.hpp"
#include "tacit/io/log/reader.hpp"
#include "tacit/io/log/set.hpp"

namespace tacit::apps {
namespace {

std::uint64_t bytes_of(std::span<const io::LogRange> ranges) {
  std::uint64_t bytes = 0;
  for (const io::LogRange& range : ranges) bytes += range.end - range.begin;
  return bytes;
}

/// A run ends its log before it writes its summary, and takes that away when it goes on.
bool is_cut_off(const io::LogReader& log, const std::filesystem::path& path) {
  std::error_code ignored;
  return !log.is_closed() && io::LogName::of(path) &&
         std::filesystem::exists(path.parent_path() / "summary.json", ignored);
}

std::string state_of(const io::LogReader& log, const std::filesystem::path& path) {
  const auto mark = log.complete();
  if (!mark) return is_cut_off(log, path) ? "cut off" : "complete up to no time yet";
  const char* end = log.is_closed()         ? "ended by its run"
                    : is_cut_off(log, path) ? "cut off: its run has ended it"
                                            : "not ended: its run goes on, or was killed";
  return fmt::format("complete up to {} with {} elements; {}", mark->time, mark->elements, end);
}

}  // namespace

bool is_log(const std::filesystem::path& path) { return path.extension() == ".log"; }

int info_of_log(const std::filesystem::path& path) {
  const io::LogReader log(path, io::Damage::skip);
  fmt::print("{}: a continuous log, {:.3g} MB\n", path.string(), static_cast<double>(log.bytes()) / 1e6);
  if (const auto begin = log.begin()) fmt::print("  {:<17} {}\n", "begins at", *begin);
  fmt::print("  {:<17} {}\n", "state", state_of(log, path));
  const auto layout = io::layout_of(log.schema());
  fmt::print("  {:<17} {} of {} bytes each\n", "records", (log.bytes() - layout.header_bytes) / layout.record_bytes,
             layout.record_bytes);
  fmt::print("  {:<17} {}\n", "elements so far", log.elements());
  for (const io::LogField& field : log.schema().fields) {
    fmt::print("  {:<36} {:<8} {}{}{}\n", field.name, name_of(field.type), field.count,
               field.unit.empty() ? "" : "  [" + field.unit + "]", field.rate.empty() ? "" : ", rate: " + field.rate);
  }
  if (!log.damaged().empty())
    fmt::print("  {:<17} {} bytes are not what was written\n", "damaged", bytes_of(log.damaged()));
  return success;
}

bool verify_log(const std::filesystem::path& path, const std::string& name) {
  const io::LogReader log(path, io::Damage::skip);
  const std::uint64_t damaged = bytes_of(log.damaged());
  if (damaged == 0 && is_cut_off(log, path)) {
    fmt::print("{}: damaged: its run has ended it (there is a summary.json), but it is cut off at byte {}\n", name,
               log.bytes());
    return false;
  }
  if (damaged == 0) {
    fmt::print("{}: sound, {:.3g} MB\n", name, static_cast<double>(log.bytes()) / 1e6);
  } else {
    fmt::print("{}: damaged: {} bytes of the log, the first at byte {}, are not what was written\n", name, damaged,
               log.damaged().front().begin);
  }
  return damaged == 0;
}

}  // namespace tacit::apps

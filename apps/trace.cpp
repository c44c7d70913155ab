// tacit trace: what the workers of a run did, what communication cost, and what it would cost on many ranks.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <system_error>

#include "commands.hpp"
#include "tacit/base/error.hpp"
#include "tacit/trace/report.hpp"
#include "trace_model.hpp"

namespace tacit::apps {
namespace {

namespace fs = std::filesystem;

fs::path trace_file(const fs::path& path) {
  std::error_code none;  // what cannot be looked at cannot be opened either, and that is said then
  if (!fs::is_directory(path, none)) return path;
  fs::path file = path / "trace.json";
  if (fs::exists(file, none)) return file;
  throw base::FormatError(path.string(), fs::exists(path / "parameters.toml", none)
                                             ? "has no trace.json; it is written when the run ends"
                                             : "is not the directory of a run (it has no trace.json)");
}

}  // namespace

int trace(const TraceArguments& arguments) {
  if (arguments.wants_model) {
    fmt::print("{}", trace_model(arguments));
    return success;
  }
  const fs::path& path = arguments.run;
  const fs::path file = trace_file(path);
  const trace::Report report = trace::read_report(file);
  if (arguments.format == TraceFormat::json) {
    fmt::print("{}\n", trace::to_json(report));
  } else {
    fmt::print("{}: {}\nTo see it as a timeline, open {} at ui.perfetto.dev.\n", path.string(), trace::to_text(report),
               file.string());
  }
  return success;
}

}  // namespace tacit::apps

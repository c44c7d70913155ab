// The tables of general keys.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "tacit/base/text.hpp"

namespace tacit::engine {
namespace {

using config::Choice;
using config::Key;
using config::Need;
using config::Type;
namespace dim = base::dimension;

constexpr std::array polling_choices{
    Choice{"idle_workers", "every worker that has nothing to run, and busy ones now and then"},
    Choice{"one_worker", "the first worker only, when it has nothing to run and now and then"},
    Choice{"thread", "a thread of its own, beside the workers"},
};
/// What the choices mean, in their order.
constexpr std::array polling_values{tasks::Polling::idle_workers, tasks::Polling::one_worker, tasks::Polling::thread};
static_assert(polling_values.size() == polling_choices.size());

constexpr std::array run_keys{
    Key{.name = "run.name",
        .type = Type::text,
        .help =
            "Name of the run, for titles and the output directory. Without it: the file's name, or its folder's name "
            "where the file is called run.toml or parameters.toml. No path: without / and not beginning with -."},
    Key{.name = "run.threads",
        .type = Type::integer,
        .help = "Worker threads; 0 takes as many as the affinity mask and the cgroup allow. --threads overrides it.",
        .need = Need::has_default,
        .default_value = "0",
        .range = {.lower = 0, .upper = 1024}},
    Key{.name = "run.deterministic",
        .type = Type::flag,
        .help = "The same bits on any number of threads.",
        .need = Need::has_default,
        .default_value = "false"},
    Key{.name = "run.pin",
        .type = Type::flag,
        .help = "Bind each worker to a processor, where there are as many workers as processors that the affinity mask "
                "and the cgroup allow. Switch it off where other programs use the same processors.",
        .need = Need::has_default,
        .default_value = "true"},
    Key{.name = "run.polling",
        .type = Type::choice,
        .help = "Who asks whether what is under way (messages, devices) has arrived.",
        .need = Need::has_default,
        .default_value = "idle_workers",
        .choices = polling_choices},
    Key{.name = "run.poll_interval",
        .type = Type::real,
        .help = "Wall-clock seconds after which a busy worker asks, between two tasks; 0: after each task.",
        .need = Need::has_default,
        .default_value = "5e-5",
        .range = {.lower = 0, .upper = 1}},
    Key{.name = "run.stall_timeout",
        .type = Type::real,
        .help =
            "Wall-clock seconds without any progress after which the run ends with an error that says who waits for "
            "what; 0: never.",
        .need = Need::has_default,
        .default_value = "300",
        .range = {.lower = 0, .upper = 1000000}},
};
constexpr std::array rank_keys{
    Key{.name = "ranks.deadline",
        .type = Type::real,
        .help = "Wall-clock seconds for which a rank waits for another one that is alive, such as one that writes a "
                "large file, before the run ends with an error that names both.",
        .need = Need::has_default,
        .default_value = "600",
        .range = config::positive},
    Key{.name = "ranks.stopped",
        .type = Type::real,
        .help = "Wall-clock seconds after which a rank that a signal has stopped is given up.",
        .need = Need::has_default,
        .default_value = "10",
        .range = config::positive},
    Key{.name = "ranks.silent",
        .type = Type::real,
        .help = "Timeout for unresponsive nodes in wall-clock seconds; 0: nodes are not asked.",
        .need = Need::has_default,
        .default_value = "10",
        .range = config::non_negative},
    Key{.name = "ranks.routes",
        .type = Type::path,
        .help = "A file that says which transport and network ranks use to reach each other. Without it: whatever is "
                "fastest between the two."},
};
constexpr std::array unit_keys{
    Key{.name = "units.length",
        .type = Type::quantity,
        .help = "Code unit of length, such as \"1 Mpc\".",
        .need = Need::has_default,
        .default_value = "1 cm",
        .dimension = dim::length,
        .range = config::positive},
    Key{.name = "units.mass",
        .type = Type::quantity,
        .help = "Code unit of mass, such as \"1e10 Msun\".",
        .need = Need::has_default,
        .default_value = "1 g",
        .dimension = dim::mass,
        .range = config::positive},
    Key{.name = "units.velocity",
        .type = Type::quantity,
        .help = "Code unit of velocity, such as \"1 km/s\".",
        .need = Need::has_default,
        .default_value = "1 cm/s",
        .dimension = dim::velocity,
        .range = config::positive},
    Key{.name = "units.temperature",
        .type = Type::quantity,
        .help = "Code unit of temperature.",
        .need = Need::has_default,
        .default_value = "1 K",
        .dimension = dim::temperature,
        .range = config::positive},
    Key{.name = "units.current",
        .type = Type::quantity,
        .help = "Code unit of electric current.",
        .need = Need::has_default,
        .default_value = "1 A",
        .dimension = {.current = 1},
        .range = config::positive},
};
constexpr std::array time_keys{
    Key{.name = "time.begin",
        .type = Type::quantity,
        .help = "Time of the initial conditions. Without it: what their file says, 0 for a built-in set-up.",
        .dimension = dim::time},
    Key{.name = "time.end",
        .type = Type::quantity,
        .help = "Time at which the run ends.",
        .need = Need::required,
        .dimension = dim::time},
    Key{.name = "time.dt_max",
        .type = Type::quantity,
        .help = "Longest time step; particles with steps of their own keep to it too.",
        .dimension = dim::time,
        .range = config::positive},
    Key{.name = "time.dt_min",
        .type = Type::quantity,
        .help =
            "Shortest stable time step; the run ends with an error that says what needs a shorter one (of particles, "
            "which). What is left of a step before an output may be shorter.",
        .need = Need::has_default,
        .default_value = "0",
        .dimension = dim::time,
        .range = config::non_negative},
    Key{.name = "time.max_steps",
        .type = Type::integer,
        .help = "End after so many steps, wherever the time is.",
        .range = {.lower = 0}},
};
constexpr std::array output_keys{
    Key{.name = "output.directory",
        .type = Type::text,
        .help =
            "Where the run writes, relative to the working directory. Without it: output/NAME. --output overrides it."},
    Key{.name = "output.snapshot_every",
        .type = Type::quantity,
        .help = "Time between snapshots. Without it: one at the begin and one at the end.",
        .dimension = dim::time,
        .range = config::positive},
    Key{.name = "output.statistics_every",
        .type = Type::quantity,
        .help = "Time between lines of statistics.csv. Without it: a hundredth of the run.",
        .dimension = dim::time,
        .range = config::positive},
    Key{.name = "output.checkpoint_every",
        .type = Type::real,
        .help = "Wall-clock seconds between checkpoints (restart.hdf5); 0: only when the run ends or is stopped.",
        .need = Need::has_default,
        .default_value = "600",
        .range = config::non_negative},
    Key{.name = "output.compression",
        .type = Type::integer,
        .help = "gzip level of the arrays in snapshots, 0 for none.",
        .need = Need::has_default,
        .default_value = "4",
        .range = {.lower = 0, .upper = 9}},
    Key{.name = "output.double_precision",
        .type = Type::flag,
        .help = "Store all fields of snapshots in double precision (positions always are).",
        .need = Need::has_default,
        .default_value = "false"},
    Key{.name = "output.picture",
        .type = Type::flag,
        .help = "Draw a picture when the run ends.",
        .need = Need::has_default,
        .default_value = "true"},
};
constexpr std::array tables{
    config::KeyTable{"The run", run_keys},
    config::KeyTable{"Ranks, where a launcher has started several", rank_keys},
    config::KeyTable{"Code units", unit_keys},
    config::KeyTable{"Time", time_keys},
    config::KeyTable{"Output", output_keys},
};

tasks::Polling polling_of(std::string_view name) {
  const auto choice = std::ranges::find(polling_choices, name, &Choice::name);
  return polling_values.at(static_cast<std::size_t>(choice - polling_choices.begin()));
}

std::string default_name(const std::filesystem::path& file) {
  // Both names say nothing; parameters.toml is what a run leaves of itself, to be run again.
  if (file.stem() != "run" && file.stem() != "parameters") return file.stem().string();
  const auto folder = std::filesystem::weakly_canonical(std::filesystem::absolute(file)).parent_path().filename();
  return folder.empty() ? "run" : folder.string();
}

}  // namespace

std::span<const config::KeyTable> key_tables() { return tables; }

namespace {

/// Refuses an output interval so short that the run would write without end.
void check_interval(const config::Parameters& p, const char* key, double every, double duration, double most) {
  if (duration / every <= most) return;
  throw config::Error(
      p.where(key), key,
      fmt::format("asks for {:.3g} outputs in this run; at most {:.0e} make sense", duration / every, most),
      "is the unit what you meant?");
}

/// The name, which is also that of a folder below output/, and of nothing else.
std::string read_name(const config::Parameters& p) {
  const bool is_given = p.has("run.name");
  std::string name = is_given ? p.text("run.name") : default_name(p.file());
  constexpr std::size_t longest = 200;  // file systems take 255 bytes
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  std::string fault;
  if (name.empty()) fault = "is empty";
  if (name == "." || name == "..") fault = fmt::format("'{}' stands for another folder", name);
  if (name.starts_with('-')) fault = fmt::format("'{}' begins with '-', as options do", base::printable(name));
  if (name.find('/') != std::string::npos) fault = fmt::format("'{}' holds a '/'", base::printable(name));
  if (std::ranges::any_of(name, is_control)) {
    fault = fmt::format("'{}' holds a control character", base::printable(name));
  }
  if (name.size() > longest) fault = fmt::format("has {} bytes, at most {} are taken", name.size(), longest);
  if (fault.empty()) return name;
  const config::Location where = is_given ? p.where("run.name") : config::Location{p.file().string(), 0, 0};
  throw config::Error(
      where, "run.name",
      fmt::format("{}{}; the name is that of a folder below output/",
                  is_given ? "" : "is not given, and the name of the file or of its folder will not do: ", fault),
      "write 'name = \"blast\"' in [run]; where results go is for output.directory to say");
}

}  // namespace

RunParameters read_run_parameters(const config::Parameters& p) {
  RunParameters run;
  run.name = read_name(p);
  run.directory = p.has("output.directory") ? std::filesystem::path(p.text("output.directory"))
                                            : std::filesystem::path("output") / run.name;
  run.checkpoint_every_s = p.real("output.checkpoint_every");
  run.compression = static_cast<int>(p.integer("output.compression"));
  run.double_precision = p.flag("output.double_precision");
  run.picture = p.flag("output.picture");
  run.threads = static_cast<std::size_t>(p.integer("run.threads"));
  run.deterministic = p.flag("run.deterministic");
  run.pin = p.flag("run.pin");
  run.polling = polling_of(p.text("run.polling"));
  run.poll_interval_s = p.real("run.poll_interval");
  run.stall_timeout_s = p.real("run.stall_timeout");
  run.ranks = {.deadline_s = p.real("ranks.deadline"),
               .stopped_s = p.real("ranks.stopped"),
               .silent_s = p.real("ranks.silent"),
               .routes = p.has("ranks.routes") ? p.path("ranks.routes").string() : std::string()};
  return run;
}

TimeParameters read_time_parameters(const config::Parameters& p, double start) {
  TimeParameters time;
  time.begin = p.has("time.begin") ? p.real("time.begin") : start;
  time.end = p.real("time.end");
  if (!(time.end > time.begin)) {
    throw config::Error(
        p.where("time.end"), "time.end", "must be later than time.begin",
        fmt::format("in code units the run would begin at {:.6g} and end at {:.6g}", time.begin, time.end));
  }
  time.dt_max = p.has("time.dt_max") ? p.real("time.dt_max") : std::numeric_limits<double>::infinity();
  time.dt_min = p.real("time.dt_min");
  if (time.dt_min > time.dt_max) {
    throw config::Error(p.where("time.dt_min"), "time.dt_min", "is larger than time.dt_max", "swap the two");
  }
  time.max_steps = p.has("time.max_steps") ? static_cast<std::uint64_t>(p.integer("time.max_steps"))
                                           : std::numeric_limits<std::uint64_t>::max();
  const double duration = time.end - time.begin;
  time.snapshot_every = p.has("output.snapshot_every") ? p.real("output.snapshot_every") : duration;
  time.statistics_every = p.has("output.statistics_every") ? p.real("output.statistics_every") : duration / 100.0;
  check_interval(p, "output.snapshot_every", time.snapshot_every, duration, 1e6);
  check_interval(p, "output.statistics_every", time.statistics_every, duration, 1e9);
  return time;
}

}  // namespace tacit::engine

// The tables of general keys.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "tacit/base/error.hpp"
#include "tacit/base/text.hpp"
#include "tacit/comm/rank.hpp"

namespace tacit::engine {
namespace {

using config::Choice;
using config::Key;
namespace dim = base::dimension;

constexpr std::array polling_choices{
    Choice{"idle_workers", tasks::Polling::idle_workers, "every idle worker, and busy ones now and then"},
    Choice{"one_worker", tasks::Polling::one_worker, "the first worker only, when it is idle and now and then"},
    Choice{"thread", tasks::Polling::thread, "a thread of its own, beside the workers"},
};
using Transport = std::optional<comm::ProviderId>;
constexpr std::array transport_choices{
    Choice{"auto", Transport(), "whatever is fastest between two ranks"},
    Choice{"shm", Transport(comm::ProviderId::shm), "shared memory; all ranks must be on one node"},
    Choice{"mpi", Transport(comm::ProviderId::mpi), "MPI, also within a node"},
    Choice{"ofi", Transport(comm::ProviderId::ofi), "libfabric, also within a node"},
};
constexpr std::array trace_choices{
    Choice{"readable", TraceDetail::readable,
           "about 2 MB: each event of the last steps; those before that are too short to be seen beside the whole run "
           "are merged, and transfers left out"},
    Choice{"all", TraceDetail::all,
           "the newest 1048576 events of each worker, fewer on many ranks: some 105 bytes each, and 24 of memory"},
};
constexpr std::array peak_share_choices{
    Choice{"auto", PeakShareKind::automatic,
           "where limits are kept from an earlier run, or steps have taken 10 s and the run was not asked to stop"},
    Choice{"always", PeakShareKind::always, "after every run"},
    Choice{"never", PeakShareKind::never, "no"},
};
constexpr std::array run_keys{
    Key::text("run.name",
              "Name of the run, for titles and the output directory. Without it: the file's name, or its folder's name "
              "where the file is called run.toml or parameters.toml. No path: without / and not beginning with -."),
    Key::integer("run.threads", {0, 1024},
                 "Worker threads; 0 takes as many as the affinity mask and the cgroup allow. --threads overrides it.",
                 "0"),
    Key::flag("run.deterministic", false,
              "Bitwise identical results also where they otherwise depend on the order of tasks, or on algorithms that "
              "were measured."),
    Key::flag("run.pin", true,
              "Bind each worker to a processor, where there are as many workers as processors that the affinity mask "
              "and the cgroup allow. Switch it off where other programs use the same processors."),
    Key::choice("run.polling", polling_choices, tasks::Polling::idle_workers,
                "Which threads poll for the completion of messages and device work."),
    Key::real("run.poll_interval", {0, 1},
              "Wall-clock seconds after which a busy worker polls between two tasks; 0: after "
              "each task.",
              "5e-5"),
    Key::real("run.stall_timeout", {0, 1000000},
              "Wall-clock seconds without any progress after which the run ends with an error that names what each "
              "thread waits for; 0: never.",
              "300"),
    Key::positive("run.wall_limit",
                  "Wall-clock seconds for this run: it stops, with a checkpoint, while there is time for another step "
                  "and a checkpoint as long as the longest so far. Without it: until the job of Slurm ends, if that "
                  "says when."),
    Key::choice("run.peak_share", peak_share_choices, PeakShareKind::automatic,
                "Whether the run says how near it came to the measured limits of its machine: peak_share in "
                "summary.json. They are measured once, at the end of a run, in less than a second, and kept in "
                "$XDG_CACHE_HOME/tacit or ~/.cache/tacit; the environment variable TACIT_CACHE names another folder."),
};
constexpr std::array rank_keys{
    Key::positive("ranks.deadline",
                  "Wall-clock seconds for which a rank waits for another one that is alive, such as one that writes a "
                  "large file, before the run ends with an error that names both.",
                  "600"),
    Key::positive("ranks.stopped",
                  "Wall-clock seconds after which a rank that was stopped by a signal counts as failed.", "10"),
    Key::non_negative("ranks.silent", "Timeout for unresponsive nodes in wall-clock seconds; 0: nodes are not asked.",
                      "10"),
    Key::choice("ranks.transport", transport_choices, Transport(),
                "How ranks reach each other. A run on several ranks says what it uses."),
    Key::path("ranks.routes",
              "A file that says which transport and network pairs of ranks use to reach each other; it goes before "
              "ranks.transport."),
};
constexpr std::array unit_keys{
    Key::positive("units.length", dim::length, "Code unit of length, such as \"1 Mpc\".", "1 cm"),
    Key::positive("units.mass", dim::mass, "Code unit of mass, such as \"1e10 Msun\".", "1 g"),
    Key::positive("units.velocity", dim::velocity, "Code unit of velocity, such as \"1 km/s\".", "1 cm/s"),
    Key::positive("units.temperature", dim::temperature, "Code unit of temperature.", "1 K"),
    Key::positive("units.current", {.current = 1}, "Code unit of electric current.", "1 A"),
};
constexpr std::array time_keys{
    Key::quantity("time.begin", dim::time,
                  "Time of the initial conditions. Without it: what their file says, 0 for a built-in set-up."),
    Key::quantity("time.end", dim::time, "Time at which the run ends.").required().changeable(),
    Key::positive("time.dt_max", dim::time, "Longest time step; it also limits the individual steps of particles.")
        .changeable(),
    Key::non_negative("time.dt_min", dim::time,
                      "Shortest stable time step; the run ends with an error that says what needs a shorter one (of "
                      "particles, which). What is left of a step before an output may be shorter.",
                      "0")
        .changeable(),
    Key::count("time.max_steps", "End after this number of steps, whatever the time.").changeable(),
};
constexpr std::array drift_keys{
    Key::positive("drift.limit",
                  "Largest drift of any conserved quantity over the run, as a part of its natural scale: max_drift in "
                  "summary.json. It is looked at with each line of statistics.csv; beyond it the run ends with an "
                  "error, and the state goes to failed.hdf5. Without it, and those below, nothing is limited."),
    Key::positive("drift.mass", "The same of the mass alone, in place of drift.limit."),
    Key::positive("drift.momentum", "Of the momentum; walls and potentials change it."),
    Key::positive("drift.angular_momentum", "Of the angular momentum."),
    Key::positive("drift.energy", "Of the energy."),
};
constexpr std::array output_keys{
    Key::text(
        "output.directory",
        "Where the run writes, relative to the working directory. Without it: output/NAME. --output overrides it."),
    Key::positive("output.snapshot_every", dim::time,
                  "Time between snapshots. Without it: one at the start and one at the end."),
    Key::quantities("output.snapshot_times", dim::time,
                    "Times of further snapshots, rising: [0.1, 0.5]; beside those of output.snapshot_every, at the "
                    "start and at the end. Steps end exactly there. What lies outside the run is left out."),
    Key::positive("output.statistics_every", dim::time,
                  "Time between lines of statistics.csv. Without it: a hundredth of the run."),
    Key::quantity(
        "output.average_from", dim::time,
        "Time from which on the columns of statistics.csv are averaged, for summary.json and the lines at the "
        "end of the run: means with standard errors, by blocks of lines that are longer than what lines "
        "remember of those before them. Without it there are none."),
    Key::non_negative("output.checkpoint_every",
                      "Wall-clock seconds between checkpoints (restart_STEP.hdf5); 0: only when the run ends or is "
                      "stopped, and where output.checkpoint_steps asks for more.",
                      "600"),
    Key::integer("output.checkpoint_steps", {0, 1000000000}, "Steps between checkpoints; 0: only time counts.", "0"),
    Key::integer("output.checkpoints", {1, 1000}, "Checkpoints that are kept, the newest ones.", "2"),
    Key::integer("output.compression", {0, 9}, "gzip level of the arrays in snapshots, 0 for none.", "1"),
    Key::text_or_integer(
        "output.writers",
        "Ranks that write files: \"one\", \"nodes\" (one of each), \"all\", or a number of them (4 or \"4\"). Where "
        "there are several, each file has parts beside it, one for each writer, and reads like one. \"shared\": all "
        "ranks write into one file, which is not compressed. \"auto\", or without it: what turns out to be the "
        "fastest, for each kind of files, from the times of the first ones; one of each node where files are short."),
    Key::count("output.staging_memory",
               "Bytes of memory, on each rank, for output that is written beside the computation; when they are full, "
               "the run waits for the disk. 0: nothing is written beside. Without it: a quarter of what is free when "
               "the run begins, shared by the ranks of a node."),
    Key::flag("output.log", false,
              "Keep a continuous log (output.log, or one for each rank): a record of a particle or tracer when it has "
              "changed, instead of a dump of all of them; docs/guide/log.md says what each solver logs."),
    Key::real("output.log_tolerance", {0, 1000},
              "How far a logged element may go from what its last record says before it gets another one, as a part "
              "of its own scale (of particles the smoothing length, speed, energy and density; of tracers the "
              "distance of grid points); 0: only steps count.",
              "0.01")
        .needs("output.log", "true"),
    Key::integer("output.log_steps", {1, 1000000000},
                 "An element gets a record after so many of its own steps at the latest.", "64")
        .needs("output.log", "true"),
    Key::integer("output.log_room", {4096, 1099511627776},
                 "Bytes by which the log of a rank grows at a time, if the disk has them.", "67108864")
        .needs("output.log", "true"),
    Key::flag("output.double_precision", false,
              "Store all fields of snapshots in double precision (positions always are)."),
    Key::choice("output.trace", trace_choices, TraceDetail::readable,
                "What trace.json holds of single events; sums, as of `tacit trace`, always count all."),
    Key::flag("output.picture", true, "Draw a picture when the run ends."),
    Key::flag("output.fingerprint", true,
              "Say one number for the whole state at the end (its last checkpoint is read once): the same on any "
              "number of ranks and threads and after restarts, so that others can verify a result."),
};
constexpr std::array tables{
    config::KeyTable{"The run", run_keys, config::OnRestart::may_change},
    config::KeyTable{"Ranks, where a launcher has started several", rank_keys, config::OnRestart::may_change},
    config::KeyTable{"Code units", unit_keys},
    config::KeyTable{"Time", time_keys},
    config::KeyTable{"Limits of drift", drift_keys, config::OnRestart::may_change},
    config::KeyTable{"Output", output_keys, config::OnRestart::may_change},
};

constexpr const char* drift_table = "drift.";

DriftLimits read_drift_limits(const config::Parameters& p) {
  DriftLimits limits;
  for (const Key& key : drift_keys) {
    if (!p.has(key.name)) continue;
    const std::string name(key.name.substr(std::string_view(drift_table).size()));
    if (name == "limit") {
      limits.of_any = p.real(key.name);
    } else {
      limits.named.emplace_back(name, p.real(key.name));
    }
  }
  return limits;
}

std::string default_name(const std::filesystem::path& file) {
  // Both names say nothing; parameters.toml is what a run leaves of itself, to be run again.
  if (file.stem() != "run" && file.stem() != "parameters") return file.stem().string();
  const auto folder = std::filesystem::weakly_canonical(std::filesystem::absolute(file)).parent_path().filename();
  return folder.empty() ? "run" : folder.string();
}

/// Refuses an output interval so short that the run would write without end.
void check_interval(const config::Parameters& p, const char* key, double every, double duration, double most) {
  if (duration / every <= most) return;
  throw config::Error(
      p.where(key), key,
      fmt::format("asks for {:.3g} outputs in this run; at most {:.0e} make sense", duration / every, most),
      "is the unit what you meant?");
}

/// @throws config::Error where there would be nothing to average
std::optional<double> read_average_from(const config::Parameters& p, double end) {
  constexpr const char* key = "output.average_from";
  if (!p.has(key)) return std::nullopt;
  const double from = p.real(key);
  if (from < end) return from;
  throw config::Error(p.where(key), key, fmt::format("is {:.6g}, and the run ends at {:.6g}", from, end),
                      "an earlier time, when the run has forgotten how it began");
}

/// A time of the file as messages show it.
std::string time_text(double time) { return fmt::format("{:.12g}", time); }

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

io::Writers read_writers(const config::Parameters& p) {
  constexpr const char* key = "output.writers";
  if (!p.has(key)) return {.kind = io::Writers::Kind::automatic};
  const std::string& text = p.text(key);
  if (text == "auto") return {.kind = io::Writers::Kind::automatic};
  if (text == "one") return {.kind = io::Writers::Kind::one};
  if (text == "nodes") return {.kind = io::Writers::Kind::nodes};
  if (text == "all") return {.kind = io::Writers::Kind::all};
  if (text == "shared") return {.kind = io::Writers::Kind::shared};
  std::uint32_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error == std::errc{} && end == text.data() + text.size() && count > 0) {
    return {.kind = io::Writers::Kind::count, .count = count};
  }
  throw config::Error(p.where(key), key, fmt::format("'{}' does not say who writes", base::printable(text)),
                      "take \"auto\", \"one\", \"nodes\", \"all\", \"shared\", or a number of ranks such as 4");
}

}  // namespace

std::span<const config::KeyTable> key_tables() { return tables; }

void require_conserved(const config::Parameters& p, const DriftLimits& limits, std::span<const Quantity> conserved) {
  for (const auto& [name, limit] : limits.named) {
    const auto quantity = std::ranges::find(conserved, name, &Quantity::name);
    if (quantity != conserved.end() && quantity->is_kept) continue;
    const std::string key = drift_table + name;
    throw config::Error(p.where(key), key, "limits what this run does not conserve",
                        "remove it; summary.json lists what is conserved");
  }
}

RunParameters read_run_parameters(const config::Parameters& p) {
  RunParameters run;
  run.name = read_name(p);
  run.directory = p.has("output.directory") ? std::filesystem::path(p.text("output.directory"))
                                            : std::filesystem::path("output") / run.name;
  run.checkpoint_every_s = p.real("output.checkpoint_every");
  run.checkpoint_every_steps = p.count("output.checkpoint_steps");
  run.checkpoints = p.count("output.checkpoints");
  if (p.has("run.wall_limit")) run.wall_limit_s = p.real("run.wall_limit");
  run.drift = read_drift_limits(p);
  run.compression = static_cast<int>(p.integer("output.compression"));
  run.writers = read_writers(p);
  if (p.has("output.staging_memory")) run.staging_memory = p.count("output.staging_memory");
  run.log = {.is_on = p.flag("output.log"),
             .policy = {.steps = static_cast<std::uint32_t>(p.count("output.log_steps")),
                        .tolerance = p.real("output.log_tolerance")},
             .room = p.count("output.log_room")};
  run.double_precision = p.flag("output.double_precision");
  run.picture = p.flag("output.picture");
  run.fingerprint = p.flag("output.fingerprint");
  run.threads = p.count("run.threads");
  run.deterministic = p.flag("run.deterministic");
  run.pin = p.flag("run.pin");
  run.polling = p.choice("run.polling", polling_choices);
  run.trace = p.choice("output.trace", trace_choices);
  run.poll_interval_s = p.real("run.poll_interval");
  run.stall_timeout_s = p.real("run.stall_timeout");
  run.peak_share = p.choice("run.peak_share", peak_share_choices);
  run.ranks = {.deadline_s = p.real("ranks.deadline"),
               .stopped_s = p.real("ranks.stopped"),
               .silent_s = p.real("ranks.silent"),
               .transport = p.choice("ranks.transport", transport_choices),
               .routes = p.has("ranks.routes") ? p.path("ranks.routes").string() : std::string()};
  return run;
}

TimeParameters read_time_parameters(const config::Parameters& p, double start) {
  TimeParameters time;
  time.begin = p.real_or("time.begin", start);
  time.end = p.real("time.end");
  if (!(time.end > time.begin)) {
    throw config::Error(
        p.where("time.end"), "time.end", "must be later than time.begin",
        fmt::format("in code units the run would begin at {:.6g} and end at {:.6g}", time.begin, time.end));
  }
  time.dt_max = p.real_or("time.dt_max", std::numeric_limits<double>::infinity());
  time.dt_min = p.real("time.dt_min");
  if (time.dt_min > time.dt_max) {
    throw config::Error(p.where("time.dt_min"), "time.dt_min", "is larger than time.dt_max", "swap the two");
  }
  time.max_steps = p.has("time.max_steps") ? p.count("time.max_steps") : std::numeric_limits<std::uint64_t>::max();
  const double duration = time.end - time.begin;
  time.snapshot_every = p.real_or("output.snapshot_every", duration);
  time.statistics_every = p.real_or("output.statistics_every", duration / 100.0);
  check_interval(p, "output.snapshot_every", time.snapshot_every, duration, 1e6);
  read_snapshot_times(p, time);
  check_interval(p, "output.statistics_every", time.statistics_every, duration, 1e9);
  time.average_from = read_average_from(p, time.end);
  return time;
}

namespace {

constexpr const char* listed_times = "output.snapshot_times";
constexpr const char* listed_redshifts = "output.redshifts";

/// Solvers alone that can count a scale factor have such a key.
bool has_redshifts(const config::Parameters& p) {
  try {
    return p.has(listed_redshifts);
  } catch (const base::PreconditionError&) {
    return false;
  }
}

/// @throws config::Error where they do not rise
std::vector<double> rising_times(const config::Parameters& p) {
  std::vector<double> times = p.vector(listed_times);
  const auto unsorted = std::ranges::adjacent_find(times, std::ranges::greater_equal{});
  if (unsorted == times.end()) return times;
  throw config::Error(
      p.where(listed_times), listed_times,
      fmt::format("must rise, but {} is followed by {}", time_text(*unsorted), time_text(*std::next(unsorted))));
}

/// Scale factors 1 / (1 + z), which rise as redshifts fall.
/// @throws config::Error where they do not fall
std::vector<double> times_of_redshifts(const config::Parameters& p) {
  std::vector<double> times = p.vector(listed_redshifts);
  const auto unsorted = std::ranges::adjacent_find(times, std::ranges::less_equal{});
  if (unsorted != times.end()) {
    throw config::Error(p.where(listed_redshifts), listed_redshifts,
                        fmt::format("must fall as time goes on, but {} is followed by {}", time_text(*unsorted),
                                    time_text(*std::next(unsorted))));
  }
  for (double& z : times) z = 1.0 / (1.0 + z);
  return times;
}

/// @throws config::Error where a list has times, and none of the run
void require_any_inside(const config::Parameters& p, const char* key, const std::vector<double>& all,
                        const TimeParameters& time) {
  const auto is_inside = [&time](double t) { return t >= time.begin && t <= time.end; };
  if (all.empty() || std::ranges::any_of(all, is_inside)) return;
  if (std::string_view(key) == listed_times) {
    throw config::Error(p.where(key), key,
                        fmt::format("lists no time of this run, which begins at {} and ends at {} (code units)",
                                    time_text(time.begin), time_text(time.end)),
                        "is the unit what you meant?");
  }
  throw config::Error(p.where(key), key,
                      fmt::format("lists no redshift of this run, which begins at {} and ends at {}",
                                  time_text(1.0 / time.begin - 1.0), time_text(1.0 / time.end - 1.0)));
}

}  // namespace

void read_snapshot_times(const config::Parameters& p, TimeParameters& time) {
  std::vector<double> all;
  if (p.has(listed_times)) {
    all = rising_times(p);
    require_any_inside(p, listed_times, all, time);
  }
  if (has_redshifts(p)) {
    const std::vector<double> more = times_of_redshifts(p);
    require_any_inside(p, listed_redshifts, more, time);
    all.insert(all.end(), more.begin(), more.end());
    std::ranges::sort(all);
  }
  // Nearer to another time of output than sums of times can tell apart, one is a step that is none.
  const double near = 1e-9 * (time.end - time.begin);
  const auto is_due_anyway = [&](double t) {
    const double regular = time.begin + std::round((t - time.begin) / time.snapshot_every) * time.snapshot_every;
    return std::abs(t - regular) < near || std::abs(t - time.end) < near;
  };
  for (const double t : all) {
    if (t < time.begin || t > time.end || is_due_anyway(t)) continue;
    if (time.snapshot_times.empty() || t - time.snapshot_times.back() >= near) time.snapshot_times.push_back(t);
  }
}

}  // namespace tacit::engine

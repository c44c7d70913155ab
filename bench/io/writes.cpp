// Durable writes of one state by every strategy, in turns with plain files of the same bytes.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/opens.hpp"
#include "io/rank.hpp"
#include "io/raw_file.hpp"
#include "io/state.hpp"
#include "tacit/io/output.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::bench {
namespace {

using Kind = io::Writers::Kind;

struct Strategy {
  std::string_view name;
  io::Writers writers;
};
/// A new one is a line here.
constexpr std::array strategies{
    Strategy{"one", {.kind = Kind::one}},
    Strategy{"nodes", {.kind = Kind::nodes}},
    Strategy{"n2", {.kind = Kind::count, .count = 2}},
    Strategy{"all", {.kind = Kind::all}},
    Strategy{"shared", {.kind = Kind::shared}},
};
/// What a run takes that does not say: after some files, the fastest of those that it has tried.
constexpr Strategy automatic{"automatic", {.kind = Kind::automatic}};
constexpr std::size_t files_to_settle = 12;

/// Someone who writes the state, with what that took in each sample.
struct Writer {
  std::string name;
  std::function<void()> write;  ///< called by all ranks
  std::vector<double> seconds = {};
  double files = 0.0;
  double opens = 0.0;
};

/// One of ours, with workers that help to pack.
class OwnWriter {
 public:
  OwnWriter(const Writing& writing, const State& state, const io::Writers& writers)
      : state_(state),
        path_(writing.folder / "state.hdf5"),
        output_(writing.crew->world(), {.writers = writers, .staging_memory = staging_memory(writing)}),
        scheduler_({.workers = writing.workers, .pin = false}, recorder_),
        help_(output_, scheduler_) {}
  void write() { state_.write(path_, output_); }

 private:
  const State& state_;
  std::filesystem::path path_;
  io::Output output_;
  trace::Recorder recorder_{8, 64};
  tasks::Scheduler scheduler_;
  io::Output::Help help_;
};

/// The first rank alone, as many bytes as all have, past the page cache if that can be.
Writer direct_writer(const Writing& writing, const State& state) {
  return {"direct", [&writing, &state] {
            if (!writing.crew->is_first()) return;
            const auto path = writing.folder / "plain";
            const std::size_t times = State::arrays.size() * writing.ranks();
            if (!write_raw(path, state.bytes(), times, Through::nothing)) {
              write_raw(path, state.bytes(), times, Through::page_cache);
            }
          }};
}

/// Each rank a file of its own, through the page cache, and fsync.
Writer file_per_process(const Writing& writing, const State& state) {
  return {"file per process", [&writing, &state] {
            const auto rank = comm::number(writing.crew->world().rank());
            write_raw(writing.folder / fmt::format("plain.{}", rank), state.bytes(), State::arrays.size(),
                      Through::page_cache);
          }};
}

double files_in(const std::filesystem::path& folder) {
  const std::filesystem::directory_iterator all(folder);
  return static_cast<double>(std::distance(begin(all), end(all)));
}

/// All take turns; the first round is not timed, but counted.
void take_turns(const Writing& writing, std::vector<Writer>& writers) {
  Crew& crew = *writing.crew;
  for (std::size_t sample = 0; sample <= writing.samples(); ++sample) {
    for (Writer& writer : writers) {
      count_opens_in(writing.folder.string());
      const double seconds = crew.time(Takes::all_ranks, writer.write);
      const double opened = crew.sum(static_cast<double>(opens()));
      if (sample == 0) {
        writer.files = files_in(writing.folder);
        writer.opens = opened;
      } else {
        writer.seconds.push_back(seconds);
      }
      static_cast<void>(crew.sum(0.0));  // all have looked
      if (crew.is_first()) empty_folder(writing.folder);
      static_cast<void>(crew.sum(0.0));
    }
  }
}

void add_figures(const Writing& writing, const Writer& writer, const Writer& direct, const Writer& plain,
                 const std::string& name) {
  writing.add({.name = name + "_ratio",
               .unit = "1",
               .better = Better::higher,
               .ours = summarise(ratios(direct.seconds, writer.seconds)),
               .peers = {{plain.name, summarise(ratios(direct.seconds, plain.seconds)).median}}});
  writing.add({.name = name + "_files", .unit = "1", .ours = summarise({writer.files})});
  writing.add(
      {.name = name + "_opens", .unit = "1", .ours = summarise({writer.opens}), .peers = {{plain.name, plain.opens}}});
}

std::string name_of(const Writing& writing, std::string_view strategy) {
  return writing.label.front() >= '0' && writing.label.front() <= '9'
             ? fmt::format("write_{}_{}", strategy, writing.label)
             : fmt::format("write_{}", writing.label);
}

/// By medians, of those that are ours.
const Writer& fastest(std::span<const Writer> ours) {
  const auto median = [](const Writer& writer) { return summarise(writer.seconds).median; };
  return *std::ranges::min_element(ours, {}, median);
}

}  // namespace

void measure_writes(const Writing& writing, std::string_view which) {
  const State state(writing);
  std::vector<Writer> writers{direct_writer(writing, state), file_per_process(writing, state)};
  const std::size_t first_own = writers.size();
  std::vector<std::unique_ptr<OwnWriter>> own;
  const auto add = [&](const Strategy& strategy) {
    own.push_back(std::make_unique<OwnWriter>(writing, state, strategy.writers));
    writers.push_back({std::string(strategy.name), [writer = own.back().get()] { writer->write(); }});
  };
  for (const Strategy& strategy : strategies) {
    if (which == "strategies" || which == strategy.name) add(strategy);
  }
  if (which == "strategies") {
    add(automatic);
    for (std::size_t i = 0; i < files_to_settle; ++i) own.back()->write();
    static_cast<void>(writing.crew->sum(0.0));  // all have written
    if (writing.crew->is_first()) empty_folder(writing.folder);
    static_cast<void>(writing.crew->sum(0.0));
  }
  take_turns(writing, writers);
  const Writer& direct = writers[0];
  const std::vector<double> to_rate(direct.seconds.size(), 1e-6 * state.all_bytes());
  writing.add({.name = fmt::format("direct_write_{}_MB_per_s", writing.label),
               .unit = "MB/s",
               .better = Better::higher,
               .ours = summarise(ratios(to_rate, direct.seconds))});
  for (std::size_t i = first_own; i < writers.size(); ++i) {
    if (writers[i].name == automatic.name) continue;
    add_figures(writing, writers[i], direct, writers[1], name_of(writing, writers[i].name));
  }
  if (which != "strategies") return;
  const Writer& best = fastest(std::span(writers).subspan(first_own, strategies.size()));
  writing.add({.name = fmt::format("automatic_strategy_{}_ratio", writing.label),
               .unit = "1",
               .ours = summarise(ratios(writers.back().seconds, best.seconds)),
               .limit = 1.1});
}

}  // namespace tacit::bench

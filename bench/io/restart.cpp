// What a restart reads: all checksums, then the arrays, beside plain reads of the same file.
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "io/rank.hpp"
#include "io/raw_file.hpp"
#include "io/state.hpp"
#include "tacit/base/clock.hpp"
#include "tacit/base/error.hpp"
#include "tacit/io/output.hpp"
#include "tacit/io/verify.hpp"

namespace tacit::bench {
namespace {

void restart_from(const std::filesystem::path& path, const State& state, std::span<double> out) {
  if (io::find_damage(path)) throw base::Error("a file is not what was written");
  const io::FileReader file(path, io::FileReader::Parts::needed, {.is_verified = true});
  for (const char* name : State::arrays) file.read_part(name, state.part(), out);
}

double time_restart(const std::filesystem::path& path, const State& state, std::span<double> out) {
  const base::Stopwatch watch;
  restart_from(path, state, out);
  return watch.seconds();
}

}  // namespace

void measure_restart(const Writing& writing) {
  const State state(writing);
  const auto path = writing.folder / "state.hdf5";
  io::Output output(writing.crew->world(), {});
  state.write(path, output);
  std::vector<double> out(state.mine().size());
  Pages pages(state.bytes().size());
  std::vector<double> direct;
  std::vector<double> buffered;
  std::vector<double> ours;
  std::vector<double> cached;
  for (std::size_t sample = 0; sample <= writing.samples(); ++sample) {
    forget(path);
    const auto past_cache = read_raw(path, pages.bytes(), Through::nothing);
    const double through_cache = *read_raw(path, pages.bytes(), Through::page_cache);
    forget(path);
    const double cold = time_restart(path, state, out);
    const double warm = time_restart(path, state, out);
    if (sample == 0) continue;
    direct.push_back(past_cache.value_or(through_cache));
    buffered.push_back(through_cache);
    ours.push_back(cold);
    cached.push_back(warm);
  }
  writing.add({.name = "restart_read_ratio",
               .unit = "1",
               .better = Better::higher,
               .ours = summarise(ratios(direct, ours)),
               .peers = {{"read", summarise(ratios(direct, buffered)).median}}});
  writing.add({.name = "restart_read_cached_ratio",
               .unit = "1",
               .better = Better::higher,
               .ours = summarise(ratios(direct, cached))});
  empty_folder(writing.folder);
}

}  // namespace tacit::bench

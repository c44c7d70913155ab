// Merges events that are too short to be seen beside the whole run.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/trace/readable.hpp"

#include <algorithm>

#include "tacit/base/ticks.hpp"

namespace tacit::trace {
namespace {

constexpr std::size_t entries_of_transfer = 3;  // two lines, each longer than that of an event

/// Takes events by their begin, those around others first, and gives spans.
///
/// A span of several neither reaches over the end of an event that is kept and lies around it, nor over a gap that
/// could be seen: spans nest as the events did.
class Merger {
 public:
  Merger(const Selection& selection, std::vector<Span>& spans) : selection_(selection), spans_(spans) {}

  void add(const Event& event) {
    while (!around_.empty() && event.begin >= around_.back()) {
      finish();  // may be around no more either
      around_.pop_back();
    }
    if (event.end > selection_.whole_from || event.end - event.begin >= selection_.shortest) {
      finish();
      spans_.push_back({.event = event, .count = event.count});
      around_.push_back(event.end);
      return;
    }
    if (group_.merged > 0 && event.begin - group_.event.end >= selection_.shortest) finish();
    join(event);
    if (group_.event.end - group_.event.begin >= selection_.shortest) finish();
  }
  void finish() {
    if (group_.merged == 0) return;
    if (group_.merged > 1) {
      group_.event.kind = std::ranges::max_element(times_, {}, &Time::ticks)->kind;
      group_.event.key = 0;
      group_.event.count = 1;
      group_.is_mixed = times_.size() > 1;
    }
    spans_.push_back(group_);
    around_.push_back(group_.event.end);
    group_.merged = 0;
    times_.clear();
  }

 private:
  struct Time {
    KindId kind{};
    std::int64_t ticks = 0;
  };

  void join(const Event& event) {
    if (group_.merged == 0) {
      group_ = {.event = event, .merged = 0, .count = 0};
    } else {
      group_.event.end = std::max(group_.event.end, event.end);
    }
    ++group_.merged;
    group_.count += event.count;
    const auto known = std::ranges::find(times_, event.kind, &Time::kind);
    Time& time = known != times_.end() ? *known : times_.emplace_back(Time{.kind = event.kind});
    time.ticks += event.end - event.begin;
  }

  const Selection& selection_;
  std::vector<Span>& spans_;
  Span group_{.event = {}, .merged = 0, .count = 0};
  std::vector<Time> times_;           // of the group, by kind
  std::vector<std::int64_t> around_;  // ends of spans that the next event may lie in, the innermost last
};

/// @param events  by begin, the longer first where they begin together
std::vector<Span> merged(const std::vector<Event>& events, const Selection& selection) {
  std::vector<Span> spans;
  Merger merger(selection, spans);
  for (const Event& event : events) merger.add(event);
  merger.finish();
  return spans;
}

std::vector<Event> by_begin(const Track& track) {
  std::vector<Event> events = track.events();
  std::ranges::stable_sort(
      events, [](const Event& a, const Event& b) { return a.begin != b.begin ? a.begin < b.begin : a.end > b.end; });
  return events;
}

std::size_t all_tracks(const Recorder& recorder) { return recorder.tracks() + Recorder::beside; }

/// From when on a track has at most `most` entries.
std::int64_t whole_from(const Track& track, std::size_t most) {
  const std::vector<Event> events = track.events();
  const std::vector<Transfer> transfers = track.transfers();
  const std::size_t of_transfers = std::min(most / 3, entries_of_transfer * transfers.size());
  std::int64_t from = Selection().whole_from;
  // Both are in the order of their ends.
  if (events.size() > most - of_transfers) from = events[events.size() - 1 - (most - of_transfers)].end;
  const std::size_t kept = of_transfers / entries_of_transfer;
  if (transfers.size() > kept) from = std::max(from, transfers[transfers.size() - 1 - kept].completed);
  return from;
}

}  // namespace

Selection readable(const Recorder& recorder, std::size_t most) {
  Selection selection;
  std::vector<std::size_t> longer;
  for (std::size_t i = 0; i < all_tracks(recorder); ++i) {
    const Track& track = recorder.track(i);
    if (track.events().size() + entries_of_transfer * track.transfers().size() > most) longer.push_back(i);
  }
  for (const std::size_t i : longer) {
    selection.whole_from = std::max(selection.whole_from, whole_from(recorder.track(i), most - most / 3));
  }
  if (selection.is_everything()) return selection;
  for (std::size_t i = 0; i < all_tracks(recorder); ++i) {
    const std::vector<Event> events = by_begin(recorder.track(i));
    if (events.size() <= most / 3) continue;
    const std::int64_t time = std::max<std::int64_t>(selection.whole_from - events.front().begin, 1);
    const auto at_least = time / static_cast<std::int64_t>(most / 3) + 1;
    selection.shortest = std::max(selection.shortest, at_least);
    // Ends at the latest where all is one span, as nothing is that long.
    while (selection.shortest < time && merged(events, selection).size() > most) selection.shortest *= 2;
  }
  return selection;
}

std::vector<Span> spans_of(const Track& track, const Selection& selection) {
  if (!selection.is_everything()) return merged(by_begin(track), selection);
  std::vector<Span> spans;
  for (const Event& event : track.events()) spans.push_back({.event = event, .count = event.count});
  return spans;
}

std::vector<Transfer> transfers_of(const Track& track, const Selection& selection) {
  std::vector<Transfer> transfers = track.transfers();
  std::erase_if(transfers, [&](const Transfer& transfer) { return transfer.completed <= selection.whole_from; });
  return transfers;
}

Report make_report(const Recorder& recorder, double wall_s, const Selection& selection, std::int64_t origin_ns) {
  Report report = make_report(recorder, wall_s);
  if (selection.is_everything()) return report;
  Report::Left left{.whole_from_s = recorder.scale().seconds(selection.whole_from - recorder.scale().start()) +
                                    1e-9 * static_cast<double>(origin_ns)};
  for (std::size_t i = 0; i < all_tracks(recorder); ++i) {
    const Track& track = recorder.track(i);
    for (const Span& span : spans_of(track, selection)) {
      if (span.merged == 1) continue;
      left.events += span.count;
      ++left.spans;
    }
    left.transfers += track.transfers().size() - transfers_of(track, selection).size();
  }
  report.left = left;
  return report;
}

}  // namespace tacit::trace

// Which of a recorder's events a file holds one by one, so that a person can read it, and which it merges.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tacit/trace/report.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::trace {

/// An event in a file: one of a track, or several short ones that follow each other.
struct Span {
  Event event;  ///< of several: the begin of the first, the end of the last, and the kind that took most of the time
  std::uint64_t merged = 1;  ///< so many
  std::uint64_t count = 1;   ///< what they stand for in all: more, if there are blocks among them
  bool is_mixed = false;     ///< they are not all of one kind
};

/// What of the events that the rings keep goes into a file: by default all.
///
/// What ends after `whole_from` is kept event by event: the last steps of a run, in which everything can be looked at.
/// Before, events shorter than `shortest`, which a picture of the whole run could not show, are merged with their
/// neighbours to spans of about that length, and transfers are left out.
struct Selection {
  std::int64_t whole_from = std::numeric_limits<std::int64_t>::min();  ///< base::ticks()
  std::int64_t shortest = 0;                                           ///< [ticks]

  [[nodiscard]] bool is_everything() const noexcept { return whole_from == std::numeric_limits<std::int64_t>::min(); }
};

/// The selection by which no track gets more than some `most` entries: two thirds of them for what is kept event by
/// event, from the same time on in all tracks, a third for what was before. A transfer counts as three.
/// @param most  >= 8
/// Cost: sorts the events of the tracks that have more.
[[nodiscard]] Selection readable(const Recorder& recorder, std::size_t most);

/// What a file has of the events of a track, by their begin; of everything, in the order in which they were recorded.
[[nodiscard]] std::vector<Span> spans_of(const Track& track, const Selection& selection);
/// The same of its transfers.
[[nodiscard]] std::vector<Transfer> transfers_of(const Track& track, const Selection& selection);

/// make_report, and what the selection leaves out.
/// @param origin_ns  see RankInTrace
[[nodiscard]] Report make_report(const Recorder& recorder, double wall_s, const Selection& selection,
                                 std::int64_t origin_ns = 0);

/// Recorder::write_events of a selection.
void write_events(const Recorder& recorder, const Selection& selection, const TakeText& take,
                  std::optional<RankInTrace> rank = std::nullopt);

/// Recorder::write of a selection.
/// @throws base::SystemError if the file cannot be written
void write_trace(const Recorder& recorder, const Selection& selection, const std::filesystem::path& path,
                 std::span<const std::pair<std::string, std::string>> about);

}  // namespace tacit::trace

// Ring buffers of events and their sums.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/trace/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "tacit/base/error.hpp"

namespace tacit::trace {

namespace {

std::size_t ring_size(std::size_t capacity) {
  if (capacity < 1) throw base::PreconditionError("a track must keep at least 1 event");
  return std::bit_ceil(capacity);
}

constexpr std::array<std::string_view, category_count> category_names{"task", "output", "communication", "poll",
                                                                      "wait", "idle",   "disk wait"};

}  // namespace

std::string_view name(Category category) noexcept { return category_names[static_cast<std::size_t>(category)]; }

Counters& Counters::operator+=(const Counters& other) noexcept {
  tasks += other.tasks;
  jobs += other.jobs;
  steals += other.steals;
  stolen += other.stolen;
  conflicts += other.conflicts;
  polls += other.polls;
  completions += other.completions;
  sleeps += other.sleeps;
  return *this;
}

Track::Track(std::size_t capacity)
    : mask_(ring_size(capacity) - 1),
      ring_(std::make_unique_for_overwrite<Event[]>(mask_ + 1)),
      sums_(max_kinds),
      sent_(max_kinds) {}

void Track::record(const Transfer& transfer) {
  if (transfers_.size() <= mask_) {
    transfers_.push_back(transfer);
  } else {
    transfers_[static_cast<std::size_t>(transfers_recorded_) & mask_] = transfer;
  }
  ++transfers_recorded_;
  ++transfer_sum_.count;
  if (transfer.alone_s > 0.0) {
    transfer_sum_.alone_s += transfer.alone_s;
  } else {
    ++transfer_sum_.of_unknown_length;
    transfer_sum_.ticks_unknown += transfer.completed - transfer.posted;
  }
}

std::int64_t Track::ticks() const noexcept {
  std::int64_t ticks = -inner_;
  for (const Sum& sum : sums_) ticks += sum.ticks;
  return ticks;
}

std::vector<Event> Track::events() const {
  const std::uint64_t kept = std::min<std::uint64_t>(recorded_, mask_ + 1);
  std::vector<Event> ordered;
  ordered.reserve(kept);
  for (std::uint64_t i = recorded_ - kept; i < recorded_; ++i) {
    ordered.push_back(ring_[static_cast<std::size_t>(i) & mask_]);
  }
  return ordered;
}

std::vector<Transfer> Track::transfers() const {
  std::vector<Transfer> ordered(transfers_);
  const std::size_t oldest = transfers_.size() <= mask_ ? 0 : static_cast<std::size_t>(transfers_recorded_) & mask_;
  std::rotate(ordered.begin(), ordered.begin() + static_cast<std::ptrdiff_t>(oldest), ordered.end());
  return ordered;
}

std::uint64_t Track::dropped() const noexcept {
  return recorded_ - std::min<std::uint64_t>(recorded_, mask_ + 1) + transfers_recorded_ - transfers_.size();
}

std::optional<double> Exposure::hidden_fraction() const noexcept {
  if (transfers == 0 || serial_s <= 0.0) return std::nullopt;
  return 1.0 - exposed_s / serial_s;
}

Recorder::Recorder(std::size_t tracks, std::size_t capacity, const base::TickScale& scale) : scale_(scale) {
  if (tracks < 1) throw base::PreconditionError("a recorder needs at least 1 track");
  tracks_.reserve(tracks + beside);
  for (std::size_t i = 0; i < tracks + beside; ++i) tracks_.push_back(std::make_unique<Track>(capacity));
  kinds_.push_back({"job", Category::task});
  critical_path_.by_kind.reserve(max_kinds);  // so that a step in the middle of a run allocates nothing
}

KindId Recorder::kind(std::string_view name, Category category) {
  const std::lock_guard guard(kinds_mutex_);
  const auto found =
      std::ranges::find_if(kinds_, [&](const Kind& kind) { return kind.name == name && kind.category == category; });
  const auto place = static_cast<std::uint32_t>(found - kinds_.begin());
  if (found == kinds_.end()) {
    if (place == max_kinds) throw base::PreconditionError(fmt::format("more than {} kinds of events", max_kinds));
    kinds_.push_back({std::string(name), category});
  }
  return static_cast<KindId>(place);
}

std::vector<Recorder::KindSum> Recorder::sums() const {
  const double scale = 1e-9 * scale_.ns_per_tick();
  std::vector<KindSum> rows;
  for (std::uint32_t i = 0; i < kinds_.size(); ++i) {
    KindSum row{.name = kinds_[i].name, .category = kinds_[i].category};
    for (const auto& track : tracks_) {
      const Track::Sum sum = track->sum(static_cast<KindId>(i));
      row.count += sum.count;
      row.seconds += scale * static_cast<double>(sum.ticks);
    }
    if (i > 0 || row.count > 0) rows.push_back(std::move(row));  // unnamed jobs only where there were any
  }
  std::sort(rows.begin(), rows.end(), [](const KindSum& a, const KindSum& b) {
    return a.seconds != b.seconds ? a.seconds > b.seconds : a.name < b.name;
  });
  return rows;
}

double Recorder::seconds(std::size_t track, Category category) const {
  std::int64_t ticks = 0;
  for (std::uint32_t i = 0; i < kinds_.size(); ++i) {
    if (kinds_[i].category == category) ticks += tracks_[track]->sum(static_cast<KindId>(i)).ticks;
  }
  return 1e-9 * scale_.ns_per_tick() * static_cast<double>(ticks);
}

double Recorder::busy_s(std::size_t track) const {
  const double twice = 1e-9 * scale_.ns_per_tick() * static_cast<double>(tracks_[track]->inner_ticks());
  return seconds(track, Category::task) + seconds(track, Category::output) + seconds(track, Category::communication) +
         seconds(track, Category::poll) - twice;
}

Counters Recorder::counters() const {
  Counters total;
  for (const auto& track : tracks_) total += track->counters;
  return total;
}

std::vector<Recorder::PhaseSum> Recorder::sent() const {
  std::vector<PhaseSum> phases;
  for (std::uint32_t i = 0; i < kinds_.size(); ++i) {
    PhaseSum phase{.name = kinds_[i].name};
    for (const auto& track : tracks_) {
      const Track::Sent sent = track->sent(static_cast<KindId>(i));
      phase.messages += sent.messages;
      phase.bytes += sent.bytes;
    }
    if (phase.messages > 0) phases.push_back(std::move(phase));
  }
  return phases;
}

Exposure Recorder::exposure() const {
  Exposure exposure;
  const double scale = 1e-9 * scale_.ns_per_tick();
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    const Track::TransferSum& sum = tracks_[i]->transfer_sum();
    exposure.transfers += sum.count;
    exposure.serial_s += sum.alone_s + scale * static_cast<double>(sum.ticks_unknown);
    exposure.exposed_s += seconds(i, Category::communication) + seconds(i, Category::poll) + seconds(i, Category::wait);
  }
  exposure.exposed_s /= static_cast<double>(tracks());
  return exposure;
}

void Recorder::add_critical_path(const CriticalPath& path) {
  critical_path_.runs += path.runs;
  critical_path_.work_s += path.work_s;
  critical_path_.length_s += path.length_s;
  for (const auto& [kind, seconds] : path.by_kind) {
    const auto found = std::ranges::find(critical_path_.by_kind, kind, &std::pair<KindId, double>::first);
    if (found == critical_path_.by_kind.end()) {
      critical_path_.by_kind.emplace_back(kind, seconds);
    } else {
      found->second += seconds;
    }
  }
}

}  // namespace tacit::trace

// Ring buffers of events and their sums.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/trace/trace.hpp"

#include <algorithm>
#include <numeric>

#include "tacit/base/clock.hpp"
#include "tacit/base/error.hpp"

namespace tacit::trace {

Lane::Lane(std::size_t capacity) : capacity_(capacity) {
  if (capacity < 1) throw base::PreconditionError("a lane must keep at least 1 event");
  ring_.reserve(capacity);
}

void Lane::record(const Event& event) {
  if (ring_.size() < capacity_) {
    ring_.push_back(event);
  } else {
    ring_[static_cast<std::size_t>(recorded_ % capacity_)] = event;
  }
  ++recorded_;
  const auto kind = static_cast<std::size_t>(event.kind);
  if (kind >= sums_.size()) reserve_kinds(kind + 1);
  ++sums_[kind].count;
  sums_[kind].busy_ns += event.end_ns - event.begin_ns;
}

std::vector<Event> Lane::events() const {
  std::vector<Event> ordered(ring_);
  const auto oldest = static_cast<std::ptrdiff_t>(ring_.size() < capacity_ ? 0 : recorded_ % capacity_);
  std::rotate(ordered.begin(), ordered.begin() + oldest, ordered.end());
  return ordered;
}

Lane::Sum Lane::sum(KindId kind) const {
  const auto i = static_cast<std::size_t>(kind);
  return i < sums_.size() ? sums_[i] : Sum{};
}

std::int64_t Lane::busy_ns() const {
  return std::accumulate(sums_.begin(), sums_.end(), std::int64_t{0},
                         [](std::int64_t total, const Sum& sum) { return total + sum.busy_ns; });
}

void Lane::reserve_kinds(std::size_t kinds) {
  if (kinds > sums_.size()) sums_.resize(kinds);
}

Recorder::Recorder(std::size_t lanes, std::size_t capacity) : start_ns_(base::now_ns()) {
  if (lanes < 1) throw base::PreconditionError("a recorder needs at least 1 lane");
  lanes_.reserve(lanes);
  for (std::size_t i = 0; i < lanes; ++i) lanes_.push_back(std::make_unique<Lane>(capacity));
}

KindId Recorder::kind(std::string_view name) {
  const auto found = std::find(kinds_.begin(), kinds_.end(), name);
  const auto place = static_cast<std::uint32_t>(found - kinds_.begin());
  if (found == kinds_.end()) {
    kinds_.emplace_back(name);
    for (const auto& lane : lanes_) lane->reserve_kinds(kinds_.size());
  }
  return static_cast<KindId>(place);
}

std::vector<Recorder::KindSum> Recorder::sums() const {
  std::vector<KindSum> rows;
  for (std::uint32_t i = 0; i < kinds_.size(); ++i) {
    KindSum row{.name = kinds_[i]};
    for (const auto& lane : lanes_) {
      const Lane::Sum sum = lane->sum(static_cast<KindId>(i));
      row.count += sum.count;
      row.busy_s += 1e-9 * static_cast<double>(sum.busy_ns);
    }
    rows.push_back(std::move(row));
  }
  std::sort(rows.begin(), rows.end(), [](const KindSum& a, const KindSum& b) {
    return a.busy_s != b.busy_s ? a.busy_s > b.busy_s : a.name < b.name;
  });
  return rows;
}

}  // namespace tacit::trace

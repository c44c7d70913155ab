// Sends reports and events to the first rank, which writes them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/rank_trace.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "tacit/comm/collectives/barrier.hpp"
#include "tacit/comm/collectives/broadcast.hpp"
#include "tacit/comm/window.hpp"
#include "tacit/trace/readable.hpp"
#include "tacit/trace/report.hpp"

namespace tacit::engine {
namespace {

constexpr comm::RankId first_rank{0};
constexpr std::size_t piece = 1U << 16U;  // letters of a message; an empty one ends a text

/// Sends texts to the first rank.
class TextSender {
 public:
  explicit TextSender(comm::Communicator& ranks)
      : connection_(ranks, {.rank = first_rank}), window_(connection_, piece) {}
  void send(std::string_view text) {
    while (!text.empty()) {
      const std::string_view part = text.substr(0, piece);
      std::ranges::copy(part, window_.data().begin());
      window_.post(part.size());
      window_.wait();
      text.remove_prefix(part.size());
    }
  }
  void end() {
    window_.post(0);
    window_.wait();
  }

 private:
  comm::Connection connection_;
  comm::SendWindow<char> window_;
};

/// Receives the texts of another rank.
class TextReceiver {
 public:
  TextReceiver(comm::Communicator& ranks, std::uint32_t rank)
      : connection_(ranks, {.rank = comm::RankId{rank}}), window_(connection_, piece) {}
  /// Passes all of one text on.
  void receive(const trace::TakeText& take) {
    for (;;) {
      window_.init();
      const std::span<const char> part = window_.wait();
      if (part.empty()) return;
      take({part.data(), part.size()});
    }
  }

 private:
  comm::Connection connection_;
  comm::RecvWindow<char> window_;
};

/// When this recorder's clock began, on that of the first rank [ns].
std::int64_t origin_of(const trace::Recorder& recorder, comm::Communicator& ranks) {
  comm::Barrier barrier(ranks);
  barrier.run();  // the first call also makes it
  barrier.run();
  const std::int64_t mine = recorder.now_ns();
  std::int64_t of_first = mine;
  comm::Broadcast<std::int64_t>(ranks, first_rank, std::span(&of_first, 1)).run();
  return of_first - mine;
}

}  // namespace

std::size_t events_kept(TraceDetail detail, std::size_t workers, std::size_t ranks) noexcept {
  const bool keeps_all = detail == TraceDetail::all;
  std::size_t capacity = keeps_all ? 1U << 20U : 1U << 16U;
  if (ranks == 1) return capacity;
  const std::size_t most = keeps_all ? 1U << 22U : 1U << 20U;
  while (capacity > (1U << 10U) && capacity * workers * ranks > most) capacity /= 2;
  return capacity;
}

std::size_t events_written(TraceDetail detail, std::size_t workers, std::size_t ranks) noexcept {
  const std::size_t kept = events_kept(detail, workers, ranks);
  if (detail == TraceDetail::all) return kept;
  return std::min(kept, std::max<std::size_t>(18'000 / (workers * ranks), 1U << 10U));
}

namespace {

trace::Selection selection_of(const trace::Recorder& recorder, TraceDetail detail, std::size_t ranks) {
  if (detail == TraceDetail::all) return {};
  return trace::readable(recorder, events_written(detail, recorder.tracks(), ranks));
}

}  // namespace

void write_trace_of_run(const trace::Recorder& recorder, TraceDetail detail, const std::filesystem::path& path,
                        std::span<const std::pair<std::string, std::string>> about) {
  trace::write_trace(recorder, selection_of(recorder, detail, 1), path, about);
}

void write_joint_trace(const trace::Recorder& recorder, TraceDetail detail, const std::filesystem::path& path,
                       std::span<const std::pair<std::string, std::string>> about, comm::Communicator& ranks) {
  const trace::RankInTrace place{.rank = number(ranks.rank()), .origin_ns = origin_of(recorder, ranks)};
  const trace::Selection selection = selection_of(recorder, detail, ranks.size());
  const trace::Report mine =
      trace::make_report(recorder, 1e-9 * static_cast<double>(recorder.now_ns()), selection, place.origin_ns);
  if (ranks.rank() != first_rank) {
    TextSender sender(ranks);
    sender.send(trace::to_json(mine));
    sender.end();
    trace::write_events(
        recorder, selection, [&](std::string_view text) { sender.send(text); }, place);
    sender.end();
    return;
  }
  std::vector<std::unique_ptr<TextReceiver>> others;
  for (std::uint32_t rank = 1; rank < ranks.size(); ++rank) {
    others.push_back(std::make_unique<TextReceiver>(ranks, rank));
  }
  std::vector<trace::Report> reports{mine};
  for (auto& other : others) {
    std::string report;
    other->receive([&](std::string_view text) { report += text; });
    reports.push_back(trace::report_from_json(report, "the trace of another rank"));
  }
  trace::write_trace(path, about, trace::joined(reports), [&](const trace::TakeText& take) {
    trace::write_events(recorder, selection, take, place);
    for (auto& other : others) other->receive(take);
  });
}

}  // namespace tacit::engine

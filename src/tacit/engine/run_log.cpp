// Where the logs of a run are, and how they go on after a restart.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/run_log.hpp"

#include <array>
#include <exception>
#include <system_error>

#include "tacit/base/error.hpp"
#include "tacit/engine/across_ranks.hpp"
#include "tacit/io/log/index.hpp"
#include "tacit/io/log/set.hpp"

namespace tacit::engine {
namespace {

namespace fs = std::filesystem;

constexpr const char* array_of_logs = "Engine/log";
constexpr std::uint64_t numbers_of_log = 4;  // key, offset, step, elements

/// What may be written until room is made again: beside a step's records, the marks of what is written between steps.
std::uint64_t room_for(const Solver& solver) {
  constexpr std::uint64_t most_marks = 8;
  return solver.log_records() + most_marks;
}

}  // namespace

std::vector<StoredLog> stored_logs(const io::FileReader& file) {
  if (!file.has(array_of_logs)) return {};
  const std::vector<std::uint64_t> shape = file.info(array_of_logs).shape;
  if (shape.size() != 2 || shape[1] != numbers_of_log) {
    throw base::FormatError(file.path().string(), "does not say where its logs stood; the file is damaged");
  }
  std::vector<std::uint64_t> numbers(shape[0] * shape[1]);
  file.read(array_of_logs, std::span(numbers));
  std::vector<StoredLog> stored(shape[0]);
  for (std::size_t k = 0; k < stored.size(); ++k) {
    const std::uint64_t* of = &numbers[k * numbers_of_log];
    stored[k] = {.position = {of[0], of[1]}, .step = of[2], .elements = of[3]};
  }
  return stored;
}

RunLog::RunLog(const RunParameters& run, const comm::Communicator& ranks)
    : run_(run), ranks_(ranks), access_{.policy = run.log.policy} {}

template <class Function>
void RunLog::guard(const Function& what) noexcept {
  if (!problem_.empty()) return;
  try {
    what();
  } catch (const std::exception& error) {
    problem_ = error.what();
  }
}

fs::path RunLog::path_of(std::uint64_t step, std::size_t rank, std::size_t ranks) const {
  return run_.directory / io::LogName{.step = step, .rank = rank, .ranks = ranks}.text();
}

void RunLog::clear(const std::vector<StoredLog>& stored, std::uint64_t step) noexcept {
  guard([&] {
    for (const auto& entry : fs::directory_iterator(run_.directory)) {
      const auto name = io::LogName::of(entry.path());
      if (!name || (stored.empty() ? name->step < step : name->step <= stored.front().step)) continue;
      fs::remove(entry.path());
      fs::remove(io::detail::log_index_path(entry.path()));
    }
  });
}

void RunLog::open(const Solver& solver, const std::vector<StoredLog>& stored, std::uint64_t step,
                  double time) noexcept {
  const bool is_continued = is_on() && stored.size() == ranks_.size();
  if (is_continued && problem_.empty()) {
    try {
      continue_log(solver, stored[number(ranks_.rank())]);
    } catch (const std::exception& error) {
      problem_ = std::string(error.what()) + "\n  --restart --set output.log=false goes on without the log";
    }
  }
  guard([&] {
    const io::LogWriter::Options options{.extent_bytes = run_.log.room};
    const std::size_t rank = number(ranks_.rank());
    if (!is_continued) {
      for (std::size_t k = rank; k < stored.size(); k += ranks_.size()) {
        end_log(stored[k], path_of(stored[k].step, k, stored.size()), time);
      }
      if (!is_on()) return;
      stored_.step = step;
      writer_.emplace(path_of(step, rank, ranks_.size()), solver.log_schema().value(), options);
    }
    first_byte_ = writer_->position().offset;
    writer_->ensure_room(room_for(solver));
    access_.writer = &*writer_;
  });
}

/// A record that is damaged is an error, as is a log that is gone: the solver would go on from other ones.
void RunLog::continue_log(const Solver& solver, const StoredLog& stored) {
  stored_ = stored;
  const fs::path path = path_of(stored_.step, number(ranks_.rank()), ranks_.size());
  writer_.emplace(path, solver.log_schema().value(), stored_.position,
                  io::LogWriter::Options{.extent_bytes = run_.log.room});
  before_ = std::make_unique<io::LogReader>(path);
}

/// Of a log that does not go on; one that somebody has taken away is not missed, and one that is damaged stays as it
/// is.
void RunLog::end_log(const StoredLog& stored, const fs::path& path, double time) const {
  if (!fs::exists(path)) return;
  try {
    const io::LogSchema schema = io::LogReader(path, io::Damage::skip).schema();
    io::LogWriter(path, schema, stored.position).close(time, stored.elements);
  } catch (const base::FormatError&) {  // what is sound of it can still be read
  }
}

void RunLog::begin(Solver& solver, std::uint64_t step, double time) {
  if (!writer_) return;
  const bool is_new = before_ == nullptr;
  solver.begin_log(time, step, before_.get());
  before_.reset();
  if (is_new) note(solver, time);  // so that a log begins with a record of that time, even of a rank without elements
}

bool RunLog::lacks_room(const Solver& solver) const noexcept {
  return writer_ && problem_.empty() && writer_->lacks_room(room_for(solver));
}

void RunLog::make_room(const Solver& solver) noexcept {
  guard([&] { writer_->ensure_room(room_for(solver)); });
}

void RunLog::note(const Solver& solver, double time) noexcept {
  if (!writer_) return;
  guard([&] { writer_->note(solver.logged_until(time), solver.logged_elements()); });
}

void RunLog::sync(const Solver& solver, double time) noexcept {
  if (!writer_) return;
  guard([&] {
    stored_.elements = solver.logged_elements();
    stored_.position = writer_->sync(solver.logged_until(time), stored_.elements);
  });
}

void RunLog::save(io::FileWriter& file) const {
  if (!writer_) return;
  const std::array<std::uint64_t, numbers_of_log> mine{stored_.position.log, stored_.position.offset, stored_.step,
                                                       stored_.elements};
  file.part(array_of_logs, std::array<std::uint64_t, 2>{ranks_.size(), numbers_of_log}, io::Number::uint64,
            {.first = {number(ranks_.rank()), 0}, .count = {1, numbers_of_log}}, std::span<const std::uint64_t>(mine));
}

void RunLog::finish(Solver& solver, double time) {
  if (writer_) solver.end_log(time);
}

void RunLog::close(const Solver& solver, double time) noexcept {
  if (!writer_) return;
  guard([&] { writer_->close(time, solver.logged_elements()); });
}

std::uint64_t RunLog::bytes() const noexcept { return writer_ ? writer_->position().offset - first_byte_ : 0; }

}  // namespace tacit::engine

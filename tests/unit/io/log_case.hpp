// A log of waves whose states are known at any time; for the tests of the continuous log.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <thread>
#include <vector>

#include "tacit/io/log/policy.hpp"
#include "tacit/io/log/reader.hpp"
#include "tacit/io/log/writer.hpp"

namespace tacit::io::log_test {

/// As the schema below says.
struct WaveFields {
  double x = 0.0;
  double v = 0.0;
  float rho = 0.0F;
  std::uint32_t step = 0;
};

inline LogSchema wave_schema() {
  return {{{"x", Number::float64, 1, "length", "v"},
           {"v", Number::float64, 1, "length/time"},
           {"rho", Number::float32},
           {"step", Number::uint32}}};
}

/// Element i swings with a frequency of its own, in [1, 4], and an amplitude of 1.
struct Wave {
  std::uint64_t id = 0;
  static constexpr double end_time = 2.0;
  static constexpr double slope = 0.1;  // of rho

  [[nodiscard]] double frequency() const { return 1.0 + 3.0 * static_cast<double>(id * 37 % 101) / 101.0; }
  [[nodiscard]] double x(double t) const { return std::sin(frequency() * t + static_cast<double>(id)); }
  [[nodiscard]] double v(double t) const { return frequency() * std::cos(frequency() * t + static_cast<double>(id)); }
  /// Own steps are 2^-8 and 2^-7.
  [[nodiscard]] double dt() const { return id % 2 == 0 ? 0.00390625 : 0.0078125; }
  [[nodiscard]] std::uint32_t first_step() const { return id % 10 == 7 ? steps() / 4 : 0; }
  /// Of which the last one removes the element.
  [[nodiscard]] std::uint32_t last_step() const { return id % 10 == 3 ? steps() / 2 : steps(); }
  [[nodiscard]] bool is_removed() const { return id % 10 == 3; }
  [[nodiscard]] std::uint32_t steps() const { return static_cast<std::uint32_t>(end_time / dt()); }
  [[nodiscard]] bool exists(double t) const {
    return t >= first_step() * dt() && (!is_removed() || t < last_step() * dt());
  }
  [[nodiscard]] WaveFields fields(std::uint32_t step) const {
    const double t = step * dt();
    return {x(t), v(t), static_cast<float>(1.0 + slope * t), step};
  }
};

inline constexpr LogPolicy wave_policy{64, 1e-3};

/// What a solver keeps of an element for its log.
struct Logged {
  std::uint64_t offset = 0;
  std::uint32_t step = 0;
  WaveFields fields;
};

inline bool is_due(const Wave& wave, const Logged& last, std::uint32_t step) {
  if (step == wave.first_step() || (wave.is_removed() && step == wave.last_step())) return true;
  const WaveFields now = wave.fields(step);
  const double off = deviation(std::span(&last.fields.x, 1), std::span(&last.fields.v, 1), std::span(&now.x, 1),
                               (step - last.step) * wave.dt());
  return wave_policy.is_due(step - last.step, off);
}

/// All records of the waves [first, last), cell by cell and step by step, as tasks would.
inline void write_waves(LogWriter& log, std::uint64_t first, std::uint64_t last) {
  constexpr std::uint64_t cell = 16;
  std::vector<Logged> logged(last - first);
  std::vector<std::uint64_t> due;
  for (std::uint32_t step = 0; step <= Wave{0}.steps(); ++step) {
    for (std::uint64_t begin = first; begin < last; begin += cell) {
      due.clear();
      for (std::uint64_t id = begin; id < std::min(begin + cell, last); ++id) {
        const Wave wave{id};
        const bool is_active = step >= wave.first_step() && step <= wave.last_step();
        if (is_active && is_due(wave, logged[id - first], step)) due.push_back(id);
      }
      LogBatch batch = log.reserve(due.size());
      for (const std::uint64_t id : due) {
        const Wave wave{id};
        Logged& l = logged[id - first];
        l.step = step;
        l.fields = wave.fields(step);
        const bool goes = wave.is_removed() && step == wave.last_step();
        l.offset = goes ? batch.remove(id, l.offset, step * wave.dt(), l.fields)
                        : batch.write(id, l.offset, step * wave.dt(), l.fields);
      }
    }
  }
}

inline std::uint64_t count_waves(std::uint64_t elements, double time) {
  std::uint64_t count = 0;
  for (std::uint64_t id = 0; id < elements; ++id) count += Wave{id}.exists(time) ? 1 : 0;
  return count;
}

/// A closed log of `elements` waves, written by some threads.
inline void make_wave_log(const std::filesystem::path& path, std::uint64_t elements, unsigned threads) {
  LogWriter log(path, wave_schema(), LogWriter::Options{std::uint64_t{1} << 20});
  log.ensure_room(elements * (Wave{0}.steps() + 2));
  std::vector<std::jthread> running;
  for (unsigned k = 0; k < threads; ++k) {
    running.emplace_back([&, k] { write_waves(log, elements * k / threads, elements * (k + 1) / threads); });
  }
  running.clear();
  log.close(Wave::end_time, count_waves(elements, Wave::end_time));
}

}  // namespace tacit::io::log_test

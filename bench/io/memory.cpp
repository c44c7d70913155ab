// What output costs in memory and processor time, before it comes to a disk.
// SPDX-License-Identifier: Apache-2.0
#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

#include "io/raw_file.hpp"
#include "io/sections.hpp"
#include "tacit/base/checksum.hpp"
#include "tacit/base/cpu_features.hpp"
#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/engine/peak.hpp"
#include "tacit/engine/triad.hpp"
#include "tacit/io/detail/checksums.hpp"
#include "tacit/io/detail/pack.hpp"
#include "tacit/io/file.hpp"
#include "tacit/io/log/writer.hpp"
#include "tacit/io/output.hpp"

namespace tacit::bench {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{512} << 10U;  // as in files

/// Of this thread so far [s]: what others do on its processor does not count.
double processor_s() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Amounts per second of processor time of `run`, which is timed several times after a first one.
/// @param amount  of a run
std::vector<double> rates(const Session& session, double amount, const std::function<void()>& run) {
  std::vector<double> values;
  for (std::size_t sample = 0; sample <= session.size(7, 2); ++sample) {
    const double begin = processor_s();
    run();
    if (sample > 0) values.push_back(amount / std::max(processor_s() - begin, 1e-9));
  }
  return values;
}

void add_machine(Session& session) {
  const engine::PeakLoop loop = engine::peak_loops(base::best_instruction_set()).of_float;
  const std::size_t rounds = session.size(2'000'000, 100);
  const double operations = loop(rounds);
  session.add({.name = "peak_gflops",
               .unit = "Gflop/s",
               .better = Better::higher,
               .ours = summarise(rates(session, 1e-9 * operations, [&] { static_cast<void>(loop(rounds)); }))});
  engine::Triad triad(session.size(std::size_t{1} << 23U, 1000));
  session.add({.name = "bandwidth_gbs",
               .unit = "GB/s",
               .better = Better::higher,
               .ours = summarise(rates(session, 1e-9 * triad.bytes(), [&] { triad.run(); }))});
}

/// All that is computed of every byte, beside a copy.
void add_checksums(Session& session) {
  Pages pages(session.size(256, 4) * chunk_bytes);
  Pages copy(chunk_bytes);
  const double gigabytes = 1e-9 * static_cast<double>(pages.bytes().size());
  volatile std::uint64_t sum = 0;
  const auto rate = [&](const std::function<std::uint64_t(std::span<const std::byte>)>& of) {
    return rates(session, gigabytes, [&] {
      for (std::size_t at = 0; at < pages.bytes().size(); at += chunk_bytes) {
        sum = sum + of(std::span<const std::byte>(pages.bytes()).subspan(at, chunk_bytes));
      }
    });
  };
  const auto fletcher = rate([](auto bytes) { return io::detail::fletcher32(bytes); });
  const auto hash = rate([](auto bytes) { return base::hash(bytes); });
  const auto both = rate([](auto bytes) { return io::detail::fletcher32(bytes) + base::hash(bytes); });
  const auto copied = rate([&](auto bytes) {
    std::memcpy(copy.bytes().data(), bytes.data(), bytes.size());
    return static_cast<std::uint64_t>(copy.bytes()[0]);
  });
  session.add({.name = "checksum_GB_per_s",
               .unit = "GB/s",
               .better = Better::higher,
               .ours = summarise(both),
               .peers = {{"memcpy", summarise(copied).median}}});
  session.add({.name = "fletcher32_GB_per_s", .unit = "GB/s", .better = Better::higher, .ours = summarise(fletcher)});
  session.add({.name = "xxh3_GB_per_s", .unit = "GB/s", .better = Better::higher, .ours = summarise(hash)});
}

/// A velocity as turbulence has it: smooth, with digits that no neighbour predicts.
std::vector<float> smooth_field(std::size_t size) {
  std::vector<float> values(size);
  for (std::size_t i = 0; i < size; ++i) {
    const auto x = 0.01 * static_cast<double>(i);
    values[i] = static_cast<float>(std::sin(x) + 0.3 * std::sin(5.1 * x + 1.0) + 0.1 * std::sin(31.7 * x));
  }
  return values;
}

/// Packing as snapshots are packed by default: shuffled, gzip level 1, its checksum.
void add_compression(Session& session) {
  const std::vector<float> field = smooth_field(session.size(64, 2) * chunk_bytes / sizeof(float));
  const auto content = std::as_bytes(std::span(field));
  const io::detail::Packing packing{.element_bytes = sizeof(float), .compression = 1};
  std::vector<std::byte> memory(io::detail::room_to_pack(chunk_bytes, packing));
  io::detail::Packer packer;
  std::size_t packed = 0;
  const auto speeds = rates(session, 1e-9 * static_cast<double>(content.size()), [&] {
    packed = 0;
    for (std::size_t at = 0; at < content.size(); at += chunk_bytes) {
      std::memcpy(memory.data(), content.data() + at, chunk_bytes);
      packed += packer.pack(memory, chunk_bytes, packing);
    }
  });
  session.add({.name = "compression_cpu_s_per_GB",
               .unit = "s/GB",
               .ours = summarise(ratios(std::vector<double>(speeds.size(), 1.0), speeds))});
  session.add({.name = "compressed_size",
               .unit = "1",
               .ours = summarise({static_cast<double>(packed) / static_cast<double>(content.size())})});
}

/// As an sph particle leaves it.
struct Recorded {
  std::array<double, 3> x;
  std::array<float, 3> v;
  float u;
};

void add_log(Session& session, const std::filesystem::path& folder) {
  const io::LogSchema schema{.fields = {{.name = "x", .type = io::Number::float64, .count = 3},
                                        {.name = "v", .type = io::Number::float32, .count = 3},
                                        {.name = "u", .type = io::Number::float32}}};
  constexpr std::size_t batch_records = 64;  // about those of a cell
  const std::size_t batches = session.size(4096, 4);
  const double records = static_cast<double>(batches * batch_records);
  std::vector<double> ns;
  for (std::size_t sample = 0; sample <= session.size(7, 2); ++sample) {
    const auto path = folder / "output.log";
    std::filesystem::remove(path);
    io::LogWriter log(path, schema);
    std::vector<std::uint64_t> last(batch_records, 0);
    Recorded state{{0.1, 0.2, 0.3}, {1.0F, 2.0F, 3.0F}, 4.0F};
    // Room, and pages that are mapped when they are first written, are costs of the log, too.
    const double begin = processor_s();
    log.ensure_room(batches * batch_records);
    for (std::size_t batch = 0; batch < batches; ++batch) {
      io::LogBatch room = log.reserve(batch_records);
      for (std::size_t i = 0; i < batch_records; ++i) {
        state.x[0] += 1e-6;
        last[i] = room.write(i, last[i], static_cast<double>(batch), state);
      }
    }
    if (sample > 0) ns.push_back(1e9 * (processor_s() - begin) / records);
  }
  session.add({.name = "log_record_ns", .unit = "ns", .ours = summarise(ns), .limit = 50.0});
}

/// Gives more than staging takes: the giver waits, and no more is held than was allowed.
void add_staging(Session& session, const std::filesystem::path& folder) {
  const std::uint64_t staging = session.size(32, 2) * chunk_bytes;
  const std::vector<double> values(8 * staging / sizeof(double), 1.0);
  std::vector<double> peaks;
  for (std::size_t sample = 0; sample < session.size(7, 2); ++sample) {
    comm::Communicator alone(comm::bootstrap_alone());
    io::Output output(alone, {.staging_memory = staging});
    io::FileWriter file(folder / "staged.hdf5", 0, output);
    file.array("values", values, std::array<std::uint64_t, 2>{values.size() / 1024, 1024});
    file.commit();
    output.finish();
    peaks.push_back(static_cast<double>(output.cost().peak_memory) / static_cast<double>(staging));
  }
  session.add({.name = "staging_peak_ratio", .unit = "1", .ours = summarise(peaks), .limit = 1.0});
}

}  // namespace

void add_memory_figures(Session& session, const std::filesystem::path& folder) {
  add_machine(session);
  add_checksums(session);
  add_compression(session);
  add_log(session, folder);
  add_staging(session, folder);
}

}  // namespace tacit::bench

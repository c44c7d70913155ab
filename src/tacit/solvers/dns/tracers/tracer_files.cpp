// Tracers in checkpoints, and in files for ParaView.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>

#include "tacit/solvers/dns/fields.hpp"
#include "tacit/solvers/dns/tracers/tracers.hpp"

namespace tacit::dns {
namespace {

constexpr const char* group = "Dns/Tracers";
constexpr const char* logged = "Dns/Tracers/logged";

/// What of a tracer a restart needs; velocities are the flow's.
struct Stored {
  const char* name;
  base::Vec3 Tracer::*member;
};
constexpr std::array stored{Stored{"position", &Tracer::position}, Stored{"start", &Tracer::start},
                            Stored{"first_velocity", &Tracer::first_velocity}};

/// What all arrays of a file share: the tracers of this rank, by rising id, and where they stand among all.
struct Block {
  std::span<const Tracer> tracers;
  fft::Range ids;
  std::uint64_t count = 0;
};

/// Writes three numbers of each tracer, shape (count, 3).
void write_vectors(io::FileWriter& file, const std::string& name, const Block& block, io::Number number,
                   const std::function<base::Vec3(const Tracer&)>& of) {
  std::vector<double> numbers;
  numbers.reserve(3 * block.tracers.size());
  for (const Tracer& tracer : block.tracers) {
    const base::Vec3 value = of(tracer);
    numbers.insert(numbers.end(), {value.x, value.y, value.z});
  }
  file.part(name, std::array<std::uint64_t, 2>{block.count, 3}, number,
            {.first = {block.ids.begin, 0}, .count = {block.ids.size(), 3}}, numbers);
}

/// Writes 0, 1, 2, ... as VTK's type for numbers of points.
void write_counting(io::FileWriter& file, const std::string& name, std::uint64_t count) {
  file.stream(name, std::array<std::uint64_t, 1>{count}, io::Number::int64,
              io::RowSource<std::byte>([](std::uint64_t first, std::span<std::byte> out) {
                for (std::size_t i = 0; i < out.size() / sizeof(std::int64_t); ++i) {
                  const auto number = static_cast<std::int64_t>(first + i);
                  std::memcpy(out.data() + i * sizeof(number), &number, sizeof(number));
                }
              }));
}

/// Where the position stands in the box: 0 <= x < side along each axis.
base::Vec3 in_the_box(const base::Vec3& position, const base::Vec3& box) {
  const auto coordinate = [&](std::size_t axis) {
    const double x = position[axis] - std::floor(position[axis] / box[axis]) * box[axis];
    return x < box[axis] ? x : 0.0;  // rounding may bring it to the side's end
  };
  return {coordinate(0), coordinate(1), coordinate(2)};
}

/// Cells of one kind of VTK's poly data: `count` of one point each, or none.
void write_cells(io::FileWriter& file, const std::string& kind, std::uint64_t count) {
  const std::string name = "VTKHDF/" + kind;
  const std::array<std::int64_t, 1> cells{static_cast<std::int64_t>(count)};
  const std::array<std::uint64_t, 1> one{1};
  file.group(name);
  file.array(name + "/NumberOfCells", cells, one);
  file.array(name + "/NumberOfConnectivityIds", cells, one);
  write_counting(file, name + "/Offsets", count + 1);
  write_counting(file, name + "/Connectivity", count);
}

}  // namespace

void Tracers::save(io::FileWriter& file) const {
  const std::vector<Tracer> tracers = with_own_ids();
  const Block block{tracers, own_ids(), count_};
  file.group(group);
  for (const Stored& one : stored) {
    write_vectors(file, std::string(group) + "/" + one.name, block, io::Number::float64,
                  [&](const Tracer& tracer) { return tracer.*one.member; });
  }
  if (!log_) return;
  write_vectors(file, logged, block, io::Number::float64, [](const Tracer& tracer) {
    return base::Vec3{static_cast<double>(tracer.logged_by), static_cast<double>(tracer.steps_since_logged), 0.0};
  });
}

/// Who has logged the tracers, and how many steps ago.
void Tracers::load_logged(const io::FileReader& file) {
  const fft::Range ids = own_ids();
  std::vector<double> numbers(3 * ids.size());
  file.read_rows(logged, ids.begin, numbers);
  const auto count = [](double number) { return static_cast<std::uint32_t>(std::clamp(number, 0.0, 4294967295.0)); };
  for (std::size_t i = 0; i < tracers_.size(); ++i) {
    tracers_[i].logged_by = count(numbers[3 * i]);
    tracers_[i].steps_since_logged = count(numbers[3 * i + 1]);
  }
}

void Tracers::load(const io::FileReader& file) {
  const fft::Range ids = own_ids();
  std::vector<double> numbers(3 * ids.size());
  tracers_.resize(ids.size());
  for (const Stored& one : stored) {
    const std::string name = std::string(group) + "/" + one.name;
    if (file.info(name).shape != std::vector<std::uint64_t>{count_, 3}) {
      throw base::FormatError(file.path().string(),
                              fmt::format("{} is not three numbers for each of {} tracers", name, count_));
    }
    file.read_rows(name, ids.begin, numbers);
    for (std::size_t i = 0; i < tracers_.size(); ++i) {
      Tracer& tracer = tracers_[i];
      tracer.id = ids.begin + i;
      tracer.*one.member = {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
      if (!std::isfinite(base::norm(tracer.*one.member))) {
        throw base::FormatError(file.path().string(),
                                fmt::format("{} of tracer {} is not finite; the file is damaged", name, tracer.id));
      }
    }
  }
  if (log_ && file.has(logged)) load_logged(file);
}

std::uint64_t Tracers::write(const std::filesystem::path& path, const engine::FileContext& context) const {
  const std::vector<Tracer> tracers = with_own_ids();
  const Block block{tracers, own_ids(), count_};
  const io::Number number = context.double_precision ? io::Number::float64 : io::Number::float32;
  io::FileWriter file = context.file(path, flow_.ranks().world());
  file.group("VTKHDF");
  file.attribute("VTKHDF", "Version", std::array<std::int64_t, 2>{2, 0});
  file.attribute("VTKHDF", "Type", std::string_view("PolyData"));
  file.array("VTKHDF/NumberOfPoints", std::array<std::int64_t, 1>{static_cast<std::int64_t>(count_)},
             std::array<std::uint64_t, 1>{1});
  const base::Vec3 box = flow_.parameters().box;
  write_vectors(file, "VTKHDF/Points", block, number,
                [&](const Tracer& tracer) { return in_the_box(tracer.position, box); });
  write_cells(file, "Vertices", count_);
  for (const char* kind : {"Lines", "Polygons", "Strips"}) write_cells(file, kind, 0);
  file.group("VTKHDF/PointData");
  write_vectors(file, "VTKHDF/PointData/velocity", block, number, [](const Tracer& tracer) { return tracer.velocity; });
  write_vectors(file, "VTKHDF/PointData/displacement", block, number,
                [](const Tracer& tracer) { return tracer.position - tracer.start; });
  write_counting(file, "VTKHDF/PointData/id", count_);
  write_header(file, context, flow_.parameters());
  return file.commit();
}

}  // namespace tacit::dns

// Reads fields and brings them to the resolution of a flow.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/formats/field_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "tacit/comm/collectives/all_to_all.hpp"
#include "tacit/solvers/dns/fields.hpp"
#include "tacit/solvers/dns/transforms.hpp"

namespace tacit::dns {
namespace {

constexpr std::array box_axes{"x", "y", "z"};

/// The index of a wave number in a list of `count` of them (those >= 0 first), if the list has it.
std::optional<std::size_t> index_of(std::int64_t k, std::size_t count) {
  const auto highest = static_cast<std::int64_t>((count - 1) / 2);
  if (std::abs(k) > highest) return std::nullopt;
  return static_cast<std::size_t>(k >= 0 ? k : k + static_cast<std::int64_t>(count));
}

/// Calls visit(place in `from`, place in `to`) for each mode that both ranks have, in an order that is the same on
/// both. Waves of two points are left out, as their sign is unknown.
template <class Visit>
void for_each_common(const fft::Pencils& from, const fft::Pencils& to, const Visit& visit) {
  const fft::Modes& ours = to.modes();
  const auto index = [&](std::size_t axis, std::size_t i) {
    return index_of(ours.wave_number(axis, i), from.modes().points()[axis]);
  };
  const auto has = [](const fft::Range& range, const std::optional<std::size_t>& i) {
    return i && range.begin <= *i && *i < range.end;
  };
  for (std::size_t x = to.kx().begin; x < to.kx().end; ++x) {
    const auto kx = index(0, x);
    if (!has(from.kx(), kx)) continue;
    for (std::size_t y = to.ky().begin; y < to.ky().end; ++y) {
      const auto ky = index(1, y);
      if (!has(from.ky(), ky)) continue;
      for (std::size_t z = 0; z < ours.count(2); ++z) {
        const auto kz = index(2, z);
        if (kz && holds(ours, x, y, z)) visit(from.spectral_place(*kx, *ky, *kz), to.spectral_place(x, y, z));
      }
    }
  }
}

/// The modes that both grids have, from the ranks that have them to those that are to have them; others become zero.
class Transfer {
 public:
  Transfer(const fft::Pencils& from, const Flow& flow) : from_(from), to_(flow.pencils()) {
    if (flow.ranks().world().size() == 1) return;
    std::vector<std::size_t> counts(from.grid().ranks());
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
      for_each_common(from, to_of(rank), [&](std::size_t, std::size_t) { ++counts[rank]; });
    }
    exchange_.emplace(flow.ranks().world(), counts);
  }

  void run(std::span<const Complex> source, std::span<Complex> target) {
    std::ranges::fill(target, Complex{});
    if (!exchange_) {
      for_each_common(from_, to_, [&](std::size_t from, std::size_t to) { target[to] = source[from]; });
      return;
    }
    const std::size_t ranks = from_.grid().ranks();
    Complex* sent = exchange_->input().data();
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      for_each_common(from_, to_of(rank), [&](std::size_t from, std::size_t) { *sent++ = source[from]; });
    }
    exchange_->run();
    const Complex* received = exchange_->output().data();
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const fft::Pencils theirs(from_.modes(), from_.grid(), rank);
      for_each_common(theirs, to_, [&](std::size_t, std::size_t to) { target[to] = *received++; });
    }
  }

 private:
  [[nodiscard]] fft::Pencils to_of(std::size_t rank) const { return {to_.modes(), to_.grid(), rank}; }

  const fft::Pencils& from_;
  const fft::Pencils& to_;
  std::optional<comm::AllToAllV<Complex>> exchange_;
};

}  // namespace

FieldFile::FieldFile(const std::filesystem::path& path) : file_(path) {
  if (file_.is_array("Dns/u")) {
    layout_ = Layout::modes;
    for (const char* name : {"Dns/u", "Dns/v", "Dns/w"}) velocity_.push_back({.array = name});
  } else if (file_.is_array("VTKHDF/PointData/velocity")) {
    for (std::size_t c = 0; c < 3; ++c) velocity_.push_back({"VTKHDF/PointData/velocity", 3, c});
  } else if (file_.is_array("u") || file_.is_array("v") || file_.is_array("w")) {
    for (const char* name : velocity_names) velocity_.push_back({.array = name});
  } else {
    throw base::FormatError(path.string(),
                            "has no velocity that is known; expected u, v and w of shape (z, y, x), "
                            "VTKHDF/PointData/velocity of shape (z, y, x, 3), as snapshots have, or a checkpoint");
  }
  const std::vector<std::uint64_t> found = file_.info(velocity_.front().array).shape;
  if (found.size() >= 3) {
    shape_ =
        layout_ == Layout::modes ? fft::Shape{found[0], found[2], found[1]} : fft::Shape{found[2], found[1], found[0]};
  }
  for (const Source& source : velocity_) check_shape(source);
}

void FieldFile::check_shape(const Source& source) const {
  if (!file_.is_array(source.array)) {
    throw base::FormatError(file_.path().string(),
                            "has no array " + source.array + ", but has others of a velocity; u, v and w are needed");
  }
  const std::vector<std::uint64_t> found = file_.info(source.array).shape;
  std::vector<std::uint64_t> expected{shape_[2], shape_[1], shape_[0]};
  if (layout_ == Layout::modes) expected = {shape_[0], shape_[2], shape_[1], 2};
  if (source.components > 1) expected.push_back(source.components);
  if (found != expected || std::ranges::min(shape_) == 0) {
    const char* const axes = layout_ == Layout::modes ? "(kx, kz, ky, 2)"
                             : source.components > 1  ? "(z, y, x, 3)"
                                                      : "(z, y, x), the same for all of them";
    throw base::FormatError(file_.path().string(), fmt::format("{} has the shape ({}), expected {}", source.array,
                                                               fmt::join(found, ", "), axes));
  }
  const bool is_too_small = layout_ == Layout::points && std::ranges::min(shape_) < 2;
  const bool has_no_partners = layout_ == Layout::modes && (shape_[1] % 2 == 0 || shape_[2] % 2 == 0);
  if (is_too_small || has_no_partners) {
    throw base::FormatError(
        file_.path().string(),
        fmt::format("{} has the shape ({}); expected {}", source.array, fmt::join(found, ", "),
                    is_too_small ? "at least 2 points along each axis" : "odd numbers of modes along ky and kz"));
  }
}

/// A field that is stretched to another box is no longer without divergence; so that is a mistake.
void FieldFile::check_box(const Flow& flow) const {
  const char* const object = layout_ == Layout::modes ? "Dns" : "Header";
  const char* const name = layout_ == Layout::modes ? "box" : "BoxSize";
  if (!file_.has(object) || !file_.has_attribute(object, name)) return;
  const std::vector<double> found = file_.attribute(object, name);
  const base::Vec3 box = flow.parameters().box;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // A box that was written in decimals has rounding of another kind than one that was computed.
    if (found.size() == 3 && std::abs(found[axis] - box[axis]) <= 1e-6 * box[axis]) continue;
    throw base::FormatError(
        file_.path().string(),
        fmt::format("its box has the sides ({:.10g}), but dns.box is ({:.10g}, {:.10g}, {:.10g}): they differ along "
                    "{}; set dns.box to the file's",
                    fmt::join(found, ", "), box.x, box.y, box.z, box_axes[axis]));
  }
}

double FieldFile::give_velocity(Flow& flow) const {
  const std::array<std::span<Complex>, 3> targets{flow.modes(0), flow.modes(1), flow.modes(2)};
  give(velocity_, targets, flow);
  const double divergence = flow.energetics().divergence;
  // Modes of our checkpoints are clean, and stay bitwise as they are.
  constexpr double rounding = 1e-13;
  if (layout_ == Layout::points || !(divergence < rounding)) flow.clean();
  return divergence;
}

/// What stands before the names of scalars: the same as before that of the velocity.
std::string FieldFile::group() const {
  const std::string& first = velocity_.front().array;
  return first.substr(0, first.rfind('/') == std::string::npos ? 0 : first.rfind('/') + 1);
}

std::vector<std::string> FieldFile::left_out(const Flow& flow) const {
  const PhysicsParameters& physics = flow.parameters().physics;
  std::vector<std::string> names;
  for (std::size_t s = physics.scalars.size() + 1; file_.is_array(fmt::format("{}scalar{}", group(), s)); ++s) {
    names.push_back(fmt::format("scalar{}", s));
  }
  if (!(physics.stratification > 0.0) && file_.is_array(group() + "buoyancy")) names.emplace_back("buoyancy");
  return names;
}

void FieldFile::give_scalars(Flow& flow) const {
  const std::string group = this->group();
  const std::vector<FieldInfo> fields = fields_of(flow.parameters().physics);
  for (std::size_t s = 0; s < flow.scalars(); ++s) {
    const std::string& name = fields[3 + s].name;
    const std::array<Source, 1> source{{{.array = group + name}}};
    if (!file_.is_array(source[0].array)) continue;
    const std::array<std::span<Complex>, 1> target{flow.scalar(s)};
    give(source, target, flow);
    // At points it is the buoyancy b that is stored, and theta = b/N that the flow carries.
    if (name != "buoyancy") continue;
    if (layout_ == Layout::modes) {
      scale_buoyancy(file_, group.substr(0, group.size() - 1), flow);
      continue;
    }
    for (Complex& mode : target[0]) mode /= flow.parameters().physics.stratification;
  }
}

void FieldFile::give(std::span<const Source> sources, std::span<const std::span<Complex>> targets,
                     const Flow& flow) const {
  TACIT_EXPECT(sources.size() == targets.size());
  check_box(flow);
  for (const Source& source : sources) check_shape(source);
  if (layout_ == Layout::points) return give_points(sources, targets, flow);
  for (std::size_t f = 0; f < sources.size(); ++f) give_modes(sources[f], targets[f], flow);
}

/// Reads one kx after the other, and keeps what this rank has.
void FieldFile::give_modes(const Source& source, std::span<Complex> target, const Flow& flow) const {
  const fft::Pencils& pencils = flow.pencils();
  const fft::Modes& modes = pencils.modes();
  std::vector<double> slab(shape_[2] * shape_[1] * 2);
  std::ranges::fill(target, Complex{});
  for (std::size_t x = pencils.kx().begin; x < std::min(pencils.kx().end, shape_[0]); ++x) {
    file_.read_rows(source.array, x, slab);
    for (std::size_t z = 0; z < modes.count(2); ++z) {
      const auto kz = index_of(modes.wave_number(2, z), shape_[2]);
      for (std::size_t y = pencils.ky().begin; kz && y < pencils.ky().end; ++y) {
        const auto ky = index_of(modes.wave_number(1, y), shape_[1]);
        if (!ky || !holds(modes, x, y, z)) continue;
        const double* const found = slab.data() + 2 * (*kz * shape_[1] + *ky);
        if (!std::isfinite(found[0]) || !std::isfinite(found[1])) {
          throw base::FormatError(file_.path().string(),
                                  fmt::format("{} at kx {}, kz {}, ky {} is not finite", source.array, x, *kz, *ky));
        }
        target[pencils.spectral_place(x, y, z)] = {found[0], found[1]};
      }
    }
  }
}

/// This rank's rows, shape (z, y, x). The whole planes are read, one after the other.
std::vector<double> FieldFile::read_points(const Source& source, const fft::Pencils& pencils) const {
  std::vector<double> plane(shape_[1] * shape_[0] * source.components);
  std::vector<double> points;
  points.reserve(pencils.physical_size());
  for (std::size_t z = pencils.z().begin; z < pencils.z().end; ++z) {
    file_.read_rows(source.array, z, plane);
    for (std::size_t i = pencils.y().begin * shape_[0]; i < pencils.y().end * shape_[0]; ++i) {
      const double value = plane[i * source.components + source.component];
      if (!std::isfinite(value)) {
        throw base::FormatError(file_.path().string(),
                                fmt::format("{} at z {}, y {}, x {} is {}, expected a finite number", source.array, z,
                                            i / shape_[0], i % shape_[0], value));
      }
      points.push_back(value);
    }
  }
  return points;
}

void FieldFile::give_points(std::span<const Source> sources, std::span<const std::span<Complex>> targets,
                            const Flow& flow) const {
  const fft::Pencils& own = flow.pencils();
  const std::size_t rank = own.place_in_column() * own.grid().row_size + own.place_in_row();
  const fft::Pencils pencils(fft::Modes(shape_, fft::Truncation::none), own.grid(), rank);
  std::vector<std::vector<double>> points;
  for (const Source& source : sources) points.push_back(read_points(source, pencils));
  std::vector<base::PackVector<Complex>> modes(sources.size(), base::PackVector<Complex>(pencils.spectral_size()));
  const auto write = [&](std::size_t y, std::size_t z, std::span<double* const> out) {
    for (std::size_t f = 0; f < out.size(); ++f) {
      std::copy_n(points[f].data() + row_of(pencils, y, z) * shape_[0], shape_[0], out[f]);
    }
  };
  const ForwardWork work(pencils, write, {modes.begin(), modes.end()});
  fft::Pass<double> pass(pencils, work.fields(), work, flow.scheduler(), fft::Rigor::estimate, flow.ranks());
  pass.run({});
  Transfer transfer(pencils, flow);
  for (std::size_t f = 0; f < sources.size(); ++f) transfer.run(modes[f], targets[f]);
}

}  // namespace tacit::dns

// Snapshots that ParaView opens, plotfiles, and checkpoints.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "tacit/engine/checkpoint.hpp"
#include "tacit/engine/field_file.hpp"
#include "tacit/solvers/amr/amr_solver.hpp"
#include "tacit/solvers/amr/plotfile.hpp"

namespace tacit::amr {
namespace {

constexpr const char* checkpoint_group = "Amr";

/// Converts numbers to those of a file, behind what is there.
void store_number(double value, io::Number type, std::byte* to) {
  if (type == io::Number::float64) {
    std::memcpy(to, &value, sizeof value);
  } else {
    const auto narrow = static_cast<float>(value);
    std::memcpy(to, &narrow, sizeof narrow);
  }
}

/// Makes rows out of numbers of the cells of some leaves. @param of_cell  of (leaf, cell, component)
template <class OfCell>
io::RowSource<std::byte> rows_of(const std::vector<std::size_t>& leaves, std::size_t cells, std::size_t components,
                                 io::Number type, const OfCell& of_cell) {
  return [=, &leaves](std::uint64_t first, std::span<std::byte> out) {
    const std::size_t bytes = io::bytes_of(type);
    const std::size_t rows = out.size() / (bytes * components);
    std::byte* to = out.data();
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t place = static_cast<std::size_t>(first) + row;
      for (std::size_t component = 0; component < components; ++component, to += bytes) {
        store_number(of_cell(leaves[place / cells], place % cells, component), type, to);
      }
    }
  };
}

/// The leaves of a level that a rank has, and where they stand among all of that level.
struct LeavesOfLevel {
  std::vector<std::size_t> own;
  std::uint64_t first = 0;
  std::uint64_t all = 0;
};

LeavesOfLevel leaves_of_level(const mesh::Octree& tree, const mesh::LeafRange& own, std::uint32_t level) {
  LeavesOfLevel leaves;
  for (std::size_t leaf = 0; leaf < tree.size(); ++leaf) {
    if (tree.leaf(leaf).level != level) continue;
    ++leaves.all;
    if (leaf < own.begin) ++leaves.first;
    if (own.contains(leaf)) leaves.own.push_back(leaf);
  }
  return leaves;
}

/// First and last cell of each leaf along each axis, as AMRBox has them: shape (leaves, 6).
std::vector<std::int64_t> boxes_of(const Domain& domain, const mesh::Octree& tree,
                                   const std::vector<std::size_t>& leaves) {
  std::vector<std::int64_t> boxes;
  for (const std::size_t number : leaves) {
    const mesh::Node& leaf = tree.leaf(number);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto cells = static_cast<std::int64_t>(domain.cells_of_block(axis));
      boxes.push_back(leaf.at[axis] * cells);
      boxes.push_back((leaf.at[axis] + 1) * cells - 1);
    }
  }
  return boxes;
}

io::Part rows_from(std::uint64_t first, std::uint64_t rows, std::size_t columns) {
  if (columns == 1) return {{first}, {rows}};
  return {{first, 0}, {rows, columns}};
}

std::vector<std::uint64_t> shape_of(std::uint64_t rows, std::size_t columns) {
  if (columns == 1) return {rows};
  return {rows, columns};
}

}  // namespace

std::uint64_t AmrSolver::write_snapshot(const std::filesystem::path& path, const engine::FileContext& context) const {
  io::FileWriter file = context.file(path, resources_.ranks);
  const Domain& domain = parameters_.domain;
  file.group("VTKHDF");
  file.attribute("VTKHDF", "Version", std::array<std::int64_t, 2>{1, 0});
  file.attribute("VTKHDF", "Type", std::string_view("OverlappingAMR"));
  file.attribute("VTKHDF", "GridDescription", std::string_view("XYZ"));
  file.attribute("VTKHDF", "Origin", std::array{0.0, 0.0, 0.0});
  for (std::uint32_t level = tree_.coarsest(); level <= tree_.finest(); ++level) write_level(file, context, level);
  engine::write_header(file, context, domain.box);
  file.attribute("Header", "Dimension", std::array{static_cast<std::int64_t>(domain.dimensions)});
  file.attribute("Header", "Gamma", std::array{parameters_.gamma});
  return file.commit();
}

/// The sub-grids of a level, in their order.
void AmrSolver::write_level(io::FileWriter& file, const engine::FileContext& context, std::uint32_t level) const {
  const Domain& domain = parameters_.domain;
  const std::string group = fmt::format("VTKHDF/Level{}", level - tree_.coarsest());
  file.group(group + "/CellData");
  file.attribute(group, "Spacing",
                 std::array{domain.spacing(0, level), domain.spacing(1, level), domain.spacing(2, level)});
  const LeavesOfLevel leaves = leaves_of_level(tree_, grids_.own(), level);
  const std::uint64_t cells = grids_.cells();
  file.part(group + "/AMRBox", shape_of(leaves.all, 6), io::Number::int64,
            rows_from(leaves.first, leaves.own.size(), 6), boxes_of(domain, tree_, leaves.own));
  const io::Number type = context.double_precision ? io::Number::float64 : io::Number::float32;
  const auto write = [&](const std::string& field, std::size_t components, const auto& of_cell) {
    file.part(group + "/CellData/" + field, shape_of(leaves.all * cells, components), type,
              rows_from(leaves.first * cells, leaves.own.size() * cells, components),
              rows_of(leaves.own, grids_.cells(), components, type, of_cell));
  };
  const auto write_gas = [&](const std::string& prefix, const auto& gas) {
    write(prefix + "density", 1, [=](std::size_t leaf, std::size_t cell, std::size_t) { return gas(leaf, cell).rho; });
    write(prefix + "velocity", 3,
          [=](std::size_t leaf, std::size_t cell, std::size_t axis) { return gas(leaf, cell).v[axis]; });
    write(prefix + "pressure", 1, [=](std::size_t leaf, std::size_t cell, std::size_t) { return gas(leaf, cell).P; });
  };
  write_gas("", [this](std::size_t leaf, std::size_t cell) {
    return gas_of(grids_.now(leaf), cell, parameters_.gamma, parameters_.fields);
  });
  const kernels::Fields& fields = parameters_.fields;
  for (std::size_t k = 0; k < fields.species; ++k) {
    write(fraction_name(k), 1,
          [this, place = fields.first_species() + k](std::size_t leaf, std::size_t cell, std::size_t) {
            return grids_.now(leaf).of(place)[cell] / grids_.now(leaf).of(0)[cell];
          });
  }
  if (parameters_.gravity) {
    write("potential", 1, [this](std::size_t leaf, std::size_t cell, std::size_t) {
      return step_->gravity()->field(leaf).of(0)[cell];
    });
    write("acceleration", 3, [this](std::size_t leaf, std::size_t cell, std::size_t axis) {
      return step_->gravity()->field(leaf).of(1 + axis)[cell];
    });
  }
  if (!parameters_.initial.exact) return;
  const GasAt exact = parameters_.initial.exact(context.coordinate - parameters_.begin);
  write_gas("exact_", [this, &exact](std::size_t leaf, std::size_t cell) {
    return exact(centre_of(parameters_.domain, tree_.leaf(leaf), cell));
  });
}

std::vector<engine::Series> AmrSolver::series() const {
  if (!parameters_.plotfile_every) return {};
  return {{.name = "plt", .every = parameters_.plotfile_every, .suffix = ""}};
}

std::uint64_t AmrSolver::write_series(const engine::Series& /*series*/, const std::filesystem::path& path,
                                      const engine::FileContext& context) const {
  return write_plotfile(path, context, parameters_, tree_, grids_, step_->gravity(), resources_.ranks);
}

engine::OutputBytes AmrSolver::output_bytes(const engine::FileContext& context) const {
  const std::uint64_t stored = context.double_precision ? sizeof(double) : sizeof(float);
  const std::uint64_t fields = fields_of_snapshot(parameters_);
  return {.snapshot = fields * elements() * stored, .checkpoint = grids_.fields_count() * elements() * sizeof(double)};
}

/// Each field as an array (leaves, cells of a sub-grid), and the leaves that these belong to: rank by rank.
void AmrSolver::save(io::FileWriter& file) const {
  file.group(checkpoint_group);
  const std::vector<std::uint64_t> shape{tree_.size(), grids_.cells()};
  const mesh::LeafRange& own = grids_.own();
  const std::vector<std::string> names = field_names(parameters_);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto rows = [this, k](std::uint64_t first, std::span<double> out) {
      for (std::size_t row = 0; row < out.size() / grids_.cells(); ++row) {
        const double* const from = grids_.now(grids_.own().begin + static_cast<std::size_t>(first) + row).of(k);
        std::memcpy(out.data() + row * grids_.cells(), from, grids_.cells() * sizeof(double));
      }
    };
    file.part(fmt::format("{}/{}", checkpoint_group, names[k]), shape, io::Number::float64,
              {{own.begin, 0}, {own.size(), grids_.cells()}}, io::RowSource<double>(rows));
  }
  std::vector<std::uint64_t> leaves;
  for (std::size_t number = own.begin; number < own.end; ++number) {
    const mesh::Node& leaf = tree_.leaf(number);
    leaves.push_back(leaf.level);
    for (const std::int64_t at : leaf.at) leaves.push_back(static_cast<std::uint64_t>(at));
  }
  file.part(fmt::format("{}/leaves", checkpoint_group), shape_of(tree_.size(), 4), io::Number::uint64,
            rows_from(own.begin, own.size(), 4), leaves);
  file.attribute(checkpoint_group, "time", std::array{time_});
  file.attribute(checkpoint_group, "halved steps", std::array{static_cast<std::int64_t>(halved_)});
  if (parameters_.follows_stars)
    file.attribute(checkpoint_group, "frame", std::array{parameters_.frame_rotation, frame_angle_});
  if (parameters_.is_open()) file.attribute(checkpoint_group, "balance", statistics_.totals(ledger_));
}

/// Of adaptive runs the checkpoint has the tree; of others the parameters.
void AmrSolver::load(const io::FileReader& file) {
  const std::string name = fmt::format("{}/leaves", checkpoint_group);
  const io::ArrayInfo info = file.info(name);
  if (info.shape.size() != 2 || info.shape[1] != 4 || info.shape[0] == 0) {
    throw base::FormatError(file.path().string(), "has no places of sub-grids; the file is damaged");
  }
  std::vector<std::uint64_t> numbers(info.shape[0] * 4);
  file.read(name, numbers);
  std::vector<mesh::Node> leaves;
  std::vector<mesh::Node> divided;
  for (std::size_t first = 0; first < numbers.size(); first += 4) {
    mesh::Node node{static_cast<std::uint32_t>(numbers[first]), {}};
    for (std::size_t axis = 0; axis < 3; ++axis) node.at[axis] = static_cast<std::int64_t>(numbers[first + 1 + axis]);
    leaves.push_back(node);
    if (node.level > 0) divided.push_back(tree_.parent(node));
  }
  const auto is_known = [&](const mesh::Node& node) {
    bool is_inside = node.level <= mesh::Octree::deepest_level(tree_.spec());
    for (std::size_t axis = 0; axis < 3 && is_inside; ++axis) {
      is_inside = node.at[axis] >= 0 && node.at[axis] < tree_.nodes(axis, node.level);
    }
    return is_inside;
  };
  const bool are_known = std::ranges::all_of(leaves, is_known);
  if (are_known && parameters_.is_adaptive) set_tree(mesh::Octree(tree_.spec(), divided));
  if (!are_known || !std::ranges::equal(leaves, tree_.leaves())) {
    throw base::FormatError(file.path().string(), "has other sub-grids than amr.root, amr.level and amr.regions make");
  }
  const mesh::LeafRange& own = grids_.own();
  const io::Part part{{own.begin, 0}, {own.size(), grids_.cells()}};
  std::vector<double> values(own.size() * grids_.cells());
  const std::vector<std::string> names = field_names(parameters_);
  for (std::size_t k = 0; k < names.size(); ++k) {
    file.read_part(fmt::format("{}/{}", checkpoint_group, names[k]), part, values);
    for (std::size_t leaf = 0; leaf < own.size(); ++leaf) {
      std::memcpy(grids_.now(own.begin + leaf).of(k), values.data() + leaf * grids_.cells(),
                  grids_.cells() * sizeof(double));
    }
  }
  time_ = engine::load_number(file, checkpoint_group, "time", "time of the state");
  constexpr const char* halved = "halved steps";
  if (file.has_attribute(checkpoint_group, halved))  // those of earlier versions have none
    halved_ = static_cast<std::uint64_t>(
        engine::load_number(file, checkpoint_group, halved, "number of steps made in halves", 0.0));
  if (parameters_.follows_stars) {
    const std::vector<double> frame = file.attribute(checkpoint_group, "frame");
    if (frame.size() != 2)
      throw base::FormatError(file.path().string(), "does not say how the frame turns; the file is damaged");
    parameters_.frame_rotation = frame[0];
    frame_angle_ = frame[1];
  }
  if (!parameters_.is_open() || !file.has_attribute(checkpoint_group, "balance")) return;
  const std::vector<double> balance = file.attribute(checkpoint_group, "balance");
  if (balance.size() != Ledger::totals_count && balance.size() != Ledger::undriven_count) {
    throw base::FormatError(file.path().string(), "has no balance of what went through sides; the file is damaged");
  }
  if (resources_.ranks.rank() == comm::RankId{0}) ledger_.add_totals(balance);
}

}  // namespace tacit::amr

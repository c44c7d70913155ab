// Writes test vectors, reads them, and sees to whom they belong.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/multigrid/setup_file.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <span>

#include "tacit/base/error.hpp"
#include "tacit/base/random.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/solvers/qcd/file_parts.hpp"

namespace tacit::qcd::multigrid {
namespace {

constexpr const char* setup_group = "Multigrid";

std::string vector_name(std::size_t vector) { return in_group(setup_group, fmt::format("Vector{:02}", vector)); }

/// What must be the same, as (attribute, what it is called, text).
struct Fact {
  const char* attribute;
  const char* name;
  std::string text;
};

std::vector<Fact> facts(const SetupOf& of) {
  const bool is_antiperiodic = of.dirac.boundary == BoundaryT::antiperiodic;
  return {{"Extents", "the lattice", of.extents.text()},
          {"GaugeField", "the checksum of the gauge field", of.links},
          {"Mass", "qcd.mass", fmt::format("{}", of.dirac.mass)},
          {"Clover", "qcd.csw", fmt::format("{}", of.dirac.csw)},
          {"Boundary", "qcd.boundary", is_antiperiodic ? "antiperiodic" : "periodic"},
          {"Block", "multigrid.block", Extents{of.block}.text()},
          {"Vectors", "multigrid.vectors", fmt::format("{}", of.vectors)}};
}

}  // namespace

/// A sum of numbers that depend on the site, direction and bits of a link: in any order.
std::string checksum_of_links(const GaugeField& field, comm::Communicator* ranks) {
  std::array<std::uint64_t, 1> sum{};
  for (std::size_t site = 0; site < field.part.own.sites(); ++site) {
    const Coordinates x = field.part.at(site);
    for (std::size_t mu = 0; mu < axes; ++mu) {
      std::uint64_t mixed = base::mix64(field.extents.index(x) * axes + mu);
      for (const Complex& number : field.at(x, mu).m) {
        // Zeros have one sign.
        mixed = base::mix64(mixed ^ std::bit_cast<std::uint64_t>(number.real() + 0.0));
        mixed = base::mix64(mixed ^ std::bit_cast<std::uint64_t>(number.imag() + 0.0));
      }
      sum[0] += mixed;
    }
  }
  if (ranks != nullptr) exchange::add_over(*ranks, sum);
  return fmt::format("{:016x}", sum[0]);
}

void write_setup(io::FileWriter& file, const SetupOf& of, const FieldSpace<float>& space,
                 const std::vector<Field<float>>& vectors) {
  file.group(setup_group);
  for (const Fact& fact : facts(of)) file.attribute(setup_group, fact.attribute, fact.text);
  const LatticePart& part = space.lattice().part();
  const Coordinates& n = part.whole.n;
  const std::size_t slice = part.own.sites() / part.own.n[3];
  for (std::size_t v = 0; v < vectors.size(); ++v) {
    file.part(vector_name(v), std::array<std::uint64_t, 5>{n[3], n[2], n[1], n[0], kernels::spinor_numbers},
              io::Number::float32, part_in_file(part, kernels::spinor_numbers),
              io::RowSource<double>([&space, &column = vectors[v], slice](std::uint64_t first, std::span<double> out) {
                space.copy_out(column, first * slice, out);
              }));
  }
}

std::vector<Field<float>> read_setup(const std::filesystem::path& path, const SetupOf& of,
                                     const FieldSpace<float>& space) {
  const io::FileReader file(path);
  if (!file.has(setup_group)) {
    throw base::FormatError(path.string(),
                            "has no group Multigrid: a set-up is what multigrid.write_setup leaves, "
                            "multigrid_000000.hdf5");
  }
  for (const Fact& fact : facts(of)) {
    const std::string found = file.text_attribute(setup_group, fact.attribute);
    if (found == fact.text) continue;
    throw base::FormatError(
        path.string(), fmt::format("is the set-up of other equations: {} is {} there, and {} in this run; leave out "
                                   "multigrid.setup_file, and the run makes its own",
                                   fact.name, found, fact.text));
  }
  std::vector<Field<float>> vectors;
  std::vector<double> values(space.size());
  for (std::size_t v = 0; v < of.vectors; ++v) {
    file.read_part(vector_name(v), part_in_file(space.lattice().part(), kernels::spinor_numbers), values);
    vectors.push_back(space.make());
    space.copy_in(values, vectors.back());
  }
  return vectors;
}

}  // namespace tacit::qcd::multigrid

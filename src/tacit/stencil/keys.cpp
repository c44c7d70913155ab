// Makes the keys of a stencil solver, and reads them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/stencil/keys.hpp"

#include <fmt/format.h>

#include <deque>
#include <utility>

#include "tacit/engine/input_fields.hpp"

namespace tacit::stencil {
namespace {

using config::Key;

/// The set-ups of a solver, and the file, which stands for none of its own.
std::vector<config::Choice<Setup>> choices_of(const Definition& definition) {
  std::vector<config::Choice<Setup>> choices(definition.setups.begin(), definition.setups.end());
  choices.push_back({"file", nullptr, "the fields of an HDF5 file (key initial.file)"});
  return choices;
}

/// Fields of a file; those that it does not have are zero, but for the first.
void read_file(const Definition& definition, const config::Parameters& parameters, Setting& setting) {
  const std::string cells = key_of(definition, "cells");
  const engine::InputFields file(
      parameters, "initial.file",
      {.cells = setting.domain.cells, .dimensions = setting.domain.dimensions, .key = cells});
  std::vector<std::function<double(const std::array<mesh::Index, 3>&)>> fields;
  for (const engine::FieldRow& row : definition.rows) {
    const bool is_there = fields.empty() || file.has(row);
    fields.push_back(is_there ? file.field(row) : [](const std::array<mesh::Index, 3>&) { return 0.0; });
  }
  setting.begin = [fields](std::size_t field, const std::array<mesh::Index, 3>& cell) { return fields[field](cell); };
  setting.origin = {.input = file.path().string(), .checksum = file.checksum()};
}

}  // namespace

std::string key_of(const Definition& definition, std::string_view key) {
  return fmt::format("{}.{}", definition.name, key);
}

struct Tables::Texts {
  std::deque<std::string> kept;  // to which keys point
  std::vector<config::Choice<Setup>> setups;
  std::vector<Key> own;
  std::vector<Key> initial;
  std::vector<config::KeyTable> all;
};

Tables::Tables(const Definition& definition) : texts_(std::make_unique<Texts>()) {
  Texts& t = *texts_;
  const auto keep = [&t](std::string text) -> std::string_view { return t.kept.emplace_back(std::move(text)); };
  const auto name = [&](std::string_view key) { return keep(key_of(definition, key)); };
  t.own = {mesh::cells_key(name("cells")),
           mesh::box_key(name("box"), keep(fmt::format("Sides of the periodic domain; those of axes beyond {}.cells "
                                                       "are not used.",
                                                       definition.name)))};
  t.own.insert(t.own.end(), definition.keys.begin(), definition.keys.end());
  t.own.push_back(
      Key::fraction(name("cfl"), "Time step over the longest stable one.", "0.5").excludes(name("dt")).changeable());
  t.own.push_back(Key::positive(name("dt"), base::dimension::time,
                                keep(fmt::format("A fixed time step, in place of {}.cfl.", definition.name)))
                      .changeable());
  t.setups = choices_of(definition);
  t.initial = {Key::choice("initial.setup", t.setups, "Built-in initial conditions.").required(),
               Key::existing_file("initial.file",
                                  "An HDF5 file with arrays that have the names of the fields and the shape (z, y, x), "
                                  "in code units; or a snapshot. Fields that it does not have begin with 0, but for "
                                  "the first.")
                   .with_example("initial.hdf5")
                   .belongs_to("initial.setup", "file")
                   .changeable()};
  t.all = {{definition.title, t.own}, {"Initial conditions", t.initial}};
}

Tables::~Tables() = default;

std::span<const config::KeyTable> Tables::all() const noexcept { return texts_->all; }

Setting read_setting(const Definition& definition, const config::Parameters& parameters) {
  Setting setting{.domain = mesh::read_domain(parameters, definition.name),
                  .stages = mesh::rk2(),
                  .cfl = parameters.real(key_of(definition, "cfl")),
                  .model = {},
                  .begin = {},
                  .origin = {}};
  const std::string dt = key_of(definition, "dt");
  if (parameters.has(dt)) setting.dt = parameters.real(dt);
  const double dt_min = parameters.real("time.dt_min");
  if (setting.dt && *setting.dt < dt_min) {
    throw config::Error(parameters.where(dt), dt, fmt::format("is shorter than time.dt_min = {:.6g}", dt_min),
                        "change one of the two");
  }
  const Setup setup = parameters.choice("initial.setup", choices_of(definition));
  if (setup == nullptr) {
    read_file(definition, parameters, setting);
  } else {
    setting.begin = [domain = setting.domain, at = setup(parameters, setting.domain)](
                        std::size_t field, const std::array<mesh::Index, 3>& cell) {
      return at(field, {domain.position(0, cell[0]), domain.position(1, cell[1]), domain.position(2, cell[2])});
    };
    setting.origin = {.input = "set-up " + parameters.text("initial.setup")};
  }
  setting.model = definition.model(parameters, setting.domain);
  return setting;
}

std::optional<std::string> refusal(const Definition& definition, const Setting& setting) {
  const double longest = setting.longest_step();
  if (!setting.dt || !(*setting.dt > longest)) return {};
  return fmt::format("{} = {:.4g} is too long: no step beyond {:.4g} is stable; take {}", key_of(definition, "dt"),
                     *setting.dt, longest, key_of(definition, "cfl"));
}

}  // namespace tacit::stencil

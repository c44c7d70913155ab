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
  const std::string cells = setting.key("cells");
  const engine::InputFields file(
      parameters, "initial.file",
      {.cells = setting.domain.cells, .dimensions = setting.domain.dimensions, .key = cells});
  std::vector<std::function<double(const mesh::Cell&)>> fields;
  for (const engine::FieldRow& row : definition.rows) {
    const bool is_there = fields.empty() || file.has(row);
    fields.push_back(is_there ? file.field(row) : [](const mesh::Cell&) { return 0.0; });
  }
  setting.begin = [fields](std::size_t field, const mesh::Cell& cell) { return fields[field](cell); };
  setting.origin = {.input = file.path().string(), .checksum = file.checksum()};
}

}  // namespace

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
  const auto name = [&](std::string_view key) { return keep(fmt::format("{}.{}", definition.name, key)); };
  t.own = {mesh::cells_key(name("cells")),
           mesh::box_key(name("box"), keep(fmt::format("Sides of the periodic domain; those of axes beyond {}.cells "
                                                       "are not used.",
                                                       definition.name)))};
  t.own.insert(t.own.end(), definition.keys.begin(), definition.keys.end());
  for (const Key& key :
       {scheme_key(name("scheme")), stages_key(name("stages"), name("scheme")), cfl_key(name("cfl"), name("dt"), "0.5"),
        dt_key(name("dt"), keep(fmt::format("A fixed time step, in place of {}.cfl.", definition.name)))})
    t.own.push_back(key);
  t.setups = choices_of(definition);
  t.initial = {Key::choice("initial.setup", t.setups, "Built-in initial conditions.").required(),
               initial_file_key("An HDF5 file with arrays that have the names of the fields and the shape (z, y, x), "
                                "in code units; or a snapshot. Fields that it does not have begin with 0, but for the "
                                "first.")};
  t.all = {{definition.title, t.own}, {"Initial conditions", t.initial}};
}

Tables::~Tables() = default;

std::span<const config::KeyTable> Tables::all() const noexcept { return texts_->all; }

Setting read_setting(const Definition& definition, const config::Parameters& parameters) {
  Setting setting{read_grid_setting(parameters, definition.name)};
  const Setup setup = parameters.choice("initial.setup", choices_of(definition));
  if (setup == nullptr) {
    read_file(definition, parameters, setting);
  } else {
    setting.begin = [domain = setting.domain, at = setup(parameters, setting.domain)](std::size_t field,
                                                                                      const mesh::Cell& cell) {
      return at(field, {domain.position(0, cell[0]), domain.position(1, cell[1]), domain.position(2, cell[2])});
    };
    setting.origin = {.input = "set-up " + parameters.text("initial.setup")};
  }
  setting.model = definition.model(parameters, setting.domain);
  return setting;
}

}  // namespace tacit::stencil

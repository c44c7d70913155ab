// From a table of fields follow files, their bytes, restarts, and the look for numbers that are not finite.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "../io/scratch.hpp"
#include "tacit/base/error.hpp"
#include "tacit/engine/field_table.hpp"
#include "tacit/trace/trace.hpp"
#include "unit/comm/polling.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::engine {
namespace {

namespace fs = std::filesystem;

constexpr FieldRow temperature{
    .info = {.name = "temperature", .symbol = "T", .unit = base::dimension::temperature, .meaning = "how warm it is"},
    .in = {.snapshot = true, .checkpoint = true, .input = true}};
constexpr FieldRow velocity{.info = {.name = "velocity",
                                     .symbol = "v",
                                     .unit = base::dimension::velocity,
                                     .meaning = "of the air",
                                     .shape = {3},
                                     .number = base::Number::float32},
                            .in = {.snapshot = true, .checkpoint = true}};
constexpr FieldRow weight{
    .info = {.name = "weight", .symbol = "w", .meaning = "of a cell"}, .in = {.snapshot = true}, .where = "if asked"};
constexpr FieldRow sum{.info = {.name = "sum", .symbol = "s", .meaning = "of coordinates"}, .in = {.snapshot = true}};
constexpr std::array all_rows{temperature, velocity, weight, sum};

// A grid of 4 x 5 cells (y, x) in layers of y, one ghost cell around each rank's. Numbers tell the cells apart.
constexpr std::uint64_t ny = 4;
constexpr std::uint64_t nx = 5;

base::FieldPlace layers_of(const comm::Communicator& ranks) {
  const std::uint64_t size = ranks.size();
  const std::uint64_t own = number(ranks.rank());
  const std::uint64_t first = ny * own / size;
  return {.shape = {ny, nx},
          .first = {first, 0},
          .count = {ny * (own + 1) / size - first, nx},
          .origin = nx + 3,
          .strides = {nx + 2, 1}};
}

/// The fields of a rank with workers of its own; `begin` says whether they have the numbers that tests expect.
class Air {
 public:
  enum class Begin : std::uint8_t { filled, empty };
  Air(comm::Communicator& ranks, Begin begin, const std::string& settings = "dry")
      : recorder_(2),
        scheduler_(2, recorder_),
        polling_(scheduler_, ranks),
        table_(layers_of(ranks), all_rows, "Air", {scheduler_, false, ranks}) {
    const base::FieldPlace& place = table_.place();
    const std::size_t cells = (place.count[0] + 2) * (nx + 2);
    T_.assign(cells, -7.0);
    v_.assign(3 * cells, -7.0F);
    w_.assign(cells, 2.0);
    table_.bind(temperature, T_);
    table_.bind(velocity, v_);
    table_.bind(weight, w_);
    table_.bind(sum, [this](const FileContext& context) -> io::RowSource<double> {
      return [this, at = context.coordinate](std::uint64_t first, std::span<double> out) {
        for (std::size_t i = 0; i < out.size(); ++i) {
          out[i] = at + static_cast<double>(table_.place().first[0] + first + i / nx + i % nx);
        }
      };
    });
    table_.add_number("time", "time of the air", time_);
    table_.set_settings(settings, "start a new run.");
    table_.set_image({.cells = {nx, ny, 1}, .dimensions = 2});
    if (begin == Begin::empty) return;
    time_ = 0.75;
    for (std::uint64_t y = 0; y < place.count[0]; ++y) {
      for (std::uint64_t x = 0; x < nx; ++x) {
        const std::size_t cell = place.origin + y * (nx + 2) + x;
        T_[cell] = 0.1 + static_cast<double>((place.first[0] + y) * nx + x);
        for (std::size_t c = 0; c < 3; ++c) v_[3 * cell + c] = static_cast<float>(T_[cell]) * static_cast<float>(c + 1);
      }
    }
  }
  [[nodiscard]] FieldTable& table() noexcept { return table_; }
  [[nodiscard]] double time() const noexcept { return time_; }
  /// Of a cell of the whole grid; null on ranks that do not have it.
  [[nodiscard]] double* T_of(std::uint64_t y, std::uint64_t x) {
    const base::FieldPlace& place = table_.place();
    if (y < place.first[0] || y >= place.first[0] + place.count[0]) return nullptr;
    return &T_[place.origin + (y - place.first[0]) * (nx + 2) + x];
  }
  void spoil_ghosts() { T_.front() = T_.back() = std::nan(""); }
  void spoil_weight() { w_[table_.place().origin] = std::nan(""); }
  void spoil_velocity() { v_[3 * table_.place().origin + 4] = std::numeric_limits<float>::infinity(); }

 private:
  trace::Recorder recorder_;
  tasks::Scheduler scheduler_;
  comm::testing::Polling polling_;
  double time_ = 0.0;
  std::vector<double> T_;
  std::vector<float> v_;
  std::vector<double> w_;
  FieldTable table_;
};

std::vector<double> read_array(const io::FileReader& file, const std::string& name, std::size_t numbers) {
  std::vector<double> values(numbers);
  file.read(name, values);
  return values;
}

void save_air(const fs::path& path, std::size_t ranks, const std::string& settings = "dry") {
  comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
    Air air(world, Air::Begin::filled, settings);
    io::FileWriter file(path, 0, world);
    air.table().save(file);
    file.commit();
    world.synchronise();
  });
}

TEST(EngineFieldTable, BytesFollowFromTheRows) {
  const OutputBytes single = bytes_of(all_rows, 10, false);
  EXPECT_EQ(single.snapshot, 10U * (4 + 12 + 4 + 4));
  EXPECT_EQ(single.checkpoint, 10U * (8 + 12));
  EXPECT_EQ(bytes_of(all_rows, 10, true).snapshot, 10U * (8 + 12 + 8 + 8));
  comm::testing::on_ranks(2, [](comm::Communicator& world) {
    Air air(world, Air::Begin::filled);
    EXPECT_EQ(air.table().bytes(true).snapshot, bytes_of(all_rows, ny * nx, true).snapshot);
    EXPECT_EQ(air.table().bytes(true).checkpoint, bytes_of(all_rows, ny * nx, true).checkpoint);
  });
}

TEST(EngineFieldTable, ViewsShowTheNumbersWhereTheyAre) {
  comm::testing::on_ranks(2, [](comm::Communicator& world) {
    Air air(world, Air::Begin::filled);
    const std::vector<FieldTable::View> views = air.table().views();
    ASSERT_EQ(views.size(), 3U);  // the sum is made for each file
    const base::FieldPlace& place = air.table().place();
    const auto at = [](const FieldTable::View& view, std::array<std::uint64_t, 3> index) {
      const auto* byte = static_cast<const std::byte*>(view.first);
      for (std::size_t axis = 0; axis < view.shape.size(); ++axis) {
        EXPECT_LT(index.at(axis), view.shape[axis]);
        byte += static_cast<std::ptrdiff_t>(index.at(axis)) * view.strides[axis];
      }
      return static_cast<const void*>(byte);
    };
    EXPECT_EQ(views[0].info.name, "temperature");
    EXPECT_EQ(views[0].shape, (std::vector<std::uint64_t>{place.count[0], nx}));
    EXPECT_EQ(at(views[0], {1, 3, 0}), air.T_of(place.first[0] + 1, 3));
    EXPECT_EQ(views[1].shape, (std::vector<std::uint64_t>{place.count[0], nx, 3}));
    EXPECT_EQ(*static_cast<const float*>(at(views[1], {1, 3, 2})),
              3.0F * static_cast<float>(*air.T_of(place.first[0] + 1, 3)));
  });
}

TEST(EngineFieldTable, ASnapshotHasTheCellsWithoutGhostsOnAnyRanks) {
  const test::Scratch scratch;
  for (const std::size_t ranks : {1U, 2U, 3U}) {
    const fs::path path = scratch / (std::to_string(ranks) + ".hdf5");
    comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
      Air air(world, Air::Begin::filled);
      air.table().write_snapshot(path, {.coordinate = 0.5, .double_precision = ranks != 2});
      world.synchronise();
    });
    const io::FileReader file(path);
    const std::string group = "VTKHDF/CellData/";
    EXPECT_EQ(file.text_attribute("VTKHDF/CellData", "Scalars"), "temperature");
    EXPECT_EQ(file.attribute("Header", "Dimension"), std::vector<double>{2.0});
    EXPECT_EQ(file.info(group + "temperature").type, ranks == 2 ? io::Number::float32 : io::Number::float64);
    EXPECT_EQ(file.info(group + "velocity").type, io::Number::float32);
    EXPECT_EQ(file.info(group + "velocity").shape, (std::vector<std::uint64_t>{ny, nx, 3}));
    const auto T = read_array(file, group + "temperature", ny * nx);
    const auto v = read_array(file, group + "velocity", ny * nx * 3);
    const auto s = read_array(file, group + "sum", ny * nx);
    EXPECT_EQ(read_array(file, group + "weight", ny * nx), std::vector<double>(ny * nx, 2.0));
    for (std::size_t i = 0; i < ny * nx; ++i) {
      const double expected = 0.1 + static_cast<double>(i);
      EXPECT_EQ(T[i], ranks == 2 ? static_cast<double>(static_cast<float>(expected)) : expected);
      EXPECT_EQ(v[3 * i + 2], static_cast<double>(static_cast<float>(expected) * 3.0F));
      EXPECT_EQ(s[i], 0.5 + static_cast<double>(i / nx + i % nx));
    }
  }
}

TEST(EngineFieldTable, ACheckpointIsTakenBackOnAnyRanks) {
  const test::Scratch scratch;
  save_air(scratch / "air.hdf5", 3);
  for (const std::size_t ranks : {1U, 2U}) {
    comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
      Air air(world, Air::Begin::empty);
      air.table().load(io::FileReader(scratch / "air.hdf5"));
      EXPECT_EQ(air.time(), 0.75);
      for (std::uint64_t y = 0; y < ny; ++y) {
        for (std::uint64_t x = 0; x < nx; ++x) {
          const double* const T = air.T_of(y, x);
          if (T != nullptr) {
            EXPECT_EQ(*T, 0.1 + static_cast<double>(y * nx + x));
          }
        }
      }
      const auto name = scratch / ("again" + std::to_string(ranks) + ".hdf5");
      io::FileWriter again(name, 0, world);
      air.table().save(again);
      again.commit();
      world.synchronise();
    });
    const io::FileReader first(scratch / "air.hdf5");
    const io::FileReader again(scratch / ("again" + std::to_string(ranks) + ".hdf5"));
    EXPECT_EQ(first.list("Air"), (std::vector<std::string>{"temperature", "velocity"}));
    for (const char* const name : {"Air/temperature", "Air/velocity"})
      EXPECT_EQ(first.read_bytes(name), again.read_bytes(name)) << name;
  }
}

TEST(EngineFieldTable, OtherSettingsAndMissingNumbersAreRefused) {
  const test::Scratch scratch;
  save_air(scratch / "wet.hdf5", 1, "wet");
  io::FileWriter cut(scratch / "cut.hdf5");
  cut.group("Air");
  cut.array("Air/temperature", std::vector<double>(ny * nx), std::array{ny, nx});
  cut.array("Air/velocity", std::vector<float>(ny * nx * 3), std::array{ny, nx, std::uint64_t{3}});
  cut.attribute("Air", "physics", std::string_view("dry"));
  cut.attribute("Air", "time", std::array{std::nan("")});
  cut.commit();
  comm::testing::on_ranks(1, [&](comm::Communicator& world) {
    Air air(world, Air::Begin::empty);
    const auto load = [&](const char* name) {
      return test::message_of<base::FormatError>([&] { air.table().load(io::FileReader(scratch / name)); });
    };
    EXPECT_EQ(load("wet.hdf5"), (scratch / "wet.hdf5").string() +
                                    ": was written with other settings than the parameter file has now:\n  wet\n  "
                                    "dry\n  Set these back, or start a new run.");
    EXPECT_EQ(load("cut.hdf5"), (scratch / "cut.hdf5").string() + ": has no time of the air; the file is damaged");
  });
}

TEST(EngineFieldTable, ANumberThatIsNotFiniteIsNamedOnAllRanks) {
  for (const std::size_t ranks : {1U, 2U, 4U}) {
    comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
      Air air(world, Air::Begin::filled);
      air.spoil_ghosts();
      air.spoil_weight();  // it is no part of the state
      EXPECT_FALSE(air.table().not_finite().has_value());
      if (double* const T = air.T_of(3, 1)) *T = std::numeric_limits<double>::infinity();
      if (double* const T = air.T_of(2, 4)) *T = std::nan("");
      const std::optional<Flaw> flaw = air.table().not_finite();
      ASSERT_TRUE(flaw.has_value());
      EXPECT_EQ(flaw->text, "the temperature of cell (4, 2) is nan");
      EXPECT_EQ(flaw->field, "temperature");
      EXPECT_EQ(flaw->element, 2 * nx + 4);
    });
  }
}

TEST(EngineFieldTable, ComponentsAreLookedAtToo) {
  comm::testing::on_ranks(1, [](comm::Communicator& world) {
    Air air(world, Air::Begin::filled);
    air.spoil_velocity();
    EXPECT_EQ(air.table().not_finite().value().text, "the velocity of cell (1, 0) is inf");
    EXPECT_EQ(air.table().not_finite().value().element, 1U);
  });
}

TEST(EngineFieldTable, ASnapshotOfABrokenStateIsAbsent) {
  const test::Scratch scratch;
  for (const std::size_t ranks : {1U, 2U}) {
    comm::testing::on_ranks(ranks, [&](comm::Communicator& world) {
      Air air(world, Air::Begin::filled);
      if (double* const T = air.T_of(3, 2)) *T = std::nan("");
      EXPECT_THROW(air.table().write_snapshot(scratch / "broken.hdf5", {}), NumericsError);
      world.synchronise();
    });
    EXPECT_EQ(test::entries(scratch.path()), 0U);
  }
}

TEST(EngineFieldTable, ParticlesStandInOneAxisAndMayBeSpread) {
  const test::Scratch scratch;
  comm::testing::on_ranks(2, [&](comm::Communicator& world) {
    trace::Recorder recorder(1);
    tasks::Scheduler scheduler(1, recorder);
    const comm::testing::Polling polling(scheduler, world);
    const std::uint64_t own = number(world.rank());
    // Every other number of the array, behind the first two.
    std::vector<double> mass{-1.0, -1.0, 10.0 * static_cast<double>(own), -1.0, 1.0, -1.0, 2.0, -1.0};
    const base::FieldPlace place{
        .element = "particle", .shape = {6}, .first = {3 * own}, .count = {3}, .origin = 2, .strides = {2}};
    constexpr FieldRow row{.info = {.name = "mass", .symbol = "m", .meaning = "of a particle"},
                           .in = {.snapshot = true, .checkpoint = true}};
    FieldTable table(place, std::span(&row, 1), "Gas", {scheduler, false, world});
    EXPECT_NE(test::message_of<base::PreconditionError>([&] {
                static_cast<void>(table.not_finite());
              }).find("nothing is bound to the field mass"),
              std::string::npos);
    table.bind(row, mass);
    table.bind(temperature, mass);  // this run has none
    io::FileWriter file(scratch / "gas.hdf5", 0, world);
    file.group("Gas");
    table.write(file, "Gas", {.double_precision = true});
    file.commit();
    world.synchronise();
    EXPECT_EQ(read_array(io::FileReader(scratch / "gas.hdf5"), "Gas/mass", 6),
              (std::vector<double>{0.0, 1.0, 2.0, 10.0, 1.0, 2.0}));
    if (own == 1) mass[4] = std::nan("");
    EXPECT_EQ(table.not_finite().value().text, "the mass of particle 4 is nan");
    world.synchronise();
  });
}

TEST(EngineFieldTable, TheDocumentsListTheRows) {
  EXPECT_EQ(fields_markdown(all_rows),
            "\n## Fields\n\n| field | symbol | unit | meaning | in |\n|---|---|---|---|---|\n"
            "| `temperature` | T | temperature | how warm it is | snapshots, checkpoints, initial conditions |\n"
            "| `velocity` | v | velocity | of the air | snapshots, checkpoints |\n"
            "| `weight` | w |  | of a cell; if asked | snapshots |\n"
            "| `sum` | s |  | of coordinates | snapshots |\n");
}

/// A solver that leaves to the engine all that it can.
class Still final : public Solver {
 public:
  explicit Still(const FieldTable* table) : table_(table) {}
  void step(const tasks::StepContext& /*step*/) override {}
  [[nodiscard]] const FieldTable* table_of_fields() const override { return table_; }

 private:
  const FieldTable* table_;
};

TEST(EngineFieldTable, ASolverThatShowsItsTableNeedsNoFunctionsForFiles) {
  const test::Scratch scratch;
  comm::testing::on_ranks(1, [&](comm::Communicator& world) {
    Air air(world, Air::Begin::filled);
    const Still solver(&air.table());
    EXPECT_EQ(solver.elements(), ny * nx);
    EXPECT_TRUE(solver.looks_while_writing());
    EXPECT_EQ(solver.output_bytes({}).snapshot, air.table().bytes(false).snapshot);
    EXPECT_FALSE(solver.not_finite().has_value());
    EXPECT_GT(solver.write_snapshot(scratch / "snapshot.hdf5", {}), 0U);
    io::FileWriter file(scratch / "checkpoint.hdf5");
    solver.save(file);
    file.commit();
    EXPECT_TRUE(io::FileReader(scratch / "checkpoint.hdf5").is_array("Air/temperature"));
    *air.T_of(0, 0) = std::nan("");
    EXPECT_EQ(solver.not_finite().value().text, "the temperature of cell (0, 0) is nan");
  });
}

TEST(EngineFieldTable, ASolverWithoutOneHasFunctionsOfItsOwn) {
  const test::Scratch scratch;
  const Still solver(nullptr);
  EXPECT_FALSE(solver.looks_while_writing());
  EXPECT_EQ(solver.output_bytes({}).checkpoint, 0U);
  EXPECT_FALSE(solver.not_finite().has_value());
  const std::string text = "a solver without a table of fields has its own elements, write_snapshot and save";
  EXPECT_NE(test::message_of<base::PreconditionError>([&] { static_cast<void>(solver.elements()); }).find(text),
            std::string::npos);
  EXPECT_THROW(solver.write_snapshot(scratch / "none.hdf5", {}), base::PreconditionError);
}

}  // namespace
}  // namespace tacit::engine

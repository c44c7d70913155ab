// Files of fields have the layout that ParaView opens, and say of which run they are.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "../io/scratch.hpp"
#include "tacit/engine/field_file.hpp"

namespace tacit::engine {
namespace {

TEST(EngineFieldFile, AnImageHasItsExtentAndTheFieldToDraw) {
  const test::Scratch scratch;
  io::FileWriter file(scratch / "image.hdf5");
  write_image(file, {{4, 3, 2}, {0.5, 0.25, 1.0}, "CellData", "Scalars", "temperature"});
  file.commit();
  const io::FileReader image(scratch / "image.hdf5");
  EXPECT_EQ(image.text_attribute("VTKHDF", "Type"), "ImageData");
  EXPECT_EQ(image.attribute("VTKHDF", "WholeExtent"), (std::vector<double>{0, 4, 0, 3, 0, 2}));
  EXPECT_EQ(image.attribute("VTKHDF", "Spacing"), (std::vector<double>{0.5, 0.25, 1.0}));
  EXPECT_EQ(image.text_attribute("VTKHDF/CellData", "Scalars"), "temperature");
}

TEST(EngineFieldFile, TheHeaderSaysOfWhichRunAndTimeItIs) {
  const test::Scratch scratch;
  io::FileWriter file(scratch / "header.hdf5");
  write_header(file, {.run_name = "warm", .coordinate = 0.25, .step = 7, .parameters = "a = 1\n"}, {1.0, 2.0, 3.0});
  file.commit();
  const io::FileReader header(scratch / "header.hdf5");
  EXPECT_EQ(header.attribute("Header", "Time"), std::vector<double>{0.25});
  EXPECT_EQ(header.attribute("Header", "Step"), std::vector<double>{7.0});
  EXPECT_EQ(header.attribute("Header", "BoxSize"), (std::vector<double>{1.0, 2.0, 3.0}));
  EXPECT_EQ(header.text_attribute("Header", "RunName"), "warm");
  EXPECT_EQ(header.text_attribute("Header", "Parameters"), "a = 1\n");
  EXPECT_TRUE(header.has("Provenance"));
}

}  // namespace
}  // namespace tacit::engine

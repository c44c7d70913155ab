// Writes what files of fields on a grid have in common.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/engine/field_file.hpp"

#include <string>

#include "tacit/engine/checkpoint.hpp"

namespace tacit::engine {

void write_image(io::FileWriter& file, const Image& image) {
  const std::string data = "VTKHDF/" + std::string(image.data);
  const auto& n = image.intervals;
  file.group("VTKHDF");
  file.group(data);
  file.attribute("VTKHDF", "Version", std::array<std::int64_t, 2>{1, 0});
  file.attribute("VTKHDF", "Type", std::string_view("ImageData"));
  file.attribute("VTKHDF", "WholeExtent", std::array<std::int64_t, 6>{0, n[0], 0, n[1], 0, n[2]});
  file.attribute("VTKHDF", "Origin", std::array{0.0, 0.0, 0.0});
  file.attribute("VTKHDF", "Spacing", image.spacing);
  file.attribute("VTKHDF", "Direction", std::array{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0});
  file.attribute(data, std::string(image.kind), image.first);
}

void write_header(io::FileWriter& file, const FileContext& context, const std::array<double, 3>& box) {
  file.group("Header");
  file.attribute("Header", "Time", std::array{context.coordinate});
  file.attribute("Header", "Step", std::array{static_cast<std::int64_t>(context.step)});
  file.attribute("Header", "BoxSize", box);
  file.attribute("Header", "RunName", std::string_view(context.run_name));
  file.attribute("Header", "Parameters", std::string_view(context.parameters));
  save_provenance(file, context.provenance);
}

}  // namespace tacit::engine

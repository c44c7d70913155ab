// Describes rows of a rank, and writes lines of numbers.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/file_parts.hpp"

#include <array>

#include "tacit/base/checksum.hpp"
#include "tacit/engine/across_ranks.hpp"

namespace tacit::qcd {

std::string in_group(const std::string& group, const std::string& name) { return group + "/" + name; }

io::Part part_in_file(const LatticePart& part, std::uint64_t numbers) {
  io::Part result;
  for (std::size_t axis = axes; axis-- > 0;) {
    result.first.push_back(part.begin[axis]);
    result.count.push_back(part.own.n[axis]);
  }
  result.first.push_back(0);
  result.count.push_back(numbers);
  return result;
}

void write_line(io::FileWriter& file, const std::string& name, const std::vector<double>& values) {
  file.array(name, values, std::array<std::uint64_t, 1>{values.size()}, io::Number::float64);
}

std::vector<double> read_line(const io::FileReader& file, const std::string& name) {
  const std::vector<std::uint64_t> shape = file.info(name).shape;
  std::vector<double> values(shape.size() == 1 ? shape[0] : 0);
  file.read(name, values);
  return values;
}

std::string checksum_of_first(const std::filesystem::path& path, comm::Communicator& ranks) {
  if (path.empty()) return {};
  return engine::text_of_rank(ranks, 0, engine::is_first(ranks) ? base::file_checksum(path) : std::string());
}

}  // namespace tacit::qcd

// Makes states and writes them.
// SPDX-License-Identifier: Apache-2.0
#include "io/state.hpp"

#include "tacit/base/memory.hpp"

namespace tacit::bench {
namespace {

io::Part part_of(const Writing& writing, std::uint64_t rows) {
  const std::uint64_t rank = comm::number(writing.crew->world().rank());
  const std::uint64_t begin = rank * rows / writing.ranks();
  const std::uint64_t end = (rank + 1) * rows / writing.ranks();
  return {.first = {begin, 0}, .count = {end - begin, State::row_doubles}};
}

}  // namespace

State::State(const Writing& writing)
    : rows_(writing.rows()), part_(part_of(writing, rows_)), memory_(part_.size() * sizeof(double)) {
  auto* const values = reinterpret_cast<double*>(memory_.bytes().data());
  for (std::uint64_t i = 0; i < part_.size(); ++i) values[i] = 1.0 / static_cast<double>(1 + i);
}

void State::write(const std::filesystem::path& path, io::Output& output) const {
  io::FileWriter file(path, 0, output);
  for (const char* name : arrays) file.part(name, shape(), io::Number::float64, part_, mine());
  file.commit();
  output.finish();
}

std::uint64_t staging_memory(const Writing& writing) {
  constexpr std::uint64_t unknown = std::uint64_t{4} << 30U;
  return base::free_memory().value_or(unknown) / 4 / writing.ranks();
}

}  // namespace tacit::bench

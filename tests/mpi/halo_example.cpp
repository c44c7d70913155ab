// The example of docs/guide/communication.md: a plate that cools, some of its rows on every rank; and its test.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <exception>
#include <iostream>
#include <span>
#include <vector>

#include "tacit/comm/window.hpp"

namespace {

using namespace tacit;

constexpr std::size_t width = 256;  // values in a row

/// Some rows of the plate; the first and the last one belong to neighbours, or are its cold rim.
using Plate = std::vector<double>;

std::span<double> row(Plate& plate, std::size_t i) { return std::span(plate).subspan(i * width, width); }

/// Smooths the rows from `first` to `last`.
void smooth(const Plate& old, Plate& plate, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i <= last; ++i) {
    for (std::size_t j = 1; j + 1 < width; ++j) {
      const std::size_t k = i * width + j;
      plate[k] = 0.2 * (old[k] + old[k - 1] + old[k + 1] + old[k - width] + old[k + width]);
    }
  }
}

/// A plate that is warm in `rows` rows, of which the first is number `from`.
Plate warm_plate(std::size_t from, std::size_t rows) {
  Plate plate((rows + 2) * width);
  for (std::size_t i = 1; i <= rows; ++i) {
    for (std::size_t j = 1; j + 1 < width; ++j) row(plate, i)[j] = std::sin(0.1 * static_cast<double>((from + i) * j));
  }
  return plate;
}

/// What a rank shares with one neighbour: our edge goes out, the neighbour's comes in, from and to the plate itself.
struct Edge {
  Edge(comm::Communicator& world, std::uint32_t neighbour, std::span<const double> ours, std::span<double> theirs)
      : connection(world, {.rank = comm::RankId{neighbour}}), out(connection, ours), in(connection, theirs) {}
  comm::Connection connection;
  comm::SendWindow<double> out;
  comm::RecvWindow<double> in;
};

/// The rows of this rank after some steps.
Plate cool(comm::Communicator& world, std::size_t rows, int steps) {
  const std::uint32_t rank = number(world.rank());
  Plate plate = warm_plate(rank * rows, rows);
  std::deque<Edge> edges;
  if (rank > 0) edges.emplace_back(world, rank - 1, row(plate, 1), row(plate, 0));
  if (rank + 1 < world.size()) edges.emplace_back(world, rank + 1, row(plate, rows), row(plate, rows + 1));
  for (Edge& edge : edges) edge.in.init();  // the neighbours may send

  Plate next = plate;
  for (int step = 0; step < steps; ++step) {
    for (Edge& edge : edges) edge.out.post();  // our edges are on loan
    smooth(plate, next, 2, rows - 1);          // meanwhile, what needs no neighbour
    for (Edge& edge : edges) edge.in.wait();   // now theirs are here
    smooth(plate, next, 1, 1);
    smooth(plate, next, rows, rows);
    for (Edge& edge : edges) edge.out.wait();  // our edges are ours again
    for (Edge& edge : edges) edge.in.init();   // theirs may be overwritten
    std::copy(next.begin() + width, next.end() - width, plate.begin() + width);
  }
  return plate;
}

/// The same rows out of a plate that one rank has computed.
Plate cool_alone(std::size_t rows, std::size_t ranks, int steps) {
  Plate plate = warm_plate(0, rows * ranks);
  for (int step = 0; step < steps; ++step) {
    const Plate old = plate;
    smooth(old, plate, 1, rows * ranks);
  }
  return plate;
}

}  // namespace

int main() {
  try {
    comm::Communicator world;  // as mpirun or srun started us; else rank 0 of 1
    constexpr std::size_t rows = 64;
    constexpr int steps = 100;
    Plate ours = cool(world, rows, steps);
    Plate all = cool_alone(rows, world.size(), steps);
    // The same operations on the same numbers: bitwise identical results.
    bool is_same = true;
    for (std::size_t i = 1; i <= rows; ++i) {
      is_same = is_same && std::ranges::equal(row(ours, i), row(all, number(world.rank()) * rows + i));
    }
    if (!is_same) std::cerr << describe(world.own()) << ": the rows differ from those of one rank\n";
    return is_same ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return EXIT_FAILURE;
  }
}

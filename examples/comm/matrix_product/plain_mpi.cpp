// Master and slaves, and flat MPI, as one writes them.
// SPDX-License-Identifier: Apache-2.0
#include "plain_mpi.hpp"

#include <algorithm>

namespace product {
namespace {

constexpr int none_left = -1;
enum Tag : int { number_tag, panel_tag, tile_tag };

int as_int(std::size_t value) { return static_cast<int>(value); }

/// What both ways have: their data, and the clock.
class Plain : public Method {
 public:
  Plain(MPI_Comm ranks, const Problem& problem) : ranks_(ranks), problem_(problem), b_(problem.n * problem.n) {
    MPI_Comm_rank(ranks, &rank_);
    MPI_Comm_size(ranks, &size_);
    problem_.fill_b(b_);
    panel_.resize(problem.most_rows * problem.n);
    tile_.resize(problem.most_elements);
    if (rank_ != 0) return;
    a_.resize(problem.n * problem.n);
    c_.resize(problem.n * problem.n);
    problem_.fill_a(a_);
  }
  Timing run() final {
    timing_ = {};
    MPI_Barrier(ranks_);
    const double begin = MPI_Wtime();
    share();
    MPI_Barrier(ranks_);
    timing_.seconds = MPI_Wtime() - begin;
    return timing_;
  }
  [[nodiscard]] std::span<const double> c() const final { return c_; }

 protected:
  virtual void share() = 0;
  [[nodiscard]] const double* rows_of_a(const Tile& tile) const { return &a_[tile.row * problem_.n]; }
  /// Rank 0 has everything where it belongs.
  void compute_in_place(const Tile& tile) {
    compute(tile, rows_of_a(tile), &c_[tile.row * problem_.n + tile.column], problem_.n);
  }
  /// Others have the rows in panel_ and the result in tile_.
  void compute_apart(const Tile& tile) { compute(tile, panel_.data(), tile_.data(), tile.columns); }
  void send_panel(const Tile& tile, int to) const {
    MPI_Send(rows_of_a(tile), as_int(tile.rows * problem_.n), MPI_DOUBLE, to, panel_tag, ranks_);
  }
  void receive_panel(const Tile& tile) {
    MPI_Recv(panel_.data(), as_int(tile.rows * problem_.n), MPI_DOUBLE, 0, panel_tag, ranks_, MPI_STATUS_IGNORE);
  }
  void send_tile(const Tile& tile) const {
    MPI_Send(tile_.data(), as_int(tile.size()), MPI_DOUBLE, 0, tile_tag, ranks_);
  }
  void receive_tile(const Tile& tile, int from) {
    MPI_Recv(tile_.data(), as_int(tile.size()), MPI_DOUBLE, from, tile_tag, ranks_, MPI_STATUS_IGNORE);
    for (std::size_t i = 0; i < tile.rows; ++i) {
      std::copy_n(&tile_[i * tile.columns], tile.columns, &c_[(tile.row + i) * problem_.n + tile.column]);
    }
  }
  void compute(const Tile& tile, const double* panel, double* c, std::size_t stride) {
    const double begin = MPI_Wtime();
    multiply(problem_, tile, panel, b_.data(), c, stride);
    timing_.busy_s += MPI_Wtime() - begin;
    ++timing_.tiles;
  }

  MPI_Comm ranks_;
  const Problem& problem_;
  int rank_ = 0;
  int size_ = 1;
  std::vector<double> a_;
  std::vector<double> b_;
  std::vector<double> c_;
  std::vector<double> panel_;
  std::vector<double> tile_;
  Timing timing_;
};

class Master final : public Plain {
 public:
  using Plain::Plain;

 private:
  void share() override {
    if (rank_ != 0) return serve();
    if (size_ > 1) return deal();
    for (const Tile& tile : problem_.tiles) compute_in_place(tile);
  }

  /// A slave asks with the number of the tile that it has computed, which follows.
  void deal() {
    std::vector<std::size_t> rows(static_cast<std::size_t>(size_), ~std::size_t{0});  // of A that each has
    std::size_t next = 0;
    for (int left = size_ - 1; left > 0;) {
      int done = none_left;
      MPI_Status status;
      MPI_Recv(&done, 1, MPI_INT, MPI_ANY_SOURCE, number_tag, ranks_, &status);
      const int slave = status.MPI_SOURCE;
      const int number = next < problem_.tiles.size() ? as_int(next++) : none_left;
      MPI_Send(&number, 1, MPI_INT, slave, number_tag, ranks_);
      if (number == none_left) {
        --left;
      } else if (const Tile& tile = problem_.tiles[static_cast<std::size_t>(number)];
                 rows[static_cast<std::size_t>(slave)] != tile.row) {
        rows[static_cast<std::size_t>(slave)] = tile.row;
        send_panel(tile, slave);
      }
      if (done != none_left) receive_tile(problem_.tiles[static_cast<std::size_t>(done)], slave);
    }
  }

  void serve() {
    std::size_t row = ~std::size_t{0};
    for (int number = none_left;;) {
      const int done = number;
      MPI_Send(&done, 1, MPI_INT, 0, number_tag, ranks_);
      MPI_Recv(&number, 1, MPI_INT, 0, number_tag, ranks_, MPI_STATUS_IGNORE);
      const bool is_new = number != none_left && problem_.tiles[static_cast<std::size_t>(number)].row != row;
      if (is_new) receive_panel(problem_.tiles[static_cast<std::size_t>(number)]);
      if (done != none_left) send_tile(problem_.tiles[static_cast<std::size_t>(done)]);
      if (number == none_left) return;
      const Tile& tile = problem_.tiles[static_cast<std::size_t>(number)];
      row = tile.row;
      compute_apart(tile);
    }
  }
};

class Division final : public Plain {
 public:
  using Plain::Plain;

 private:
  [[nodiscard]] int owner(std::size_t tile) const { return as_int(tile) % size_; }

  void share() override {
    send_panels();
    std::vector<double> results;
    results.reserve(rank_ == 0 ? 0 : problem_.n * problem_.n);
    std::size_t row = ~std::size_t{0};
    for (std::size_t t = 0; t < problem_.tiles.size(); ++t) {
      if (owner(t) != rank_) continue;
      const Tile& tile = problem_.tiles[t];
      if (rank_ == 0) {
        compute_in_place(tile);
      } else {
        if (tile.row != row) receive_panel(tile);
        row = tile.row;
        compute_apart(tile);
        results.insert(results.end(), tile_.begin(), tile_.begin() + static_cast<std::ptrdiff_t>(tile.size()));
      }
    }
    collect(results);
  }

  /// To each rank the rows of A that its tiles need, once: before it computes itself, rank 0 has sent them all.
  void send_panels() {
    if (rank_ != 0) return;
    sending_.clear();
    std::vector<std::size_t> rows(static_cast<std::size_t>(size_), ~std::size_t{0});
    for (std::size_t t = 0; t < problem_.tiles.size(); ++t) {
      const Tile& tile = problem_.tiles[t];
      const int to = owner(t);
      if (to == 0 || rows[static_cast<std::size_t>(to)] == tile.row) continue;
      rows[static_cast<std::size_t>(to)] = tile.row;
      MPI_Isend(rows_of_a(tile), as_int(tile.rows * problem_.n), MPI_DOUBLE, to, panel_tag, ranks_,
                &sending_.emplace_back(MPI_REQUEST_NULL));
    }
  }

  void collect(const std::vector<double>& results) {
    if (rank_ != 0) {
      MPI_Send(results.data(), as_int(results.size()), MPI_DOUBLE, 0, tile_tag, ranks_);
      return;
    }
    MPI_Waitall(as_int(sending_.size()), sending_.data(), MPI_STATUSES_IGNORE);
    std::vector<double> all(problem_.n * problem_.n);
    for (int from = 1; from < size_; ++from) {
      MPI_Recv(all.data(), as_int(all.size()), MPI_DOUBLE, from, tile_tag, ranks_, MPI_STATUS_IGNORE);
      const double* at = all.data();
      for (std::size_t t = 0; t < problem_.tiles.size(); ++t) {
        if (owner(t) == from) at = put_tile(problem_.tiles[t], at);
      }
    }
  }

  const double* put_tile(const Tile& tile, const double* from) {
    for (std::size_t i = 0; i < tile.rows; ++i, from += tile.columns) {
      std::copy_n(from, tile.columns, &c_[(tile.row + i) * problem_.n + tile.column]);
    }
    return from;
  }

  std::vector<MPI_Request> sending_;
};

}  // namespace

std::unique_ptr<Method> by_master(MPI_Comm ranks, const Problem& problem) {
  return std::make_unique<Master>(ranks, problem);
}
std::unique_ptr<Method> by_division(MPI_Comm ranks, const Problem& problem) {
  return std::make_unique<Division>(ranks, problem);
}

}  // namespace product

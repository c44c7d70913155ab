// Measures how much of a halo exchange between two emulated nodes is hidden behind computation.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/nodes_rank.hpp"
#include "tacit/comm/window.hpp"
#include "tacit/topology/cpus.hpp"

namespace tacit::bench {
namespace {

constexpr std::size_t faces = 8;

/// The faces of a rank's part of the lattice, inside and outside, and an exchange of all with the other rank.
class Halo {
 public:
  explicit Halo(std::size_t bytes) : bytes_(bytes), inside_(faces * bytes), outside_(faces * bytes) {}
  Halo(const Halo&) = delete;
  Halo& operator=(const Halo&) = delete;
  virtual ~Halo() = default;

  /// Packs and sends all faces; does not block.
  virtual void begin() = 0;
  /// Carries on. @return  whether all is sent and received, and unpacked
  virtual bool progress() = 0;
  /// Face after face, blocking.
  virtual void one_by_one() = 0;

 protected:
  [[nodiscard]] std::byte* inside(std::size_t face) { return inside_.data() + face * bytes_; }
  [[nodiscard]] std::byte* outside(std::size_t face) { return outside_.data() + face * bytes_; }
  std::size_t bytes_;

 private:
  std::vector<std::byte> inside_;
  std::vector<std::byte> outside_;
};

struct Face {
  Face(comm::Communicator& world, std::size_t bytes)
      : connection(world, {.rank = comm::RankId{1 - comm::number(world.rank())}}),
        out(connection, bytes),
        in(connection, bytes) {}
  comm::Connection connection;
  comm::SendWindow<std::byte> out;
  comm::RecvWindow<std::byte> in;
};

class WindowHalo final : public Halo {
 public:
  WindowHalo(comm::Communicator& world, std::size_t bytes) : Halo(bytes), world_(&world) {
    for (std::size_t i = 0; i < faces; ++i) faces_.emplace_back(world, bytes);
    for (Face& face : faces_) face.in.init();
    world.synchronise();
  }
  void begin() override {
    for (std::size_t i = 0; i < faces; ++i) {
      Face& face = faces_[i];
      std::memcpy(face.out.data().data(), inside(i), bytes_);
      face.out.post();
      face.out.await(base::Token{1 + i});
      face.in.await(base::Token{1 + faces + i});
    }
    open_ = 2 * faces;
  }
  bool progress() override {
    std::array<base::Completion, 2 * faces> ends;
    const std::size_t count = world_->completions().poll(ends);
    for (std::size_t i = 0; i < count; ++i) {
      const auto token = static_cast<std::size_t>(ends[i].token);
      if (token > faces) take(token - faces - 1);
    }
    open_ -= count;
    return open_ == 0;
  }
  void one_by_one() override {
    for (std::size_t i = 0; i < faces; ++i) {
      Face& face = faces_[i];
      std::memcpy(face.out.data().data(), inside(i), bytes_);
      face.out.post();
      face.in.wait();
      take(i);
      face.out.wait();
    }
  }

 private:
  void take(std::size_t i) {
    std::memcpy(outside(i), faces_[i].in.message().data(), bytes_);
    faces_[i].in.init();
  }
  comm::Communicator* world_;
  std::deque<Face> faces_;
  std::size_t open_ = 0;
};

class MpiHalo final : public Halo {
 public:
  MpiHalo(comm::Communicator& world, std::size_t bytes)
      : Halo(bytes), peer_(1 - static_cast<int>(comm::number(world.rank()))), packed_(2 * faces * bytes) {}
  void begin() override {
    for (std::size_t i = 0; i < faces; ++i) start(i);
  }
  bool progress() override {
    int are_done = 0;
    MPI_Testall(2 * faces, requests_.data(), &are_done, MPI_STATUSES_IGNORE);
    for (std::size_t i = 0; are_done != 0 && i < faces; ++i) take(i);
    return are_done != 0;
  }
  void one_by_one() override {
    for (std::size_t i = 0; i < faces; ++i) {
      start(i);
      MPI_Waitall(2, requests_.data() + 2 * i, MPI_STATUSES_IGNORE);
      take(i);
    }
  }

 private:
  void start(std::size_t i) {
    std::byte* out = packed_.data() + i * bytes_;
    const int count = static_cast<int>(bytes_);
    const int tag = 500 + static_cast<int>(i);
    MPI_Irecv(arrived(i), count, MPI_BYTE, peer_, tag, MPI_COMM_WORLD, &requests_[2 * i]);
    std::memcpy(out, inside(i), bytes_);
    MPI_Isend(out, count, MPI_BYTE, peer_, tag, MPI_COMM_WORLD, &requests_[2 * i + 1]);
  }
  [[nodiscard]] std::byte* arrived(std::size_t i) { return packed_.data() + (faces + i) * bytes_; }
  void take(std::size_t i) { std::memcpy(outside(i), arrived(i), bytes_); }

  int peer_;
  std::vector<std::byte> packed_;
  std::array<MPI_Request, 2 * faces> requests_{};
};

/// A computation in pieces that each take so long and touch no memory beyond the first cache.
class Computation {
 public:
  explicit Computation(double piece_s) {
    constexpr std::size_t tried = 1000;
    rounds_ = tried;
    piece();
    double seconds = slowest([this] { piece(); });
    rounds_ = static_cast<std::size_t>(std::max(1.0, tried * piece_s / seconds));
  }
  /// The same instructions wherever it is called.
  [[gnu::noinline]] void piece() {
    for (std::size_t round = 0; round < rounds_; ++round) {
      for (double& value : values_) value = 0.999 * value + 0.001;
    }
    sum_ = sum_ + values_[rounds_ % values_.size()];
  }

 private:
  std::size_t rounds_ = 1;
  std::array<double, 256> values_{};
  volatile double sum_ = 0.0;
};

struct Times {
  std::vector<double> serial;
  std::vector<double> hidden;
};

void measure_turn(Halo& halo, Computation& computation, std::size_t repeats, Times& times) {
  constexpr double piece_s = 20e-6;
  const auto count = static_cast<double>(repeats);
  const double serial = slowest([&] {
                          for (std::size_t i = 0; i < repeats; ++i) halo.one_by_one();
                        }) /
                        count;
  const auto pieces = static_cast<std::size_t>(std::ceil(1.5 * serial / piece_s));
  const double alone = slowest([&] {
    for (std::size_t i = 0; i < repeats * pieces; ++i) computation.piece();
  });
  const double both = slowest([&] {
    for (std::size_t i = 0; i < repeats; ++i) {
      halo.begin();
      bool is_over = false;
      for (std::size_t piece = 0; piece < pieces; ++piece) {
        computation.piece();
        is_over = is_over || halo.progress();
      }
      while (!is_over) is_over = halo.progress();
    }
  });
  times.serial.push_back(serial);
  times.hidden.push_back(1.0 - (both - alone) / count / serial);
}

void measure_size(const NodesPlan& plan, Computation& computation, std::size_t bytes, const std::string& size,
                  std::size_t repeats) {
  WindowHalo windows(*plan.world, bytes);
  MpiHalo mpi(*plan.world, bytes);
  Times ours;
  Times theirs;
  Times warming;
  measure_turn(windows, computation, 2, warming);
  measure_turn(mpi, computation, 2, warming);
  for (std::size_t sample = 0; sample < plan.size(21, 2); ++sample) {
    measure_turn(windows, computation, repeats, ours);
    measure_turn(mpi, computation, repeats, theirs);
  }
  plan.add({.name = "halo_" + size + "_hidden",
            .unit = "1",
            .better = Better::higher,
            .ours = summarise(ours.hidden),
            .peers = {{"MPI", summarise(theirs.hidden).median}},
            .limit = 0.8});
  add_beside_mpi(plan, "halo_" + size, ours.serial, theirs.serial);
}

}  // namespace

void measure_halo(const NodesPlan& plan) {
  // Else both ranks may compute on one processor for as long as a batch takes.
  std::optional<topology::Binding> binding;
  const auto cpus = topology::allowed_cpus();
  if (cpus.size() >= plan.world->size()) binding.emplace(cpus[comm::number(plan.world->rank())]);
  Computation computation(20e-6);
  measure_size(plan, computation, 64, "64B", plan.size(40, 2));
  measure_size(plan, computation, std::size_t{1} << 10U, "1KB", plan.size(40, 2));
  measure_size(plan, computation, std::size_t{8} << 10U, "8KB", plan.size(20, 2));
  measure_size(plan, computation, std::size_t{64} << 10U, "64KB", plan.size(5, 1));
}

}  // namespace tacit::bench

// Halos of the coarse lattice by persistent requests of MPI, and its sums by MPI_Allreduce.
// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include <optional>
#include <utility>
#include <vector>

#include "comm/mpi_there.hpp"
#include "qcd/coarse.hpp"

namespace tacit::bench {
namespace {

using qcd::multigrid::Aggregates;
using qcd::multigrid::CoarseFace;
using qcd::multigrid::CoarseHalo;

/// Each face has a request that sends and one that receives, of each group of sites. Those that receive are started as
/// soon as the message before has been used.
class MpiHalo final : public CoarseHalo {
 public:
  MpiHalo(const Aggregates& aggregates, const qcd::Division& division, std::size_t numbers)
      : CoarseHalo(aggregates, numbers), ends_(aggregates.faces().size()) {
    const qcd::LatticePart& part = division.part();
    for (std::size_t number = 0; number < ends_.size(); ++number) {
      const CoarseFace& face = aggregates.faces()[number];
      Ends& ends = ends_[number];
      ends.out.resize(face.sites.size() * numbers);
      ends.in.resize(face.ghosts * numbers);
      qcd::Face end;
      end.axis = face.axis;
      end.is_high = face.is_high;
      const int peer = static_cast<int>(comm::number(division.beyond(end)));
      // The tag names the cut, the group and the sense, so that two ranks that meet at both ends tell them apart.
      const bool goes_round = face.is_high ? part.begin[face.axis] + part.own.n[face.axis] == part.whole.n[face.axis]
                                           : part.begin[face.axis] == 0;
      const int tag = first_tag + static_cast<int>(8 * face.axis + 4 * face.group) + (goes_round ? 2 : 0);
      if (!ends.out.empty()) {
        MPI_Send_init(ends.out.data(), static_cast<int>(ends.out.size()), MPI_FLOAT, peer, tag + (face.is_high ? 1 : 0),
                      MPI_COMM_WORLD, &ends.send.emplace());
      }
      if (!ends.in.empty()) {
        MPI_Recv_init(ends.in.data(), static_cast<int>(ends.in.size()), MPI_FLOAT, peer, tag + (face.is_high ? 0 : 1),
                      MPI_COMM_WORLD, &ends.receive.emplace());
        MPI_Start(&*ends.receive);
      }
    }
  }
  ~MpiHalo() override {
    for (Ends& ends : ends_) {
      if (ends.send) MPI_Request_free(&*ends.send);
      if (!ends.receive) continue;
      MPI_Cancel(&*ends.receive);
      MPI_Wait(&*ends.receive, MPI_STATUS_IGNORE);
      MPI_Request_free(&*ends.receive);
    }
  }
  MpiHalo(const MpiHalo&) = delete;
  MpiHalo& operator=(const MpiHalo&) = delete;

  [[nodiscard]] std::span<float> prepare(std::size_t face) override { return ends_[face].out; }
  void post(std::size_t face) override { MPI_Start(&*ends_[face].send); }
  void receive(std::size_t group) override {
    requests_.clear();
    for (std::size_t face = 0; face < ends_.size(); ++face) {
      if (aggregates().faces()[face].group != group) continue;
      if (ends_[face].receive) {
        requests_.push_back(*ends_[face].receive);
        take(face, ends_[face].in.data());
      }
      if (ends_[face].send) requests_.push_back(*ends_[face].send);
    }
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }
  void release(std::size_t group) override {
    for (std::size_t face = 0; face < ends_.size(); ++face) {
      if (aggregates().faces()[face].group == group && ends_[face].receive) MPI_Start(&*ends_[face].receive);
    }
  }

 private:
  static constexpr int first_tag = 7000;
  struct Ends {
    std::vector<float> out;
    std::vector<float> in;
    std::optional<MPI_Request> send;
    std::optional<MPI_Request> receive;
  };
  std::vector<Ends> ends_;
  std::vector<MPI_Request> requests_;
};

}  // namespace

qcd::multigrid::CoarseTransport mpi_coarse_transport() {
  if (!is_mpi_there()) return {};
  return {.halo = [](const Aggregates& aggregates, const qcd::Division& division, std::size_t numbers,
                     std::uint32_t /*level*/) -> std::unique_ptr<CoarseHalo> {
            return std::make_unique<MpiHalo>(aggregates, division, numbers);
          },
          .add =
              [](std::span<std::uint64_t> words) {
                MPI_Allreduce(MPI_IN_PLACE, words.data(), static_cast<int>(words.size()), MPI_UINT64_T, MPI_SUM,
                              MPI_COMM_WORLD);
              }};
}

}  // namespace tacit::bench

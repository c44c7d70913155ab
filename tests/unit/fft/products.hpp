// A pass whose every part shows in its result, for tests that compare ranks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "tacit/base/random.hpp"
#include "tacit/comm/bootstrap/threads.hpp"
#include "tacit/fft/pass.hpp"
#include "tacit/trace/trace.hpp"

namespace tacit::fft::testing {

/// Two fields go in, three products of them come out, of which two are kept.
template <class Real>
class Products final : public PassWork<Real> {
 public:
  using Complex = std::complex<Real>;
  static constexpr PassFields fields{.in = 2, .out = 3, .mixed = 2};
  /// @param kept  shape (2, kx, kz, ky) of all modes; each rank writes its own
  Products(const Pencils& pencils, std::vector<Complex>& kept) : pencils_(pencils), kept_(kept) {}

  void load(std::size_t field, const ColumnBlock& block, Complex* lines) const override {
    const Modes& modes = pencils_.modes();
    for (std::size_t kz = 0; kz < modes.count(2); ++kz) {
      for (std::size_t lane = 0; lane < block.count; ++lane) {
        const std::uint64_t key = place(field, block.kx, block.ky + lane, kz);
        lines[modes.place(2, kz) * lanes + lane] = {static_cast<Real>(base::uniform(3, key, 0) - 0.5),
                                                    static_cast<Real>(base::uniform(3, key, 1) - 0.5)};
      }
    }
  }
  void rows(std::size_t /*worker*/, std::size_t y, std::size_t z, std::span<Real* const> in,
            std::span<Real* const> out) const override {
    const bool is_ours =
        y >= pencils_.y().begin && y < pencils_.y().end && z >= pencils_.z().begin && z < pencils_.z().end;
    if (!is_ours) throw std::logic_error("a row of another rank");
    for (std::size_t x = 0; x < pencils_.modes().points()[0]; ++x) {
      out[0][x] = in[0][x] * in[0][x];
      out[1][x] = in[0][x] * in[1][x];
      out[2][x] = in[1][x] * static_cast<Real>(x + 2 * y + 3 * z);
    }
  }
  void mix(const LineBlock& block, std::span<Complex* const> lines) const override {
    for (std::size_t i = 0; i < pencils_.modes().points()[1]; ++i) {
      for (std::size_t lane = 0; lane < block.count; ++lane) {
        const auto kx = static_cast<Real>(block.kx[lane] + block.z[lane]);
        lines[0][i * lanes + lane] += kx * lines[2][i * lanes + lane];
      }
    }
  }
  void store(std::size_t /*worker*/, const ColumnBlock& block, std::span<Complex* const> lines) const override {
    const Modes& modes = pencils_.modes();
    for (std::size_t field = 0; field < fields.mixed; ++field) {
      for (std::size_t kz = 0; kz < modes.count(2); ++kz) {
        for (std::size_t lane = 0; lane < block.count; ++lane) {
          kept_[place(field, block.kx, block.ky + lane, kz)] = lines[field][modes.place(2, kz) * lanes + lane];
        }
      }
    }
  }

 private:
  [[nodiscard]] std::size_t place(std::size_t field, std::size_t kx, std::size_t ky, std::size_t kz) const {
    const Modes& modes = pencils_.modes();
    return ((field * modes.count(0) + kx) * modes.count(2) + kz) * modes.count(1) + ky;
  }
  const Pencils& pencils_;
  std::vector<Complex>& kept_;
};

template <class Real>
std::vector<std::complex<Real>> room_for(const Modes& modes) {
  // What no rank writes shows.
  return std::vector<std::complex<Real>>(2 * modes.count(0) * modes.count(1) * modes.count(2), Real(77));
}

/// Three passes, so that buffers are used again.
template <class Real>
void run(const Pencils& pencils, std::vector<std::complex<Real>>& kept, GridCommunicators& ranks,
         tasks::Scheduler& scheduler, const Division& division) {
  const Products<Real> work(pencils, kept);
  Pass<Real> pass(pencils, Products<Real>::fields, work, scheduler, Rigor::estimate, ranks, division);
  for (int i = 0; i < 3; ++i) pass.run({});
}

template <class Real>
std::vector<std::complex<Real>> alone(const Modes& modes) {
  auto kept = room_for<Real>(modes);
  trace::Recorder recorder(1);
  tasks::Scheduler scheduler(1, recorder);
  const Pencils pencils(modes, {}, 0);
  comm::Communicator world(comm::bootstrap_alone());
  GridCommunicators ranks(world, {}, scheduler);
  run<Real>(pencils, kept, ranks, scheduler, {});
  return kept;
}

}  // namespace tacit::fft::testing

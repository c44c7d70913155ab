// Blocks that the ranks of a row or column exchange; memory of this rank where it is alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "tacit/base/completion.hpp"
#include "tacit/comm/collectives/all_to_all_view.hpp"

namespace tacit::fft {

/// One message of each rank for each other. The blocks are written where `to` says and read where `from` says.
///
///     prepare, once per call and by one thread; to: any threads; start; wait for its end; from: any threads
template <class Real>
class Transfer {
 public:
  using Complex = std::complex<Real>;
  /// Numbers of the block that the rank at one place has for the one at the other.
  using Counts = std::function<std::size_t(std::size_t from, std::size_t to)>;

  /// Of a rank that is alone: what is written is what is read. Without memory: nothing is exchanged.
  explicit Transfer(std::span<Complex> memory) : alone_(memory.data()) {}
  Transfer(comm::Communicator& ranks, const Counts& counts)
      : blocks_(std::make_unique<comm::AllToAllView<Complex>>(
            ranks, [&counts](comm::RankId from, comm::RankId to) { return counts(number(from), number(to)); })) {
    const std::size_t own = number(ranks.rank());
    for (std::size_t place = 0; place < ranks.size(); ++place) {
      if (place == own || counts(own, place) == 0) continue;
      bytes_ += sizeof(Complex) * counts(own, place);
      ++blocks_for_others_;
    }
  }

  [[nodiscard]] bool is_alone() const noexcept { return blocks_ == nullptr; }
  void prepare() {
    if (!is_alone()) input_ = blocks_->input();
  }
  [[nodiscard]] Complex* to(std::size_t place) const noexcept {
    return is_alone() ? alone_ : input_ + blocks_->begin_of(rank(place));
  }
  [[nodiscard]] const Complex* from(std::size_t place) const noexcept {
    return is_alone() ? alone_ : blocks_->block_from(rank(place)).data();
  }
  /// Bytes of the blocks for others.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t blocks_for_others() const noexcept { return blocks_for_others_; }
  /// What the exchange takes alone and blocking [s], once that was measured; else 0.
  [[nodiscard]] double alone_s() const noexcept { return alone_s_; }
  void set_alone_s(double seconds) noexcept { alone_s_ = seconds; }

  /// All of it, blocking. @pre not alone
  void run() { blocks_->run(); }
  /// Begins the exchange; its end is reported for the token. @pre not alone
  void start(base::Token token) {
    blocks_->start();
    blocks_->await(token);
  }

 private:
  static comm::RankId rank(std::size_t place) noexcept { return comm::RankId{static_cast<std::uint32_t>(place)}; }
  std::unique_ptr<comm::AllToAllView<Complex>> blocks_;
  Complex* alone_ = nullptr;
  Complex* input_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t blocks_for_others_ = 0;  // that are not empty
  double alone_s_ = 0.0;
};

}  // namespace tacit::fft

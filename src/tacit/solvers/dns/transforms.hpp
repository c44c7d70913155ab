// The work of passes that transform fields in one direction, with a function for the rows of points.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "tacit/fft/lane_copies.hpp"
#include "tacit/fft/pass.hpp"
#include "tacit/solvers/dns/modes.hpp"

namespace tacit::dns {

/// Writes, or reads, the points of one row, shape (nx) of each field; called by several threads.
using RowFunction = std::function<void(std::size_t y, std::size_t z, std::span<double* const> fields)>;

/// Transforms fields from points to modes.
class ForwardWork final : public fft::PassWork<double> {
 public:
  ForwardWork(const fft::Pencils& pencils, RowFunction write, std::vector<std::span<Complex>> modes)
      : pencils_(pencils), write_(std::move(write)), modes_(std::move(modes)) {}

  [[nodiscard]] fft::PassFields fields() const noexcept {
    return {.in = 0, .out = modes_.size(), .mixed = modes_.size()};
  }
  void rows(std::size_t /*worker*/, std::size_t y, std::size_t z, std::span<double* const> /*in*/,
            std::span<double* const> out) const override {
    write_(y, z, out);
  }
  void store(std::size_t /*worker*/, const fft::ColumnBlock& block, std::span<Complex* const> lines) const override {
    const double scale = 1.0 / static_cast<double>(fft::product(pencils_.modes().points()));
    const std::size_t at = pencils_.spectral_place(block.kx, block.ky, 0);
    for (std::size_t field = 0; field < modes_.size(); ++field) {
      copier_.scatter_columns(pencils_.modes(), scale, lines[field], block.count, modes_[field].data() + at,
                              pencils_.ky().size());
    }
  }

 private:
  const fft::Pencils& pencils_;
  RowFunction write_;
  std::vector<std::span<Complex>> modes_;
  fft::LaneCopier<double> copier_;
};

/// Transforms fields from modes to points.
class InverseWork final : public fft::PassWork<double> {
 public:
  /// @param without_mean  of so many fields, the first ones, the mean is left out
  InverseWork(const fft::Pencils& pencils, std::vector<std::span<const Complex>> modes, RowFunction read,
              std::size_t without_mean = 0)
      : pencils_(pencils), modes_(std::move(modes)), read_(std::move(read)), without_mean_(without_mean) {}

  [[nodiscard]] fft::PassFields fields() const noexcept { return {.in = modes_.size(), .out = 0, .mixed = 0}; }
  void load(std::size_t field, const fft::ColumnBlock& block, Complex* lines) const override {
    copier_.gather_columns(pencils_.modes(), modes_[field].data() + pencils_.spectral_place(block.kx, block.ky, 0),
                           pencils_.ky().size(), block.count, lines);
    if (field < without_mean_ && block.kx == 0 && block.ky == 0) lines[0] = Complex{};  // kz = 0 stands first
  }
  void rows(std::size_t /*worker*/, std::size_t y, std::size_t z, std::span<double* const> in,
            std::span<double* const> /*out*/) const override {
    read_(y, z, in);
  }

 private:
  const fft::Pencils& pencils_;
  std::vector<std::span<const Complex>> modes_;
  RowFunction read_;
  std::size_t without_mean_;
  fft::LaneCopier<double> copier_;
};

}  // namespace tacit::dns

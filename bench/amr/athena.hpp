// Athena++ on the same gas and blocks, if it is there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace tacit::bench {

/// The program that TACIT_ATHENA names, in a folder of its own.
class Athena {
 public:
  Athena();
  ~Athena();
  Athena(const Athena&) = delete;
  Athena& operator=(const Athena&) = delete;

  [[nodiscard]] bool is_there() const noexcept { return !program_.empty(); }
  /// An oblique sound wave in a cube of `side`^3 cells: van Leer's integrator of order 2, piecewise linear.
  /// @param block  cells of a mesh block along each axis
  /// @return       updates of cells in a second of its processor time, as it says itself
  /// @throws base::Error if it does not say so
  [[nodiscard]] double run(std::size_t side, std::size_t block, std::size_t steps) const;

 private:
  std::string program_;
  std::filesystem::path folder_;
};

}  // namespace tacit::bench

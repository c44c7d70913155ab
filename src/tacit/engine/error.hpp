// Errors of a run: numbers that fail, files that cannot be written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "tacit/base/error.hpp"

namespace tacit::engine {

/// What is wrong with a state.
struct Flaw {
  std::string text;                           ///< "the density of particle 17 is nan"
  std::string field = {};                     ///< "density"; empty: of no single field
  std::optional<std::uint64_t> element = {};  ///< 17: the ID of a particle, the number of a cell
  std::optional<std::uint32_t> rank = {};     ///< that found it; without it every rank did
  bool is_known_to_all = true;                ///< false: other ranks do not hear of it, and cannot write it together
};

/// The numbers failed: a field is not finite, an iteration does not converge, the time step vanishes.
class NumericsError : public base::Error {
 public:
  explicit NumericsError(const std::string& text) : base::Error(text) { flaw_.text = text; }
  explicit NumericsError(Flaw flaw) : base::Error(flaw.text), flaw_(std::move(flaw)) {}
  /// The same error with the step to which it belongs, and all that there is to say.
  NumericsError(const NumericsError& error, std::uint64_t step, const std::string& text)
      : base::Error(text), flaw_(error.flaw_), step_(step) {}

  [[nodiscard]] const Flaw& flaw() const noexcept { return flaw_; }
  /// Steps taken before; known once the main loop has seen the error.
  [[nodiscard]] std::optional<std::uint64_t> step() const noexcept { return step_; }

 private:
  Flaw flaw_;
  std::optional<std::uint64_t> step_;
};

/// Files that are written beside the computation could not be written: said by all ranks, whichever it was.
class OutputError : public base::Error {
 public:
  using base::Error::Error;
};

}  // namespace tacit::engine

// Ways to transform a cube of real points to modes and back, of ours and of other libraries.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "comm/crew.hpp"

namespace tacit::bench {

/// Doubles, n along each side, all modes; what goes there comes back but for a factor.
class RoundTrip {
 public:
  RoundTrip() = default;
  RoundTrip(const RoundTrip&) = delete;
  RoundTrip& operator=(const RoundTrip&) = delete;
  virtual ~RoundTrip() = default;
  /// To modes and back so often. All ranks call it, unless takes() says otherwise.
  virtual void run(std::size_t times) = 0;
  /// Who has the points.
  [[nodiscard]] virtual Takes takes() const noexcept { return Takes::all_ranks; }
};

struct NamedRoundTrip {
  std::string name;
  std::unique_ptr<RoundTrip> way;  ///< null: not on this rank, or not there
  Takes takes = Takes::all_ranks;
};

/// FFTW's plans for `threads` threads of the first rank, in place and not, made with FFTW_MEASURE.
/// @pre with several threads: made and run by a thread that no processor binds
[[nodiscard]] std::vector<NamedRoundTrip> fftw_plans(Crew& crew, std::size_t n, std::size_t threads);
/// Lets FFTW have several threads; false where its library of threads is not there.
[[nodiscard]] bool fftw_may_have_threads();
/// The threads of plans to come.
void fftw_set_threads(std::size_t threads);

/// FFTW's plans for MPI, transposed and not, in place, as its manual advises; none without MPI.
[[nodiscard]] std::vector<NamedRoundTrip> fftw_mpi_plans(Crew& crew, std::size_t n);

/// Whether this build has them.
[[nodiscard]] bool fftw_mpi_is_there();

/// heFFTe's, with FFTW below it, by each set of its options; none without MPI.
[[nodiscard]] std::vector<NamedRoundTrip> heffte_plans(Crew& crew, std::size_t n);
/// Empty where this build has it not.
[[nodiscard]] std::string heffte_version();

}  // namespace tacit::bench

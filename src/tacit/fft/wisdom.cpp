// Hands FFTW's wisdom from rank to rank, and from run to run.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fft/wisdom.hpp"

#include <cstdlib>
#include <mutex>
#include <string>

#include "tacit/base/error.hpp"
#include "tacit/comm/choose_fastest.hpp"
#include "tacit/fft/detail/fftw.hpp"

namespace tacit::fft {
namespace {

/// All that FFTW knows in this process.
template <class Real>
std::string known() {
  const std::lock_guard guard(detail::planner_lock());
  char* const text = detail::Fftw<Real>::wisdom();
  std::string result = text == nullptr ? "" : text;
  std::free(text);  // made by FFTW with malloc
  return result;
}

template <class Real>
void measure(const Shape& points) {
  const RealLines<Real> along_x(points[0], Rigor::measure);
  const ComplexLines<Real> along_y(points[1], Rigor::measure);
  const ComplexLines<Real> along_z(points[2], Rigor::measure);
}

}  // namespace

template <class Real>
void share_wisdom(const Shape& points, Rigor rigor, comm::Communicator& ranks, const std::filesystem::path& file) {
  if (rigor == Rigor::estimate) return;
  const auto make = [&] {
    if (!file.empty()) static_cast<void>(read_wisdom(file));  // a file of another FFTW says nothing: measured again
    const std::string before = known<Real>();
    measure<Real>(points);
    std::string after = known<Real>();
    if (!file.empty() && after != before && !write_wisdom(file)) {
      throw base::SystemError(file.string(), "cannot write what FFTW has measured; name another file, or none");
    }
    return after;
  };
  const std::string wisdom = comm::of_first_rank(ranks.core(), "keep what FFTW has measured", make);
  if (number(ranks.rank()) == 0) return;
  const std::lock_guard guard(detail::planner_lock());
  detail::Fftw<Real>::take_wisdom(wisdom.c_str());
}

template void share_wisdom<double>(const Shape&, Rigor, comm::Communicator&, const std::filesystem::path&);
template void share_wisdom<float>(const Shape&, Rigor, comm::Communicator&, const std::filesystem::path&);

}  // namespace tacit::fft

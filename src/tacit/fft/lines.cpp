// One-dimensional transforms by FFTW.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fft/lines.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <limits>
#include <mutex>
#include <string>

#include "tacit/base/error.hpp"
#include "tacit/base/pack_memory.hpp"
#include "tacit/fft/detail/fftw.hpp"

namespace tacit::fft {
namespace detail {

std::mutex& planner_lock() {
  static std::mutex lock;
  return lock;
}

namespace {

unsigned flags_of(Rigor rigor) { return rigor == Rigor::measure ? FFTW_MEASURE : FFTW_ESTIMATE; }

int length_of(std::size_t n) {
  if (n < 2 || n > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw base::PreconditionError(fmt::format("a transform of {} points: from 2 to 2^31 - 1 are possible", n));
  }
  return static_cast<int>(n);
}

/// A plan forwards and one backwards; neither is null.
template <class Real>
class TwoPlans {
 public:
  using Api = Fftw<Real>;
  TwoPlans(std::size_t n, typename Api::Plan forward, typename Api::Plan backward)
      : forward_(forward), backward_(backward) {
    if (forward == nullptr || backward == nullptr) {
      destroy();
      throw base::Error(fmt::format("FFTW finds no way to transform {} points", n));
    }
  }
  TwoPlans(const TwoPlans&) = delete;
  TwoPlans& operator=(const TwoPlans&) = delete;
  ~TwoPlans() {
    const std::lock_guard guard(planner_lock());
    destroy();
  }
  [[nodiscard]] typename Api::Plan forward() const noexcept { return forward_; }
  [[nodiscard]] typename Api::Plan backward() const noexcept { return backward_; }

 private:
  void destroy() {
    if (forward_ != nullptr) Api::destroy(forward_);
    if (backward_ != nullptr) Api::destroy(backward_);
  }
  typename Api::Plan forward_;
  typename Api::Plan backward_;
};

}  // namespace
}  // namespace detail

template <class Real>
struct ComplexLines<Real>::Plans : detail::TwoPlans<Real> {
  using detail::TwoPlans<Real>::TwoPlans;
};

template <class Real>
ComplexLines<Real>::ComplexLines(std::size_t n, Rigor rigor) : n_(n) {
  using Api = detail::Fftw<Real>;
  const int length = detail::length_of(n);
  base::PackVector<std::complex<Real>> scratch(n * lanes);
  auto* const at = Api::cast(scratch.data());
  const unsigned flags = detail::flags_of(rigor);
  typename Api::Plan forward{};
  typename Api::Plan backward{};
  {
    const std::lock_guard guard(detail::planner_lock());
    forward = Api::plan_complex(length, static_cast<int>(lanes), at, FFTW_FORWARD, flags);
    backward = Api::plan_complex(length, static_cast<int>(lanes), at, FFTW_BACKWARD, flags);
  }
  plans_ = std::make_unique<Plans>(n, forward, backward);
}

template <class Real>
ComplexLines<Real>::~ComplexLines() = default;
template <class Real>
ComplexLines<Real>::ComplexLines(ComplexLines&&) noexcept = default;
template <class Real>
ComplexLines<Real>& ComplexLines<Real>::operator=(ComplexLines&&) noexcept = default;

template <class Real>
void ComplexLines<Real>::forward(std::complex<Real>* lines) const noexcept {
  auto* const at = detail::Fftw<Real>::cast(lines);
  detail::Fftw<Real>::run(plans_->forward(), at, at);
}

template <class Real>
void ComplexLines<Real>::backward(std::complex<Real>* lines) const noexcept {
  auto* const at = detail::Fftw<Real>::cast(lines);
  detail::Fftw<Real>::run(plans_->backward(), at, at);
}

template <class Real>
struct RealLines<Real>::Plans : detail::TwoPlans<Real> {
  using detail::TwoPlans<Real>::TwoPlans;
};

template <class Real>
RealLines<Real>::RealLines(std::size_t n, Rigor rigor) : n_(n) {
  using Api = detail::Fftw<Real>;
  const int length = detail::length_of(n);
  base::PackVector<Real> points(lanes * point_stride());
  base::PackVector<std::complex<Real>> modes(lanes * mode_stride());
  const auto rows = static_cast<int>(lanes);
  const auto point_step = static_cast<int>(point_stride());
  const auto mode_step = static_cast<int>(mode_stride());
  // Both ways may use their input as scratch memory, which saves a copy.
  const unsigned flags = detail::flags_of(rigor) | FFTW_DESTROY_INPUT;
  typename Api::Plan forward{};
  typename Api::Plan backward{};
  {
    const std::lock_guard guard(detail::planner_lock());
    forward = Api::plan_forward(length, rows, points.data(), point_step, Api::cast(modes.data()), mode_step, flags);
    backward = Api::plan_backward(length, rows, Api::cast(modes.data()), mode_step, points.data(), point_step, flags);
  }
  plans_ = std::make_unique<Plans>(n, forward, backward);
}

template <class Real>
RealLines<Real>::~RealLines() = default;
template <class Real>
RealLines<Real>::RealLines(RealLines&&) noexcept = default;
template <class Real>
RealLines<Real>& RealLines<Real>::operator=(RealLines&&) noexcept = default;

template <class Real>
void RealLines<Real>::forward(Real* points, std::complex<Real>* modes) const noexcept {
  detail::Fftw<Real>::run(plans_->forward(), points, detail::Fftw<Real>::cast(modes));
}

template <class Real>
void RealLines<Real>::backward(std::complex<Real>* modes, Real* points) const noexcept {
  detail::Fftw<Real>::run(plans_->backward(), detail::Fftw<Real>::cast(modes), points);
}

template class ComplexLines<double>;
template class ComplexLines<float>;
template class RealLines<double>;
template class RealLines<float>;

bool read_wisdom(const std::filesystem::path& file) {
  const std::lock_guard guard(detail::planner_lock());
  const std::string single = file.string() + ".single";
  const bool has_double = fftw_import_wisdom_from_filename(file.c_str()) != 0;
  return fftwf_import_wisdom_from_filename(single.c_str()) != 0 && has_double;
}

bool write_wisdom(const std::filesystem::path& file) {
  const std::lock_guard guard(detail::planner_lock());
  // Whole at any time: other runs may read it.
  const auto write = [](const std::string& name, auto&& export_to) {
    const std::string partial = fmt::format("{}.{}.partial", name, ::getpid());
    if (export_to(partial.c_str()) != 0 && std::rename(partial.c_str(), name.c_str()) == 0) return true;
    static_cast<void>(std::remove(partial.c_str()));
    return false;
  };
  const bool has_double = write(file.string(), fftw_export_wisdom_to_filename);
  return write(file.string() + ".single", fftwf_export_wisdom_to_filename) && has_double;
}

}  // namespace tacit::fft

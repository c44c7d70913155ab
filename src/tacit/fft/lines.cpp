// One-dimensional transforms by FFTW.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fft/lines.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <limits>
#include <mutex>
#include <numbers>
#include <string>
#include <vector>

#include "tacit/base/cpu_features.hpp"
#include "tacit/base/error.hpp"
#include "tacit/base/pack_memory.hpp"
#include "tacit/fft/detail/fftw.hpp"
#include "tacit/fft/kernels/halves.hpp"

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

/// Two numbers are a complex one; the standard says so.
template <class Real>
std::complex<Real>* pairs_of(Real* numbers) {
  return reinterpret_cast<std::complex<Real>*>(numbers);
}

}  // namespace

/// A plan forwards and one backwards; neither is null.
template <class Real>
class TwoPlans {
 public:
  using Api = Fftw<Real>;
  TwoPlans(std::size_t n, typename Api::Plan forward, typename Api::Plan backward)
      : forward_(forward), backward_(backward) {
    if (forward == nullptr || backward == nullptr) {
      destroy();
      throw base::Error(fmt::format("FFTW has no algorithm for {} points", n));
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

namespace detail {
namespace {

/// scale * exp(sign 2 pi i k / n) for k <= n/2, as kernels::Halves wants them.
template <class Real>
std::vector<Real> factors_of(std::size_t n, double sign, std::complex<double> scale) {
  const std::size_t count = n / 2 + 1;
  std::vector<Real> factors(4 * count);
  for (std::size_t k = 0; k < count; ++k) {
    const double angle = sign * 2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
    const std::complex<double> factor = scale * std::polar(1.0, angle);
    factors[2 * k] = factors[2 * k + 1] = static_cast<Real>(factor.real());
    factors[2 * (count + k)] = static_cast<Real>(-factor.imag());
    factors[2 * (count + k) + 1] = static_cast<Real>(factor.imag());
  }
  return factors;
}

}  // namespace
}  // namespace detail

template <class Real>
struct RealLines<Real>::Plans : detail::TwoPlans<Real> {
  using detail::TwoPlans<Real>::TwoPlans;
  kernels::Halves<Real> halves = kernels::halves_for<Real>(base::chosen_instruction_set());
  std::vector<Real> split_factors;
  std::vector<Real> join_factors;
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
  const unsigned flags = detail::flags_of(rigor);
  typename Api::Plan forward{};
  typename Api::Plan backward{};
  {
    const std::lock_guard guard(detail::planner_lock());
    auto* const there = Api::cast(modes.data());
    if (is_halved()) {
      auto* const pairs = Api::cast(detail::pairs_of(points.data()));
      forward = Api::plan_rows(length / 2, rows, pairs, point_step / 2, there, mode_step, FFTW_FORWARD, flags);
      backward = Api::plan_rows(length / 2, rows, pairs, point_step / 2, pairs, point_step / 2, FFTW_BACKWARD, flags);
    } else {
      forward =
          Api::plan_forward(length, rows, points.data(), point_step, there, mode_step, flags | FFTW_PRESERVE_INPUT);
      // Which may use its input as scratch memory: that saves a copy.
      backward =
          Api::plan_backward(length, rows, there, mode_step, points.data(), point_step, flags | FFTW_DESTROY_INPUT);
    }
  }
  plans_ = std::make_unique<Plans>(n, forward, backward);
  if (!is_halved()) return;
  plans_->split_factors = detail::factors_of<Real>(n, -1.0, {0.0, -0.5});
  plans_->join_factors = detail::factors_of<Real>(n, 1.0, {0.0, 1.0});
}

template <class Real>
RealLines<Real>::~RealLines() = default;
template <class Real>
RealLines<Real>::RealLines(RealLines&&) noexcept = default;
template <class Real>
RealLines<Real>& RealLines<Real>::operator=(RealLines&&) noexcept = default;

template <class Real>
void RealLines<Real>::forward(const Real* points, std::complex<Real>* packed) const noexcept {
  using Api = detail::Fftw<Real>;
  // FFTW's functions take no constant memory, but the plans preserve their input.
  auto* const input = const_cast<Real*>(points);
  if (!is_halved()) return Api::run(plans_->forward(), input, Api::cast(packed));
  Api::run(plans_->forward(), Api::cast(detail::pairs_of(input)), Api::cast(packed));
  for (std::size_t row = 0; row < lanes; ++row) packed[row * mode_stride() + n_ / 2] = packed[row * mode_stride()];
}

template <class Real>
void RealLines<Real>::copy_modes(const std::complex<Real>* packed, std::size_t begin, std::size_t end,
                                 std::complex<Real>* modes) const noexcept {
  if (is_halved()) {
    plans_->halves.split(n_ / 2, plans_->split_factors.data(), reinterpret_cast<const Real*>(packed), begin, end,
                         reinterpret_cast<Real*>(modes));
  } else {
    std::copy(packed + begin, packed + end, modes);
  }
}

template <class Real>
void RealLines<Real>::backward(std::complex<Real>* modes, Real* points) const noexcept {
  using Api = detail::Fftw<Real>;
  if (is_halved()) return backward(modes, mode_stride(), points);
  Api::run(plans_->backward(), Api::cast(modes), points);
}

template <class Real>
void RealLines<Real>::backward(const std::complex<Real>* modes, std::size_t stride, Real* points) const noexcept {
  using Api = detail::Fftw<Real>;
  for (std::size_t row = 0; row < lanes; ++row) {
    plans_->halves.join(n_ / 2, plans_->join_factors.data(), reinterpret_cast<const Real*>(modes + row * stride),
                        points + row * point_stride());
  }
  auto* const pairs = Api::cast(detail::pairs_of(points));
  Api::run(plans_->backward(), pairs, pairs);
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

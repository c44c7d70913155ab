// FFTW's functions by precision, and its planner's lock; the only header that sees fftw3.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fftw3.h>

#include <complex>
#include <mutex>

namespace tacit::fft::detail {

/// Held while plans are made or destroyed: FFTW's planner is not made for several threads.
[[nodiscard]] std::mutex& planner_lock();

template <class Real>
struct Fftw;

template <>
struct Fftw<double> {
  using Plan = fftw_plan;
  static fftw_complex* cast(std::complex<double>* at) { return reinterpret_cast<fftw_complex*>(at); }
  static Plan plan_complex(int n, int lines, fftw_complex* at, int sign, unsigned flags) {
    return fftw_plan_many_dft(1, &n, lines, at, nullptr, lines, 1, at, nullptr, lines, 1, sign, flags);
  }
  static Plan plan_rows(int n, int rows, fftw_complex* in, int in_stride, fftw_complex* out, int out_stride, int sign,
                        unsigned flags) {
    return fftw_plan_many_dft(1, &n, rows, in, nullptr, 1, in_stride, out, nullptr, 1, out_stride, sign, flags);
  }
  static Plan plan_forward(int n, int lines, double* points, int point_stride, fftw_complex* modes, int mode_stride,
                           unsigned flags) {
    return fftw_plan_many_dft_r2c(1, &n, lines, points, nullptr, 1, point_stride, modes, nullptr, 1, mode_stride,
                                  flags);
  }
  static Plan plan_backward(int n, int lines, fftw_complex* modes, int mode_stride, double* points, int point_stride,
                            unsigned flags) {
    return fftw_plan_many_dft_c2r(1, &n, lines, modes, nullptr, 1, mode_stride, points, nullptr, 1, point_stride,
                                  flags);
  }
  static void run(Plan plan, fftw_complex* in, fftw_complex* out) { fftw_execute_dft(plan, in, out); }
  static void run(Plan plan, double* in, fftw_complex* out) { fftw_execute_dft_r2c(plan, in, out); }
  static void run(Plan plan, fftw_complex* in, double* out) { fftw_execute_dft_c2r(plan, in, out); }
  static void destroy(Plan plan) { fftw_destroy_plan(plan); }
  static char* wisdom() { return fftw_export_wisdom_to_string(); }
  static void take_wisdom(const char* text) { fftw_import_wisdom_from_string(text); }
};

template <>
struct Fftw<float> {
  using Plan = fftwf_plan;
  static fftwf_complex* cast(std::complex<float>* at) { return reinterpret_cast<fftwf_complex*>(at); }
  static Plan plan_complex(int n, int lines, fftwf_complex* at, int sign, unsigned flags) {
    return fftwf_plan_many_dft(1, &n, lines, at, nullptr, lines, 1, at, nullptr, lines, 1, sign, flags);
  }
  static Plan plan_rows(int n, int rows, fftwf_complex* in, int in_stride, fftwf_complex* out, int out_stride, int sign,
                        unsigned flags) {
    return fftwf_plan_many_dft(1, &n, rows, in, nullptr, 1, in_stride, out, nullptr, 1, out_stride, sign, flags);
  }
  static Plan plan_forward(int n, int lines, float* points, int point_stride, fftwf_complex* modes, int mode_stride,
                           unsigned flags) {
    return fftwf_plan_many_dft_r2c(1, &n, lines, points, nullptr, 1, point_stride, modes, nullptr, 1, mode_stride,
                                   flags);
  }
  static Plan plan_backward(int n, int lines, fftwf_complex* modes, int mode_stride, float* points, int point_stride,
                            unsigned flags) {
    return fftwf_plan_many_dft_c2r(1, &n, lines, modes, nullptr, 1, mode_stride, points, nullptr, 1, point_stride,
                                   flags);
  }
  static void run(Plan plan, fftwf_complex* in, fftwf_complex* out) { fftwf_execute_dft(plan, in, out); }
  static void run(Plan plan, float* in, fftwf_complex* out) { fftwf_execute_dft_r2c(plan, in, out); }
  static void run(Plan plan, fftwf_complex* in, float* out) { fftwf_execute_dft_c2r(plan, in, out); }
  static void destroy(Plan plan) { fftwf_destroy_plan(plan); }
  static char* wisdom() { return fftwf_export_wisdom_to_string(); }
  static void take_wisdom(const char* text) { fftwf_import_wisdom_from_string(text); }
};

}  // namespace tacit::fft::detail

// The coefficients of the schemes in time.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/mesh/kernels/stages.hpp"

#include "tacit/base/error.hpp"

namespace tacit::mesh {

std::vector<Stage> rk2() { return {{.form = Form::euler}, {.form = Form::average}}; }

std::vector<Stage> rkl2(std::size_t stages) {
  TACIT_EXPECT(stages >= 3 && stages % 2 == 1);
  const auto b = [](double j) { return j < 2.0 ? 1.0 / 3.0 : (j * j + j - 2.0) / (2.0 * j * (j + 1.0)); };
  const auto s = static_cast<double>(stages);
  const double w1 = 4.0 / (s * s + s - 2.0);
  std::vector<Stage> result{{.form = Form::begin, .h = b(1.0) * w1}};
  for (std::size_t stage = 2; stage <= stages; ++stage) {
    const auto j = static_cast<double>(stage);
    const double mu = (2.0 * j - 1.0) / j * b(j) / b(j - 1.0);
    const double nu = -(j - 1.0) / j * b(j) / b(j - 2.0);
    result.push_back({.form = Form::chebyshev,
                      .h = mu * w1,
                      .mu = mu,
                      .nu = nu,
                      .rest = 1.0 - mu - nu,
                      .h0 = -(1.0 - b(j - 1.0)) * mu * w1});
  }
  return result;
}

StageCost cost_of(Form form) noexcept {
  switch (form) {
    case Form::euler:  // y + h rate; y and out
      return {.operations = 2.0, .bytes = 16.0};
    case Form::begin:  // and rate
      return {.operations = 2.0, .bytes = 24.0};
    case Form::average:  // 2 more; y, base and out
      return {.operations = 4.0, .bytes = 24.0};
    case Form::chebyshev:  // three products of states, two of rates, four sums; y, prev, base, rate and out
      return {.operations = 9.0, .bytes = 40.0};
  }
  return {};
}

double stable_limit(const std::vector<Stage>& stages) noexcept {
  const auto s = static_cast<double>(stages.size());
  return s == 2.0 ? 2.0 : (s * s + s - 2.0) / 2.0;
}

}  // namespace tacit::mesh

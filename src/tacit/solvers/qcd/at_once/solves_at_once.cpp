// Advances several solves together.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/at_once/solves_at_once.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/solvers/qcd/methods.hpp"

namespace tacit::qcd {

/// One of them: a solve whose x and r have been moved together with those of others when it is advanced.
class SolvesAtOnce::One final : public Solve {
 public:
  One(const DiracOperator<double>& D, const SolveOptions& options) : Solve(D, options) {
    constexpr std::size_t most = Gcr<double>::preconditioned_directions;
    directions_.p.resize(most);
    directions_.q.resize(most);
    directions_.qq.resize(most);
  }

  [[nodiscard]] GcrMove<double> to_move() {
    make_room(static_cast<std::size_t>(directions_.count) % directions_.qq.size());
    return {.directions = &directions_, .x = &x_, .r = &r_};
  }
  void take(const GcrMove<double>& moved) {
    rr_ = moved.rr;
    why_ = moved.failure;
  }

 private:
  /// Fields of a direction are made when it is first needed: most solves end before they have used all.
  void make_room(std::size_t direction) {
    if (!directions_.p[direction].empty()) return;
    directions_.p[direction] = matrix().make();
    directions_.q[direction] = matrix().make();
  }
  /// Of as many directions as the numbers say that there are.
  void add_state(NamedFields<double>& fields) override {
    const auto count = std::min(static_cast<std::size_t>(std::max(directions_.count, 0.0)), directions_.qq.size());
    for (std::size_t k = 0; k < count; ++k) make_room(k);
    add_directions(directions_, count, fields);
  }
  void add_state(NamedNumbers& numbers) override { add_directions(directions_.qq, directions_.count, numbers); }
  [[nodiscard]] std::string_view advice() const override { return advice_of_multigrid; }
  void restart() override { directions_.count = 0.0; }
  [[nodiscard]] double advance() override {
    if (!why_.empty()) fail(why_);
    return rr_;
  }

  GcrDirections<double> directions_;
  double rr_ = 0.0;
  std::string why_;
};

SolvesAtOnce::SolvesAtOnce(const DiracOperator<double>& D, Preconditioner<double>& preconditioner, std::size_t most,
                           const SolveOptions& options)
    : D_(D, most),
      moves_(
          D.space(), most, [this](InFields<double> in, OutFields<double> out) { D_.apply(in, out); }, &preconditioner) {
  for (std::size_t which = 0; which < most; ++which) all_.push_back(std::make_unique<One>(D, options));
  moving_.reserve(most);
  of_.reserve(most);
}
SolvesAtOnce::~SolvesAtOnce() = default;

void SolvesAtOnce::begin(std::span<const Field<double>> b) {
  TACIT_EXPECT(b.size() <= all_.size());
  count_ = b.size();
  for (std::size_t which = 0; which < count_; ++which) all_[which]->begin(b[which]);
}

std::size_t SolvesAtOnce::running() const noexcept {
  return static_cast<std::size_t>(
      std::count_if(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(count_),
                    [](const auto& one) { return one->status() == Solve::Status::running; }));
}

void SolvesAtOnce::iterate() {
  moving_.clear();
  of_.clear();
  for (std::size_t which = 0; which < count_; ++which) {
    if (all_[which]->status() != Solve::Status::running) continue;
    moving_.push_back(all_[which]->to_move());
    of_.push_back(all_[which].get());
  }
  TACIT_EXPECT(!of_.empty());
  moves_.move(moving_);
  for (std::size_t i = 0; i < of_.size(); ++i) {
    of_[i]->take(moving_[i]);
    of_[i]->iterate();
  }
}

Solve& SolvesAtOnce::operator[](std::size_t which) noexcept { return *all_[which]; }
const Solve& SolvesAtOnce::operator[](std::size_t which) const noexcept { return *all_[which]; }

}  // namespace tacit::qcd

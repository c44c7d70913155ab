// Rounds of trials.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/detail/contest.hpp"

#include <algorithm>
#include <cstdint>

#include "tacit/base/error.hpp"

namespace tacit::io::detail {

std::size_t Contest::fastest() const {
  return static_cast<std::size_t>(std::ranges::min_element(ways_, {}, &Way::cost) - ways_.begin());
}

bool Contest::is_known(const Way& way) const {
  const bool are_all_tried = std::ranges::all_of(ways_, [](const Way& one) { return one.trials > 0; });
  return way.trials >= trials || (are_all_tried && way.cost > far_slower * ways_[fastest()].cost);
}

std::size_t Contest::next(const std::vector<std::size_t>& pending) const {
  if (winner_) return *winner_;
  const auto begun = [&](std::size_t way) {
    return ways_[way].trials + static_cast<std::size_t>(std::ranges::count(pending, way));
  };
  std::optional<std::size_t> found;
  for (std::size_t way = 0; way < ways_.size(); ++way) {
    if (!is_known(ways_[way]) && (!found || begun(way) < begun(*found))) found = way;
  }
  return *found;
}

void Contest::add(std::size_t way, double cost) {
  TACIT_EXPECT(cost > 0.0);
  ++ways_[way].trials;
  ways_[way].cost = std::min(ways_[way].cost, cost);
  if (std::ranges::all_of(ways_, [&](const Way& one) { return is_known(one); })) winner_ = fastest();
}

}  // namespace tacit::io::detail

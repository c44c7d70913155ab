// What all ranks must say alike when they make a collective, and how that is found out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>

#include "tacit/comm/collectives/options.hpp"
#include "tacit/comm/connections/communicator_core.hpp"
#include "tacit/comm/connections/ends.hpp"

namespace tacit::comm::detail {

/// A function that combines elements, in words that are alike on all ranks of one program.
template <class F>
[[nodiscard]] std::string_view name_of_function() {
  return typeid(F).name();
}

/// What all ranks must say alike.
struct Agreement {
  Elements elements;
  std::array<char, 24> kind = {};  ///< "all-gather"
  std::uint32_t leaders = 1;
  std::uint32_t pattern = 0;
  std::uint32_t root = no_root;
  std::uint32_t copying = 0;   ///< a Copying
  std::uint64_t function = 0;  ///< of its type: a hash of the name
  static constexpr std::uint32_t no_root = ~std::uint32_t{0};

  [[nodiscard]] bool operator==(const Agreement&) const = default;
};

/// @param function  see name_of_function; empty: nothing is combined
/// @throws base::Error if there is no such root
[[nodiscard]] Agreement make_agreement(const CommunicatorCore& communicator, std::string_view kind,
                                       const Elements& elements, const CollectiveOptions& options,
                                       std::optional<RankId> root, std::string_view function);

/// @throws MismatchError that names both ranks and what differs
void require_alike(const CommunicatorCore& communicator, const Agreement& mine, RankId peer, const Agreement& theirs);

/// "all-reduce 3 of 10 float64 of 8 B".
[[nodiscard]] std::string describe(const Agreement& agreement, std::uint32_t key);

/// Compares what neighbours in the circle of all ranks say: if any two ranks differ, two neighbours do, whatever the
/// collective and whichever ranks exchange messages in it.
class Circle {
 public:
  /// Tells both neighbours; does not wait.
  /// @param key  of the collective
  Circle(CommunicatorCore& communicator, std::uint32_t key, const Agreement& mine);
  /// Waits for what they say. @throws MismatchError, DeadlineError, PeerError
  void check() const;

 private:
  [[nodiscard]] std::vector<RankId> neighbours() const;

  CommunicatorCore* communicator_;
  std::uint32_t key_;
  Agreement mine_;
};

}  // namespace tacit::comm::detail

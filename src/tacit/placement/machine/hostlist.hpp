// Names of nodes as Slurm writes them: "nid[0001-0004,0007],login1".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/base/error.hpp"

namespace tacit::placement {

/// Names that one expression may stand for; a larger one is a mistake or hostile.
inline constexpr std::size_t most_hosts = 1'000'000;

/// A hostlist expression is wrong; what() quotes it up to the place and says what was expected.
class HostlistError : public base::Error {
 public:
  using base::Error::Error;
};

/// The names that an expression stands for, in its order, repetitions kept.
///
///     a[1-3,7]      a1 a2 a3 a7           leading zeroes set the width: n[08-10] is n08 n09 n10
///     r[0-1]n[0-1]  r0n0 r0n1 r1n0 r1n1   the last range runs fastest
///     a1,b[2-3]     a1 b2 b3              white space separates as a comma does
///
/// @throws HostlistError if it cannot be read, or stands for more than `most_hosts`
[[nodiscard]] std::vector<std::string> expand_hostlist(std::string_view expression);

/// A short expression of the same names in the same order: neighbours that count up in their last number share a range.
///
/// @return  such that expand_hostlist gives back the names, if they are made of letters, digits, '.', '_' and '-'
[[nodiscard]] std::string compress_hostlist(std::span<const std::string> names);

}  // namespace tacit::placement

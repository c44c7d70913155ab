// What is said of records that are not as their actions expect.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/actions/record.hpp"

#include <fmt/format.h>

namespace tacit::actions {

void Writer::throw_longer() {
  throw base::PreconditionError("an argument of an action has become longer while it was written");
}

void Reader::throw_truncated(std::size_t bytes) const {
  throw RecordError(fmt::format("the record ends after {} B, where {} B more are expected from byte {} on", bytes_,
                                bytes, bytes_ - from_.size()));
}

void Reader::throw_count(std::uint64_t elements, std::size_t least_bytes) const {
  throw RecordError(fmt::format("the record says {} elements of at least {} B before byte {}, and has {} B left",
                                elements, least_bytes, bytes_ - from_.size(), from_.size()));
}

void Reader::throw_flag(unsigned value) const {
  throw RecordError(
      fmt::format("byte {} of the record is {}, where 0 or 1 is expected", bytes_ - from_.size() - 1, value));
}

void Reader::throw_left() const {
  throw RecordError(fmt::format("the record has {} B, {} more than its action takes", bytes_, from_.size()));
}

}  // namespace tacit::actions

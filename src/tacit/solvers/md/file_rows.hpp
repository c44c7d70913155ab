// Atoms in the order of files: by rising ID, each rank with a run of rows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/base/vec3.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/exchange/over_ranks.hpp"
#include "tacit/io/part.hpp"
#include "tacit/solvers/md/atoms.hpp"

namespace tacit::md {

/// Which rank writes which atoms: as many each, wherever they are.
class FileOrder {
 public:
  /// @param ids  of this rank's atoms, in any order. All ranks make it
  FileOrder(std::vector<std::uint64_t> ids, comm::Communicator& ranks);

  /// Of all ranks.
  [[nodiscard]] std::uint64_t atoms() const noexcept { return atoms_; }
  [[nodiscard]] std::uint64_t first_row(std::size_t rank) const noexcept { return atoms_ * rank / (first_.size() + 1); }
  [[nodiscard]] std::size_t writer_of(std::uint64_t id) const noexcept;

 private:
  std::uint64_t atoms_ = 0;
  std::vector<std::uint64_t> first_;  // IDs of the first rows of all ranks but rank 0
};

/// The atoms of a state, gathered by those who write them. All ranks make it and ask for the same.
class FileRows {
 public:
  FileRows(const Atoms& atoms, const FileOrder& order, comm::Communicator& ranks);

  /// IDs of the rows that this rank writes.
  [[nodiscard]] std::span<const std::uint64_t> ids() const noexcept { return ids_; }
  /// This rank's part of an array with so many columns; without them of one axis.
  [[nodiscard]] io::Part part(std::uint64_t columns = 0) const;
  [[nodiscard]] std::vector<std::uint64_t> shape(std::uint64_t columns = 0) const;

  /// A value of each row that this rank writes. Memory: three times that of the rank's values, until it returns.
  /// @param value_of  (std::size_t i): of an atom of this rank, some plain numbers
  template <class ValueOf>
  [[nodiscard]] auto of(const ValueOf& value_of) const {
    using T = std::remove_cvref_t<std::invoke_result_t<const ValueOf&, std::size_t>>;
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> result(ids_.size());
    if (ranks_.size() == 1) {
      for (std::size_t row = 0; row < result.size(); ++row) result[row] = value_of(leaving_[row]);
      return result;
    }
    std::vector<std::vector<std::byte>> blocks(ranks_.size());
    for (std::size_t rank = 0, at = 0; rank < blocks.size(); ++rank) {
      blocks[rank].resize(sizeof(T) * (leaves_[rank + 1] - leaves_[rank]));
      for (std::byte* to = blocks[rank].data(); at < leaves_[rank + 1]; ++at, to += sizeof(T)) {
        const T value = value_of(leaving_[at]);
        std::memcpy(to, &value, sizeof(T));
      }
    }
    const exchange::Blocks come = exchange::send_blocks(ranks_, blocks);
    TACIT_EXPECT(come.bytes.size() == sizeof(T) * result.size());
    for (std::size_t row = 0; row < result.size(); ++row) {
      std::memcpy(&result[row], come.bytes.data() + sizeof(T) * place_[row], sizeof(T));
    }
    return result;
  }

 private:
  comm::Communicator& ranks_;
  std::uint64_t atoms_ = 0;
  std::uint64_t first_row_ = 0;
  std::vector<std::uint32_t> leaving_;  // atoms of this rank by rising ID, and so by who writes them
  std::vector<std::size_t> leaves_;     // shape (ranks + 1): which of them go to each
  std::vector<std::uint64_t> ids_;
  std::vector<std::size_t> place_;  // by row: among what has come
};

/// The components of vectors, one after the other.
[[nodiscard]] inline std::span<const double> numbers_of(std::span<const base::Vec3> vectors) {
  static_assert(sizeof(base::Vec3) == 3 * sizeof(double));
  return {reinterpret_cast<const double*>(vectors.data()), 3 * vectors.size()};
}

[[nodiscard]] inline std::span<const std::int64_t> numbers_of(std::span<const std::array<std::int64_t, 3>> counts) {
  return {counts.empty() ? nullptr : counts.data()->data(), 3 * counts.size()};
}
[[nodiscard]] inline std::span<const double> numbers_of(std::span<const std::array<double, 6>> tensors) {
  static_assert(sizeof(std::array<double, 6>) == 6 * sizeof(double));
  return {reinterpret_cast<const double*>(tensors.data()), 6 * tensors.size()};
}

/// What a snapshot has of an atom [byte]: ID, type, place and images whole, velocity, force and energy in `stored`
/// bytes a number, as is its virial, and its order beside the number of neighbours.
[[nodiscard]] constexpr std::uint64_t bytes_in_snapshot(bool has_virials, bool has_order,
                                                        std::uint64_t stored) noexcept {
  return (has_order ? 9 : 8) * sizeof(std::uint64_t) + ((has_virials ? 13 : 7) + (has_order ? 2 : 0)) * stored;
}

}  // namespace tacit::md

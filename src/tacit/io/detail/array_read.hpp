// What is read of an array at once: pieces that all workers take.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacit/io/detail/cut.hpp"
#include "tacit/io/detail/stored_array.hpp"

namespace tacit::tasks {
class Scheduler;
}

namespace tacit::io::detail {

/// Pieces of stored arrays that together make up what is read.
class ArrayRead {
 public:
  ArrayRead() = default;
  ArrayRead(const ArrayRead&) = delete;
  ArrayRead& operator=(const ArrayRead&) = delete;
  ~ArrayRead();

  /// @pre a Session is held; the cut lies in the array
  void add(StoredArray array, Cut cut);
  /// @pre a Session is held
  void clear() { sources_.clear(); }
  /// Reads all of it.
  /// @param workers  that help; null: none. So they do not where pieces are so large that all at once fill the memory
  /// @pre no Session is held: workers need it
  /// @throws base::FormatError, base::SystemError as StoredArray::read
  void run(const Target& target, tasks::Scheduler* workers) const;

 private:
  struct Source {
    StoredArray array;
    Cut cut;
  };
  struct Piece {
    const Source* source = nullptr;
    std::uint64_t first = 0;  ///< row
  };
  [[nodiscard]] std::vector<Piece> pieces() const;

  std::vector<Source> sources_;
};

/// A piece of a virtual array.
struct MappedBox {
  std::string file;  ///< beside that of the virtual array
  std::string array;
  Part place;                        ///< in the virtual array
  std::vector<std::uint64_t> first;  ///< of the piece, in the other array
};

/// The pieces of a virtual array; nothing if one of them is not a box on both sides.
[[nodiscard]] std::optional<std::vector<MappedBox>> mapped_boxes(hid_t creation);

/// A file and an array in it, of which a virtual array is made.
struct VirtualSource {
  std::string file;
  std::string array;
};

/// Those of a virtual array, as often as it names them.
/// @return nothing if they cannot be read
[[nodiscard]] std::optional<std::vector<VirtualSource>> virtual_sources(hid_t creation);

/// What two boxes of one array have in common; empty if nothing.
[[nodiscard]] Part common_part(const Part& a, const Part& b);

}  // namespace tacit::io::detail

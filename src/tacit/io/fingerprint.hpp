// One number for what arrays of a file hold.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tacit/base/checksum.hpp"
#include "tacit/io/file.hpp"

namespace tacit::io {

/// Adds what a file holds to a hash, in the order of names: of each group its attributes (numbers as doubles, texts),
/// of each array its name, type, shape, attributes and numbers. How the numbers are stored (compression, chunks, parts)
/// does not count.
/// @param leaves_out  names of groups, arrays ("Engine") and attributes ("Header@Date") that do not count. Null: all do
/// @throws base::SystemError, base::FormatError if the file cannot be read, or is damaged
/// Cost: reads all once, on the calling thread. Memory: 1 MiB, or a row of an array where that is more.
void add_contents(base::Hash& hash, const FileReader& file,
                  const std::function<bool(const std::string& name)>& leaves_out = nullptr);

}  // namespace tacit::io

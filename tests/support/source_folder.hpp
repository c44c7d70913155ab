// Where the sources stand, for tests that read files of the tree.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tacit::test {

/// The root of the sources, as an absolute path.
std::string source_folder();

}  // namespace tacit::test

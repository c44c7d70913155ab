// Where the sources stand: the one file of the tests that is compiled with an absolute path, so that a compiler cache
// finds all others from any folder.
// SPDX-License-Identifier: Apache-2.0
#include "support/source_folder.hpp"

namespace tacit::test {

std::string source_folder() { return TACIT_SOURCE_DIR; }

}  // namespace tacit::test

// Where the Python package stands: the one file of the program that is compiled with an absolute path, so that a
// compiler cache finds all others from any folder.
// SPDX-License-Identifier: Apache-2.0
#include "python_folder.hpp"

namespace tacit::apps {

const char* python_folder() { return TACIT_PYTHON_FOLDER; }

}  // namespace tacit::apps

// Where the Python package stands that belongs to this build.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tacit::apps {

/// The folder `python` of the sources that this program was built from, as an absolute path.
const char* python_folder();

}  // namespace tacit::apps

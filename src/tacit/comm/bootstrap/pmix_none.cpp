// A build without PMIx.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/bootstrap/launcher.hpp"
#include "tacit/comm/bootstrap/pmix.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::comm {

std::unique_ptr<Bootstrap> bootstrap_pmix() {
  throw LaunchError("PMIx was asked for, but this program was built without it: configure with -DTACIT_PMIX=ON");
}
std::unique_ptr<Bootstrap> started_by_pmix() { return nullptr; }
std::string describe_pmix() { return ""; }

}  // namespace tacit::comm

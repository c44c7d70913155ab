// Texts of the errors that carry more than a message.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/base/error.hpp"

#include <system_error>

namespace tacit::base {

SystemError::SystemError(const std::string& path, const std::string& what, int code)
    : Error(path + ": " + what + (code == 0 ? "" : " (" + std::generic_category().message(code) + ")")), code_(code) {}

void fail_precondition(const char* condition, const char* file, int line) {
  throw PreconditionError(std::string(file) + ":" + std::to_string(line) + ": precondition broken: " + condition +
                          "\n  This is a bug in Tacit; please report it with the parameter file.");
}

}  // namespace tacit::base

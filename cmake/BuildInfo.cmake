# Script: writes tacit_build_info.hpp with version, commit and flags; touches it only when something changed.
# SPDX-License-Identifier: Apache-2.0
execute_process(COMMAND git -C "${SOURCE_DIR}" rev-parse --short=12 HEAD
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed OR NOT commit)
  set(commit "unknown")
else()
  execute_process(COMMAND git -C "${SOURCE_DIR}" diff --quiet HEAD -- src apps cmake CMakeLists.txt
                  RESULT_VARIABLE modified ERROR_QUIET)
  if(modified)
    string(APPEND commit "-modified")
  endif()
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT
"// Generated at every build; do not edit.
#pragma once
namespace tacit::base::build_info {
inline constexpr const char* version = \"${VERSION}\";
inline constexpr const char* commit = \"${commit}\";
inline constexpr const char* flags = \"${FLAGS}\";
}  // namespace tacit::base::build_info
")

// What the processors of this machine are called.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tacit::topology {

/// The value of the first line "model name : ..." (or "CPU part", where there is no name) of a /proc/cpuinfo; else
/// "unknown".
[[nodiscard]] std::string cpu_model(const std::string& cpuinfo);
/// Of this machine.
[[nodiscard]] std::string cpu_model();

}  // namespace tacit::topology

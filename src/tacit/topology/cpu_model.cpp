// Reads the name of the processors.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/topology/cpu_model.hpp"

#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

namespace tacit::topology {

std::string cpu_model(const std::string& cpuinfo) {
  for (const std::string_view field : {"model name", "CPU part"}) {
    std::istringstream lines(cpuinfo);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t colon = line.find(": ");
      if (line.starts_with(field) && colon != std::string::npos) return line.substr(colon + 2);
    }
  }
  return "unknown";
}

std::string cpu_model() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  return cpu_model({std::istreambuf_iterator<char>(cpuinfo), {}});
}

}  // namespace tacit::topology

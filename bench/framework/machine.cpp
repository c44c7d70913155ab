// Asks the kernel and the build where they are.
// SPDX-License-Identifier: Apache-2.0
#include "framework/machine.hpp"

#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

#include "framework/flag_latency.hpp"
#include "tacit/base/provenance.hpp"

namespace tacit::bench {

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

Machine describe_machine() {
  const base::Provenance build = base::provenance();
  std::ifstream cpuinfo("/proc/cpuinfo");
  Machine machine;
  machine.host = build.host;
  machine.cpu = cpu_model({std::istreambuf_iterator<char>(cpuinfo), {}});
  machine.processors = topology::allowed_cpus();
  machine.compiler = build.compiler;
  machine.flags = build.flags;
  machine.commit = build.commit;
  machine.date = build.date;
  machine.flag_before = measure_flag_latency(machine.processors);
  return machine;
}

}  // namespace tacit::bench

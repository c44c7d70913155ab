// Asks the kernel and the build where they are.
// SPDX-License-Identifier: Apache-2.0
#include "framework/machine.hpp"

#include "framework/flag_latency.hpp"
#include "tacit/base/provenance.hpp"
#include "tacit/topology/cpu_model.hpp"

namespace tacit::bench {

Machine describe_machine() {
  const base::Provenance build = base::provenance();
  Machine machine;
  machine.host = build.host;
  machine.cpu = topology::cpu_model();
  machine.processors = topology::allowed_cpus();
  machine.compiler = build.compiler;
  machine.flags = build.flags;
  machine.commit = build.commit;
  machine.date = build.date;
  machine.flag_before = measure_flag_latency(machine.processors);
  return machine;
}

}  // namespace tacit::bench

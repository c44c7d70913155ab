// What `tacit place` reads: the machine, the job and the nodes, out of arguments and files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "commands.hpp"
#include "tacit/placement/advice.hpp"
#include "tacit/placement/machine/machine.hpp"

namespace tacit::apps {

/// A mistake on the command line of `place`: "tacit place: option: message\n  hint: hint".
[[noreturn]] void refuse_place(const std::string& option, const std::string& message, const std::string& hint = {});

/// Names of nodes: a hostlist expression, a file that holds one, or the word slurm for those of the job that this
/// process is in.
/// @throws config::Error if the expression is wrong; base::SystemError if the file cannot be read
[[nodiscard]] std::vector<std::string> read_hosts(const std::string& option, const std::string& value);

/// @throws config::Error, base::FormatError or base::SystemError that names the file or option
[[nodiscard]] placement::Machine read_machine(const PlaceArguments& arguments);
[[nodiscard]] placement::NodeFilter read_node_filter(const PlaceArguments& arguments);
[[nodiscard]] placement::JobRequest read_job(const PlaceArguments& arguments, const placement::Machine& machine);

}  // namespace tacit::apps

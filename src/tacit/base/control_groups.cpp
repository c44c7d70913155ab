// Reads /proc/self/cgroup.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/base/control_groups.hpp"

#include <fstream>
#include <sstream>
#include <string>

namespace tacit::base {
namespace {

bool has_controller(const std::string& controllers, std::string_view wanted) {
  std::istringstream list(controllers);
  for (std::string name; std::getline(list, name, ',');) {
    if (name == wanted) return true;
  }
  return false;
}

/// mount, mount / a, mount / a / b of the group /a/b.
void add_folders(std::filesystem::path folder, const std::filesystem::path& group,
                 std::vector<std::filesystem::path>& folders) {
  folders.push_back(folder);
  for (const std::filesystem::path& part : group.relative_path()) folders.push_back(folder /= part);
}

}  // namespace

std::vector<std::filesystem::path> control_groups(std::string_view controller, const std::filesystem::path& root) {
  const std::filesystem::path mounts = root / "sys/fs/cgroup";
  std::ifstream groups(root / "proc/self/cgroup");
  std::vector<std::filesystem::path> folders;
  // Each line is hierarchy:controllers:group; version 2 has no controllers.
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) add_folders(mounts, group, folders);
    if (!has_controller(controllers, controller)) continue;
    add_folders(mounts / controllers, group, folders);
    if (controllers != controller) add_folders(mounts / controller, group, folders);
  }
  return folders;
}

}  // namespace tacit::base

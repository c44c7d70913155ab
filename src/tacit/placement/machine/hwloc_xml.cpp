// The cores of a node out of hwloc's XML.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "tacit/base/error.hpp"
#include "tacit/placement/machine/machine.hpp"

namespace tacit::placement {
namespace {

/// The package and NUMA domain that contain an object.
struct Around {
  std::uint32_t package = 0;
  std::uint32_t numa = 0;
};

bool is_type(const config::Node& element, std::string_view type) {
  const config::Node* found = element.find("type");
  return element.name == "object" && found != nullptr && found->text == type;
}

std::uint32_t count_threads(const config::Node& element) {
  std::uint32_t count = is_type(element, "PU") ? 1 : 0;
  for (const config::Node& child : element.items) count += count_threads(child);
  return count;
}

class NodeWalk {
 public:
  NodeShape run(const config::Node& root) {
    walk(root, {});
    // A machine without packages or NUMA domains in its file has one of each.
    shape_.packages = std::max(packages_, 1U);
    shape_.numa_domains = std::max(domains_, 1U);
    return shape_;
  }

 private:
  void walk(const config::Node& element, Around around) {
    if (is_type(element, "Package") || is_type(element, "Socket")) around.package = packages_++;
    if (is_type(element, "Core")) {
      add_core(element, around);
      return;
    }
    // Version 1 puts cores into their domain; version 2 puts it beside them, as a child of the object that it belongs
    // to.
    if (is_type(element, "NUMANode")) around.numa = domains_++;
    const auto is_memory = [](const config::Node& child) {
      return (is_type(child, "NUMANode") || is_type(child, "MemCache")) && count_threads(child) == 0;
    };
    if (std::ranges::any_of(element.items, is_memory)) around.numa = domains_;
    for (const config::Node& child : element.items) {
      if (is_memory(child)) ++domains_;
    }
    for (const config::Node& child : element.items) {
      if (!is_memory(child)) walk(child, around);
    }
  }

  void add_core(const config::Node& core, const Around& around) {
    shape_.cores.push_back({.package = around.package,
                            .place = cores_in_[around.package]++,
                            .numa = around.numa,
                            .threads = std::max(count_threads(core), 1U)});
  }

  NodeShape shape_;
  std::map<std::uint32_t, std::uint32_t> cores_in_;
  std::uint32_t packages_ = 0;
  std::uint32_t domains_ = 0;
};

}  // namespace

std::size_t NodeShape::cores_per_numa() const {
  std::map<std::uint32_t, std::size_t> cores_in;
  for (const Core& core : cores) ++cores_in[core.numa];
  std::size_t fewest = cores.size();
  for (const auto& [numa, count] : cores_in) fewest = std::min(fewest, count);
  return fewest;
}

NodeShape read_hwloc(const config::Tree& document) {
  if (document.root.name != "topology") {
    throw document.error(document.root, "expected <topology>, as lstopo writes it with --of xml");
  }
  NodeShape shape = NodeWalk().run(document.root);
  if (shape.cores.empty()) {
    throw base::FormatError(document.file,
                            "has no object of type Core; write it on a compute node: lstopo --of xml node.xml");
  }
  return shape;
}

}  // namespace tacit::placement

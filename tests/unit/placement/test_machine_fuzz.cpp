// Damaged machine files: cut off or changed at random places, each example ends in a machine or in one error.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "support/source_folder.hpp"
#include "tacit/base/random.hpp"
#include "tacit/base/read_text.hpp"
#include "tacit/config/node.hpp"
#include "tacit/config/parameters.hpp"
#include "tacit/placement/machine/hostlist.hpp"
#include "tacit/placement/machine/machine.hpp"

namespace tacit::placement::test_machine_fuzz {

const std::string folder = test::source_folder() + "/examples/machines/";
const std::vector<std::string> examples{"blue_waters.toml", "dragonfly.toml", "fat_tree.toml",
                                        "graph.toml",       "slurm.toml",     "topology.conf",
                                        "blocks.conf",      "topology.yaml",  "node.xml"};

void read(const std::string& name, const std::string& text) {
  const std::string file = folder + name;
  if (name.ends_with(".toml")) {
    static_cast<void>(read_machine(config::parse_toml_tree(text, file)));
  } else if (name.ends_with(".conf")) {
    static_cast<void>(parse_topology_conf(text, file, {}));
  } else if (name.ends_with(".yaml")) {
    static_cast<void>(read_topology_yaml(config::parse_yaml_tree(text, file), "", {"a", "b"}, {}));
  } else {
    static_cast<void>(read_hwloc(config::parse_xml_tree(text, file)));
  }
}

/// Whether the text is refused; the message must begin with a file (the one that is read, or one that it names).
bool is_refused(const std::string& name, const std::string& text) {
  try {
    read(name, text);
    return false;
  } catch (const base::Error& error) {
    const std::string what = error.what();
    EXPECT_TRUE(what.starts_with(folder)) << name << ": " << what;
    EXPECT_GT(what.size(), folder.size() + name.size());
    return true;
  }
}

/// Text number `round` of an example: some bytes changed, doubled or lost.
std::string mutated(std::string text, std::uint64_t round) {
  constexpr std::string_view bytes = "[]{}=,:'\"-#<>/\\0189 \n\taZ\x01\xff";
  const auto pick = [round](std::uint64_t draw, std::size_t below) {
    return static_cast<std::size_t>(base::uniform(7, round, draw) * static_cast<double>(below));
  };
  const std::size_t changes = 1 + pick(0, 4);
  for (std::size_t i = 0; i < changes; ++i) {
    const std::size_t at = pick(3 * i + 1, text.size());
    const char byte = bytes[pick(3 * i + 2, bytes.size())];
    switch (pick(3 * i + 3, 3)) {
      case 0:
        text[at] = byte;
        break;
      case 1:
        text.insert(at, 1, byte);
        break;
      default:
        text.erase(at, 1 + pick(3 * i + 4, 20));
    }
  }
  return text;
}

TEST(MachineFuzz, WholeExamplesAreRead) {
  for (const std::string& name : examples) {
    EXPECT_FALSE(is_refused(name, base::read_text(folder + name, largest_machine_file, "example"))) << name;
  }
}

TEST(MachineFuzz, TruncatedFilesEndInAMachineOrAnError) {
  for (const std::string& name : examples) {
    const std::string text = base::read_text(folder + name, largest_machine_file, "example");
    std::size_t refused = 0;
    for (std::size_t size = 0; size < text.size(); size += 7) refused += is_refused(name, text.substr(0, size)) ? 1 : 0;
    EXPECT_GT(refused, 0U) << name;
  }
}

TEST(MachineFuzz, ChangedFilesEndInAMachineOrAnError) {
  for (const std::string& name : examples) {
    const std::string text = base::read_text(folder + name, largest_machine_file, "example");
    std::size_t refused = 0;
    for (std::uint64_t round = 0; round < 150; ++round) refused += is_refused(name, mutated(text, round)) ? 1 : 0;
    EXPECT_GT(refused, 0U) << name;
  }
}

TEST(MachineFuzz, DeepNestingIsRefused) {
  EXPECT_TRUE(is_refused("topology.yaml", "a: " + std::string(100'000, '[')));
  EXPECT_TRUE(is_refused("graph.toml", "a = " + std::string(100'000, '[')));
  std::string levels;
  for (std::size_t i = 0; i < 2000; ++i) levels += std::string(i, ' ') + "-\n";
  EXPECT_TRUE(is_refused("topology.yaml", levels));
  std::string xml;
  for (int i = 0; i < 100'000; ++i) xml += "<a>";
  EXPECT_TRUE(is_refused("node.xml", xml));
  std::string conf;
  for (int i = 0; i < 1000; ++i) {
    conf += "SwitchName=s" + std::to_string(i) + " Switches=s" + std::to_string(i + 1) + "\n";
  }
  EXPECT_TRUE(is_refused("topology.conf", conf + "SwitchName=s1000 Nodes=n\n"));
}

}  // namespace tacit::placement::test_machine_fuzz

// Machine files: what the examples describe, and one message for each mistake.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include "support/source_folder.hpp"
#include "tacit/base/read_text.hpp"
#include "tacit/config/node.hpp"
#include "tacit/placement/machine/machine.hpp"

namespace tacit::placement::test_machine_files {

using network::number;

std::string example(const std::string& name) { return test::source_folder() + "/examples/machines/" + name; }

Machine machine_of(const std::string& text, const std::string& file = "m.toml") {
  return read_machine(config::parse_toml_tree(text, file));
}
Machine machine_of_yaml(const std::string& text, const std::string& name = "",
                        const std::vector<std::string>& nodes = {}) {
  return read_topology_yaml(config::parse_yaml_tree(text, "t.yaml"), name, nodes, {});
}
NodeShape node_of(const std::string& text) { return read_hwloc(config::parse_xml_tree(text, "n.xml")); }
Machine read_example(const std::string& name) {
  return machine_of(base::read_text(example(name), largest_machine_file, "machine file"), example(name));
}
std::string text_of(const std::string& name) { return base::read_text(example(name), largest_machine_file, "example"); }

/// What `read` complains about.
template <class Read>
std::string complaint(const Read& read) {
  try {
    read();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "nothing";
}
std::string complaint_of_toml(const std::string& text) {
  return complaint([&] { static_cast<void>(machine_of(text)); });
}
std::string complaint_of_conf(const std::string& text) {
  return complaint([&] { static_cast<void>(parse_topology_conf(text, "t.conf", {})); });
}
std::string complaint_of_yaml(const std::string& text) {
  return complaint([&] { static_cast<void>(machine_of_yaml(text)); });
}

TEST(MachineFiles, BlueWatersIsATorus) {
  const Machine machine = read_example("blue_waters.toml");
  const auto& torus = std::get<network::Torus>(machine.network.shape);
  EXPECT_EQ(torus.routers, (std::array<std::uint32_t, 3>{23, 24, 24}));
  EXPECT_EQ(torus.bandwidth, (std::array<double, 3>{9.4e9, 4.7e9, 9.4e9}));
  EXPECT_EQ(network::node_count(machine.network), 26496U);
  EXPECT_EQ(network::usable_nodes(machine.network).size(), 26488U);
  EXPECT_EQ(machine.network.node_names.at(7), "nid00007");
  EXPECT_FALSE(network::is_usable(machine.network, network::NodeId{3}));
  EXPECT_DOUBLE_EQ(machine.network.injection_bandwidth, 6e9);
  EXPECT_DOUBLE_EQ(machine.network.latency, 1.5e-6);
  EXPECT_DOUBLE_EQ(machine.network.hop_latency, 1e-7);
  EXPECT_DOUBLE_EQ(machine.network.background_share, 0.05);
}

TEST(MachineFiles, OtherExamplesAreWhatTheySay) {
  const Machine fly = read_example("dragonfly.toml");
  EXPECT_EQ(network::node_count(fly.network), 8448U);
  EXPECT_EQ(network::usable_nodes(fly.network).size(), 8448U - 17U);
  ASSERT_TRUE(fly.node.has_value());
  EXPECT_EQ(fly.node->cores.size(), 16U);
  const Machine tree = read_example("fat_tree.toml");
  EXPECT_EQ(network::node_count(tree.network), 1152U);
  EXPECT_DOUBLE_EQ(tree.network.injection_bandwidth, 12.5e9);
  const Machine graph = read_example("graph.toml");
  const auto& shape = std::get<network::Graph>(graph.network.shape);
  EXPECT_EQ(shape.links.size(), 4U);
  EXPECT_EQ(shape.links[2].count, 2U);
  EXPECT_EQ(number(network::router_of(graph.network, network::NodeId{16})), 2U);
  EXPECT_FALSE(network::is_usable(graph.network, network::NodeId{31}));
  ASSERT_EQ(graph.network.background.size(), 1U);
  EXPECT_EQ(number(graph.network.background[0].to), 2U);
}

TEST(MachineFiles, SlurmTreeOfEqualSwitchesIsAFatTree) {
  const Machine machine = read_example("slurm.toml");
  const auto& tree = std::get<network::FatTree>(machine.network.shape);
  ASSERT_EQ(tree.levels.size(), 2U);
  EXPECT_EQ(tree.levels[0].children, 16U);
  EXPECT_DOUBLE_EQ(tree.levels[0].uplink_bandwidth, 16 * 25e9 / 2.0);  // oversubscription 2
  EXPECT_EQ(tree.levels[1].children, 4U);
  EXPECT_EQ(machine.network.node_names.at(17), "c018");
  EXPECT_TRUE(machine.remarks.empty());
  EXPECT_EQ(parse_topology_conf(text_of("topology.conf"), "t", {}).remarks.size(), 2U);  // guesses are said
}

TEST(MachineFiles, SlurmTreeOfUnequalSwitchesIsAGraph) {
  const Machine machine = parse_topology_conf(
      "switchname=s0 nodes=a[1-2]\nSwitchName=s1 Nodes=a[3-5] LinkSpeed=100 # racks\nSwitchName=top \\\n "
      "Switches=s[0-1]\n",
      "t.conf", {});
  const auto& graph = std::get<network::Graph>(machine.network.shape);
  EXPECT_EQ(graph.routers, 3U);
  ASSERT_EQ(graph.links.size(), 2U);
  EXPECT_DOUBLE_EQ(graph.links[0].bandwidth, 2 * 12.5e9 / 2.0);
  EXPECT_DOUBLE_EQ(graph.links[1].bandwidth, 12.5e9);  // 100 Gbit/s
  EXPECT_EQ(network::node_count(machine.network), 5U);
}

TEST(MachineFiles, SlurmBlocksAreJoinedBySizes) {
  const Machine machine = parse_topology_conf(text_of("blocks.conf"), "blocks.conf", {});
  const auto& tree = std::get<network::FatTree>(machine.network.shape);
  ASSERT_EQ(tree.levels.size(), 3U);  // racks, pairs of racks, all
  EXPECT_EQ(tree.levels[0].children, 18U);
  EXPECT_EQ(tree.levels[1].children, 2U);
  EXPECT_EQ(tree.levels[2].children, 2U);
}

TEST(MachineFiles, YamlHasTreeBlocksAndFlat) {
  const std::string text = text_of("topology.yaml");
  const Machine tree = machine_of_yaml(text);
  EXPECT_EQ(std::get<network::FatTree>(tree.network.shape).levels.size(), 2U);
  EXPECT_EQ(network::node_count(tree.network), 32U);
  const Machine blocks = machine_of_yaml(text, "racks");
  EXPECT_EQ(std::get<network::FatTree>(blocks.network.shape).levels.size(), 3U);
  const Machine flat = machine_of_yaml(text, "any", {"a", "b", "c"});
  EXPECT_EQ(network::node_count(flat.network), 3U);
}

TEST(MachineFiles, YamlNamesThatLookLikeNumbersKeepWhatWasWritten) {
  const Machine machine = machine_of_yaml(
      "- topology: 7\n  tree:\n    switches:\n    - {switch: 012, children: '1e3,true'}\n    - {switch: 1e3, nodes: "
      "08}\n"
      "    - {switch: true, nodes: [9, 1.50]}\n",
      "7");
  EXPECT_EQ(machine.network.node_names, (std::vector<std::string>{"08", "9", "1.50"}));
}

TEST(MachineFiles, HwlocOfBothVersions) {
  const NodeShape two = node_of(text_of("node.xml"));
  EXPECT_EQ(two.packages, 2U);
  EXPECT_EQ(two.numa_domains, 4U);
  ASSERT_EQ(two.cores.size(), 16U);
  EXPECT_EQ(two.cores_per_numa(), 4U);
  EXPECT_EQ(two.cores[9].package, 1U);
  EXPECT_EQ(two.cores[9].place, 1U);
  EXPECT_EQ(two.cores[9].numa, 2U);
  EXPECT_EQ(two.cores[9].threads, 2U);
  const NodeShape one = node_of(
      "<topology><object type='Machine'><object type='NUMANode'><object type='Socket'><object type='Core'>"
      "<object type='PU'/></object></object></object><object type='NUMANode'><object type='Socket'>"
      "<object type='Core'><object type='PU'/></object></object></object></object></topology>");
  EXPECT_EQ(one.packages, 2U);
  EXPECT_EQ(one.numa_domains, 2U);
  EXPECT_EQ(one.cores.at(1).numa, 1U);
}

TEST(MachineFiles, PlacesOfATorusNameItsNodes) {
  const auto folder = std::filesystem::temp_directory_path() / ("tacit-places-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "places") << "# names\nn1 0 0 0\nn2 1 0 0\nn3 0 0 0\n";
  const std::string torus =
      "[torus]\nrouters=[2,1,1]\nbandwidth=[1,1,1]\nnodes_per_router=2\n[nodes]\nbandwidth=1\nplaces='places'\n";
  const Machine machine = machine_of(torus, (folder / "m.toml").string());
  EXPECT_EQ(machine.network.node_names, (std::vector<std::string>{"n1", "n3", "n2", ""}));
  EXPECT_EQ(network::usable_nodes(machine.network).size(), 3U);
  std::ofstream(folder / "places") << "n1 0 0 0\nn2 2 0 0\n";
  EXPECT_EQ(complaint([&] { static_cast<void>(machine_of(torus, (folder / "m.toml").string())); }),
            (folder / "places").string() + ":2: '2' is no x of this torus; expected a number from 0 to 1");
  std::filesystem::remove_all(folder);
}

TEST(MachineFiles, MistakesInTomlAreNamed) {
  EXPECT_EQ(complaint_of_toml("name='x'\n"),
            "m.toml: has 0 of the tables [torus], [dragonfly], [fat_tree], [graph], [slurm]; expected one of them");
  EXPECT_EQ(complaint_of_toml("[graph]\nrouters='a[0-1]'\nlinks=[{a='a0',b='a1',bandwidth=1e9}]\n"
                              "nodes=[{router='a0',names='n[0-3]'},{router='a1',names='m0,n2'}]\n"
                              "[nodes]\nbandwidth=1e9\n"),
            "m.toml:4:50: nodes.names: node 'n2' is named twice");
  EXPECT_EQ(complaint_of_toml("[torus]\nrouters=[2,1,1]\nbandwidth=[1,1,1]\n[nodes]\nnames='a,a'\nbandwidth=1e9\n"),
            "m.toml:5:1: nodes.names: node 'a' is named twice");
  EXPECT_EQ(complaint_of_toml("[torus]\nrouter=[1,1,1]\n"),
            "m.toml:2:1: 'torus.router' is not a key here; did you mean 'routers'?");
  EXPECT_EQ(complaint_of_toml("[torus]\nrouters=[2,2]\nbandwidth=[1,1,1]\n"),
            "m.toml:2:1: torus.routers: has 2 values; expected 3");
  EXPECT_EQ(complaint_of_toml("[torus]\nrouters=[2,0,2]\nbandwidth=[1,1,1]\n"),
            "m.toml:2:12: torus: 0; expected a whole number from 1 to 16000000");
  EXPECT_EQ(complaint_of_toml("[torus]\nrouters=[2,2,2]\nbandwidth=['1 GB','1 GB/s',1]\n"),
            "m.toml:3:12: torus: '1 GB'; expected a speed above 0 as in \"9.6 GB/s\", in one of B/s, kB/s, MB/s, GB/s, "
            "TB/s, Mbit/s, Gbit/s, Tbit/s, or bytes per second");
  EXPECT_EQ(complaint_of_toml("[torus]\nrouters=[4000,4000,4000]\nbandwidth=[1,1,1]\n"),
            "m.toml:1:2: torus: more than 16000000 nodes");
  EXPECT_EQ(complaint_of_toml("[torus]\nrouters=[2,2,2]\nbandwidth=[1,1,1]\nends=['ring','rin','line']\n"),
            "m.toml:4:14: torus: 'rin' is not one of ring, line; did you mean 'ring'?");
  EXPECT_EQ(complaint_of_toml("[torus]\nrouters=[2,2,2]\nbandwidth=[1,1,1]\n[nodes]\nbandwidth=1\nnames='n[1-7]'\n"),
            "m.toml:6:1: nodes.names: has 7 names; the machine has 8 nodes");
  EXPECT_EQ(complaint_of_toml("[torus]\nrouters=[2,2,2]\nbandwidth=[1,1,1]\n[nodes]\nbandwidth=1\ndown='8'\n"),
            "m.toml:6:1: nodes.down: '8' is no node of this machine");
  EXPECT_EQ(complaint_of_toml("[torus]\nrouters=[2,2,2]\nbandwidth=[1,1,1]\n[nodes]\nnames='n[1-8]'\n"),
            "m.toml:4:2: 'nodes.bandwidth' is missing");
  EXPECT_EQ(complaint_of_toml("[torus]\nrouters=[2,2,2]\nbandwidth=[1,1,1]\n"),
            "m.toml: 'nodes.bandwidth' is missing: what a node sends and receives at once");
  EXPECT_EQ(complaint_of_toml("[graph]\nrouters='a,b'\nlinks=[{a='a',b='c',bandwidth=1}]\nnodes=[]\n"),
            "m.toml:3:15: links.b: 'c' is not among the routers");
  EXPECT_EQ(complaint_of_toml("[slurm]\nfile='nowhere.conf'\n"),
            "nowhere.conf: cannot open the topology.conf or topology.yaml, check its path (No such file or directory)");
}

TEST(MachineFiles, MistakesInTopologyConfAreNamed) {
  EXPECT_EQ(complaint_of_conf(""), "t.conf: names no switch and no block");
  EXPECT_EQ(complaint_of_conf("SwitchName=a Node=n1\n"),
            "t.conf:1: 'Node' is not a key of this file; did you mean 'Nodes'?");
  EXPECT_EQ(complaint_of_conf("SwitchName=a Nodes=n[1-\n"),
            "t.conf:1: 'n[1-': expected a number in brackets, as in a[1-4,7]");
  EXPECT_EQ(complaint_of_conf("\nSwitchName=a Switches=b\n"), "t.conf: names no node");
  EXPECT_EQ(complaint_of_conf("SwitchName=a Switches=b Nodes=n1\n"),
            "t.conf:1: 'b' is below switch 'a', but is no switch of this file");
  EXPECT_EQ(complaint_of_conf("SwitchName=a Nodes=\"n1\n"), "t.conf:1: the quotes of 'n1' do not end");
  EXPECT_EQ(complaint_of_conf("SwitchName=a Nodes =\n"), "t.conf:1: expected a value: Nodes=...");
  EXPECT_EQ(complaint_of_conf("SwitchName=a\n"), "t.conf:1: switch 'a' has neither nodes nor switches below it");
  EXPECT_EQ(complaint_of_conf("SwitchName=a Nodes=n1 Switches=b\nSwitchName=b Nodes=n2 Switches=a\n"),
            "t.conf:1: every switch is below another one: they stand in a circle");
  EXPECT_EQ(complaint_of_conf("SwitchName=a Nodes=n1 LinkSpeed=fast\n"),
            "t.conf:1: LinkSpeed=fast: expected a number above 0");
}

TEST(MachineFiles, WhatSlurmTakesIsTaken) {
  struct Case {
    std::string text;
    std::size_t nodes;
    std::string remark;
  };
  for (const Case& one :
       {Case{"SwitchName=a Nodes=n[1-4]\nSwitchName=b Nodes=n[5-8]\n", 8,
             "Nothing joins switch 'b' to 'a': one above all trees is assumed."},
        {"SwitchName=t Switches=a,b\nSwitchName=a Nodes=n[1-4]\nSwitchName=b Nodes=n[4-8]\n", 8,
         "Node 'n4' is below switch 'a' and below 'b': it is taken as below the first."},
        {"SwitchName=t Switches=a,b,c\nSwitchName=a Nodes=n[1-4]\nSwitchName=b Nodes=n[5-8]\nSwitchName=c\n", 8,
         "Switch 'c' has neither nodes nor switches below it: it is left out."},
        {"BlockName=a Nodes=n[1-4]\nBlockName=b Nodes=n[5-8]\nBlockName=c\nBlockSizes=4\n", 8,
         "Block 'c' has no nodes: it is left out."},
        {"BlockName=a Nodes=n[1-4]\nBlockName=b Nodes=n[5-7]\nBlockSizes=4\n", 7,
         "Block 'b' has 3 nodes; the smallest of the block sizes is 4."},
        {"SwitchName = a Nodes = n[1-4]\n", 4, ""},
        {"SwitchName=a\tNodes=\"n[1-4]\" LinkSpeed= 100\n", 4, ""}}) {
    const Machine machine = parse_topology_conf(one.text, "t.conf", {});
    EXPECT_EQ(network::node_count(machine.network), one.nodes) << one.text;
    const bool is_said = std::ranges::find(machine.remarks, one.remark) != machine.remarks.end();
    EXPECT_EQ(is_said, !one.remark.empty()) << one.text;
  }
  const std::string tree =
      "- topology: a\n  tree: {switches: [{switch: s, nodes: 'n[1-4]'}, {switch: e}, {switch: t, children: 's,e'}]}\n";
  EXPECT_EQ(network::node_count(machine_of_yaml(tree).network), 4U);
  EXPECT_EQ(
      network::node_count(machine_of_yaml(tree + "- topology: b\n  ring: {rings: [{ring: r, nodes: n1}]}\n").network),
      4U);
  EXPECT_EQ(
      network::node_count(machine_of_yaml("- topology: f\n  flat: {alpha_step_rank: true}\n", "", {"a", "b"}).network),
      2U);
  EXPECT_EQ(complaint_of_yaml(tree + "  block: {blocks: [{block: b, nodes: 'm[1-4]'}]}\n"),
            "t.yaml:1:3: has both tree and block; Slurm takes one of them");
}

TEST(MachineFiles, MistakesInYamlAreNamed) {
  const std::string list = "expected a list of topologies: '- topology: NAME' and below it tree, block or flat";
  EXPECT_EQ(complaint_of_yaml(""), "t.yaml:1:1: " + list);
  EXPECT_EQ(complaint_of_yaml("topology: a\n"), "t.yaml:1:1: " + list);
  EXPECT_EQ(complaint_of_yaml("- topology: a\n  tre: 1\n"),
            "t.yaml:2:3: 'topology.tre' is not a key here; did you mean 'tree'?");
  EXPECT_EQ(complaint_of_yaml("- topology: a\n"), "t.yaml:1:3: expected tree, block or 'flat: true'");
  EXPECT_EQ(complaint_of_yaml("- topology: a\n  flat: true\n"),
            "t.yaml:2:3: a flat topology names no nodes; give them with --nodes");
  EXPECT_EQ(complaint_of_yaml("- topology: a\n  tree: {switches: [{switch: s, nodes: 'n[1'}]}\n"),
            "t.yaml:2:33: switch.nodes: 'n[1': expected ',', '-' or ']' after a number");
  EXPECT_EQ(complaint_of_yaml("- topology: a\n  tree: {switches: [{switch: null, nodes: n1}]}\n"),
            "t.yaml:2:22: switch: nothing; expected a text");
  EXPECT_EQ(complaint_of_yaml("- topology: a\n  topology: b\n"), "t.yaml:2:3: 'topology' is given twice");
}

TEST(MachineFiles, MistakesInXmlAreNamed) {
  const auto refusal = [](const std::string& text) { return complaint([&] { static_cast<void>(node_of(text)); }); };
  EXPECT_EQ(refusal("<html></html>"), "n.xml:1:1: expected <topology>, as lstopo writes it with --of xml");
  EXPECT_EQ(refusal("<topology></topology>"),
            "n.xml: has no object of type Core; write it on a compute node: lstopo --of xml node.xml");
  EXPECT_EQ(refusal("<topology><object><type>Core</type></object></topology>"), refusal("<topology></topology>"));
}

}  // namespace tacit::placement::test_machine_files

// The order of processors on made-up machines.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "fake_root.hpp"
#include "tacit/topology/detail/cpus.hpp"

namespace tacit::topology::detail {
namespace order_test {

using Numbers = std::vector<std::uint32_t>;

class CpuOrder : public test::FakeRoot {
 protected:
  static std::string folder(std::uint32_t cpu) { return "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/"; }
  void cpu(std::uint32_t number, int package, const std::string& siblings, const std::string& cache = "") {
    file(folder(number) + "topology/physical_package_id", std::to_string(package) + "\n");
    file(folder(number) + "topology/thread_siblings_list", siblings + "\n");
    if (!cache.empty()) file(folder(number) + "cache/index3/shared_cpu_list", cache + "\n");
  }
  Numbers order(const Numbers& cpus) const {
    std::vector<CpuId> ids;
    for (const std::uint32_t number : cpus) ids.push_back(CpuId{number});
    Numbers ordered;
    for (const CpuId id : in_order(ids, root_)) ordered.push_back(static_cast<std::uint32_t>(id));
    return ordered;
  }
};

TEST_F(CpuOrder, WithoutFilesItIsAscending) {
  EXPECT_EQ(order({}), Numbers{});
  EXPECT_EQ(order({0, 1, 5, 2000}), (Numbers{0, 1, 5, 2000}));
}

TEST_F(CpuOrder, SecondHardwareThreadsComeLast) {
  for (std::uint32_t n = 0; n < 4; ++n) cpu(n, 0, n < 2 ? "0-1" : "2-3");
  EXPECT_EQ(order({0, 1, 2, 3}), (Numbers{0, 2, 1, 3}));
  // The mask may hold any part of a core: what it holds of it first has the first turn.
  EXPECT_EQ(order({1, 2, 3}), (Numbers{1, 2, 3}));
  EXPECT_EQ(order({1, 3}), (Numbers{1, 3}));
}

TEST_F(CpuOrder, FourThreadsOfACoreTakeFourTurns) {
  for (std::uint32_t n = 0; n < 8; ++n) cpu(n, 0, n < 4 ? "0-3" : "4-7");
  EXPECT_EQ(order({0, 1, 2, 3, 4, 5, 6, 7}), (Numbers{0, 4, 1, 5, 2, 6, 3, 7}));
}

TEST_F(CpuOrder, PackagesStayTogether) {
  // As many two-socket servers number: even in one package, odd in the other, second threads in the upper half.
  for (std::uint32_t n = 0; n < 8; ++n) {
    const std::uint32_t core = n % 4;
    cpu(n, static_cast<int>(n % 2), std::to_string(core) + "," + std::to_string(core + 4));
  }
  EXPECT_EQ(order({0, 1, 2, 3, 4, 5, 6, 7}), (Numbers{0, 2, 1, 3, 4, 6, 5, 7}));
}

TEST_F(CpuOrder, CachesStayTogetherInAPackage) {
  for (std::uint32_t n = 0; n < 8; ++n) {
    const bool odd = n % 2 == 1;
    cpu(n, n < 4 ? 1 : 0, std::to_string(n), n < 4 ? (odd ? "1,3" : "0,2") : (odd ? "5,7" : "4,6"));
  }
  EXPECT_EQ(order({0, 1, 2, 3, 4, 5, 6, 7}), (Numbers{4, 6, 5, 7, 0, 2, 1, 3}));
}

TEST_F(CpuOrder, OfflineProcessorsLeaveGaps) {
  // 1 and 4 are offline: not in the mask, not in their siblings' lists, without a folder topology.
  cpu(0, 0, "0");
  cpu(2, 0, "2-3");
  cpu(3, 0, "2-3");
  cpu(5, 0, "5");
  file(folder(1) + "online", "0\n");
  EXPECT_EQ(order({0, 2, 3, 5}), (Numbers{0, 2, 5, 3}));
}

TEST_F(CpuOrder, AVirtualMachineMayHaveNoPackage) {
  for (std::uint32_t n = 0; n < 3; ++n) cpu(n, -1, std::to_string(n));
  EXPECT_EQ(order({0, 1, 2}), (Numbers{0, 1, 2}));
}

TEST_F(CpuOrder, ListsThatCannotBeAreIgnored) {
  for (const std::string list : {"", "x", "-1", "7", "0x1", "1.5", "99999999999999999999", "0;1", "0 1"}) {
    cpu(0, 0, "0", "0-1");
    cpu(1, 0, list, list);
    EXPECT_EQ(order({0, 1}), (Numbers{0, 1})) << list;
  }
  cpu(1, 0, "0,1");  // the same list, well-formed, is not ignored: 1 shares a core, so 2 goes first
  cpu(2, 0, "2");
  EXPECT_EQ(order({0, 1, 2}), (Numbers{0, 2, 1}));
  cpu(1, 0, "0;1");
  EXPECT_EQ(order({0, 1, 2}), (Numbers{0, 1, 2}));
  // A list holds its own processor, so it cannot begin beyond it: these two do not share a core.
  cpu(1, 0, "7");
  cpu(2, 0, "7");
  EXPECT_EQ(order({1, 2, 3}), (Numbers{1, 2, 3}));
}

TEST_F(CpuOrder, AFolderWhereAFileShouldBeIsIgnored) {
  std::filesystem::create_directories(root_ / (folder(0) + "topology/physical_package_id"));
  std::filesystem::create_directories(root_ / (folder(1) + "topology/thread_siblings_list"));
  EXPECT_EQ(order({0, 1}), (Numbers{0, 1}));
}

TEST_F(CpuOrder, WhateverTheFilesSayNoneIsLost) {
  const std::array<std::string, 8> texts{"0", "1-2", "3,4", "-5", "4294967296", "", "none", "0-"};
  std::mt19937 random(1);
  const Numbers all{0, 1, 2, 3, 4, 5, 6, 7};
  for (int round = 0; round < 50; ++round) {
    for (const std::uint32_t n : all) {
      for (const char* name : {"topology/physical_package_id", "topology/thread_siblings_list"}) {
        file(folder(n) + name, texts[random() % texts.size()]);
      }
      file(folder(n) + "cache/index3/shared_cpu_list", texts[random() % texts.size()]);
    }
    Numbers ordered = order(all);
    std::sort(ordered.begin(), ordered.end());
    EXPECT_EQ(ordered, all);
  }
}

}  // namespace order_test
}  // namespace tacit::topology::detail

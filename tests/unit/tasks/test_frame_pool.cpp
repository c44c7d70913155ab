// Tests of the pool of short-lived memory: reuse, alignment, blocks that wander between threads.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "support/under_sanitizer.hpp"
#include "tacit/tasks/detail/frame_pool.hpp"

namespace tacit::tasks::frame_pool_tests {

using detail::frame_bytes_reserved;
using detail::give_frame;
using detail::take_frame;

TEST(FramePool, GivesAlignedBlocksThatDoNotOverlap) {
  std::vector<std::pair<unsigned char*, std::size_t>> blocks;
  for (std::size_t bytes : {1U, 63U, 64U, 65U, 128U, 1000U, 2047U, 2048U, 2049U, 100000U}) {
    for (int i = 0; i < 40; ++i) {  // more than one batch
      auto* const block = static_cast<unsigned char*>(take_frame(bytes));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % detail::frame_alignment, 0U);
      std::memset(block, static_cast<int>(blocks.size() % 251), bytes);
      blocks.emplace_back(block, bytes);
    }
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto [block, bytes] = blocks[i];
    EXPECT_EQ(block[0], i % 251);
    EXPECT_EQ(block[bytes - 1], i % 251);
    give_frame(block, bytes);
  }
}

TEST(FramePool, ReusesTheLastBlock) {
  void* const first = take_frame(200);
  give_frame(first, 200);
  void* const second = take_frame(250);  // the same size class
  EXPECT_EQ(first, second);
  give_frame(second, 250);
}

TEST(FramePool, BlocksFreedOnAnotherThreadComeBack) {
  constexpr int rounds = testing::under_tsan ? 20 : 200;
  constexpr std::size_t many = 300;  // some batches
  std::size_t settled = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<void*> blocks(many);
    for (void*& block : blocks) block = take_frame(640);
    EXPECT_EQ(std::set<void*>(blocks.begin(), blocks.end()).size(), many);
    std::thread([&blocks] {
      for (void* block : blocks) give_frame(block, 640);
    }).join();
    // What the thread leaves to the store is all that the next round needs.
    if (round == 1) settled = frame_bytes_reserved();
  }
  EXPECT_EQ(frame_bytes_reserved(), settled);
}

TEST(FramePool, WorksWhileThreadsEnd) {
  const auto give_late = [] {
    struct Late {
      void* block = nullptr;
      ~Late() {
        give_frame(block, 90);
        give_frame(take_frame(90), 90);
      }
    };
    // Made before the thread's first use of the pool, so destroyed after the pool's own end in this thread.
    static thread_local Late late;
    late.block = nullptr;
    late.block = take_frame(90);
  };
  std::thread(give_late).join();
  const std::size_t settled = frame_bytes_reserved();
  for (int i = 0; i < 20; ++i) std::thread(give_late).join();
  EXPECT_EQ(frame_bytes_reserved(), settled);
}

TEST(FramePool, ManyThreadsExchangeBlocks) {
  constexpr int rounds = testing::under_tsan ? 500 : 20000;
  std::vector<std::thread> threads;
  for (std::uint32_t seed = 0; seed < 4; ++seed) {
    threads.emplace_back([seed] {
      std::vector<std::pair<unsigned char*, std::size_t>> held;
      std::uint32_t random = seed;
      for (int i = 0; i < rounds; ++i) {
        random = random * 1664525U + 1013904223U;
        const std::size_t bytes = 1 + (random >> 20U);
        if (held.size() < 100 || random % 2 == 0) {
          auto* const block = static_cast<unsigned char*>(take_frame(bytes));
          block[0] = static_cast<unsigned char>(seed);
          block[bytes - 1] = static_cast<unsigned char>(seed);
          held.emplace_back(block, bytes);
        } else {
          const auto [block, size] = held.back();
          held.pop_back();
          EXPECT_EQ(block[0], seed);
          EXPECT_EQ(block[size - 1], seed);
          give_frame(block, size);
        }
      }
      for (const auto& [block, size] : held) give_frame(block, size);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace tacit::tasks::frame_pool_tests

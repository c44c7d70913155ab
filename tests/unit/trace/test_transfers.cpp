// Transfers read back from a trace.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "imposed.hpp"
#include "tacit/base/error.hpp"
#include "tacit/base/ticks.hpp"
#include "tacit/trace/trace.hpp"
#include "tacit/trace/transfers.hpp"

namespace tacit::trace::test_transfers {

std::filesystem::path temporary() {
  return std::filesystem::temp_directory_path() / ("tacit-transfers-" + std::to_string(::getpid()) + ".json");
}

TEST(TraceTransfers, AreSummedByName) {
  Recorder recorder(1, 16, testing::microseconds);
  const KindId rows = recorder.kind("rows to points");
  const KindId columns = recorder.kind("columns \"to\" modes");
  const std::int64_t start = recorder.scale().start();
  constexpr std::int64_t ticks = 1000;  // in a millisecond
  recorder.track(0).record(
      Transfer{.posted = start, .completed = start + ticks, .kind = rows, .alone_s = 2e-3, .bytes = 100});
  recorder.track(0).record(
      Transfer{.posted = start + ticks, .completed = start + 4 * ticks, .kind = rows, .alone_s = 1e-3, .bytes = 300});
  recorder.track(0).record(Transfer{.posted = start, .completed = start + 2 * ticks, .kind = columns, .bytes = 8});
  recorder.track(0).record(Transfer{.posted = start, .completed = start, .kind = columns, .alone_s = 1e-3});
  recorder.track(0).record(Event{.begin = start, .end = start + ticks, .kind = rows});
  recorder.write(temporary());
  const auto sums = read_transfers(temporary());
  std::filesystem::remove(temporary());
  ASSERT_EQ(sums.size(), 2U);
  EXPECT_EQ(sums[0].name, "columns \"to\" modes");
  EXPECT_EQ(sums[0].count, 2U);
  EXPECT_EQ(sums[0].alone_s, 0.0);  // of one it is not known, nor how many bytes
  EXPECT_EQ(sums[0].bytes, 0.0);
  EXPECT_EQ(sums[1].name, "rows to points");
  EXPECT_EQ(sums[1].count, 2U);
  EXPECT_NEAR(sums[1].seconds, 4e-3, 1e-15);
  EXPECT_NEAR(sums[1].alone_s, 3e-3, 1e-15);
  EXPECT_EQ(sums[1].bytes, 400.0);
}

TEST(TraceTransfers, OtherLinesArePassedOver) {
  std::ofstream(temporary()) << "{\"ph\":\"b\",\"cat\":\"transfers\"},\nno JSON \"transfers\"\n\"transfers\"\n{}\n"
                             << "{\"ph\":\"e\",\"pid\":1,\"id\":1,\"name\":\"a\",\"cat\":\"transfers\",\"ts\":1}\n"
                             << std::string(10'000, 'x') << "\"transfers\"\n";
  EXPECT_TRUE(read_transfers(temporary()).empty());
  std::filesystem::remove(temporary());
  EXPECT_THROW(static_cast<void>(read_transfers(temporary())), base::SystemError);
}

}  // namespace tacit::trace::test_transfers

// What is typed after `tacit bench`, with small benchmarks in place of the real ones.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>

#include "framework/command.hpp"

namespace tacit::bench::test_command {

using Words = std::vector<std::string_view>;

std::vector<Benchmark> benchmarks() {
  const auto run = [](Session& session) {
    session.add_peer("peer", "1");
    session.add({.name = "size", .unit = "1", .ours = {static_cast<double>(session.size(100, 2)), 1.0, 200.0, 3}});
  };
  return {{"tasks", "about tasks", "The workload of tasks.\n", run}, {"comm", "about messages", "Messages.\n", run}};
}

struct Output {
  std::string out;
  std::string progress;
};

Output execute(const Words& words) {
  const auto known = benchmarks();
  std::ostringstream out, progress;
  bench::execute(parse_command(words, known), known, out, progress);
  return {out.str(), progress.str()};
}

std::string refusal(const Words& words) {
  try {
    execute(words);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(BenchCommand, WithoutANameListsAll) {
  EXPECT_EQ(execute({}).out, "tasks        about tasks\ncomm         about messages\n");
}

TEST(BenchCommand, HelpSaysTheWorkload) {
  EXPECT_NE(execute({"tasks", "--help"}).out.find("The workload of tasks."), std::string::npos);
}

TEST(BenchCommand, JsonAloneOnStandardOutput) {
  const Output output = execute({"tasks", "--json"});
  const auto json = nlohmann::json::parse(output.out);
  EXPECT_EQ(json["results"].at(0)["value"], 100.0);
  EXPECT_EQ(json["machine"]["peers"], (nlohmann::json{{"peer", "1"}}));
  EXPECT_FALSE(json["machine"]["commit"].get<std::string>().empty());
  EXPECT_NE(output.progress.find("size"), std::string::npos);
}

TEST(BenchCommand, TableOnStandardOutput) {
  const Output output = execute({"comm", "--quick"});
  EXPECT_NE(output.out.find("size                                      2          1 1"), std::string::npos);
  EXPECT_NE(output.out.find("\nmachine  "), std::string::npos);
  EXPECT_EQ(output.progress, "");
}

TEST(BenchCommand, MistakesAreNamed) {
  EXPECT_EQ(refusal({"task"}),
            "tacit bench: 'task' is not one of the benchmarks tasks, comm\n  hint: did you mean 'tasks'?");
  EXPECT_EQ(refusal({"physics"}),
            "tacit bench: 'physics' is not one of the benchmarks tasks, comm\n  hint: './tacit bench' describes them");
  EXPECT_EQ(refusal({"tasks", "--jsn"}),
            "tacit bench: '--jsn' is not one of the options --json, --quick, --help\n  hint: did you mean '--json'?");
  EXPECT_EQ(refusal({"tasks", "comm"}), "tacit bench: 'comm' is one benchmark too many\n  hint: run one at a time");
}

}  // namespace tacit::bench::test_command

// Building and activating graphs: edges, joins, pictures, declared accesses, wrong use.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <sstream>

#include "tacit/tasks/graph.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::tasks {
namespace graph_test {

void nothing(StepContext&) {}

/// Whether `text` contains `piece`; shows the text if not.
::testing::AssertionResult contains(const std::string& text, const std::string& piece) {
  if (text.find(piece) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << piece << "' is not in: " << text;
}

std::string dot_of(const Graph& graph, const Activation& activation) {
  std::ostringstream out;
  graph.write_dot(out, activation);
  return out.str();
}

/// Runs `act` and returns what the PreconditionError says.
template <class Act>
std::string complaint(Act act) {
  try {
    act();
  } catch (const base::PreconditionError& error) {
    return error.what();
  }
  return "no error";
}

/// One step of two cells:
///
///     sort[0] --> density[0] --> force[0]
///            `-> ,----------.-> ^
///            ,-> `          `-> v
///     sort[1] --> density[1] --> force[1]
Graph two_cells(std::array<DatumId, 2>& x, std::array<DatumId, 2>& rho) {
  Graph graph;
  for (std::size_t c = 0; c < 2; ++c) {
    x[c] = graph.add_datum();
    rho[c] = graph.add_datum();
  }
  for (std::uint32_t c = 0; c < 2; ++c) graph.add("sort", writes(x[c]), nothing, {.key = c});
  for (std::uint32_t c = 0; c < 2; ++c) graph.add("density", reads_all(x), writes(rho[c]), nothing, {.key = c});
  for (std::uint32_t c = 0; c < 2; ++c) graph.add("force", reads_all(rho), nothing, {.key = c});
  return graph;
}

TEST(TasksGraph, PictureIsTheDrawnOne) {
  std::array<DatumId, 2> x{};
  std::array<DatumId, 2> rho{};
  const Graph graph = two_cells(x, rho);
  const Activation all = graph.activate_all();
  EXPECT_EQ(all.size(), 6U);
  EXPECT_EQ(all.edges(), 8U);
  EXPECT_EQ(all.joins(), 0U);
  EXPECT_EQ(dot_of(graph, all),
            "digraph tasks {\n"
            "  \"sort[0]\";\n"
            "  \"sort[1]\";\n"
            "  \"density[0]\";\n"
            "  \"density[1]\";\n"
            "  \"force[0]\";\n"
            "  \"force[1]\";\n"
            "  \"sort[0]\" -> \"density[0]\";\n"
            "  \"sort[0]\" -> \"density[1]\";\n"
            "  \"sort[1]\" -> \"density[0]\";\n"
            "  \"sort[1]\" -> \"density[1]\";\n"
            "  \"density[0]\" -> \"force[0]\";\n"
            "  \"density[0]\" -> \"force[1]\";\n"
            "  \"density[1]\" -> \"force[0]\";\n"
            "  \"density[1]\" -> \"force[1]\";\n"
            "}\n");
}

TEST(TasksGraph, ASkippedWriterLeavesTheOrderOfTheOthers) {
  Graph graph;
  const DatumId x = graph.add_datum();
  graph.add("kick", writes(x), nothing);
  graph.add("drift", writes(x), nothing);
  graph.add("dump", reads(x), nothing);
  const TaskKind kinds[] = {graph.kind("dump"), graph.kind("kick")};
  const Activation part = graph.activate(kinds);
  EXPECT_EQ(part.size(), 2U);
  EXPECT_TRUE(contains(dot_of(graph, part), "\"kick[0]\" -> \"dump[0]\""));
  const TaskId tasks[] = {TaskId{2}, TaskId{0}, TaskId{2}};
  EXPECT_EQ(dot_of(graph, graph.activate(tasks)), dot_of(graph, part));
}

TEST(TasksGraph, ManyReadersMeetManyCommutersInOneJoin) {
  Graph graph;
  const DatumId x = graph.add_datum();
  for (std::uint32_t i = 0; i < 100; ++i) graph.add("read", reads(x), nothing, {.key = i});
  for (std::uint32_t i = 0; i < 50; ++i) graph.add("add", commutes(x), nothing, {.key = i});
  graph.add("write", writes(x), nothing);
  const Activation all = graph.activate_all();
  EXPECT_EQ(all.joins(), 1U);
  EXPECT_EQ(all.edges(), 100U + 50U + 50U);
  EXPECT_EQ(all.size(), 151U);
  EXPECT_TRUE(contains(dot_of(graph, all), "  join0 [shape=point];\n"));
}

TEST(TasksGraph, ReadersOfAWholeMeetWritersOfItsPartsInOneJoin) {
  Graph graph;
  const DatumId whole = graph.add_datum();
  for (std::uint32_t i = 0; i < 200; ++i) {
    const DatumId part = graph.add_datum(whole);
    graph.add("fill", writes(part), nothing, {.key = i});
  }
  for (std::uint32_t i = 0; i < 300; ++i) graph.add("look", reads(whole), nothing, {.key = i});
  for (std::uint32_t i = 0; i < 200; ++i) graph.add("clear", writes(static_cast<DatumId>(1 + i)), nothing, {.key = i});
  const Activation all = graph.activate_all();
  EXPECT_EQ(all.joins(), 2U);
  // Into and out of the first join; then the first "clear" follows the readers itself, the others their join.
  EXPECT_EQ(all.edges(), 200U + 300U + 300U + 300U + 199U);
}

TEST(TasksGraph, DuplicateEdgesCountOnce) {
  Graph graph;
  const DatumId x = graph.add_datum();
  const DatumId y = graph.add_datum();
  graph.add("a", writes(x, y), nothing);
  graph.add("b", reads(x, y, x), nothing);
  EXPECT_EQ(graph.activate_all().edges(), 1U);
}

TEST(TasksGraph, ReadingAndWritingOneDatumIsWriting) {
  Graph graph;
  const DatumId x = graph.add_datum();
  graph.add("a", reads(x) + writes(x), nothing);
  graph.add("b", commutes(x), writes(x), nothing);
  graph.add("c", commutes(x), reads(x), nothing);
  EXPECT_EQ(graph.activate_all().edges(), 2U);
}

TEST(TasksGraph, OrderedCommutersFollowKeyThenKindThenCreation) {
  Graph graph(Conflicts::ordered);
  const DatumId sum = graph.add_datum();
  graph.add("late", commutes(sum), nothing, {.key = 1});
  graph.add("early", commutes(sum), nothing, {.key = 1});
  graph.add("late", commutes(sum), nothing, {.key = 0});
  graph.add("late", commutes(sum), nothing, {.key = 1});
  const std::string dot = dot_of(graph, graph.activate_all());
  EXPECT_TRUE(contains(dot, "  \"late[0]\" -> \"early[1]\";"));
  EXPECT_TRUE(contains(dot, "  \"early[1]\" -> \"late[1] #0\";"));
  EXPECT_TRUE(contains(dot, "  \"late[1] #0\" -> \"late[1] #3\";"));
  EXPECT_EQ(graph.activate_all().edges(), 3U);
}

TEST(TasksGraph, OrderedYieldsToWhatOtherAccessesDemand) {
  Graph graph(Conflicts::ordered);
  const DatumId sum = graph.add_datum();
  const DatumId x = graph.add_datum();
  graph.add("first", commutes(sum), writes(x), nothing, {.key = 5});
  graph.add("then", commutes(sum), reads(x), nothing, {.key = 1});
  EXPECT_TRUE(contains(dot_of(graph, graph.activate_all()), "\"first[5]\" -> \"then[1]\""));
  EXPECT_EQ(graph.activate_all().edges(), 1U);
}

TEST(TasksGraph, OrderedSeesAllGroupsOfAWholeThatOnePartSpans) {
  // "split" separates the two groups of the whole, but neither from the commuter on the left part, which belongs
  // between them by key. "slow" keeps the first one waiting, so only its key can put it first.
  Graph graph(Conflicts::ordered);
  const DatumId x = graph.add_datum();
  const DatumId whole = graph.add_datum();
  const DatumId left = graph.add_datum(whole);
  const DatumId right = graph.add_datum(whole);
  graph.add("slow", writes(x), nothing, {.key = 9});
  graph.add("first", reads(x), commutes(whole), nothing, {.key = 0});
  graph.add("split", writes(right), nothing, {.key = 7});
  graph.add("last", commutes(whole), nothing, {.key = 5});
  graph.add("part", commutes(left), nothing, {.key = 3});
  const std::string dot = dot_of(graph, graph.activate_all());
  EXPECT_TRUE(contains(dot, "\"first[0]\" -> \"part[3]\""));
  EXPECT_TRUE(contains(dot, "\"part[3]\" -> \"last[5]\""));
}

TEST(TasksGraph, NamesAreQuotedInPictures) {
  Graph graph;
  graph.add("a \"b\\\"", {}, nothing, {.key = 7});
  EXPECT_TRUE(contains(dot_of(graph, graph.activate_all()), R"("a \"b\\\"[7]")"));
  EXPECT_EQ(graph.name_of(TaskId{0}), "a \"b\\\"[7]");
  EXPECT_EQ(graph.kind_name(graph.kind_of(TaskId{0})), "a \"b\\\"");
}

TEST(TasksGraph, EmptyGraphsAreFine) {
  const Graph graph;
  EXPECT_EQ(graph.activate_all().size(), 0U);
  EXPECT_EQ(graph.activate(std::span<const TaskKind>{}).edges(), 0U);
  EXPECT_EQ(dot_of(graph, graph.activate_all()), "digraph tasks {\n}\n");
}

TEST(TasksGraph, WrongUseIsNamed) {
  Graph graph;
  const DatumId x = graph.add_datum();
  const auto cost = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(complaint([&] { graph.add_datum(DatumId{4}); }),
            "datum 1 cannot be a part of datum 4, which this graph does not have");
  EXPECT_EQ(complaint([&] { graph.add("a", reads(DatumId{9}), nothing, {.key = 2}); }),
            "task a[2] touches datum 9, which this graph does not have");
  EXPECT_EQ(complaint([&] { graph.add("a", reads(Data<int>()), nothing); }),
            "task a[0] touches a datum without an id (was its Data made by add_data?)");
  EXPECT_EQ(complaint([&] { graph.add("a", reads(x), TaskFunction{}); }), "task a[0] has no function");
  EXPECT_EQ(complaint([&] { graph.add("a", reads(x), nothing, {.cost = -1.0}); }), "task a[0] has cost -1");
  EXPECT_EQ(complaint([&] { graph.add("a", reads(x), nothing, {.cost = cost}); }), "task a[0] has cost nan");
  EXPECT_EQ(complaint([&] { graph.add(TaskKind{8}, {}, nothing); }),
            "a task has kind 8, which this graph does not have");
  EXPECT_EQ(graph.size(), 0U);
  const TaskKind kinds[] = {TaskKind{3}};
  const TaskId tasks[] = {TaskId{3}};
  EXPECT_EQ(complaint([&] { static_cast<void>(graph.activate(kinds)); }), "kind 3 is not one of this graph");
  EXPECT_EQ(complaint([&] { static_cast<void>(graph.activate(tasks)); }), "task 3 is not one of this graph");
}

TEST(TasksGraph, EdgesStayLinearInDeepTrees) {
  // A chain of 2000 nested data, each written and read once: quadratic edges would be 4 million.
  Graph graph;
  DatumId datum = DatumId::none;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    datum = graph.add_datum(datum);
    graph.add("write", writes(datum), nothing, {.key = i});
  }
  for (std::uint32_t i = 0; i < 2000; ++i) graph.add("read", reads(static_cast<DatumId>(i)), nothing, {.key = i});
  EXPECT_EQ(graph.activate_all().edges(), 1999U + 2000U);  // a chain of writes; each read follows the last of them
}

#if defined(TACIT_CHECKS) || !defined(NDEBUG)
constexpr bool checks = true;
#else
constexpr bool checks = false;
#endif

class DeclaredAccess : public ::testing::Test {
 protected:
  /// What comes of running `function` as a task with these accesses.
  std::string run(Accesses accesses, TaskFunction function) {
    graph_.add("density", std::move(accesses), std::move(function), {.key = 12});
    return complaint([&] { scheduler_.run(graph_, graph_.activate_all(), {}); });
  }
  Graph graph_;
  Data<int> whole_ = graph_.add_data<int>();
  Data<int> part_ = graph_.add_data<int>(whole_.id());
  Data<int> other_ = graph_.add_data<int>();
  trace::Recorder recorder_{1, 4};
  Scheduler scheduler_{1, recorder_};
};

TEST_F(DeclaredAccess, ForgottenReadIsCaught) {
  const std::string said = run(reads(other_) + writes(part_), [this](StepContext& step) { (void)step.read(whole_); });
  EXPECT_EQ(said, checks ? "task density[12] reads datum 0 without having said so\n"
                           "  declared: reads 2, writes 1\n"
                           "  Add the missing access where the task is added."
                         : "no error");
}

TEST_F(DeclaredAccess, WritingWhatIsOnlyReadIsCaught) {
  const std::string said = run(reads(part_), [this](StepContext& step) { (void)step.write(part_); });
  EXPECT_TRUE(contains(said, checks ? "task density[12] writes datum 1 without" : "no error"));
}

TEST_F(DeclaredAccess, UnboundDataIsCaught) {
  const std::string said = run({}, [](StepContext& step) { (void)step.read(Data<int>()); });
  EXPECT_TRUE(contains(said, checks ? "reads datum none without having said so\n  declared: nothing" : "no error"));
}

TEST_F(DeclaredAccess, WholeCoversItsParts) {
  EXPECT_EQ(run(reads(whole_), [this](StepContext& step) { (void)step.read(part_); }), "no error");
  EXPECT_EQ(run(commutes(whole_), [this](StepContext& step) { (void)step.write(part_); }), "no error");
  EXPECT_EQ(run(writes(other_), [this](StepContext& step) { (void)step.read(other_); }), "no error");
}

TEST_F(DeclaredAccess, FunctionsCalledDirectlyMayTouchAll) {
  whole_.bind(3);
  EXPECT_EQ(StepContext{}.read(whole_), 3);
}

}  // namespace graph_test
}  // namespace tacit::tasks

// Random task graphs, what they demand by definition, and a model memory whose content shows any broken order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/under_sanitizer.hpp"
#include "tacit/base/random.hpp"
#include "tacit/tasks/graph.hpp"

namespace tacit::tasks::testing {

using Random = std::mt19937_64;

inline std::size_t draw(Random& random, std::size_t below) { return static_cast<std::size_t>(random() % below); }

/// Plain description of a graph, from which both a tasks::Graph and the expectation are made.
struct Plan {
  struct Task {
    std::uint32_t kind = 0;
    std::uint32_t key = 0;
    Accesses accesses;
  };
  std::vector<DatumId> parents;
  std::vector<Task> tasks;

  [[nodiscard]] bool contains(DatumId whole, DatumId part) const {
    for (; part != DatumId::none; part = parents[static_cast<std::size_t>(part)]) {
      if (part == whole) return true;
    }
    return false;
  }
  [[nodiscard]] bool related(DatumId a, DatumId b) const { return contains(a, b) || contains(b, a); }
  [[nodiscard]] bool is_leaf(DatumId datum) const {
    return std::find(parents.begin(), parents.end(), datum) == parents.end();
  }
};

inline constexpr const char* kind_names[] = {"sort", "density", "force"};

inline Plan random_plan(Random& random, std::size_t most_data, std::size_t most_tasks) {
  Plan plan;
  const std::size_t data = 1 + draw(random, most_data);
  const std::size_t nesting = draw(random, 4);  // 0: flat; otherwise nesting/4 of the data are parts
  for (std::size_t i = 0; i < data; ++i) {
    const bool is_part = i > 0 && draw(random, 4) < nesting;
    plan.parents.push_back(is_part ? static_cast<DatumId>(draw(random, i)) : DatumId::none);
  }
  const std::size_t tasks = draw(random, most_tasks + 1);
  const std::size_t commuting = draw(random, 4);
  for (std::size_t i = 0; i < tasks; ++i) {
    Plan::Task task{.kind = static_cast<std::uint32_t>(draw(random, 3)),
                    .key = static_cast<std::uint32_t>(draw(random, 6)),
                    .accesses = {}};
    for (std::size_t k = draw(random, 4); k > 0; --k) {
      const std::size_t dice = draw(random, 6);
      const AccessMode mode = dice < commuting ? AccessMode::commute : dice < 5 ? AccessMode::read : AccessMode::write;
      task.accesses.push_back({static_cast<DatumId>(draw(random, data)), mode});
    }
    plan.tasks.push_back(std::move(task));
  }
  return plan;
}

/// The plan with one access left out, if there is one.
inline Plan with_one_access_less(Random& random, const Plan& plan) {
  std::vector<std::pair<std::size_t, std::size_t>> accesses;  // (task, place)
  for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
    for (std::size_t k = 0; k < plan.tasks[t].accesses.size(); ++k) accesses.emplace_back(t, k);
  }
  Plan mutant = plan;
  if (accesses.empty()) return mutant;
  const auto [task, place] = accesses[draw(random, accesses.size())];
  Accesses& of = mutant.tasks[task].accesses;
  of.erase(of.begin() + static_cast<std::ptrdiff_t>(place));
  return mutant;
}

/// @param make  the function of task i
template <class Make>
Graph make_graph(const Plan& plan, Conflicts conflicts, Make make) {
  Graph graph(conflicts);
  for (const DatumId parent : plan.parents) static_cast<void>(graph.add_datum(parent));
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    const Plan::Task& task = plan.tasks[i];
    graph.add(kind_names[task.kind], task.accesses, make(i),
              {.cost = 1.0 + static_cast<double>(i % 3), .key = task.key});
  }
  return graph;
}

inline std::vector<TaskId> random_part(Random& random, const Plan& plan) {
  std::vector<TaskId> part;
  const std::size_t kept = draw(random, 5);  // in quarters; 4 and more: all
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    if (kept >= 3 || draw(random, 4) < kept + 1) part.push_back(static_cast<TaskId>(i));
  }
  return part;
}

/// Who must precede whom: before[a][b].
using Order = std::vector<std::vector<bool>>;

inline void close_transitively(Order& order) {
  for (std::size_t k = 0; k < order.size(); ++k) {
    for (std::size_t a = 0; a < order.size(); ++a) {
      if (!order[a][k]) continue;
      for (std::size_t b = 0; b < order.size(); ++b) {
        if (order[k][b]) order[a][b] = true;
      }
    }
  }
}

inline bool is_cyclic(const Order& closed) {
  for (std::size_t a = 0; a < closed.size(); ++a) {
    if (closed[a][a]) return true;
  }
  return false;
}

/// The closed order among the tasks of an activation, read from its picture.
inline Order drawn_order(const Graph& graph, const Activation& activation) {
  std::ostringstream dot;
  graph.write_dot(dot, activation);
  std::istringstream lines(dot.str());
  std::map<std::string, std::size_t> nodes;
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && line != "}") {
    const std::string text = line.substr(2, line.find(';') - 2);
    const std::size_t arrow = text.find(" -> ");
    if (arrow == std::string::npos) {
      nodes.emplace(text.substr(0, text.find(" [shape")), nodes.size());
    } else {
      edges.emplace_back(nodes.at(text.substr(0, arrow)), nodes.at(text.substr(arrow + 4)));
    }
  }
  Order order(nodes.size(), std::vector<bool>(nodes.size(), false));
  for (const auto& [a, b] : edges) order[a][b] = true;
  close_transitively(order);
  order.resize(activation.size());
  for (auto& row : order) row.resize(activation.size());
  return order;
}

/// Memory of a plan: for each datum without parts a number that writers chain, a sum that commuters add to, and
/// counters that notice who is inside at the same time. Counters are relaxed, so they hide no race from sanitizers.
class Model {
 public:
  explicit Model(const Plan& plan) : cells_(plan.parents.size()), seen_(plan.tasks.size(), 0) {
    for (const Plan::Task& task : plan.tasks) touches_.push_back(touches(plan, task.accesses));
  }

  /// Does what task i declares.
  void run(std::size_t i) {
    begin(i);
    if ((i & 3U) == 0) std::this_thread::yield();  // widens the window for overlaps
    end(i);
  }
  /// The same in two parts, for tasks that await something in between; what it does shows at the end.
  void begin(std::size_t i) {
    for (const auto& [cell, mode] : touches_[i]) enter(*cells_[cell], mode);
  }
  void end(std::size_t i) {
    for (const auto& [cell, mode] : touches_[i]) update(*cells_[cell], mode, i);
    abandon(i);
    ++runs_;
  }
  /// Ends a task that has failed.
  void abandon(std::size_t i) {
    for (const auto& [cell, mode] : touches_[i]) leave(*cells_[cell], mode);
  }

  /// Whether tasks were inside the same cell that must not be.
  [[nodiscard]] bool has_overlaps() const { return overlaps_ > 0; }
  /// Empty if this memory went through the same as `serial` did; otherwise what differs.
  [[nodiscard]] std::string difference(const Model& serial) const {
    if (has_overlaps()) return "overlapping accesses";
    if (runs_ != serial.runs_) return "number of tasks";
    if (seen_ != serial.seen_) return "what a task has read";
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      if (cells_[c]->chain != serial.cells_[c]->chain || cells_[c]->sum != serial.cells_[c]->sum)
        return "final content";
    }
    return {};
  }

  /// As run does at its begin and end, to show that overlaps are noticed.
  void enter(std::size_t cell, AccessMode mode) { enter(*cells_[cell], mode); }
  void leave(std::size_t cell, AccessMode mode) { leave(*cells_[cell], mode); }

 private:
  struct Cell {
    std::uint64_t chain = 1;
    std::uint64_t sum = 0;
    std::atomic<int> readers{0};
    std::atomic<int> owners{0};
  };
  struct CellBox {
    std::unique_ptr<Cell> cell = std::make_unique<Cell>();
    Cell& operator*() const { return *cell; }
    Cell* operator->() const { return cell.get(); }
  };
  using Touches = std::vector<std::pair<std::size_t, AccessMode>>;

  /// Data without parts that a task touches, each once.
  static Touches touches(const Plan& plan, const Accesses& accesses) {
    Touches all;
    for (std::size_t c = 0; c < plan.parents.size(); ++c) {
      if (!plan.is_leaf(static_cast<DatumId>(c))) continue;
      std::optional<AccessMode> mode;
      for (const Access& access : accesses) {
        if (!plan.contains(access.datum, static_cast<DatumId>(c))) continue;
        mode = mode && *mode != access.mode ? AccessMode::write : access.mode;
      }
      if (mode) all.emplace_back(c, *mode);
    }
    return all;
  }
  void enter(Cell& cell, AccessMode mode) {
    if (mode == AccessMode::read) {
      cell.readers.fetch_add(1, std::memory_order_relaxed);
      if (cell.owners.load(std::memory_order_relaxed) > 0) ++overlaps_;
    } else {
      if (cell.owners.fetch_add(1, std::memory_order_relaxed) > 0) ++overlaps_;
      if (cell.readers.load(std::memory_order_relaxed) > 0) ++overlaps_;
    }
  }
  static void leave(Cell& cell, AccessMode mode) {
    (mode == AccessMode::read ? cell.readers : cell.owners).fetch_sub(1, std::memory_order_relaxed);
  }
  void update(Cell& cell, AccessMode mode, std::size_t task) {
    switch (mode) {
      case AccessMode::read:
        seen_[task] = base::mix64(seen_[task] ^ base::mix64(cell.chain + cell.sum));
        break;
      case AccessMode::write:
        cell.chain = base::mix64(cell.chain + base::mix64(cell.sum + task + 1));
        break;
      case AccessMode::commute:
        cell.sum += base::mix64(cell.chain + task + 1);  // must see the writers before it, in any order of commuters
        break;
    }
  }

  std::vector<CellBox> cells_;
  std::vector<Touches> touches_;  // per task
  std::vector<std::uint64_t> seen_;
  std::atomic<int> overlaps_{0};
  std::atomic<std::size_t> runs_{0};
};

}  // namespace tacit::tasks::testing

// Divides items into chunks, and draws tickets for them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/one_sided/work_pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "tacit/comm/connections/wait.hpp"
#include "tacit/comm/one_sided/one_sided.hpp"

namespace tacit::comm {

namespace detail {

/// Batches of tickets that a node has fetched. The first rank of the node keeps the node's own counter and, for each
/// batch, the number of its first ticket plus one; 0: not fetched yet.
class NodeShare {
 public:
  NodeShare(Communicator& whole, std::size_t chunks, std::size_t batch)
      : batch_(batch),
        batches_((chunks + batch - 1) / batch + 1),  // one that is behind the last chunk in any case
        none_left_(chunks),
        whole_(&whole.core()),
        node_(whole.split_by_node()),
        tickets_(node_),
        firsts_(node_, number(node_.rank()) == 0 ? batches_ : 0) {}

  void open() {
    tickets_.open();
    firsts_.open();
  }
  /// A ticket of the whole. @param counter  that of all nodes
  [[nodiscard]] std::uint64_t draw(SharedCounter& counter, double deadline_s) {
    const std::uint64_t ticket = tickets_.fetch_add();
    const std::uint64_t batch = ticket / batch_;
    if (batch >= batches_) return none_left_;
    const bool fetches = ticket % batch_ == 0;
    if (fetches && batch == 0) fetch(0, counter, deadline_s);
    const std::uint64_t first = await(batch, deadline_s) - 1;
    // Only now: batches in order, so that an empty one means that later ones are empty.
    if (fetches && batch + 1 < batches_) fetch(batch + 1, counter, deadline_s);
    return first + ticket % batch_;
  }
  void restart(double deadline_s) {
    firsts_.fence(deadline_s);
    std::ranges::fill(firsts_.data(), 0);
    tickets_.reset(0, deadline_s);
  }

 private:
  [[nodiscard]] std::atomic_ref<std::uint64_t> entry(std::uint64_t batch) {
    return std::atomic_ref(firsts_.view(RankId{0})[batch]);
  }
  void fetch(std::uint64_t batch, SharedCounter& counter, double deadline_s) {
    entry(batch).store(counter.fetch_add(batch_, deadline_s) + 1, std::memory_order_release);
  }
  [[nodiscard]] std::uint64_t await(std::uint64_t batch, double deadline_s) {
    std::uint64_t found = 0;
    wait_until(
        *whole_, [&] { return (found = entry(batch).load(std::memory_order_acquire)) != 0; },
        [&] { return fmt::format("batch {} of a work pool, which another worker of this node fetches", batch); },
        deadline_s);
    return found;
  }

  std::size_t batch_;
  std::size_t batches_;
  std::uint64_t none_left_;
  CommunicatorCore* whole_;  // whose numbers of ranks messages have
  Communicator node_;
  SharedCounter tickets_;
  OneSidedWindow<std::uint64_t> firsts_;
};

}  // namespace detail

namespace {

/// Where guided chunks begin: each takes half a worker's share of what is left.
std::vector<std::size_t> guided_begins(std::size_t items, std::size_t smallest, std::size_t workers) {
  std::vector<std::size_t> begins;
  for (std::size_t begin = 0; begin < items;) {
    begins.push_back(begin);
    begin += std::max(smallest, (items - begin) / (2 * workers));
  }
  return begins;
}

const WorkPoolOptions& checked(const WorkPoolOptions& options) {
  if (options.chunk == 0 || options.workers == 0 || options.batch == 0) {
    throw base::Error(fmt::format("a work pool needs chunk, workers and batch of at least 1, not {}, {} and {}",
                                  options.chunk, options.workers, options.batch));
  }
  return options;
}

}  // namespace

WorkPool::WorkPool(Communicator& communicator, std::size_t items, const WorkPoolOptions& options)
    : communicator_(&communicator),
      items_(items),
      options_(checked(options)),
      chunks_((items + options.chunk - 1) / options.chunk),
      counter_(communicator, {.home = options.home, .access = options.access}) {
  if (options.chunking == Chunking::guided) {
    begins_ = guided_begins(items, options.chunk, options.workers * communicator.size());
    chunks_ = begins_.size();
  }
  if (options.fetching == Fetching::by_node) {
    node_ = std::make_unique<detail::NodeShare>(communicator, chunks_, options.batch);
  }
}

WorkPool::WorkPool(WorkPool&&) noexcept = default;
WorkPool& WorkPool::operator=(WorkPool&&) noexcept = default;
WorkPool::~WorkPool() = default;

void WorkPool::open() {
  counter_.open();
  if (node_ != nullptr) node_->open();
}

WorkRange WorkPool::range(std::size_t ticket) const {
  if (begins_.empty()) {
    const std::size_t begin = ticket * options_.chunk;
    return {begin, std::min(items_, begin + options_.chunk)};
  }
  return {begins_[ticket], ticket + 1 < chunks_ ? begins_[ticket + 1] : items_};
}

std::optional<WorkRange> WorkPool::next(double deadline_s) {
  // Every draw, and first of all: the home may never fetch by itself where others of its node do, and serves other
  // nodes only once its side is open.
  counter_.open();
  // Between its items a rank serves the others.
  detail::ProgressEngine& engine = communicator_->core().engine();
  if (engine.has_work()) engine.progress();
  const std::uint64_t ticket = node_ == nullptr ? counter_.fetch_add(1, deadline_s) : node_->draw(counter_, deadline_s);
  if (ticket >= chunks_) return std::nullopt;
  return range(ticket);
}

void WorkPool::restart(double deadline_s) {
  if (node_ != nullptr) node_->restart(deadline_s);
  counter_.reset(0, deadline_s);
}

}  // namespace tacit::comm

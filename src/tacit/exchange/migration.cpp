// Rounds of elements: as tasks between neighbours, and from all to all for those that go farther.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/exchange/migration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/comm/collectives/all_to_all.hpp"
#include "tacit/comm/error.hpp"
#include "tacit/exchange/detail/byte_stream.hpp"
#include "tacit/exchange/exchange.hpp"
#include "tacit/exchange/reductions.hpp"

namespace tacit::exchange::detail {

class MigrationCore::Impl {
 public:
  Impl(comm::Communicator& world, tasks::Scheduler& scheduler, const base::Schema& element, bool has_tails,
       const MigrationOptions& options)
      : world_(world),
        scheduler_(scheduler),
        name_(element.name),
        element_bytes_(has_tails ? 0 : element.bytes),
        least_bytes_(has_tails ? padded(element.bytes) : element.bytes),
        round_bytes_(options.round_bytes / sizeof(std::uint64_t) * sizeof(std::uint64_t)),
        far_block_(std::max<std::size_t>(options.far_bytes / world.size() / 8 * 8, 64)),
        arrivals_(options.arrivals),
        exchange_(world, {.slots = 1, .key = options.key}),
        reduction_(world, {.counts = count_of_counts}),
        neighbour_of_(world.size(), no_neighbour) {
    if (round_bytes_ == 0) throw base::PreconditionError("a round of a migration needs room for 8 bytes");
    scheduler_.attach(world_.completions());
  }
  ~Impl() { scheduler_.detach(world_.completions()); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void set_neighbours(std::span<const comm::RankId> neighbours) {
    if (!is_over_) throw base::PreconditionError("a migration takes other neighbours while elements are leaving");
    std::vector<comm::RankId> ranks(neighbours.begin(), neighbours.end());
    std::ranges::sort(ranks);
    const auto twice = std::ranges::unique(ranks);
    ranks.erase(twice.begin(), twice.end());
    std::erase(ranks, world_.rank());
    if (!ranks.empty() && number(ranks.back()) >= world_.size()) {
      throw base::PreconditionError(
          fmt::format("rank {} is no neighbour: there are {} ranks", number(ranks.back()), world_.size()));
    }
    begin();
    is_over_ = true;
    is_built_ = false;
    ranks_ = std::move(ranks);
    std::ranges::fill(neighbour_of_, no_neighbour);
    for (std::uint32_t i = 0; i < ranks_.size(); ++i) neighbour_of_[number(ranks_[i])] = i;
    near_.resize(ranks_.size());
    build();
  }

  void require_rank(comm::RankId owner, std::uint64_t id) const {
    if (number(owner) < world_.size()) [[likely]]
      return;
    throw base::PreconditionError(
        fmt::format("element {} leaves for rank {}, there are {} ranks", id, number(owner), world_.size()));
  }

  void leave(comm::RankId owner, std::uint64_t id, std::span<const std::byte> head, std::span<const std::byte> tail) {
    require_rank(owner, id);
    require_built();
    if (is_over_) begin();
    ByteStream& stream = stream_to(owner);
    if (owner != world_.rank()) stream.tally.add(id, owner);
    const std::uint64_t bytes = padded(head.size()) + tail.size();
    stream.append(bytes_of(id));
    if (element_bytes_ == 0) stream.append(bytes_of(bytes));
    append_padded(stream, head);
    append_padded(stream, tail);
  }

  void finish() {
    require_built();
    if (is_over_) begin();
    is_over_ = true;
    if (world_.size() > 1) {
      try {
        send_all();
      } catch (const base::SystemError& error) {
        // What a task awaits fails with the words of the transport. That a rank is lost is an error of its own.
        if (world_.await_loss(0.0)) throw comm::PeerError(error.what());
        throw;
      }
    }
    list_arrived();
  }

  [[nodiscard]] comm::RankId own() const noexcept { return world_.rank(); }
  [[nodiscard]] std::span<const Arrived> arrived() const noexcept { return arrived_; }
  [[nodiscard]] std::size_t rounds() const noexcept { return rounds_; }
  [[nodiscard]] std::size_t far_rounds() const noexcept { return far_rounds_; }
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    std::size_t sum = exchange_.memory_bytes() + own_.bytes.capacity() + arrived_.capacity() * sizeof(Arrived);
    for (const auto* links : {&near_, &far_}) {
      for (const Link& link : *links) sum += link.memory_bytes();
    }
    return sum + (all_to_all_ ? 2 * world_.size() * (sizeof(FarHeader) + far_block_) : 0);
  }
  void lose(std::uint64_t id) { lost_ = id; }

 private:
  /// Comes before the bytes of a block from one rank to another in a round from all to all.
  struct FarHeader {
    std::uint64_t bytes = 0;
    std::uint64_t has_more = 0;  ///< whether the sender has more for anyone
  };
  /// What the reduction of a round adds up.
  enum Count : std::size_t { left, left_hash, come, come_hash, more, far, count_of_counts };
  static constexpr std::uint32_t no_neighbour = std::numeric_limits<std::uint32_t>::max();

  void require_built() const {
    if (is_built_) [[likely]]
      return;
    throw base::PreconditionError("elements migrate after set_neighbours() has failed");
  }

  void begin() {
    for (auto* links : {&near_, &far_}) {
      for (Link& link : *links) link.clear();
    }
    own_.clear();
    arrived_.clear();
    rounds_ = far_rounds_ = 0;
    is_over_ = false;
  }

  ByteStream& stream_to(comm::RankId owner) {
    if (owner == world_.rank()) return own_;
    const std::uint32_t neighbour = neighbour_of_[number(owner)];
    if (neighbour != no_neighbour) return near_[neighbour].out;
    far_.resize(world_.size());
    return far_[number(owner)].out;
  }

  static void append_padded(ByteStream& stream, std::span<const std::byte> bytes) {
    stream.append(bytes);
    stream.bytes.resize(padded(stream.bytes.size()));
  }

  /// One round between neighbours, and the sums that tell whether it was the last.
  void build() {
    activation_ = tasks::Activation();
    exchange_.clear();
    graph_ = tasks::Graph();
    Messages messages;
    std::vector<tasks::DatumId> came;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const Message message{.peer = ranks_[i], .key = 0, .count = round_bytes_, .length = Length::variable};
      messages.send<std::byte>(message, {}, [this, i](tasks::StepContext& /*step*/, std::span<std::byte> to) {
        return near_[i].out.take(to);
      });
      came.push_back(graph_.add_datum());
      messages.receive<std::byte>(
          message, tasks::writes(came[i]),
          [this, i](tasks::StepContext& /*step*/, std::span<const std::byte> from) { take_bytes(near_[i].in, from); });
    }
    exchange_.add(graph_, "migration", std::move(messages));
    reduction_.add(graph_, "migration sums", tasks::reads_all(came),
                   [this](tasks::StepContext& /*step*/) { count_near(); });
    exchange_.connect();
    activation_ = graph_.activate_all();
    is_built_ = true;
  }

  /// Calls `take(id, data, bytes)` for the whole elements from `from` on. @return where they end
  template <class Take>
  std::size_t for_elements(const std::vector<std::byte>& bytes, std::size_t from, Take&& take) const {
    const std::size_t frame = element_bytes_ > 0 ? 8 : 16;
    while (bytes.size() - from >= frame) {
      std::uint64_t id = 0;
      std::uint64_t length = element_bytes_;
      std::memcpy(&id, bytes.data() + from, sizeof(id));
      if (element_bytes_ == 0) std::memcpy(&length, bytes.data() + from + sizeof(id), sizeof(length));
      if (length < least_bytes_) refuse(id, length);
      const std::size_t rest = bytes.size() - from - frame;
      if (length > rest || padded(length) > rest) break;
      if (!lost_ || *lost_ != id) take(id, bytes.data() + from + frame, static_cast<std::size_t>(length));
      from += frame + padded(length);
    }
    return from;
  }

  [[noreturn]] void refuse(std::uint64_t id, std::uint64_t length) const {
    throw base::Error(fmt::format("{}: migration of {}: element {} has {} B, at least {} were expected",
                                  comm::describe(world_.own()), name_, id, length, least_bytes_));
  }

  void take_bytes(ByteStream& in, std::span<const std::byte> from) const {
    in.append(from);
    in.done = for_elements(in.bytes, in.done, [&](std::uint64_t id, const std::byte* /*data*/, std::size_t /*bytes*/) {
      in.tally.add(id, world_.rank());
    });
  }

  void set_counts(std::span<const Link> links, bool has_more, std::uint64_t goes_far) {
    Tally all_left;
    Tally all_come;
    for (const Link& link : links) {
      all_left.add(link.out.tally);
      all_come.add(link.in.tally);
    }
    const auto counts = reduction_.counts();
    counts[left] = all_left.count;
    counts[left_hash] = all_left.hash;
    counts[come] = all_come.count;
    counts[come_hash] = all_come.hash;
    counts[more] = has_more ? 1 : 0;
    counts[far] = goes_far;
  }

  void count_near() {
    std::uint64_t goes_far = 0;
    for (const Link& link : far_) goes_far += link.out.tally.count;
    set_counts(near_, has_more_, goes_far);
  }

  void send_all() {
    const tasks::Scheduler::StayAwake awake(scheduler_);
    const auto counts = reduction_.counts();
    do {
      has_more_ = std::ranges::any_of(near_, [this](const Link& link) { return link.out.left() > round_bytes_; });
      scheduler_.run(graph_, activation_, {});
      ++rounds_;
    } while (counts[more] > 0);
    check("to neighbours");
    if (counts[far] > 0) send_far();
  }

  void check(const char* where) {
    const auto counts = reduction_.counts();
    if (counts[left] == counts[come] && counts[left_hash] == counts[come_hash]) return;
    throw base::Error(fmt::format(
        "{}: migration of {} {}: {} have left, {} have come (hashes of their IDs and owners: "
        "{:016x} and {:016x})",
        comm::describe(world_.own()), name_, where, counts[left], counts[come], counts[left_hash], counts[come_hash]));
  }

  void send_far() {
    far_.resize(world_.size());
    if (!all_to_all_) all_to_all_.emplace(world_, sizeof(FarHeader) + far_block_);
    while (send_far_round()) {
    }
    set_counts(far_, false, 0);
    reduction_.run();
    check("to ranks that are no neighbours");
  }

  /// @return whether some rank has more
  bool send_far_round() {
    ++far_rounds_;
    const bool has_more = std::ranges::any_of(far_, [this](const Link& link) { return link.out.left() > far_block_; });
    std::byte* to = all_to_all_->input().data();
    for (Link& link : far_) {
      const FarHeader header{.bytes = link.out.take({to + sizeof(FarHeader), far_block_}), .has_more = has_more};
      std::memcpy(to, &header, sizeof(header));
      to += sizeof(FarHeader) + far_block_;
    }
    all_to_all_->run();
    bool others_have_more = false;
    const std::byte* from = all_to_all_->output().data();
    for (Link& link : far_) {
      FarHeader header;
      std::memcpy(&header, from, sizeof(header));
      if (header.bytes > far_block_) {
        throw base::Error(fmt::format("{}: migration of {}: a block has {} B, there is room for {}",
                                      comm::describe(world_.own()), name_, header.bytes, far_block_));
      }
      others_have_more = others_have_more || header.has_more != 0;
      take_bytes(link.in, {from + sizeof(FarHeader), static_cast<std::size_t>(header.bytes)});
      from += sizeof(FarHeader) + far_block_;
    }
    return others_have_more;
  }

  void list_arrived() {
    arrived_.clear();
    const auto list = [this](const std::vector<std::byte>& bytes) {
      for_elements(bytes, 0, [this](std::uint64_t id, const std::byte* data, std::size_t length) {
        arrived_.push_back({id, data, length});
      });
    };
    for (std::uint32_t rank = 0; rank < world_.size(); ++rank) {
      if (comm::RankId{rank} == world_.rank()) list(own_.bytes);
      if (neighbour_of_[rank] != no_neighbour) list(near_[neighbour_of_[rank]].in.bytes);
      if (rank < far_.size()) list(far_[rank].in.bytes);
    }
    lost_.reset();
    if (arrivals_ == Arrivals::by_id) std::ranges::sort(arrived_, {}, &Arrived::id);
  }

  comm::Communicator& world_;
  tasks::Scheduler& scheduler_;
  std::string name_;           // of an element
  std::size_t element_bytes_;  // of each; 0: each says how long it is
  std::size_t least_bytes_;    // with its head, and no tail
  std::size_t round_bytes_;
  std::size_t far_block_;  // bytes to each rank in a round
  Arrivals arrivals_;
  Exchange exchange_;
  Reduction reduction_;
  tasks::Graph graph_;  // of a round
  tasks::Activation activation_;
  std::optional<comm::AllToAll<std::byte>> all_to_all_;  // made when some rank first needs it
  std::vector<comm::RankId> ranks_;                      // the neighbours
  std::vector<std::uint32_t> neighbour_of_;              // by rank: place among them, or none
  std::vector<Link> near_;                               // by neighbour
  std::vector<Link> far_;                                // by rank; empty until one is needed
  ByteStream own_;                                       // what leaves for this rank
  std::vector<Arrived> arrived_;
  std::optional<std::uint64_t> lost_;
  std::size_t rounds_ = 0;
  std::size_t far_rounds_ = 0;
  bool has_more_ = false;
  bool is_over_ = true;
  bool is_built_ = false;  // for the present neighbours
};

MigrationCore::MigrationCore(comm::Communicator& world, tasks::Scheduler& scheduler,
                             std::span<const comm::RankId> neighbours, const base::Schema& element, bool has_tails,
                             const MigrationOptions& options)
    : impl_(std::make_unique<Impl>(world, scheduler, element, has_tails, options)) {
  impl_->set_neighbours(neighbours);
}
MigrationCore::~MigrationCore() = default;

comm::RankId MigrationCore::own() const noexcept { return impl_->own(); }
void MigrationCore::set_neighbours(std::span<const comm::RankId> neighbours) { impl_->set_neighbours(neighbours); }
void MigrationCore::require_rank(comm::RankId owner, std::uint64_t id) const { impl_->require_rank(owner, id); }
void MigrationCore::leave(comm::RankId owner, std::uint64_t id, std::span<const std::byte> head,
                          std::span<const std::byte> tail) {
  impl_->leave(owner, id, head, tail);
}
void MigrationCore::finish() { impl_->finish(); }
std::span<const MigrationCore::Arrived> MigrationCore::arrived() const noexcept { return impl_->arrived(); }
std::size_t MigrationCore::rounds() const noexcept { return impl_->rounds(); }
std::size_t MigrationCore::far_rounds() const noexcept { return impl_->far_rounds(); }
std::size_t MigrationCore::memory_bytes() const noexcept { return impl_->memory_bytes(); }
void MigrationCore::lose(std::uint64_t id) { impl_->lose(id); }

}  // namespace tacit::exchange::detail

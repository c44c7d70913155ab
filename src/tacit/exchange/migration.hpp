// Elements that go to new owners: particles, blocks, tracers; none is lost, and none comes twice.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "tacit/base/record.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/tasks/scheduler.hpp"

namespace tacit::exchange {

/// In which order elements that have come are handed out.
enum class Arrivals : std::uint8_t {
  by_id,       ///< the same on any number of ranks
  by_arrival,  ///< by rank from which they came, and there in the order in which they left
};

struct MigrationOptions {
  /// Most bytes that go to one neighbour in a round. Room for three times that is kept for each neighbour.
  std::size_t round_bytes = 64U << 10U;
  /// Most bytes that a rank sends to all others together in a round for elements of no neighbour.
  std::size_t far_bytes = 512U << 10U;
  Arrivals arrivals = Arrivals::by_id;
  /// A number that no other connections between these ranks have; see exchange::Options::key.
  std::uint32_t key = 0x4d670000;
};

namespace detail {

/// The migration of elements as bytes, each with an ID.
class MigrationCore {
 public:
  /// @param element    or its head, if it has a tail
  MigrationCore(comm::Communicator& world, tasks::Scheduler& scheduler, std::span<const comm::RankId> neighbours,
                const base::Schema& element, bool has_tails, const MigrationOptions& options);
  ~MigrationCore();
  MigrationCore(const MigrationCore&) = delete;
  MigrationCore& operator=(const MigrationCore&) = delete;

  /// Of what follows a head: the next multiple of 8.
  [[nodiscard]] static constexpr std::size_t padded(std::size_t bytes) noexcept { return (bytes + 7) / 8 * 8; }
  [[nodiscard]] comm::RankId own() const noexcept;

  void set_neighbours(std::span<const comm::RankId> neighbours);
  /// @throws base::PreconditionError if there is no such rank
  void require_rank(comm::RankId owner, std::uint64_t id) const;
  /// Copies the element: `head` and behind it `tail`.
  void leave(comm::RankId owner, std::uint64_t id, std::span<const std::byte> head, std::span<const std::byte> tail);
  void finish();

  struct Arrived {
    std::uint64_t id = 0;
    const std::byte* data = nullptr;  ///< aligned like a double
    std::size_t bytes = 0;
  };
  /// What has come, until the next `leave`.
  [[nodiscard]] std::span<const Arrived> arrived() const noexcept;
  [[nodiscard]] std::size_t rounds() const noexcept;
  [[nodiscard]] std::size_t far_rounds() const noexcept;
  [[nodiscard]] std::size_t memory_bytes() const noexcept;
  /// For tests of what happens then: the element is lost where it comes, once.
  void lose(std::uint64_t id);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

template <class T>
[[nodiscard]] std::span<const std::byte> bytes_of(const T& element) noexcept {
  return std::as_bytes(std::span<const T, 1>(&element, 1));
}

}  // namespace detail

/// What migrations of all types have in common.
///
/// Most elements go to neighbours. They travel in one message to each, as tasks, while a reduction in the same run adds
/// up what has left and what has come, and says whether any rank has more: another round follows then. Elements for
/// other ranks go behind that in rounds from all to all, of bounded room, only if any rank has some. At the end as many
/// elements must have come as have left, with the same IDs, on the ranks that were named. After an error in between
/// only a new migration, on all ranks, can be used.
///
/// All ranks make it, and call `set_neighbours` and what migrates, in the same order, from one thread, outside of runs
/// of the scheduler, which must poll world.completions() where there are several ranks. One rank alone communicates
/// nothing.
///
/// Memory: what leaves and what comes, and the room that the options say; kept for the next migration.
class MigrationBase {
 public:
  /// Takes other neighbours. All ranks call it.
  /// @param neighbours  ranks to which most elements go; a rank names those that name it
  /// @throws comm::MismatchError that names two ranks of which only one has named the other
  void set_neighbours(std::span<const comm::RankId> neighbours) { core_.set_neighbours(neighbours); }
  /// Rounds between neighbours of the last migration, and rounds from all to all.
  [[nodiscard]] std::size_t rounds() const noexcept { return core_.rounds(); }
  [[nodiscard]] std::size_t far_rounds() const noexcept { return core_.far_rounds(); }
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return core_.memory_bytes(); }
  /// For tests. @see detail::MigrationCore::lose
  [[nodiscard]] detail::MigrationCore& core() noexcept { return core_; }

 protected:
  MigrationBase(comm::Communicator& world, tasks::Scheduler& scheduler, std::span<const comm::RankId> neighbours,
                const base::Schema& element, bool has_tails, const MigrationOptions& options)
      : core_(world, scheduler, neighbours, element, has_tails, options) {}
  ~MigrationBase() = default;
  detail::MigrationCore core_;
};

/// Elements of one type and length.
///
///     exchange::Migration<Particle> migration(world, scheduler, neighbours);
///     migration.migrate(particles, [&](const Particle& p) { return domain.rank_of(p.x); },
///                       [](const Particle& p) { return p.id; });
template <base::Described T>
class Migration : public MigrationBase {
 public:
  /// @param neighbours  see set_neighbours
  Migration(comm::Communicator& world, tasks::Scheduler& scheduler, std::span<const comm::RankId> neighbours = {},
            const MigrationOptions& options = {})
      : MigrationBase(world, scheduler, neighbours, base::schema_of<T>(), false, options) {}

  /// Takes a copy of an element that leaves. @param id  no two of all that leave have the same
  void leave(comm::RankId owner, std::uint64_t id, const T& element) {
    core_.leave(owner, id, detail::bytes_of(element), {});
  }
  /// Sends what has left. All ranks call it. @param take  (const T&) of each element that has come
  /// @throws base::Error if what has come is not what has left; comm::PeerError that names a rank that is lost
  template <class Take>
  void finish(Take&& take) {
    core_.finish();
    for (const auto& one : core_.arrived()) {
      T element;
      std::memcpy(&element, one.data, sizeof(T));
      take(element);
    }
  }
  /// Removes the elements that have another owner, and puts those that have come behind the others, which keep their
  /// order. All ranks call it. @throws as `finish`; base::PreconditionError and what `owner_of` throws, before anything
  /// is changed
  /// @param owner_of  (const T&) -> comm::RankId   @param id_of  (const T&) -> std::uint64_t
  template <class OwnerOf, class IdOf>
  void migrate(std::vector<T>& elements, OwnerOf&& owner_of, IdOf&& id_of) {
    owners_.clear();
    for (const T& element : elements) {
      owners_.push_back(owner_of(element));
      if (owners_.back() != own_) core_.require_rank(owners_.back(), id_of(element));
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (owners_[i] == own_) {
        elements[kept++] = elements[i];
      } else {
        leave(owners_[i], id_of(elements[i]), elements[i]);
      }
    }
    elements.resize(kept);
    finish([&elements](const T& element) { elements.push_back(element); });
  }

 private:
  comm::RankId own_ = core_.own();
  std::vector<comm::RankId> owners_;  // while elements migrate
};

/// Elements that have a head of one type and a tail of bytes, as many as each wants.
///
///     exchange::RecordMigration<BlockHead> migration(world, scheduler, neighbours);
///     migration.leave(owner, number, head, std::as_bytes(std::span(values)));
///     migration.finish([&](std::uint64_t number, const BlockHead& head, std::span<const std::byte> tail) { ... });
template <base::Described Head>
class RecordMigration : public MigrationBase {
 public:
  RecordMigration(comm::Communicator& world, tasks::Scheduler& scheduler, std::span<const comm::RankId> neighbours = {},
                  const MigrationOptions& options = {})
      : MigrationBase(world, scheduler, neighbours, base::schema_of<Head>(), true, options) {}

  /// Takes a copy of an element that leaves. @param id  no two of all that leave have the same
  void leave(comm::RankId owner, std::uint64_t id, const Head& head, std::span<const std::byte> tail) {
    core_.leave(owner, id, detail::bytes_of(head), tail);
  }
  /// Sends what has left. All ranks call it. @throws as Migration::finish
  /// @param take  (std::uint64_t id, const Head&, std::span<const std::byte> tail) of each element that has come; the
  ///              tail is aligned like a double, and gone with the next `leave`
  template <class Take>
  void finish(Take&& take) {
    core_.finish();
    for (const auto& one : core_.arrived()) {
      Head head;
      std::memcpy(&head, one.data, sizeof(Head));
      constexpr std::size_t begin = detail::MigrationCore::padded(sizeof(Head));
      take(one.id, head, std::span<const std::byte>(one.data + begin, one.bytes - begin));
    }
  }
};

}  // namespace tacit::exchange

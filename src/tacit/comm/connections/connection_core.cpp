// Announces windows, and compares them with those of the peer.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/connections/connection_core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tacit/comm/connections/communicator_core.hpp"
#include "tacit/comm/connections/rendezvous.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::comm::detail {
namespace {

constexpr Direction opposite(Direction direction) {
  return direction == Direction::send ? Direction::receive : Direction::send;
}
constexpr std::uint32_t code(Direction direction) { return static_cast<std::uint32_t>(direction); }
constexpr const char* verb(Direction direction) { return direction == Direction::send ? "sends" : "receives"; }
constexpr const char* plural_verb(Direction direction) { return direction == Direction::send ? "send" : "receive"; }

std::string what(const Elements& elements, std::uint32_t depth) {
  return fmt::format("{} {} of {} B, depth {}", elements.count, elements.type.data(), elements.bytes, depth);
}

}  // namespace

ConnectionCore::ConnectionCore(CommunicatorCore& communicator, const Target& target)
    : communicator_(&communicator),
      target_(target),
      provider_(communicator.choose(target)),  // first: a connection that cannot be has no number
      id_(communicator.next_connection(target)),
      link_(communicator.connect(provider_, target.rank)) {}

ConnectionCore::~ConnectionCore() {
  communicator_->release_later({target_.rank}, id_, std::move(link_), is_open_ || theirs_, closed_);
}

std::string ConnectionCore::title() const {
  const auto sequence = static_cast<std::uint32_t>(id_);
  if (target_.key == 0) return fmt::format("connection {}", sequence);
  return fmt::format("connection {} of key {}", sequence, target_.key);
}

std::string ConnectionCore::describe() const {
  return fmt::format("{} with {} through {}", title(), comm::describe(communicator_->rank(target_.rank)),
                     name(provider_));
}

std::uint32_t ConnectionCore::next_index(Direction direction) const {
  if (is_open_) {
    throw base::Error(fmt::format("{}: {} is in use already; all its windows are made before",
                                  comm::describe(communicator_->own()), describe()));
  }
  return windows_[code(direction)];
}

void ConnectionCore::add(WindowEnd& end, Direction direction, const Elements& elements, const Blob& blob) {
  announce(*communicator_, target_.rank, setup_key(id_, About::window, code(direction), end.spec().index),
           Description{elements, end.spec().depth, provider_, blob});
  entries_.push_back({.end = &end, .direction = direction, .elements = elements});
  ++windows_[code(direction)];
}

void ConnectionCore::remove(const WindowEnd& end) noexcept {
  std::erase_if(entries_, [&end](const Entry& entry) { return entry.end == &end; });
}

/// The peer's summary, once it has come: does it have as many windows?
void ConnectionCore::check_summary() {
  if (theirs_) return;
  theirs_ = find_announced<Summary>(*communicator_, target_.rank, setup_key(id_, About::record));
  if (!theirs_) return;
  const std::string mine = comm::describe(communicator_->own());
  const std::string other = comm::describe(communicator_->rank(target_.rank));
  if (theirs_->provider != provider_) {
    throw MismatchError(fmt::format("{}: {} connects through {}, {} through {}", title(), mine, name(provider_), other,
                                    name(theirs_->provider)));
  }
  for (const Direction direction : {Direction::send, Direction::receive}) {
    const std::uint32_t ours = windows_[code(direction)];
    const std::uint32_t others = theirs_->windows[code(opposite(direction))];
    if (ours == others) continue;
    throw MismatchError(fmt::format("{}: {} has {} windows that {}, {} has {} that {}", title(), mine, ours,
                                    plural_verb(direction), other, others, plural_verb(opposite(direction))));
  }
}

void ConnectionCore::check(const Entry& entry) const {
  const Description& theirs = *entry.theirs;
  const Elements& a = entry.elements;
  const Elements& b = theirs.elements;
  const bool is_same = a.count == b.count && a.bytes == b.bytes && a.type == b.type &&
                       entry.end->spec().depth == theirs.depth && provider_ == theirs.provider;
  if (is_same) return;
  throw MismatchError(fmt::format("{}, window {}: {} {} {} through {}, {} {} {} through {}", title(),
                                  entry.end->spec().index, comm::describe(communicator_->own()), verb(entry.direction),
                                  what(a, entry.end->spec().depth), name(provider_),
                                  comm::describe(communicator_->rank(target_.rank)), verb(opposite(entry.direction)),
                                  what(b, theirs.depth), name(theirs.provider)));
}

void ConnectionCore::await_description(Entry& entry) {
  const Direction direction = opposite(entry.direction);
  const std::uint32_t index = entry.end->spec().index;
  const SetupKey key = setup_key(id_, About::window, code(direction), index);
  await_announced(
      *communicator_, {target_.rank},
      [&](RankId peer) {
        entry.theirs = find_announced<Description>(*communicator_, peer, key);
        if (!entry.theirs) check_summary();
        return entry.theirs.has_value();
      },
      [&] { return fmt::format("window {} of {}, which {}", index, title(), verb(direction)); });
}

void ConnectionCore::join(const Entry& entry) {
  try {
    map_or_tell_loss(
        *communicator_, target_.rank, [&] { entry.end->join(link_, entry.theirs->blob); },
        [this] { return "the memory of " + describe(); });
  } catch (MismatchError& error) {
    error.add_context(fmt::format("{}: {}", comm::describe(communicator_->own()), describe()));
    throw;
  }
}

/// The other end, on another thread, may be gone, and its memory with it. It says so before it asks whether we have
/// begun to open, and we ask when we have said that: one of us learns it from the other.
void ConnectionCore::require_not_closed() {
  // In another process what we have mapped stays.
  const bool is_thread = communicator_->rank(target_.rank).process == communicator_->own().process;
  if (!is_thread || target_.rank == communicator_->own().rank) return;
  const SetupKey closed = setup_key(id_, About::closed);
  if (!closed_) closed_ = find_announced<std::uint64_t>(*communicator_, target_.rank, closed);
  if (!closed_) return;
  throw PeerError(fmt::format("{}: {} has ended {} before it was used", comm::describe(communicator_->own()),
                              comm::describe(communicator_->rank(target_.rank)), title()));
}

void ConnectionCore::open() {
  if (is_open_) return;
  announce(*communicator_, target_.rank, setup_key(id_, About::record), Summary{windows_, provider_});
  for (Entry& entry : entries_) {
    if (!entry.theirs) await_description(entry);
    check(entry);
  }
  require_not_closed();
  for (const Entry& entry : entries_) join(entry);
  is_open_ = true;
}

}  // namespace tacit::comm::detail

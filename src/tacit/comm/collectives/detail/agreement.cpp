// Compares what ranks say of a collective.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/collectives/detail/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>

#include "tacit/comm/connections/wait.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::comm::detail {
namespace {

/// FNV-1a: the same on all ranks, as std::hash need not be.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3U;
  return text.empty() ? 0 : hash;
}

/// As far as the other one says the same, it is left out.
std::string words_of(const Agreement& a, const Agreement& other) {
  std::string text =
      fmt::format("{} of {} {} of {} B", a.kind.data(), a.elements.count, a.elements.type.data(), a.elements.bytes);
  if (a.root != other.root && a.root != Agreement::no_root) text += fmt::format(" with root {}", a.root);
  if (a.function != other.function) text += fmt::format(" with function {:016x}", a.function);
  if (a.pattern != other.pattern) {
    text += a.pattern == static_cast<std::uint32_t>(Pattern::flat) ? ", flat" : ", by nodes";
  }
  if (a.copying != other.copying && a.copying == static_cast<std::uint32_t>(Copying::by_sender)) {
    text += ", copied by senders";
  }
  if (a.leaders != other.leaders) text += fmt::format(" with {} leaders", a.leaders);
  return text;
}

/// Its own number among those of the collective's connections, which count from 0.
constexpr SetupKey key_of(std::uint32_t key) {
  return setup_key(std::uint64_t{key} << 32U | 0xFFFFFFFFU, About::agreement);
}

}  // namespace

Agreement make_agreement(const CommunicatorCore& communicator, std::string_view kind, const Elements& elements,
                         const CollectiveOptions& options, std::optional<RankId> root, std::string_view function) {
  if (root && number(*root) >= communicator.ranks().size()) {
    throw base::Error(fmt::format("{}: rank {} cannot be the root of this {}: there are {}",
                                  comm::describe(communicator.own()), number(*root), kind,
                                  communicator.ranks().size()));
  }
  Agreement agreement{.elements = elements,
                      .leaders = options.leaders,
                      .pattern = static_cast<std::uint32_t>(options.pattern),
                      .root = root ? number(*root) : Agreement::no_root,
                      .function = hash_of(function)};
  std::copy_n(kind.begin(), std::min(kind.size(), agreement.kind.size() - 1), agreement.kind.begin());
  return agreement;
}

void require_alike(const CommunicatorCore& communicator, const Agreement& mine, RankId peer, const Agreement& theirs) {
  if (mine == theirs) return;
  throw MismatchError(fmt::format("{} makes {}, {} makes {}", comm::describe(communicator.own()),
                                  words_of(mine, theirs), comm::describe(communicator.rank(peer)),
                                  words_of(theirs, mine)));
}

std::string describe(const Agreement& agreement, std::uint32_t key) {
  constexpr std::uint32_t number_mask = 0x7FFFFFFFU;
  return fmt::format("{} {} of {} {} of {} B", agreement.kind.data(), key & number_mask, agreement.elements.count,
                     agreement.elements.type.data(), agreement.elements.bytes);
}

void throw_not_made(const CommunicatorCore& communicator, RankId peer, const Agreement& mine, std::uint32_t key) {
  const std::string what = fmt::format("{} to make {}", comm::describe(communicator.rank(peer)), describe(mine, key));
  throw_if_gone(communicator, peer, what);
  throw DeadlineError(fmt::format("{}: waited {} s for {}", comm::describe(communicator.own()),
                                  communicator.options().setup_deadline_s, what));
}

Circle::Circle(CommunicatorCore& communicator, std::uint32_t key, const Agreement& mine)
    : communicator_(&communicator), key_(key), mine_(mine) {
  for (const RankId peer : neighbours()) {
    communicator.bootstrap().send(peer, key_of(key), bytes_of(mine_));
  }
}

std::vector<RankId> Circle::neighbours() const {
  const auto size = static_cast<std::uint32_t>(communicator_->ranks().size());
  const std::uint32_t own = number(communicator_->own().rank);
  if (size == 1) return {};
  if (size == 2) return {RankId{1 - own}};
  return {RankId{(own + 1) % size}, RankId{(own + size - 1) % size}};
}

/// Whether the peer has said the same. @throws MismatchError
bool Circle::has_agreed(RankId peer) const {
  const auto bytes = communicator_->bootstrap().try_receive(peer, key_of(key_));
  if (!bytes) return false;
  Agreement theirs;
  std::memcpy(&theirs, bytes->data(), std::min(bytes->size(), sizeof(theirs)));
  require_alike(*communicator_, mine_, peer, theirs);
  return true;
}

void Circle::check() const {
  const double deadline_s = communicator_->options().setup_deadline_s;
  Backoff backoff(Processors::shared, deadline_s, &communicator_->watch());
  for (std::vector<RankId> missing = neighbours();;) {
    // Asked first: what a rank has said before it left is there then.
    std::vector<RankId> impossible;
    std::ranges::copy_if(missing, std::back_inserter(impossible),
                         [this](RankId peer) { return has_left(*communicator_, peer); });
    std::erase_if(missing, [this](RankId peer) { return has_agreed(peer); });
    if (missing.empty()) return;
    for (const RankId peer : impossible) {
      if (std::ranges::find(missing, peer) != missing.end()) throw_not_made(*communicator_, peer, mine_, key_);
    }
    if (communicator_->engine().has_work()) communicator_->engine().progress();
    if (!backoff.pause()) throw_not_made(*communicator_, missing.front(), mine_, key_);
  }
}

}  // namespace tacit::comm::detail

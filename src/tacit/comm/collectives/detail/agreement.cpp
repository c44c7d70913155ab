// Compares what ranks say of a collective.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/collectives/detail/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tacit/comm/connections/rendezvous.hpp"
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

constexpr SetupKey key_of(std::uint32_t key) { return setup_key(setup_id(key), About::agreement); }

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
  return fmt::format("{} {} of {} {} of {} B", agreement.kind.data(), number_of_collective(key),
                     agreement.elements.count, agreement.elements.type.data(), agreement.elements.bytes);
}

Circle::Circle(CommunicatorCore& communicator, std::uint32_t key, const Agreement& mine)
    : communicator_(&communicator), key_(key), mine_(mine) {
  for (const RankId peer : neighbours()) announce(communicator, peer, key_of(key), mine_);
}

std::vector<RankId> Circle::neighbours() const {
  const auto size = static_cast<std::uint32_t>(communicator_->ranks().size());
  const std::uint32_t own = number(communicator_->own().rank);
  if (size == 1) return {};
  if (size == 2) return {RankId{1 - own}};
  return {RankId{(own + 1) % size}, RankId{(own + size - 1) % size}};
}

void Circle::check() const {
  await_announced(
      *communicator_, neighbours(),
      [this](RankId peer) {
        const auto theirs = find_announced<Agreement>(*communicator_, peer, key_of(key_));
        if (theirs) require_alike(*communicator_, mine_, peer, *theirs);
        return theirs.has_value();
      },
      [this] { return describe(mine_, key_); });
}

}  // namespace tacit::comm::detail

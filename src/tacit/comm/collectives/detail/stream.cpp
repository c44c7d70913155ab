// Makes the windows of a stream.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/collectives/detail/stream.hpp"

#include <algorithm>
#include <string>

#include "tacit/comm/connections/communicator_core.hpp"

namespace tacit::comm::detail {
namespace {

Elements elements_of_kind(std::string_view kind, std::size_t bytes) {
  Elements elements{.count = bytes, .bytes = 1};
  std::copy_n(kind.begin(), std::min(kind.size(), elements.type.size() - 1), elements.type.begin());
  return elements;
}

}  // namespace

Stream::Stream(CommunicatorCore& communicator, RankId peer, std::uint32_t key, std::string_view kind,
               std::optional<std::size_t> sends, std::optional<std::size_t> receives)
    : send_bytes_(sends.value_or(0)), connection_(communicator, {.rank = peer, .key = key}) {
  if (sends) send_.emplace(connection_, WindowSpec{.bytes = *sends}, elements_of_kind(kind, *sends));
  if (receives) receive_.emplace(connection_, WindowSpec{.bytes = *receives}, elements_of_kind(kind, *receives));
}

void Stream::open() {
  if (connection_.is_open()) return;
  connection_.open();
  if (receive_) grant();
}

bool Stream::is_usable_here() noexcept {
  const auto ask = [](const auto& end) noexcept { return end.is_usable_here(); };
  return (!send_ || dispatch(send_->raw(), ask)) && (!receive_ || dispatch(receive_->raw(), ask));
}

int Stream::error() const noexcept {
  const int sending = send_ ? send_->error() : 0;
  return sending != 0 || !receive_ ? sending : receive_->error();
}

std::string Stream::explain() const {
  if (send_ && send_->error() != 0) return send_->explain();
  return receive_ ? receive_->explain() : std::string();
}

}  // namespace tacit::comm::detail

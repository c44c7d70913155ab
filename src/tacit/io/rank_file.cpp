// Places what ranks append, and lets all know what failed on one of them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/rank_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/comm/collectives/broadcast.hpp"
#include "tacit/comm/collectives/gather.hpp"
#include "tacit/comm/collectives/reduce.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/io/detail/joint_file.hpp"

namespace tacit::io {
namespace {

/// What a rank has to append, and up to where it has written.
struct Mine {
  std::uint64_t bytes = 0;
  std::uint64_t end = 0;
};

/// What went wrong on a rank, whatever it was, without the path that errors begin with; empty if nothing did.
std::string failure_of(const std::filesystem::path& path, const std::function<void()>& what) {
  try {
    what();
  } catch (const std::exception& error) {
    const std::string text = error.what();
    const std::string before = path.string() + ": ";
    return text.starts_with(before) ? text.substr(before.size()) : text;
  }
  return {};
}

}  // namespace

struct RankFile::State {
  State(const std::filesystem::path& where, comm::Communicator& of) : path(where), ranks(of), file(where, &of) {}

  /// Ends the file on all ranks if any has failed.
  void agree(const std::string& failure) const;

  std::filesystem::path path;
  comm::Communicator& ranks;
  detail::JointFile file;
  std::uint64_t end = 0;  // up to which this rank has written, or all have
};

void RankFile::State::agree(const std::string& failure) const {
  constexpr auto none = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t failed = failure.empty() ? none : number(ranks.rank());
  comm::AllReduce<std::uint32_t>(ranks, std::span(&failed, 1), comm::Minimum{}).run();
  if (failed == none) return;
  std::array<char, 1024> text{};
  std::ranges::copy(std::string_view(failure).substr(0, text.size() - 1), text.begin());
  comm::Broadcast<char>(ranks, comm::RankId{failed}, text).run();
  throw base::SystemError(path.string(),
                          ranks.size() == 1 ? text.data() : fmt::format("rank {}: {}", failed, text.data()));
}

RankFile::RankFile(const std::filesystem::path& path, comm::Communicator& ranks)
    : state_(std::make_unique<State>(path, ranks)) {}

RankFile::~RankFile() = default;

void RankFile::write(std::uint64_t offset, std::span<const std::byte> bytes) noexcept {
  state_->file.share().write(offset, bytes);
  state_->end = std::max(state_->end, offset + bytes.size());
}

std::uint64_t RankFile::append(std::span<const std::byte> bytes) {
  const Mine mine{bytes.size(), state_->end};
  std::vector<Mine> all(state_->ranks.size());
  comm::AllGather<Mine>(state_->ranks, std::span(&mine, 1), all).run();
  std::uint64_t at = std::ranges::max(all, {}, &Mine::end).end;
  std::uint64_t end = at;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (rank < number(state_->ranks.rank())) at += all[rank].bytes;
    end += all[rank].bytes;
  }
  write(at, bytes);
  state_->end = end;
  return at;
}

std::uint64_t RankFile::commit() {
  State& state = *state_;
  comm::AllReduce<std::uint64_t>(state.ranks, std::span(&state.end, 1), comm::Maximum{}).run();
  state.agree(failure_of(state.path, [&] { state.file.leave(state.end); }));
  state.agree(failure_of(state.path, [&] { state.file.commit(state.end); }));
  return state.end;
}

}  // namespace tacit::io

// Places what ranks append, and lets all know what failed on one of them.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/rank_file.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "tacit/comm/collectives/gather.hpp"
#include "tacit/comm/collectives/reduce.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/io/detail/joint_file.hpp"
#include "tacit/io/detail/rank_failure.hpp"

namespace tacit::io {
namespace {

/// What a rank has to append, and up to where it has written.
struct Mine {
  std::uint64_t bytes = 0;
  std::uint64_t end = 0;
};

}  // namespace

struct RankFile::State {
  State(const std::filesystem::path& name, comm::Communicator& of, detail::HiddenFolder in)
      : folder(std::move(in)), path(folder.shown / name), ranks(of), file(folder.now / name, &of) {}

  /// Ends the file on all ranks if any has failed.
  void agree(const std::function<void()>& what) const {
    detail::agree_on_failure(ranks, path, detail::failure_of(path, folder, what));
  }

  detail::HiddenFolder folder;
  std::filesystem::path path;
  comm::Communicator& ranks;
  detail::JointFile file;
  std::uint64_t end = 0;  // up to which this rank has written, or all have
};

RankFile::RankFile(const std::filesystem::path& path, comm::Communicator& ranks)
    : state_(std::make_unique<State>(path, ranks, detail::HiddenFolder{})) {}

RankFile::RankFile(const std::filesystem::path& name, comm::Communicator& ranks, const detail::HiddenFolder& folder)
    : state_(std::make_unique<State>(name, ranks, folder)) {}

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
  state.agree([&] { state.file.leave(state.end); });
  state.agree([&] { state.file.commit(state.end); });
  return state.end;
}

}  // namespace tacit::io

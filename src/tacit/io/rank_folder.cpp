// Tells all ranks the name of the hidden folder.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/rank_folder.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>

#include "tacit/base/error.hpp"
#include "tacit/comm/collectives/broadcast.hpp"
#include "tacit/comm/communicator.hpp"
#include "tacit/io/detail/atomic_write.hpp"
#include "tacit/io/detail/rank_failure.hpp"
#include "tacit/io/detail/whole_folder.hpp"

namespace tacit::io {

struct RankFolder::State {
  State(const std::filesystem::path& path, comm::Communicator& of);

  /// Has the first rank do something in the folder. @throws base::SystemError on all ranks if that fails
  void do_once(const std::filesystem::path& path, const std::function<void()>& what) const;

  detail::HiddenFolder folder;
  comm::Communicator& ranks;
  std::optional<detail::WholeFolder> whole;  // of the first rank
};

RankFolder::State::State(const std::filesystem::path& path, comm::Communicator& of)
    : folder{.shown = path, .now = {}}, ranks(of) {
  std::array<char, 256> name{};
  do_once(path, [&] {
    const std::string made = whole.emplace(path).temporary().filename().string();
    TACIT_EXPECT(made.size() < name.size());
    std::ranges::copy(made, name.begin());
  });
  comm::Broadcast<char>(ranks, comm::RankId{0}, name).run();
  folder.now = detail::directory_of(path) / name.data();
}

void RankFolder::State::do_once(const std::filesystem::path& path, const std::function<void()>& what) const {
  const bool is_first = ranks.rank() == comm::RankId{0};
  detail::agree_on_failure(ranks, path, is_first ? detail::failure_of(path, folder, what) : std::string());
}

RankFolder::RankFolder(const std::filesystem::path& path, comm::Communicator& ranks)
    : state_(std::make_unique<State>(path, ranks)) {}

RankFolder::~RankFolder() = default;

void RankFolder::make(const std::filesystem::path& name) {
  state_->do_once(state_->folder.shown / name, [&] { state_->whole->make(name); });
}

RankFile RankFolder::file(const std::filesystem::path& name) { return {name, state_->ranks, state_->folder}; }

void RankFolder::commit() {
  state_->do_once(state_->folder.shown, [&] { state_->whole->commit(); });
}

}  // namespace tacit::io

// Tells all ranks the name of the hidden file.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/detail/joint_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <string>

#include "tacit/base/error.hpp"
#include "tacit/comm/collectives/broadcast.hpp"
#include "tacit/comm/communicator.hpp"

namespace tacit::io::detail {
namespace {

/// The hidden file, as the first rank says it to all.
struct Made {
  std::array<char, 256> name{};
  int code = 0;  // errno of why it could not be made
};

}  // namespace

/// What making it throws is for later: the other ranks wait to hear of the file.
JointFile::JointFile(const std::filesystem::path& target, comm::Communicator* ranks) {
  Made made;
  if (ranks == nullptr || ranks->rank() == comm::RankId{0}) {
    try {
      whole_ = std::make_unique<WholeFile>(target);
      const std::string name = whole_->temporary().filename().string();
      TACIT_EXPECT(name.size() < made.name.size());
      std::ranges::copy(name, made.name.begin());
      made.code = whole_->code();
    } catch (...) {
      failure_ = std::current_exception();
      made.code = EEXIST;
    }
  }
  if (ranks != nullptr) comm::Broadcast<Made>(*ranks, comm::RankId{0}, std::span(&made, 1)).run();
  share_ = std::make_unique<WholeFile>(target, directory_of(target) / made.name.data(), made.code);
}

void JointFile::leave(std::uint64_t size) {
  if (failure_) std::rethrow_exception(failure_);
  share_->sync(size);
  share_->leave(size);
}

void JointFile::commit(std::uint64_t size) {
  if (whole_) whole_->commit(size);
}

}  // namespace tacit::io::detail

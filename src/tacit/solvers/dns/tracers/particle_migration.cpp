// Rounds of tracers from all to all.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/tracers/particle_migration.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace tacit::dns {
namespace {

/// Comes before the tracers of a block.
struct Header {
  std::uint64_t count = 0;
  std::uint64_t has_more = 0;  ///< whether the sender has tracers left that did not fit
};

/// Some 600 kB for all blocks, however many ranks there are, but room for at least a few.
std::size_t room_for(std::size_t ranks) { return std::clamp<std::size_t>(4096 / ranks, 4, 64); }

}  // namespace

ParticleMigration::ParticleMigration(comm::Communicator& ranks)
    : ranks_(ranks),
      room_(room_for(ranks.size())),
      block_(sizeof(Header) + room_ * sizeof(Tracer)),
      leaving_(ranks.size()) {
  if (ranks.size() > 1) exchange_.emplace(ranks, block_);
}

void ParticleMigration::migrate(std::vector<Tracer>& tracers,
                                const std::function<std::size_t(const Tracer&)>& rank_of) {
  if (ranks_.size() == 1) return;
  const std::size_t own = number(ranks_.rank());
  std::size_t kept = 0;
  for (const Tracer& tracer : tracers) {
    const std::size_t rank = rank_of(tracer);
    if (rank == own) {
      tracers[kept++] = tracer;
    } else {
      leaving_[rank].push_back(tracer);
    }
  }
  tracers.resize(kept);
  while (exchange_round(tracers)) {
  }
}

bool ParticleMigration::exchange_round(std::vector<Tracer>& tracers) {
  const bool has_more = std::ranges::any_of(leaving_, [&](const auto& some) { return some.size() > room_; });
  std::byte* to = exchange_->input().data();
  for (std::vector<Tracer>& some : leaving_) {
    const std::size_t count = std::min(some.size(), room_);
    const Header header{.count = count, .has_more = has_more ? 1U : 0U};
    std::memcpy(to, &header, sizeof(Header));
    if (count > 0) std::memcpy(to + sizeof(Header), some.data() + (some.size() - count), count * sizeof(Tracer));
    some.resize(some.size() - count);
    to += block_;
  }
  exchange_->run();
  bool others_have_more = false;
  const std::byte* from = exchange_->output().data();
  for (std::size_t rank = 0; rank < leaving_.size(); ++rank, from += block_) {
    Header header;
    std::memcpy(&header, from, sizeof(Header));
    others_have_more = others_have_more || header.has_more != 0;
    const std::size_t before = tracers.size();
    tracers.resize(before + header.count);
    if (header.count > 0) std::memcpy(tracers.data() + before, from + sizeof(Header), header.count * sizeof(Tracer));
  }
  return others_have_more;
}

}  // namespace tacit::dns

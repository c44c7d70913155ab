// Fingerprints by the xxHash library; the only file that sees it.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/base/checksum.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <cerrno>
#include <fstream>
#include <memory>
#include <vector>

#include "tacit/base/error.hpp"

namespace tacit::base {
namespace {

std::string to_hex(const XXH128_hash_t& hash) { return fmt::format("{:016x}{:016x}", hash.high64, hash.low64); }

}  // namespace

std::string checksum(std::span<const std::byte> bytes) { return to_hex(XXH3_128bits(bytes.data(), bytes.size())); }

std::string file_checksum(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw SystemError(path.string(), "cannot be opened for reading", errno);
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), &XXH3_freeState);
  XXH3_128bits_reset(state.get());
  std::vector<char> piece(1 << 20);
  while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) || file.gcount() > 0) {
    XXH3_128bits_update(state.get(), piece.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) throw SystemError(path.string(), "cannot be read", errno);
  return to_hex(XXH3_128bits_digest(state.get()));
}

std::uint64_t hash(std::span<const std::byte> bytes) noexcept { return XXH3_64bits(bytes.data(), bytes.size()); }

struct Hash::State {
  XXH3_state_t library;
};

Hash::Hash() : state_(std::make_unique<State>()) { XXH3_64bits_reset(&state_->library); }
Hash::~Hash() = default;

void Hash::add(std::span<const std::byte> bytes) noexcept {
  XXH3_64bits_update(&state_->library, bytes.data(), bytes.size());
}

std::uint64_t Hash::value() const noexcept { return XXH3_64bits_digest(&state_->library); }

}  // namespace tacit::base

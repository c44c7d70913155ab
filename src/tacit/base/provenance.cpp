// Collects version, compiler, host and user.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/base/provenance.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <ctime>

#include "tacit_build_info.hpp"  // generated at every build by cmake/BuildInfo.cmake

namespace tacit::base {
namespace {

std::string compiler_name() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string user_name() {
  for (const char* variable : {"USER", "LOGNAME"}) {
    if (const char* name = std::getenv(variable); name != nullptr) return name;
  }
  return fmt::format("uid {}", ::getuid());
}

}  // namespace

Provenance provenance() {
  return {build_info::version,
          build_info::commit,
          compiler_name(),
          build_info::flags,
          host_name(),
          user_name(),
          fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))};
}

}  // namespace tacit::base

// SWIFT beside our figures: run where the environment names it, else what it once did.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "framework/benchmark.hpp"

namespace tacit::bench {

/// Runs SWIFT and adds its updates per core and second as a peer, where TACIT_SWIFT_<SCHEME> names a program built for
/// the scheme and TACIT_SWIFT_YML the parameters of kh_64; else does nothing.
/// @throws base::SystemError where they are named but do not run
void add_swift(Session& session, Result& result, const std::string& scheme, std::size_t threads);

/// What SWIFT v2026.04 did on another day on a machine of the kind that the limits are for: figures of their own, which
/// are no peers, because they were not measured in this run.
void add_recorded_swift(Session& session);

}  // namespace tacit::bench

// The model of steps on many ranks as text and JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "commands.hpp"

namespace tacit::apps {

/// Predicts steps of a run on one rank for many ranks. @see placement/step_model.hpp
/// @throws base::FormatError, base::SystemError, config::Error that name the file
[[nodiscard]] std::string trace_model(const TraceArguments& arguments);

}  // namespace tacit::apps

// What goes wrong on one rank while several write together, said by all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace tacit::comm {
class Communicator;
}

namespace tacit::io::detail {

/// A folder that has another name until it is complete.
struct HiddenFolder {
  std::filesystem::path shown;  ///< as errors are to name it
  std::filesystem::path now;    ///< empty: there is none
};

/// What `what` throws, without the path that errors begin with; empty if it throws nothing.
/// @param path    as errors are to name it
/// @param folder  that it is in
[[nodiscard]] std::string failure_of(const std::filesystem::path& path, const HiddenFolder& folder,
                                     const std::function<void()>& what);

/// All ranks call it. @param failure  of this rank; empty: it has none
/// @throws base::SystemError on all of them if any has failed: the first of these, and why
void agree_on_failure(comm::Communicator& ranks, const std::filesystem::path& path, const std::string& failure);

}  // namespace tacit::io::detail

// Writes beside the target and renames.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/trace/detail/pending_file.hpp"

#include <cerrno>
#include <system_error>

#include "tacit/base/error.hpp"

namespace tacit::trace::detail {

PendingFile::PendingFile(const std::filesystem::path& path)
    : path_(path), partial_(path.string() + ".partial"), file_(std::fopen(partial_.c_str(), "wb"), &std::fclose) {
  if (!file_) fail("cannot create the trace; check that the folder exists and may be written");
}

PendingFile::~PendingFile() {
  file_.reset();
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);  // is gone after commit
}

void PendingFile::append(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail("cannot write the trace");
}

void PendingFile::commit() {
  if (std::fclose(file_.release()) != 0) fail("cannot finish the trace");
  if (std::rename(partial_.c_str(), path_.c_str()) != 0) fail("cannot move the trace to its place");
}

void PendingFile::fail(const char* what) const { throw base::SystemError(path_.string(), what, errno); }

}  // namespace tacit::trace::detail

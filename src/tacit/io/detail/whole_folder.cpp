// Makes, renames and removes the temporary folder.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/detail/whole_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

#include "tacit/base/disk.hpp"
#include "tacit/base/error.hpp"
#include "tacit/io/detail/atomic_write.hpp"

namespace tacit::io::detail {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_folder(const fs::path& path, const std::string& what, int code) {
  throw base::SystemError(path.string(), what + "; " + base::advice(code, base::directory_of(path)), code);
}

/// What has the name of a folder, or of a link to one, may be replaced; a link is, not what it leads to.
bool may_replace(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

/// @return 0 or an errno
int rename_over(const fs::path& from, const fs::path& to) {
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

/// Puts a folder in place of another one, which gets the name of the first. Where the file system cannot exchange the
/// two there is none for a moment. @return 0 or an errno
int exchange_folders(const fs::path& fresh, const fs::path& old) {
  if (::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, old.c_str(), RENAME_EXCHANGE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP) return errno;
  const fs::path aside = temporary_name(old);
  if (const int code = rename_over(old, aside); code != 0) return code;
  if (const int code = rename_over(fresh, old); code != 0) {
    static_cast<void>(rename_over(aside, old));
    return code;
  }
  return rename_over(aside, fresh);
}

}  // namespace

WholeFolder::WholeFolder(fs::path target) : target_(std::move(target)) {
  if (is_there(target_) && !may_replace(target_)) {
    throw base::SystemError(target_.string(), "cannot be made: a file has this name; choose another name");
  }
  do {
    temporary_ = temporary_name(target_);
    if (::mkdir(temporary_.c_str(), 0777) == 0) return;
  } while (errno == EEXIST);
  fail_folder(target_, "cannot be made", errno);
}

WholeFolder::~WholeFolder() {
  std::error_code ignored;
  fs::remove_all(temporary_, ignored);
}

void WholeFolder::make(const fs::path& name) {
  if (::mkdir((temporary_ / name).c_str(), 0777) != 0) fail_folder(target_ / name, "cannot be made", errno);
}

void WholeFolder::commit() {
  int code = sync_directory(temporary_);
  if (code == 0) {
    code = is_there(target_) ? exchange_folders(temporary_, target_) : rename_over(temporary_, target_);
  }
  if (code == 0) code = sync_directory(base::directory_of(target_));
  if (code != 0) fail_folder(target_, "cannot be completed", code);
}

}  // namespace tacit::io::detail

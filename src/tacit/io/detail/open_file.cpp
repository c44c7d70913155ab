// Says what is wrong with a path before the library is asked to open it.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>

#include "tacit/base/error.hpp"
#include "tacit/io/detail/hdf5.hpp"
#include "tacit/io/file.hpp"

namespace tacit::io::detail {
namespace {

namespace fs = std::filesystem;
using base::FormatError;

herr_t refuse_link(const char*, const char*, const char*, const char*, unsigned*, hid_t, void*) { return -1; }

// HDF5 allows the signature at 0, 512, 1024, 2048, ...; its own check does not tell "not HDF5" from "cannot be read".
bool has_signature(int file, std::uint64_t size) {
  constexpr std::array<char, 8> signature{'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
  for (std::uint64_t offset = 0; offset + signature.size() <= size; offset = offset == 0 ? 512 : offset * 2) {
    std::array<char, 8> bytes{};
    if (::pread(file, bytes.data(), bytes.size(), static_cast<off_t>(offset)) != 8) return false;
    if (bytes == signature) return true;
  }
  return false;
}

void check_before_opening(const fs::path& path) {
  const std::string name = path.string();
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    const int code = errno;
    std::error_code ignored;
    const bool is_link = code == ENOENT && fs::is_symlink(path, ignored);
    if (is_link) throw base::SystemError(name, "is a link to " + fs::read_symlink(path, ignored).string(), code);
    throw base::SystemError(name, "cannot be opened for reading", code);
  }
  if (S_ISDIR(status.st_mode)) throw base::SystemError(name, "is a directory, expected an HDF5 file");
  if (!S_ISREG(status.st_mode)) throw base::SystemError(name, "is no regular file, expected an HDF5 file");
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw base::SystemError(name, "cannot be opened for reading", errno);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  const bool is_hdf5 = has_signature(file, size);
  ::close(file);
  if (size == 0) throw FormatError(name, "is empty, expected an HDF5 file");
  if (!is_hdf5) throw FormatError(name, "is not an HDF5 file");
}

}  // namespace

Properties link_access() {
  Properties access(H5Pcreate(H5P_LINK_ACCESS));
  H5Pset_elink_cb(access.get(), refuse_link, nullptr);
  return access;
}

File open_file(const fs::path& path) {
  check_before_opening(path);
  const Properties access(H5Pcreate(H5P_FILE_ACCESS));
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access.get(), 0, 1);  // what we read is never rewritten in place, and locks fail on some networks
#endif
  File file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()));
  if (file) return file;
  // Said here, before the properties are closed: any call to the library makes it forget the reason.
  throw FormatError(path.string(), "is a truncated or damaged HDF5 file (" + failure_reason() + ")");
}

}  // namespace tacit::io::detail

namespace tacit::io {

void require_hdf5(const std::filesystem::path& path) { detail::check_before_opening(path); }

}  // namespace tacit::io

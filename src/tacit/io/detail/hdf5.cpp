// The lock around the HDF5 library and the translation of its error stack.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/detail/hdf5.hpp"

namespace tacit::io::detail {
namespace {

// Before main, since the library heeds it only as its first call: it shall do nothing when the process ends. Of a file
// that could not be closed it has kept what it has freed, and would trip over it then. All of ours are closed before.
[[maybe_unused]] const herr_t leaves_the_end_alone = H5dont_atexit();

std::recursive_mutex& library_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

// Walking upward starts at the function that failed first; only that one knows why.
herr_t keep_innermost(unsigned depth, const H5E_error2_t* error, void* text) {
  if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
  return 0;
}

}  // namespace

Session::Session() : lock_(library_mutex()) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  H5Eclear2(H5E_DEFAULT);
}

hid_t native_type(Number type) {
  switch (type) {
    case Number::float32:
      return H5T_NATIVE_FLOAT;
    case Number::int8:
      return H5T_NATIVE_INT8;
    case Number::int16:
      return H5T_NATIVE_INT16;
    case Number::int32:
      return H5T_NATIVE_INT32;
    case Number::int64:
      return H5T_NATIVE_INT64;
    case Number::uint8:
      return H5T_NATIVE_UINT8;
    case Number::uint16:
      return H5T_NATIVE_UINT16;
    case Number::uint32:
      return H5T_NATIVE_UINT32;
    case Number::uint64:
      return H5T_NATIVE_UINT64;
    default:
      return H5T_NATIVE_DOUBLE;
  }
}

std::string failure_reason() {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, &reason);
  return reason.empty() ? "unknown reason" : reason;
}

}  // namespace tacit::io::detail

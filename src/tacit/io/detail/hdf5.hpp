// RAII handles of HDF5 identifiers, the lock around the library, its error messages; private to the io layer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hdf5.h>

#include <mutex>
#include <string>
#include <utility>

#include "tacit/io/file.hpp"

namespace tacit::io::detail {

/// Owns one HDF5 identifier and closes it with `close`; a negative identifier owns nothing.
template <herr_t (*close)(hid_t)>
class Hid {
 public:
  Hid() = default;
  explicit Hid(hid_t id) noexcept : id_(id) {}
  Hid(Hid&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Hid& operator=(Hid&& other) noexcept {
    if (this != &other) {
      reset();
      id_ = std::exchange(other.id_, -1);
    }
    return *this;
  }
  Hid(const Hid&) = delete;
  Hid& operator=(const Hid&) = delete;
  ~Hid() { reset(); }

  [[nodiscard]] explicit operator bool() const noexcept { return id_ >= 0; }
  [[nodiscard]] hid_t get() const noexcept { return id_; }
  void reset() noexcept {
    if (id_ >= 0) close(std::exchange(id_, -1));
  }

 private:
  hid_t id_ = -1;
};

using File = Hid<H5Fclose>;
using Object = Hid<H5Oclose>;
using Array = Hid<H5Dclose>;
using Group = Hid<H5Gclose>;
using Attribute = Hid<H5Aclose>;
using Space = Hid<H5Sclose>;
using Type = Hid<H5Tclose>;
using Properties = Hid<H5Pclose>;

/// Held around every use of the library: it may be built without thread safety, and its habit of printing errors is
/// a setting of each thread. Recursive, so that public functions may call each other.
class Session {
 public:
  Session();

 private:
  std::unique_lock<std::recursive_mutex> lock_;
};

/// How this machine holds a number of that type.
[[nodiscard]] hid_t native_type(Number type);

/// What the library said about its latest failure, innermost reason first; "unknown reason" if it said nothing.
[[nodiscard]] std::string failure_reason();

}  // namespace tacit::io::detail

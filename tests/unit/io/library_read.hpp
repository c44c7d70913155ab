// Arrays as the HDF5 library itself reads them: the oracle of our reading.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hdf5.h>

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tacit/io/number.hpp"
#include "tacit/io/part.hpp"

namespace tacit::test {

/// How this machine holds numbers of a type.
template <class T>
hid_t library_type() {
  switch (io::number_type<T>()) {
    case io::Number::float32:
      return H5T_NATIVE_FLOAT;
    case io::Number::int8:
      return H5T_NATIVE_INT8;
    case io::Number::int16:
      return H5T_NATIVE_INT16;
    case io::Number::int32:
      return H5T_NATIVE_INT32;
    case io::Number::int64:
      return H5T_NATIVE_INT64;
    case io::Number::uint8:
      return H5T_NATIVE_UINT8;
    case io::Number::uint16:
      return H5T_NATIVE_UINT16;
    case io::Number::uint32:
      return H5T_NATIVE_UINT32;
    case io::Number::uint64:
      return H5T_NATIVE_UINT64;
    default:
      return H5T_NATIVE_DOUBLE;
  }
}

/// Without locks, as a FileReader that may have it open: the library wants both alike.
inline hid_t library_open(const std::filesystem::path& path) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access, 0, 1);
#endif
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access);
  H5Pclose(access);
  return file;
}

/// A part of an array as numbers of type T; no numbers if the library cannot read it.
template <class T>
std::vector<T> library_read(const std::filesystem::path& path, const std::string& array, const io::Part& part) {
  const hid_t file = library_open(path);
  const hid_t set = H5Dopen2(file, array.c_str(), H5P_DEFAULT);
  const hid_t space = H5Dget_space(set);
  const std::vector<hsize_t> first(part.first.begin(), part.first.end());
  const std::vector<hsize_t> count(part.count.begin(), part.count.end());
  H5Sselect_hyperslab(space, H5S_SELECT_SET, first.data(), nullptr, count.data(), nullptr);
  std::vector<T> values(part.size());
  const hsize_t numbers = values.size();
  const hid_t memory = H5Screate_simple(1, &numbers, nullptr);
  const herr_t result = H5Dread(set, library_type<T>(), memory, space, H5P_DEFAULT, values.data());
  for (const hid_t id : {memory, space}) H5Sclose(id);
  H5Dclose(set);
  H5Fclose(file);
  return result < 0 ? std::vector<T>() : values;
}

/// A file made with the library itself, for what our writer never writes.
class LibraryFile {
 public:
  /// @param is_latest  in the newest format, whose metadata have checksums
  explicit LibraryFile(const std::filesystem::path& path, bool is_latest = false) {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (is_latest) H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
    file_ = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
  }
  ~LibraryFile() { H5Fclose(file_); }
  LibraryFile(const LibraryFile&) = delete;
  LibraryFile& operator=(const LibraryFile&) = delete;

  /// An array in chunks. @param filters  adds them to the properties. @param fill  writes into the array
  void array(const char* name, hid_t type, std::vector<hsize_t> shape, std::vector<hsize_t> chunk,
             const std::function<void(hid_t)>& filters, const std::function<void(hid_t)>& fill) const {
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    if (!chunk.empty()) H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
    filters(creation);
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t set = H5Dcreate2(file_, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    fill(set);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(creation);
  }

 private:
  hid_t file_;
};

/// Where the chunk with the element `first` is in the file.
inline haddr_t address_of_chunk(const std::filesystem::path& path, const std::string& array,
                                std::vector<hsize_t> first) {
  const hid_t file = library_open(path);
  const hid_t set = H5Dopen2(file, array.c_str(), H5P_DEFAULT);
  haddr_t address = 0;
  hsize_t bytes = 0;
  unsigned skipped = 0;
  H5Dget_chunk_info_by_coord(set, first.data(), &skipped, &address, &bytes);
  H5Dclose(set);
  H5Fclose(file);
  return address;
}

}  // namespace tacit::test

// Files made with the HDF5 library itself, for what our writer never writes, and what a reader says of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "scratch.hpp"
#include "tacit/base/error.hpp"
#include "tacit/io/file.hpp"

namespace tacit::test {

struct RawFile {
  explicit RawFile(const std::filesystem::path& path)
      : id(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
  ~RawFile() { H5Fclose(id); }
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;
  void array(const char* name, hid_t type, std::vector<hsize_t> dims, hid_t creation = H5P_DEFAULT,
             const void* values = nullptr) const {
    const hid_t space = H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr);
    const hid_t set = H5Dcreate2(id, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    if (values != nullptr) H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(set);
    H5Sclose(space);
  }
  hid_t id;
};

/// Properties of an array in chunks; closed by whoever asks.
inline hid_t in_chunks(std::vector<hsize_t> chunk, bool is_packed) {
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
  if (is_packed) H5Pset_deflate(creation, 4);
  return creation;
}

/// Of so many bits in so many bytes, from a bit on. Closed by whoever asks.
inline hid_t integer_type(hid_t base, std::size_t bytes, std::size_t bits, std::size_t first = 0) {
  const hid_t type = H5Tcopy(base);
  H5Tset_size(type, bytes);
  H5Tset_precision(type, bits);
  H5Tset_offset(type, first);
  return type;
}

/// A piece of a virtual array with one axis: a whole array of another file.
struct Piece {
  std::string file;
  std::string array;
  hsize_t first = 0;  ///< in the virtual array
  hsize_t step = 1;
  hsize_t count = 0;
};

inline void add_virtual(hid_t file, const char* name, hsize_t size, const std::vector<Piece>& pieces) {
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  for (const Piece& piece : pieces) {
    const hid_t there = H5Screate_simple(1, &piece.count, nullptr);
    const hid_t here = H5Screate_simple(1, &size, nullptr);
    H5Sselect_hyperslab(here, H5S_SELECT_SET, &piece.first, &piece.step, &piece.count, nullptr);
    H5Pset_virtual(creation, here, piece.file.c_str(), piece.array.c_str(), there);
    H5Sclose(here);
    H5Sclose(there);
  }
  const hid_t space = H5Screate_simple(1, &size, nullptr);
  H5Dclose(H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
  H5Sclose(space);
  H5Pclose(creation);
}

inline std::string read_error(const std::filesystem::path& path, const std::string& array, std::size_t count) {
  std::vector<double> values(count);
  return message_of<base::FormatError>([&] { io::FileReader(path).read(array, std::span(values)); });
}

}  // namespace tacit::test

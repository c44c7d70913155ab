// A virtual file driver of the HDF5 library on top of WholeFile.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/detail/hdf5.hpp"

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "tacit/io/detail/atomic_write.hpp"
#include "tacit/io/detail/pack.hpp"

namespace tacit::io::detail {
namespace {

/// The library's handle of an open file: its base part first.
struct Streamed {
  H5FD_t library{};
  StreamedTarget* target = nullptr;  // its size is what the library has laid out
  haddr_t end_of_data = 0;           // what it has written
};

Streamed& from(H5FD_t* file) { return *reinterpret_cast<Streamed*>(file); }
const Streamed& from(const H5FD_t* file) { return *reinterpret_cast<const Streamed*>(file); }

H5FD_t* open(const char*, unsigned, hid_t access, haddr_t) {
  auto* file = new (std::nothrow) Streamed;
  if (file == nullptr) return nullptr;
  file->target = *static_cast<StreamedTarget* const*>(H5Pget_driver_info(access));
  return &file->library;
}

herr_t close(H5FD_t* file) {
  Streamed* self = &from(file);
  self->target->closed = true;
  delete self;
  return 0;
}

herr_t query(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

haddr_t end_of_space(const H5FD_t* file, H5FD_mem_t) { return from(file).target->size; }

herr_t set_end_of_space(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  from(file).target->size = end;
  return 0;
}

/// Of arrays: a piece begins with a page and ends with one. Nothing else is ever put between its end and the page's.
haddr_t allocate(H5FD_t* file, H5FD_mem_t type, hid_t, hsize_t size) {
  StreamedTarget& target = *from(file).target;
  if (type != H5FD_MEM_DRAW) return std::exchange(target.size, target.size + size);
  if (target.place) return *std::exchange(target.place, std::nullopt);
  const hsize_t room = in_pages(size);
  if (room % page_bytes == 0) target.size = whole_pages(target.size);
  return std::exchange(target.size, target.size + room);
}

haddr_t end_of_data(const H5FD_t* file, H5FD_mem_t) { return from(file).end_of_data; }

herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, void* out) {
  from(file).target->file->read(address, {static_cast<std::byte*>(out), size});
  return 0;
}

herr_t write(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, const void* content) {
  Streamed& self = from(file);
  StreamedTarget& target = *self.target;
  if (content == target.piece.data() && size == target.piece.size()) {
    target.runs.push_back({address, target.pages});
    target.extents.push_back({address, target.pages.size(), target.pages_hash});
  } else {
    target.file->write(address, {static_cast<const std::byte*>(content), size});
  }
  self.end_of_data = std::max(self.end_of_data, address + size);
  return 0;
}

herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
  from(file).end_of_data = from(file).target->size;
  return 0;
}

H5FD_class_t make_driver() {
  H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 0)
  driver.version = H5FD_CLASS_VERSION;
  driver.value = 511;  // of the numbers that the library leaves to others' drivers
#endif
  driver.name = "streamed";
  driver.maxaddr = static_cast<haddr_t>(std::numeric_limits<std::int64_t>::max());
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.fapl_size = sizeof(StreamedTarget*);
  driver.open = open;
  driver.close = close;
  driver.query = query;
  driver.alloc = allocate;
  driver.get_eoa = end_of_space;
  driver.set_eoa = set_end_of_space;
  driver.get_eof = end_of_data;
  driver.read = read;
  driver.write = write;
  driver.truncate = truncate;
  return driver;  // its fl_map is all H5FD_MEM_DEFAULT: one kind of space for everything
}

using Driver = Hid<H5FDunregister>;

}  // namespace

Properties streamed_access(StreamedTarget& target) {
  const H5FD_class_t description = make_driver();
  const Driver driver(H5FDregister(&description));  // the properties, then the file, hold it from here on
  Properties access(H5Pcreate(H5P_FILE_ACCESS));
  const StreamedTarget* const info = &target;
  H5Pset_driver(access.get(), driver.get(), &info);
  // This format puts a checksum on every piece of metadata; HDF5 1.10 (2016) and later read it.
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  H5Pset_small_data_block_size(access.get(), 0);  // each array is put where it is to be, and nothing beside it
  return access;
}

}  // namespace tacit::io::detail

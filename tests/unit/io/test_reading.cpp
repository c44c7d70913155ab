// Arrays that are read without the library's filters are those that the library reads.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <random>
#include <tuple>
#include <vector>

#include "library_read.hpp"
#include "scratch.hpp"
#include "tacit/io/detail/pack.hpp"
#include "tacit/io/detail/stored_array.hpp"
#include "tacit/io/detail/unpack.hpp"
#include "tacit/io/file.hpp"
#include "tacit/io/output.hpp"
#include "tacit/io/verify.hpp"
#include "tacit/tasks/scheduler.hpp"
#include "tacit/trace/trace.hpp"
#include "unit/comm/ranks.hpp"

namespace tacit::io::reading_test {
namespace {

namespace fs = std::filesystem;
using Shape = std::vector<std::uint64_t>;

using Numbers = std::tuple<float, double, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                           std::uint16_t, std::uint32_t, std::uint64_t>;

template <class Visit>
void for_each_type(const Visit& visit) {
  std::apply([&](auto... zeros) { (visit(zeros), ...); }, Numbers{});
}

std::uint64_t size_of(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies{});
}

/// Any bytes, so that extreme numbers and all bits come; real numbers are finite, and most neighbours are alike.
template <class T>
std::vector<T> sample(std::size_t count) {
  std::mt19937_64 random(count);
  std::vector<T> values(count);
  for (T& value : values) {
    const std::uint64_t bits = random();
    if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(static_cast<double>(static_cast<std::int64_t>(bits)) * 1e-9);
    } else {
      value = static_cast<T>(bits >> (bits % 3 == 0 ? 0U : 60U));
    }
  }
  return values;
}

Part any_part(const Shape& shape, std::mt19937& random) {
  Part part;
  for (const std::uint64_t n : shape) {
    const std::uint64_t first = random() % n;
    part.first.push_back(first);
    part.count.push_back(1 + random() % (n - first));
    if (random() % 3 != 0) {
      part.first.back() = 0;
      part.count.back() = n;
    }
  }
  return part;
}

/// By its definition, one element after the other.
std::vector<double> part_of(const std::vector<double>& all, const Shape& shape, const Part& part) {
  std::vector<double> values;
  Shape at(shape.size(), 0);
  for (std::uint64_t i = 0; i < part.size(); ++i) {
    std::uint64_t rest = i;
    std::uint64_t place = 0;
    for (std::size_t axis = shape.size(); axis-- > 0; rest /= part.count[axis]) at[axis] = rest % part.count[axis];
    for (std::size_t axis = 0; axis < shape.size(); ++axis) place = place * shape[axis] + part.first[axis] + at[axis];
    values.push_back(all[place]);
  }
  return values;
}

/// Whole, then rows, then boxes of it, as every type that a reader gives.
template <class T>
void expect_same(const FileReader& file, const std::string& array, const Shape& shape) {
  const Part all{Shape(shape.size(), 0), shape};
  const std::size_t numbers = size_of(shape);
  std::vector<double> real(numbers);
  file.read(array, std::span(real));
  ASSERT_EQ(real, test::library_read<double>(file.path(), array, all)) << array;
  const auto own = test::library_read<T>(file.path(), array, all);
  const std::vector<std::byte> bytes = file.read_bytes(array);
  ASSERT_EQ(bytes.size(), numbers * sizeof(T));
  ASSERT_EQ(std::memcmp(bytes.data(), own.data(), bytes.size()), 0) << array;
  if constexpr (std::is_unsigned_v<T>) {
    std::vector<std::uint64_t> counts(numbers);
    file.read(array, std::span(counts));
    ASSERT_EQ(counts, test::library_read<std::uint64_t>(file.path(), array, all)) << array;
  }
  std::mt19937 random(7);
  for (int i = 0; i < 2; ++i) {
    const Part part = any_part(shape, random);
    std::vector<double> values(part.size());
    file.read_part(array, part, values);
    ASSERT_EQ(values, test::library_read<double>(file.path(), array, part)) << array;
    Part rows{all};
    rows.first[0] = part.first[0];
    rows.count[0] = part.count[0];
    std::vector<T> as_stored(rows.size());
    file.read_rows(array, rows.first[0], std::as_writable_bytes(std::span(as_stored)));
    ASSERT_EQ(as_stored, test::library_read<T>(file.path(), array, rows)) << array;
  }
}

/// Of how many axes, and chunks: one, several whose last is not full, one row to a chunk.
const std::array<Shape, 5>& shapes() {
  static const std::array<Shape, 5> all{Shape{1}, Shape{140001}, Shape{30003, 3}, Shape{5, 211, 149},
                                        Shape{11, 30, 7, 9}};
  return all;
}

std::string name_of_array(Number type, std::size_t shape) {
  return fmt::format("type {} shape {}", static_cast<int>(type), shape);
}

void write_all(const fs::path& path, int compression) {
  FileWriter file(path, compression);
  for_each_type([&]<class T>(T) {
    for (std::size_t s = 0; s < shapes().size(); ++s) {
      file.array(name_of_array(number_type<T>(), s), sample<T>(size_of(shapes()[s])), shapes()[s]);
    }
  });
  file.commit();
}

void expect_all(const FileReader& file) {
  for_each_type([&]<class T>(T) {
    for (std::size_t s = 0; s < shapes().size(); ++s) {
      expect_same<T>(file, name_of_array(number_type<T>(), s), shapes()[s]);
    }
  });
}

/// Whether an array is taken as it is stored, and not read by the library.
bool is_taken(const fs::path& path, const std::string& array) {
  const detail::Session session;
  const detail::File file = detail::open_file(path);
  const detail::Object object(H5Oopen(file.get(), array.c_str(), H5P_DEFAULT));
  return detail::StoredArray::of(object, file.get(), {path.string(), array}, false).has_value();
}

}  // namespace

class FileReading : public testing::Test {
 protected:
  trace::Recorder recorder_{3, 1U << 10U};
  tasks::Scheduler scheduler_{3, recorder_};
  test::Scratch scratch_;
  fs::path path_ = scratch_ / "a.hdf5";
};

TEST(Unshuffle, UndoesShuffle) {
  for (const std::size_t width : {1U, 2U, 3U, 4U, 8U}) {
    for (const std::size_t bytes : {0U, 1U, 7U, 8U, 127U, 128U, 129U, 1000U, 4096U}) {
      const auto values = sample<std::uint8_t>(bytes);
      const auto from = std::as_bytes(std::span(values));
      std::vector<std::byte> there(bytes);
      std::vector<std::byte> back(bytes);
      detail::shuffle(from, width, there.data());
      detail::unshuffle(there, width, back.data());
      EXPECT_TRUE(std::ranges::equal(back, from)) << bytes << " bytes, " << width << " each";
    }
  }
}

TEST(Unpacker, UndoesThePacker) {
  detail::Packer packer;
  detail::Unpacker unpacker;
  for (const int compression : {0, 1, 9}) {
    for (const std::size_t bytes : {8U, 800U, 80000U, 8U}) {  // shorter ones after longer ones
      const detail::Packing packing{8, compression, true};
      const auto values = sample<std::uint64_t>(bytes / 8);
      std::vector<std::byte> memory(detail::room_to_pack(bytes, packing));
      std::memcpy(memory.data(), values.data(), bytes);
      const auto packed = std::span(memory).first(packer.pack(memory, bytes, packing));
      detail::Packed how{{detail::Filter::fletcher32}, 8, bytes, false};
      if (compression > 0) how.filters = {detail::Filter::shuffle, detail::Filter::deflate, detail::Filter::fletcher32};
      EXPECT_LE(packed.size(), detail::most_packed_bytes(how));
      std::string_view flaw;
      const auto back = unpacker.unpack(packed, how, 0, flaw);
      ASSERT_TRUE(back) << flaw;
      EXPECT_EQ(std::memcmp(back->data(), values.data(), bytes), 0);
      packed.back() ^= std::byte{1};
      EXPECT_FALSE(unpacker.unpack(packed, how, 0, flaw));
      EXPECT_EQ(flaw, "a chunk does not fit its checksum");
      how.is_verified = true;
      EXPECT_TRUE(unpacker.unpack(packed, how, 0, flaw)) << "whoever has verified the file need not know";
      how.bytes += 8;
      EXPECT_FALSE(unpacker.unpack(packed, how, 0, flaw));
      how.bytes -= 16;
      EXPECT_FALSE(unpacker.unpack(packed, how, 0, flaw)) << "no longer ones either";
    }
  }
}

TEST_F(FileReading, GivesWhatTheLibraryDoes) {
  for (const int compression : {0, 1}) {
    write_all(path_, compression);
    for_each_type([&]<class T>(T) { EXPECT_TRUE(is_taken(path_, name_of_array(number_type<T>(), 2))); });
    expect_all(FileReader(path_, FileReader::Parts::needed, {.workers = &scheduler_}));
  }
  expect_all(FileReader(path_, FileReader::Parts::needed, {.is_verified = true}));
}

TEST_F(FileReading, TakesArraysOfSeveralRanksFromTheirParts) {
  using enum Writers::Kind;
  const Shape shape{60, 40, 36, 2};
  const auto values = sample<double>(size_of(shape));
  for (const auto& [writers, count] : {std::pair{Writers{.kind = all}, 2U},
                                       {Writers{.kind = all}, 4U},
                                       {Writers{.kind = Writers::Kind::count, .count = 2}, 4U},
                                       {Writers{.kind = shared}, 2U},
                                       {Writers{.kind = shared}, 4U}}) {
    for (const std::size_t axis : {0U, 1U}) {
      comm::testing::on_ranks(count, [&, &writers = writers](comm::Communicator& ranks) {
        Output output(ranks, {.writers = writers});
        Part mine{Shape(4, 0), shape};
        const std::uint64_t rank = number(ranks.rank());
        mine.first[axis] = shape[axis] * rank / ranks.size();
        mine.count[axis] = shape[axis] * (rank + 1) / ranks.size() - mine.first[axis];
        std::vector<double> own;
        for (std::uint64_t i = 0; i < values.size(); ++i) {
          const std::uint64_t at = axis == 0 ? i / (size_of(shape) / shape[0]) : i / (36 * 2) % shape[1];
          if (at >= mine.first[axis] && at < mine.first[axis] + mine.count[axis]) own.push_back(values[i]);
        }
        FileWriter file(path_, 1, output);
        file.part("g/x", shape, Number::float64, mine, own);
        file.commit();
        output.finish();
      });
      // Before the parts are open: the library would give zeros for those that it cannot open once more.
      ASSERT_EQ(test::library_read<double>(path_, "g/x", {Shape(4, 0), shape}), values);
      for (tasks::Scheduler* const workers : {static_cast<tasks::Scheduler*>(nullptr), &scheduler_}) {
        const FileReader file(path_, FileReader::Parts::needed, {.workers = workers});
        std::vector<double> back(values.size());
        file.read("g/x", std::span(back));
        ASSERT_EQ(back, values);
        const bool has_parts = test::entries(scratch_.path()) > 1;
        EXPECT_EQ(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_FILE) > 1, has_parts) << "not left to the library";
        std::mt19937 random(11);
        for (int i = 0; i < 20; ++i) {
          const Part part = any_part(shape, random);
          std::vector<double> box(part.size());
          file.read_part("g/x", part, box);
          ASSERT_EQ(box, part_of(values, shape, part));
        }
      }
    }
  }
}

TEST_F(FileReading, LeavesToTheLibraryWhatItDoesNotKnow) {
  const std::vector<float> values = sample<float>(60 * 20);
  const auto fill = [&](hid_t set) { H5Dwrite(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()); };
  const auto none = [](hid_t) {};
  {
    const test::LibraryFile file(path_, true);
    file.array(
        "columns", H5T_IEEE_F32LE, {60, 20}, {7, 6}, [](hid_t p) { H5Pset_deflate(p, 4); }, fill);
    file.array(
        "other order", H5T_IEEE_F32BE, {60, 20}, {7, 20}, [](hid_t p) { H5Pset_fletcher32(p); }, fill);
    file.array("no filter", H5T_IEEE_F32LE, {60, 20}, {7, 20}, none, fill);
    file.array(
        "another filter", H5T_IEEE_F32LE, {60, 20}, {7, 20}, [](hid_t p) { H5Pset_nbit(p); }, fill);
    file.array(
        "edges as they are", H5T_IEEE_F32LE, {60, 20}, {7, 20},
        [](hid_t p) {
          H5Pset_deflate(p, 4);
          H5Pset_chunk_opts(p, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
        },
        fill);
    file.array(
        "twice", H5T_IEEE_F32LE, {60, 20}, {7, 20},
        [](hid_t p) {
          H5Pset_deflate(p, 4);
          H5Pset_deflate(p, 4);
        },
        fill);
    file.array(
        "compact", H5T_IEEE_F32LE, {60, 20}, {}, [](hid_t p) { H5Pset_layout(p, H5D_COMPACT); }, fill);
  }
  const FileReader file(path_, FileReader::Parts::needed, {.workers = &scheduler_});
  for (const std::string& name : file.list("/")) {
    EXPECT_FALSE(is_taken(path_, name)) << name;
    expect_same<float>(file, name, {60, 20});
  }
}

TEST_F(FileReading, TakesWhatOthersStoreInItsWay) {
  const std::vector<float> values = sample<float>(60 * 20);
  const auto fill = [&](hid_t set) { H5Dwrite(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()); };
  for (const bool is_latest : {false, true}) {
    {
      const test::LibraryFile file(path_, is_latest);
      file.array(
          "contiguous", H5T_IEEE_F32LE, {60, 20}, {}, [](hid_t) {}, fill);
      file.array(
          "checksum first", H5T_IEEE_F32LE, {60, 20}, {7, 20},
          [](hid_t p) {
            H5Pset_fletcher32(p);
            H5Pset_shuffle(p);
            H5Pset_deflate(p, 9);
          },
          fill);
      file.array(
          "deflate alone", H5T_IEEE_F32LE, {60, 20}, {60, 20}, [](hid_t p) { H5Pset_deflate(p, 1); }, fill);
      file.array(
          "shuffle alone", H5T_IEEE_F32LE, {60, 20}, {1, 20}, [](hid_t p) { H5Pset_shuffle(p); }, fill);
    }
    const FileReader file(path_, FileReader::Parts::needed, {.workers = &scheduler_});
    for (const std::string& name : file.list("/")) {
      EXPECT_TRUE(is_taken(path_, name)) << name;
      expect_same<float>(file, name, {60, 20});
    }
  }
}

}  // namespace tacit::io::reading_test

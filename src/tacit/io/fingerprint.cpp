// Goes through a file in the order of names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/io/fingerprint.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "tacit/base/error.hpp"
#include "tacit/io/detail/hdf5.hpp"

namespace tacit::io {
namespace {

constexpr int deepest_level = 64;  // a group may contain itself
constexpr std::uint64_t piece_bytes = 1U << 20U;

class ContentsHash {
 public:
  ContentsHash(base::Hash& hash, const FileReader& file, const std::function<bool(const std::string&)>& leaves_out)
      : hash_(hash), file_(file), leaves_out_(leaves_out) {}

  void add_group(const std::string& group, int depth) {
    if (depth > deepest_level) {
      throw base::FormatError(file_.path().string(), "group '" + group + "' contains itself, or groups without end");
    }
    std::vector<std::string> names = file_.list(group);
    std::ranges::sort(names);
    for (const std::string& last : names) {
      const std::string name = group == "/" ? last : group + "/" + last;
      if (is_left_out(name)) continue;
      add_text(name);
      add_attributes(name);
      if (file_.is_array(name)) {
        add_array(name);
      } else {
        add_group(name, depth + 1);
      }
    }
  }

  void add_attributes(const std::string& object) {
    std::vector<std::string> names = file_.attribute_names(object);
    std::ranges::sort(names);
    for (const std::string& name : names) {
      if (is_left_out((object == "/" ? "" : object) + "@" + name)) continue;
      add_text(name);
      switch (file_.attribute_kind(object, name)) {
        case AttributeKind::numbers: {
          const std::vector<double> numbers = file_.attribute(object, name);
          add_number(numbers.size());
          hash_.add(std::as_bytes(std::span(numbers)));
          break;
        }
        case AttributeKind::text:
          add_text(file_.text_attribute(object, name));
          break;
        case AttributeKind::other:
          throw base::FormatError(file_.path().string(),
                                  "attribute '" + name + "' of '" + object + "' holds neither numbers nor one text");
      }
    }
  }

 private:
  [[nodiscard]] bool is_left_out(const std::string& name) const { return leaves_out_ && leaves_out_(name); }

  void add_number(std::uint64_t number) { hash_.add(std::as_bytes(std::span(&number, 1))); }
  /// With its length before it, so that no two sequences of texts are alike.
  void add_text(std::string_view text) {
    add_number(text.size());
    hash_.add(std::as_bytes(std::span(text)));
  }

  void add_array(const std::string& name) {
    const ArrayInfo info = file_.info(name);
    if (bytes_of(info.type) == 0) {
      throw base::FormatError(file_.path().string(), "array '" + name + "' does not hold numbers");
    }
    add_number(static_cast<std::uint64_t>(info.type));
    add_number(info.shape.size());
    for (const std::uint64_t count : info.shape) add_number(count);
    if (info.shape.empty()) {
      hash_.add(file_.read_bytes(name));
      return;
    }
    const std::uint64_t row = detail::element_count(std::span(info.shape).subspan(1)) * bytes_of(info.type);
    if (row == 0) return;
    // Whole chunks, so that none is unpacked twice.
    const std::uint64_t fit = std::max<std::uint64_t>(piece_bytes / row / info.chunk_rows, 1) * info.chunk_rows;
    std::vector<std::byte> bytes;
    for (std::uint64_t first = 0; first < info.shape[0]; first += fit) {
      bytes.resize(std::min(fit, info.shape[0] - first) * row);
      file_.read_rows(name, first, std::span(bytes));
      hash_.add(bytes);
    }
  }

  base::Hash& hash_;
  const FileReader& file_;
  const std::function<bool(const std::string&)>& leaves_out_;
};

}  // namespace

void add_contents(base::Hash& hash, const FileReader& file,
                  const std::function<bool(const std::string& name)>& leaves_out) {
  ContentsHash contents(hash, file, leaves_out);
  contents.add_attributes("/");
  contents.add_group("/", 0);
}

}  // namespace tacit::io

// Reads and writes extended XYZ.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/formats/extended_xyz.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "tacit/base/error.hpp"
#include "tacit/base/read_text.hpp"
#include "tacit/base/text.hpp"
#include "tacit/solvers/md/formats/words.hpp"

namespace tacit::md {
namespace {

constexpr std::size_t largest_xyz = std::size_t{1} << 33U;

/// A column or several of a line: name, kind (S, R, I or L), and how many.
struct Property {
  std::string name;
  char kind = 'S';
  std::size_t columns = 1;
};

class XyzReader {
 public:
  XyzReader(const std::filesystem::path& path, std::vector<std::string>& elements)
      : path_(path), text_(base::read_text(path, largest_xyz, "file in extended XYZ")), elements_(elements) {}

  Configuration read() {
    const std::size_t count = read_count();
    const std::string_view comment = next_line("the line that describes the box");
    Configuration result;
    read_box(comment, result.box);
    const std::vector<Property> properties = read_properties(comment);
    takes_names_ = elements_.empty();
    for (std::size_t i = 0; i < count; ++i) {
      const std::string_view line = next_line(fmt::format("the line of atom {} of {}", i + 1, count).c_str());
      read_atom(words_of(line), properties, result);
    }
    finish(result);
    return result;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw base::FormatError(fmt::format("{}:{}", path_.string(), line_), what);
  }
  std::string_view next_line(const char* what) {
    ++line_;
    if (at_ >= text_.size()) fail(fmt::format("the file ends where {} is expected", what));
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view line = std::string_view(text_).substr(at_, end - at_);
    at_ = end + 1;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
  }
  double real(std::string_view word, const char* what) const {
    const std::optional<double> value = number_of<double>(word);
    if (!value || !std::isfinite(*value)) {
      fail(fmt::format("'{}' is no {}, expected a finite number", base::printable(word), what));
    }
    return *value;
  }
  std::size_t read_count() {
    const std::string_view line = next_line("the number of atoms");
    const auto words = words_of(line);
    const auto count = words.size() == 1 ? number_of<std::uint64_t>(words[0]) : std::nullopt;
    if (!count || *count == 0) {
      fail(fmt::format("'{}' is no number of atoms, which the first line of extended XYZ is", base::printable(line)));
    }
    if (*count > text_.size()) fail(fmt::format("{} atoms are more than the file has bytes", *count));
    return *count;
  }
  /// What follows KEY=, in quotes or up to the next space.
  std::optional<std::string_view> value_of(std::string_view comment, std::string_view key) const {
    for (std::size_t at = 0; (at = comment.find(key, at)) != std::string_view::npos; at += key.size()) {
      const bool begins = at == 0 || comment[at - 1] == ' ' || comment[at - 1] == '\t';
      std::string_view rest = comment.substr(at + key.size());
      if (!begins || !rest.starts_with('=')) continue;
      rest.remove_prefix(1);
      if (!rest.starts_with('"')) return rest.substr(0, std::min(rest.find_first_of(" \t"), rest.size()));
      rest.remove_prefix(1);
      const std::size_t end = rest.find('"');
      if (end == std::string_view::npos) fail(fmt::format("the value of {} has no closing quote", key));
      return rest.substr(0, end);
    }
    return std::nullopt;
  }
  void read_box(std::string_view comment, Box& box) const {
    const auto lattice = value_of(comment, "Lattice");
    if (!lattice) fail("has no Lattice=\"ax ay az bx by bz cx cy cz\": the box is not known");
    const auto words = words_of(*lattice);
    if (words.size() != 9) fail(fmt::format("Lattice has {} numbers, expected 9", words.size()));
    std::array<double, 9> h{};
    for (std::size_t i = 0; i < 9; ++i) h[i] = real(words[i], "number of Lattice");
    if (h[1] != 0.0 || h[2] != 0.0 || h[5] != 0.0) {
      fail("Lattice is not of the form a = (ax, 0, 0), b = (bx, by, 0), c: turn the atoms, so that it is");
    }
    box.size = {h[0], h[4], h[8]};
    box.xy = h[3];
    box.xz = h[6];
    box.yz = h[7];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (!(box.size[axis] > 0.0)) fail(fmt::format("an edge of Lattice is {}, expected more than 0", box.size[axis]));
    }
    if (const auto origin = value_of(comment, "Origin")) {
      const auto numbers = words_of(*origin);
      if (numbers.size() != 3) fail(fmt::format("Origin has {} numbers, expected 3", numbers.size()));
      for (std::size_t axis = 0; axis < 3; ++axis) box.origin[axis] = real(numbers[axis], "number of Origin");
    }
    if (const auto periodic = value_of(comment, "pbc")) read_periodic(words_of(*periodic), box);
  }
  void read_periodic(const std::vector<std::string_view>& words, Box& box) const {
    if (words.size() != 3) fail(fmt::format("pbc has {} words, expected 3 of T and F", words.size()));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const bool is_true = words[axis] == "T" || words[axis] == "True" || words[axis] == "true" || words[axis] == "1";
      const bool is_false =
          words[axis] == "F" || words[axis] == "False" || words[axis] == "false" || words[axis] == "0";
      if (!is_true && !is_false)
        fail(fmt::format("pbc has the word '{}', expected T or F", base::printable(words[axis])));
      box.periodic[axis] = is_true;
    }
  }
  std::vector<Property> read_properties(std::string_view comment) const {
    const std::string_view text = value_of(comment, "Properties").value_or("species:S:1:pos:R:3");
    std::vector<std::string_view> parts;
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find(':', at), text.size());
      parts.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    std::vector<Property> result;
    for (std::size_t i = 0; i + 2 < parts.size(); i += 3) {
      const auto columns = number_of<std::uint64_t>(parts[i + 2]);
      if (parts[i + 1].size() != 1 || !columns || *columns == 0 || *columns > 64) break;
      result.push_back({std::string(parts[i]), parts[i + 1][0], *columns});
    }
    if (3 * result.size() != parts.size()) {
      fail(fmt::format("Properties={} is no list of NAME:KIND:COLUMNS", base::printable(text)));
    }
    const auto has = [&](const char* name, std::size_t columns) {
      return std::ranges::any_of(result, [&](const Property& p) { return p.name == name && p.columns == columns; });
    };
    if (!has("species", 1) || !has("pos", 3)) {
      fail(fmt::format("Properties={} has no species:S:1 and pos:R:3", base::printable(text)));
    }
    return result;
  }
  void read_atom(const std::vector<std::string_view>& words, const std::vector<Property>& properties,
                 Configuration& to) {
    std::size_t columns = 0;
    for (const Property& property : properties) columns += property.columns;
    if (words.size() != columns)
      fail(fmt::format("has {} columns, expected {} as Properties says", words.size(), columns));
    std::size_t at = 0;
    for (const Property& property : properties) {
      const auto vector = [&](const char* what) {
        return base::Vec3{real(words[at], what), real(words[at + 1], what), real(words[at + 2], what)};
      };
      const bool is_velocity = property.name == "velo" || property.name == "vel" || property.name == "velocities";
      if (property.name == "species") {
        to.type.push_back(type_of(words[at]));
      } else if (property.name == "pos") {
        to.x.push_back(vector("position"));
      } else if (is_velocity && property.columns == 3) {
        to.v.push_back(vector("velocity"));
      } else if (property.name == "id" && property.columns == 1) {
        const auto id = number_of<std::uint64_t>(words[at]);
        if (!id) fail(fmt::format("'{}' is no ID, expected a whole number", base::printable(words[at])));
        if (!ids_.insert(*id).second) fail(fmt::format("the ID {} appears a second time", *id));
        to.id.push_back(*id);
      }
      at += property.columns;
    }
  }
  std::uint32_t type_of(std::string_view name) {
    const auto found = std::ranges::find(elements_, name);
    if (found != elements_.end()) return static_cast<std::uint32_t>(found - elements_.begin());
    if (!takes_names_) {
      fail(fmt::format("the element '{}' is none of md.elements ({})", base::printable(name),
                       fmt::join(elements_, " ")));
    }
    elements_.emplace_back(name);
    return static_cast<std::uint32_t>(elements_.size() - 1);
  }
  void finish(Configuration& result) const {
    for (std::size_t i = result.id.size(); i < result.x.size(); ++i) result.id.push_back(i + 1);
  }

  std::filesystem::path path_;
  std::string text_;
  std::vector<std::string>& elements_;
  std::unordered_set<std::uint64_t> ids_;
  bool takes_names_ = false;
  std::size_t at_ = 0;
  std::size_t line_ = 0;
};

}  // namespace

Configuration read_extended_xyz(const std::filesystem::path& path, std::vector<std::string>& elements) {
  return XyzReader(path, elements).read();
}

std::string extended_xyz_header(const Box& box, std::size_t atoms, const FrameText& text) {
  std::string result = fmt::format("{}\nLattice=\"", atoms);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const base::Vec3 edge = box.edge(axis);
    result += fmt::format("{}{:.17g} {:.17g} {:.17g}", axis == 0 ? "" : " ", edge.x, edge.y, edge.z);
  }
  result += "\"";
  if (box.origin != base::Vec3{}) {
    result += fmt::format(" Origin=\"{:.17g} {:.17g} {:.17g}\"", box.origin.x, box.origin.y, box.origin.z);
  }
  const auto letter = [&](std::size_t axis) { return box.periodic[axis] ? 'T' : 'F'; };
  return result + fmt::format(" pbc=\"{} {} {}\" Properties=species:S:1:pos:R:3:velo:R:3:id:I:1 Time={:.17g} Step={}\n",
                              letter(0), letter(1), letter(2), text.time, text.step);
}

void append_extended_xyz(std::string& to, const std::string& element, std::uint64_t id, const base::Vec3& x,
                         const base::Vec3& v) {
  fmt::format_to(std::back_inserter(to), "{} {:.17g} {:.17g} {:.17g} {:.17g} {:.17g} {:.17g} {}\n", element, x.x, x.y,
                 x.z, v.x, v.y, v.z, id);
}

}  // namespace tacit::md

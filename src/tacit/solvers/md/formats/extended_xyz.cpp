// Reads and writes extended XYZ.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/formats/extended_xyz.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/base/read_text.hpp"
#include "tacit/base/text.hpp"
#include "tacit/solvers/md/formats/turned_box.hpp"
#include "tacit/solvers/md/formats/words.hpp"

namespace tacit::md {
namespace {

constexpr std::size_t largest_xyz = std::size_t{1} << 33U;

/// What a column means.
enum class Role : std::uint8_t { unused, species, position, velocity, momentum, id, mass, mobile };

struct KnownProperty {
  std::string_view name;
  std::size_t columns = 1;
  Role role = Role::unused;
};
constexpr std::array known_properties{
    KnownProperty{"species", 1, Role::species},   KnownProperty{"pos", 3, Role::position},
    KnownProperty{"velo", 3, Role::velocity},     KnownProperty{"vel", 3, Role::velocity},
    KnownProperty{"velocity", 3, Role::velocity}, KnownProperty{"velocities", 3, Role::velocity},
    KnownProperty{"momenta", 3, Role::momentum},  KnownProperty{"id", 1, Role::id},
    KnownProperty{"mass", 1, Role::mass},         KnownProperty{"masses", 1, Role::mass},
    KnownProperty{"move_mask", 3, Role::mobile},
};

/// A column or several of a line: name, kind (S, R, I or L), and how many.
struct Property {
  std::string name;
  char kind = 'S';
  std::size_t columns = 1;
  Role role = Role::unused;
};

class XyzReader {
 public:
  XyzReader(const std::filesystem::path& path, std::vector<std::string>& elements)
      : path_(path), text_(base::read_text(path, largest_xyz, "file in extended XYZ")), elements_(elements) {}

  XyzData read() {
    const std::size_t count = read_count();
    read_pairs(next_line("the line that describes the box"));
    const Turn turn = read_box();
    if (const auto time = value_of("time")) result_.time = real(*time, "Time");
    const std::vector<Property> properties = read_properties();
    takes_names_ = elements_.empty();
    for (std::size_t i = 0; i < count; ++i) {
      const std::string_view line = next_line(fmt::format("the line of atom {} of {}", i + 1, count).c_str());
      atom_ = i;
      read_atom(words_of(line), properties);
    }
    refuse_more(count);
    finish();
    turn.apply(result_.atoms);
    for (base::Vec3& p : result_.momenta) p = turn.vector(p);
    result_.is_turned = !turn.is_none;
    return std::move(result_);
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
  /// All of KEY=VALUE, the value in quotes or up to the next space; a word without a value is passed over.
  void read_pairs(std::string_view comment) {
    constexpr std::string_view blanks = " \t";
    const auto skip_blanks = [&](std::size_t at) {
      return std::min(comment.find_first_not_of(blanks, at), comment.size());
    };
    for (std::size_t at = skip_blanks(0); at < comment.size(); at = skip_blanks(at)) {
      const std::string_view key = read_word(comment, at, " \t=");
      const std::size_t after = skip_blanks(at);
      if (after >= comment.size() || comment[after] != '=') continue;
      at = skip_blanks(after + 1);
      const std::string_view value = read_word(comment, at, blanks);
      std::string name(key);
      std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      if (!pairs_.emplace(name, value).second) fail(fmt::format("has the key {} a second time", base::printable(key)));
    }
  }
  /// A word, or what stands in quotes. @param at  of its begin; then behind it
  std::string_view read_word(std::string_view text, std::size_t& at, std::string_view ends) const {
    const std::size_t begin = at;
    if (text[begin] != '"' && text[begin] != '\'') {
      at = std::min(text.find_first_of(ends, begin), text.size());
      if (at == begin) ++at;  // an '=' without a key
      return text.substr(begin, at - begin);
    }
    const std::size_t end = text.find(text[begin], begin + 1);
    if (end == std::string_view::npos) fail("has a quote that is not closed");
    at = end + 1;
    return text.substr(begin + 1, end - begin - 1);
  }
  /// @param key  in small letters: how a file writes it does not matter
  std::optional<std::string_view> value_of(const std::string& key) const {
    const auto found = pairs_.find(key);
    return found == pairs_.end() ? std::nullopt : std::optional<std::string_view>(found->second);
  }
  [[nodiscard]] Turn read_box() const {
    const auto lattice = value_of("lattice");
    if (!lattice) fail("has no Lattice=\"ax ay az bx by bz cx cy cz\": the box is not known");
    const auto words = words_of(*lattice);
    if (words.size() != 9) fail(fmt::format("Lattice has {} numbers, expected 9", words.size()));
    std::array<base::Vec3, 3> edges{};
    for (std::size_t i = 0; i < 9; ++i) edges[i / 3][i % 3] = real(words[i], "number of Lattice");
    Box box;
    if (const auto origin = value_of("origin")) {
      const auto numbers = words_of(*origin);
      if (numbers.size() != 3) fail(fmt::format("Origin has {} numbers, expected 3", numbers.size()));
      for (std::size_t axis = 0; axis < 3; ++axis) box.origin[axis] = real(numbers[axis], "number of Origin");
    }
    if (const auto periodic = value_of("pbc")) read_periodic(words_of(*periodic), box);
    const std::optional<Turn> turn = turn_of(edges, box);
    if (!turn) fail("Lattice spans no volume: its edges are 0, or lie in a plane");
    return *turn;
  }
  void read_periodic(const std::vector<std::string_view>& words, Box& box) const {
    if (words.size() != 3) fail(fmt::format("pbc has {} words, expected 3 of T and F", words.size()));
    for (std::size_t axis = 0; axis < 3; ++axis) box.periodic[axis] = logical(words[axis], "pbc");
  }
  [[nodiscard]] bool logical(std::string_view word, std::string_view of) const {
    for (const auto& [name, value] :
         {std::pair("T", true), std::pair("True", true), std::pair("true", true), std::pair("TRUE", true),
          std::pair("1", true), std::pair("F", false), std::pair("False", false), std::pair("false", false),
          std::pair("FALSE", false), std::pair("0", false)}) {
      if (word == name) return value;
    }
    fail(fmt::format("{} has the word '{}', expected T or F", of, base::printable(word)));
  }
  /// T where the atom moves: of the whole atom, or along each axis.
  void read_mobile(const Property& property, std::span<const std::string_view> words) {
    std::size_t moving = 0;
    for (const std::string_view word : words) moving += logical(word, property.name) ? 1U : 0U;
    if (moving == words.size()) return;
    if (moving > 0) {
      fail(fmt::format(
          "the atom is held along some axes alone ({} {} {} in {}), which md cannot do: write F F F, and it "
          "stays, or T T T, and it moves",
          words[0], words[1], words[2], property.name));
    }
    held_.push_back(atom_);
  }
  std::vector<Property> read_properties() {
    const std::string_view text = value_of("properties").value_or("species:S:1:pos:R:3");
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
    std::map<Role, std::string> of_role;
    for (Property& property : result) {
      property.role = role_of(property);
      if (property.role == Role::unused) {
        result_.unused.push_back(property.name);
        continue;
      }
      const auto [first, is_first] = of_role.emplace(property.role, property.name);
      if (is_first) continue;
      const std::string both = property.name == first->second ? first->second + " twice"
                                                              : first->second + ", and " + property.name + " as well";
      fail(fmt::format("Properties={} has {}: one of them has to go", base::printable(text), both));
    }
    if (!of_role.contains(Role::species) || !of_role.contains(Role::position)) {
      fail(fmt::format("Properties={} has no species:S:1 and pos:R:3", base::printable(text)));
    }
    return result;
  }
  Role role_of(const Property& property) const {
    for (const auto& [name, columns, role] : known_properties) {
      if (property.name != name) continue;
      if (property.columns == columns || (role == Role::mobile && property.columns == 1)) return role;
      fail(fmt::format("has {} column(s) of {}, expected {}", property.columns, name, columns));
    }
    return Role::unused;
  }
  void read_atom(const std::vector<std::string_view>& words, const std::vector<Property>& properties) {
    std::size_t columns = 0;
    for (const Property& property : properties) columns += property.columns;
    if (words.size() != columns)
      fail(fmt::format("has {} columns, expected {} as Properties says", words.size(), columns));
    std::size_t at = 0;
    for (const Property& property : properties) {
      read_value(property, std::span(words).subspan(at, property.columns));
      at += property.columns;
    }
  }
  void read_value(const Property& property, std::span<const std::string_view> words) {
    Configuration& to = result_.atoms;
    const auto vector = [&](const char* what) {
      return base::Vec3{real(words[0], what), real(words[1], what), real(words[2], what)};
    };
    switch (property.role) {
      case Role::species:
        to.type.push_back(type_of(words[0]));
        break;
      case Role::position:
        to.x.push_back(vector("position"));
        break;
      case Role::velocity:
        to.v.push_back(vector("velocity"));
        break;
      case Role::id: {
        const auto id = number_of<std::uint64_t>(words[0]);
        if (!id) fail(fmt::format("'{}' is no ID, expected a whole number", base::printable(words[0])));
        if (!ids_.insert(*id).second) fail(fmt::format("the ID {} appears a second time", *id));
        to.id.push_back(*id);
        break;
      }
      case Role::mass:
        masses_.push_back(real(words[0], "mass"));
        if (!(masses_.back() > 0.0)) fail(fmt::format("the mass {} is not more than 0", masses_.back()));
        break;
      case Role::mobile:
        read_mobile(property, words);
        break;
      case Role::momentum:
        result_.momenta.push_back(vector("momentum"));
        break;
      case Role::unused:
        break;
    }
  }
  /// Atoms beyond those that the first line counts, or further frames.
  void refuse_more(std::size_t count) {
    while (at_ < text_.size()) {
      const std::string_view line = next_line("nothing");
      if (words_of(line).empty()) continue;
      fail(
          fmt::format("there is more behind the {} atom(s) that the first line counts: '{}'\n  hint: of a trajectory, "
                      "keep the frame that is to be taken",
                      count, base::printable(line.substr(0, 40))));
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
  void finish() {
    Configuration& atoms = result_.atoms;
    for (std::size_t i = atoms.id.size(); i < atoms.x.size(); ++i) atoms.id.push_back(i + 1);
    for (const std::size_t i : held_) result_.held.push_back(atoms.id[i]);
    if (masses_.empty()) return;
    std::vector<double>& of_types = result_.masses;
    of_types.assign(elements_.size(), 0.0);
    for (std::size_t i = 0; i < masses_.size(); ++i) {
      double& mass = of_types[atoms.type[i]];
      if (mass != 0.0 && mass != masses_[i]) {
        throw base::FormatError(
            path_.string(), fmt::format("atoms of {} have masses of {} and {}: give those of another mass another name",
                                        elements_[atoms.type[i]], mass, masses_[i]));
      }
      mass = masses_[i];
    }
    // Of a type without atoms none is known, and none matters.
    for (double& mass : of_types) mass = mass == 0.0 ? 1.0 : mass;
  }

  std::filesystem::path path_;
  std::string text_;
  std::vector<std::string>& elements_;
  std::unordered_set<std::uint64_t> ids_;
  std::map<std::string, std::string, std::less<>> pairs_;  // of the second line, keys in small letters
  std::vector<double> masses_;                             // by atom
  XyzData result_;
  std::vector<std::size_t> held_;  // numbers of atoms
  bool takes_names_ = false;
  std::size_t atom_ = 0;  // whose line is read
  std::size_t at_ = 0;
  std::size_t line_ = 0;
};

}  // namespace

XyzData read_extended_xyz(const std::filesystem::path& path, std::vector<std::string>& elements) {
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
  return result +
         fmt::format(" pbc=\"{} {} {}\" Properties=species:S:1:pos:R:3:velo:R:3:{}id:I:1 Time={:.17g} Step={}\n",
                     letter(0), letter(1), letter(2), text.has_momenta ? "momenta:R:3:masses:R:1:" : "", text.time,
                     text.step);
}

void append_extended_xyz(std::string& to, const std::string& element, std::uint64_t id, const base::Vec3& x,
                         const base::Vec3& v, const std::optional<Momentum>& momentum) {
  fmt::format_to(std::back_inserter(to), "{} {:.17g} {:.17g} {:.17g} {:.17g} {:.17g} {:.17g} ", element, x.x, x.y, x.z,
                 v.x, v.y, v.z);
  if (momentum) {
    const auto& [p, mass] = *momentum;
    fmt::format_to(std::back_inserter(to), "{:.17g} {:.17g} {:.17g} {:.17g} ", p.x, p.y, p.z, mass);
  }
  fmt::format_to(std::back_inserter(to), "{}\n", id);
}

}  // namespace tacit::md

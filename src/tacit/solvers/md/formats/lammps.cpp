// Reads data files of LAMMPS, and writes its dumps.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/md/formats/lammps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "tacit/base/error.hpp"
#include "tacit/base/read_text.hpp"
#include "tacit/base/text.hpp"
#include "tacit/solvers/md/formats/turned_box.hpp"
#include "tacit/solvers/md/formats/words.hpp"

namespace tacit::md {
namespace {

constexpr std::size_t largest_data_file = std::size_t{1} << 33U;

class DataReader {
 public:
  explicit DataReader(const std::filesystem::path& path)
      : path_(path), text_(base::read_text(path, largest_data_file, "data file of LAMMPS")) {}

  LammpsData read() {
    static_cast<void>(next_line());  // whatever it says
    read_header();
    while (!section_.empty()) read_section();
    if (result_.atoms.size() == 0) fail("has no section Atoms");
    if (turn_) turn_->apply(result_.atoms);
    result_.is_turned = turn_ && !turn_->is_none;
    return std::move(result_);
  }

 private:
  struct Line {
    std::vector<std::string_view> words;
    std::string_view comment;
  };
  [[noreturn]] void fail(const std::string& what) const {
    throw base::FormatError(fmt::format("{}:{}", path_.string(), line_), what);
  }
  std::optional<Line> next_line() {
    if (at_ >= text_.size()) return std::nullopt;
    ++line_;
    const std::string_view rest = std::string_view(text_).substr(at_);
    const std::string_view line = rest.substr(0, rest.find('\n'));
    at_ += line.size() + 1;
    const std::size_t comment = std::min(line.find('#'), line.size());
    return Line{words_of(line.substr(0, comment)), line.substr(std::min(comment + 1, line.size()))};
  }
  std::optional<Line> next_filled() {
    std::optional<Line> line;
    do {
      line = next_line();
    } while (line && line->words.empty());
    return line;
  }
  double real(std::string_view word) const {
    const std::optional<double> value = number_of<double>(word);
    if (!value || !std::isfinite(*value)) fail(fmt::format("'{}' is no finite number", base::printable(word)));
    return *value;
  }
  std::uint64_t whole(std::string_view word, const char* what) const {
    const std::optional<std::uint64_t> value = number_of<std::uint64_t>(word);
    if (!value) fail(fmt::format("'{}' is no {}, expected a whole number", base::printable(word), what));
    return *value;
  }

  void read_header() {
    Box& box = result_.atoms.box;
    std::array<bool, 3> has_edge{};
    std::array<std::optional<base::Vec3>, 3> edges;  // of a box that is given by them
    while (const auto line = next_filled()) {
      const auto& words = line->words;
      const std::string_view last = words.back();
      const bool is_number = number_of<double>(words[0]).has_value();
      if (!is_number) {
        enter(*line);
        break;
      }
      if (words.size() == 2 && last == "atoms") {
        count_ = whole(words[0], "number of atoms");
      } else if (words.size() == 3 && words[1] == "atom" && last == "types") {
        types_ = whole(words[0], "number of types");
      } else if (words.size() == 4 && last.size() == 3 && last.ends_with("hi")) {
        const auto axis = static_cast<std::size_t>(std::string_view("xyz").find(last[0]));
        if (axis > 2) fail(fmt::format("'{}' is no edge of the box", base::printable(last)));
        const double low = real(words[0]);
        const double high = real(words[1]);
        if (!(high > low)) fail(fmt::format("the box ends at {} and begins at {}", high, low));
        box.origin[axis] = low;
        box.size[axis] = high - low;
        has_edge[axis] = true;
      } else if (words.size() == 6 && words[3] == "xy") {
        box.xy = real(words[0]);
        box.xz = real(words[1]);
        box.yz = real(words[2]);
      } else if (words.size() == 4 && last.size() == 4 && last.ends_with("vec") && last[0] >= 'a' && last[0] <= 'c') {
        edges[static_cast<std::size_t>(last[0] - 'a')] = vector_of(words);
      } else if (words.size() == 5 && words[3] == "abc" && last == "origin") {
        box.origin = vector_of(words);
      } else if (words.size() >= 2 && is_of_molecules(words[1]) && whole(words[0], "number") > 0) {
        fail(fmt::format("has {} {}: md has atoms without bonds only", words[0], words[1]));
      }
    }
    if (count_ == 0 || types_ == 0) fail("does not say how many atoms and atom types there are");
    if (count_ > text_.size()) fail(fmt::format("{} atoms are more than the file has bytes", count_));
    if (edges[0] || edges[1] || edges[2]) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!edges[axis]) fail(fmt::format("has no edge '{}vec' of the box, but others", "abc"[axis]));
        if (has_edge[axis]) fail(fmt::format("has edges of the box twice: '{0}lo {0}hi' and vectors", "xyz"[axis]));
      }
      turn_ = turn_of({*edges[0], *edges[1], *edges[2]}, box);
      if (!turn_) fail("avec, bvec and cvec span no volume: one is 0, or they lie in a plane");
    } else {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!has_edge[axis]) fail(fmt::format("has no edge '{0}lo {0}hi' of the box", "xyz"[axis]));
      }
    }
    for (std::uint64_t type = 1; type <= types_; ++type) result_.elements.push_back(fmt::format("{}", type));
  }
  [[nodiscard]] base::Vec3 vector_of(const std::vector<std::string_view>& words) const {
    return {real(words[0]), real(words[1]), real(words[2])};
  }
  static bool is_of_molecules(std::string_view word) {
    return word == "bonds" || word == "angles" || word == "dihedrals" || word == "impropers" || word == "ellipsoids";
  }
  void enter(const Line& line) {
    section_ = line.words.front();
    for (std::size_t k = 1; k < line.words.size(); ++k) section_.append(1, ' ').append(line.words[k]);
    const auto style = words_of(line.comment);
    style_ = style.empty() ? "" : std::string(style.front());
  }

  void read_section() {
    const std::string section = section_;
    section_.clear();
    if (section == "Atom Type Labels") return read_labels();
    if (section == "Masses") return read_masses();
    if (section == "Atoms") return read_atoms();
    if (section == "Velocities") return read_velocities();
    const bool is_of_labels = section.ends_with("Type Labels");  // of bonds and the like, of which there are none
    if (!section.ends_with("Coeffs") && !is_of_labels) {
      fail(fmt::format("the section '{}' is none of Masses, Atoms, Velocities, ... Coeffs", base::printable(section)));
    }
    result_.unused.push_back(
        fmt::format("the section {}{}", section, is_of_labels ? "" : " (the keys say what acts between atoms)"));
    while (const auto line = next_filled()) {
      if (!has_content(*line)) return enter(*line);
    }
  }
  /// Whether a line begins with a number, or the label of a type, and not with the name of a section.
  [[nodiscard]] bool has_content(const Line& line) const {
    return number_of<double>(line.words[0]).has_value() || type_of_label_.contains(std::string(line.words[0]));
  }
  /// The lines of a section, as many as there are. @param visit  visit(line)
  template <class Visit>
  void for_lines(std::uint64_t count, const char* what, const Visit& visit) {
    for (std::uint64_t k = 0; k < count; ++k) {
      const auto line = next_filled();
      if (!line || !has_content(*line)) {
        fail(fmt::format("{} {} of {} is missing", what, k + 1, count));
      }
      visit(*line);
    }
    if (const auto line = next_filled()) enter(*line);
  }
  void read_labels() {
    if (!result_.masses.empty() || result_.atoms.size() > 0) {
      fail("the section Atom Type Labels stands behind Masses or Atoms, which use them");
    }
    std::vector<bool> has_label(types_);
    for_lines(types_, "the label", [&](const Line& line) {
      if (line.words.size() != 2) fail("expected a type and its label");
      const std::size_t type = type_of(line.words[0]);
      if (number_of<double>(line.words[1])) {
        fail(fmt::format("the label '{}' is a number", base::printable(line.words[1])));
      }
      if (has_label[type] || !type_of_label_.emplace(line.words[1], type).second) {
        fail(fmt::format("the type {} or its label '{}' appears a second time", type + 1,
                         base::printable(line.words[1])));
      }
      has_label[type] = true;
      result_.elements[type] = line.words[1];
    });
  }
  void read_masses() {
    result_.masses.assign(types_, 0.0);
    for_lines(types_, "the mass", [&](const Line& line) {
      if (line.words.size() < 2) fail("expected a type and its mass");
      const std::size_t type = type_of(line.words[0]);
      const double mass = real(line.words[1]);
      if (!(mass > 0.0)) fail(fmt::format("the mass {} is not more than 0", mass));
      result_.masses[type] = mass;
      const auto name = words_of(line.comment);
      if (!name.empty() && type_of_label_.empty()) result_.elements[type] = name.front();
    });
    for (std::size_t type = 0; type < types_; ++type) {
      if (result_.masses[type] == 0.0) fail(fmt::format("the type {} has no mass", type + 1));
    }
  }
  std::size_t type_of(std::string_view word) const {
    const auto label = type_of_label_.find(std::string(word));
    if (label != type_of_label_.end()) return label->second;
    const std::uint64_t type = whole(word, "type");
    if (type == 0 || type > types_) fail(fmt::format("the type {} is none of 1 to {}", type, types_));
    return type - 1;
  }
  void read_atoms() {
    if (!style_.empty() && style_ != "atomic" && style_ != "charge") {
      fail(fmt::format("atoms of the style '{}' are not supported; atomic and charge are", base::printable(style_)));
    }
    const std::size_t place = style_ == "charge" ? 3 : 2;
    Configuration& atoms = result_.atoms;
    for_lines(count_, "atom", [&](const Line& line) {
      const auto& words = line.words;
      if (words.size() != place + 3 && words.size() != place + 6) {
        fail(fmt::format("has {} columns, expected {} or {} of the style {}", words.size(), place + 3, place + 6,
                         place == 3 ? "charge" : "atomic, or '# charge' behind Atoms"));
      }
      const std::uint64_t id = whole(words[0], "ID");
      if (!place_of_id_.emplace(id, atoms.size()).second) fail(fmt::format("the ID {} appears a second time", id));
      atoms.id.push_back(id);
      atoms.type.push_back(static_cast<std::uint32_t>(type_of(words[1])));
      if (place == 3 && real(words[2]) != 0.0) has_charges_ = true;
      atoms.x.push_back({real(words[place]), real(words[place + 1]), real(words[place + 2])});
      ImageCount image{};
      for (std::size_t axis = 0; axis < 3 && words.size() == place + 6; ++axis) {
        const auto flag = number_of<std::int32_t>(words[place + 3 + axis]);
        if (!flag) fail(fmt::format("'{}' is no image flag", base::printable(words[place + 3 + axis])));
        image[axis] = *flag;
      }
      atoms.image.push_back(image);
    });
    if (has_charges_) result_.unused.emplace_back("the charges of the section Atoms");
  }
  void read_velocities() {
    Configuration& atoms = result_.atoms;
    if (atoms.size() == 0) fail("the section Velocities stands before Atoms");
    atoms.v.assign(atoms.size(), {});
    std::vector<bool> has_velocity(atoms.size());
    for_lines(count_, "the velocity", [&](const Line& line) {
      if (line.words.size() != 4) fail(fmt::format("has {} columns, expected an ID and a velocity", line.words.size()));
      const std::uint64_t id = whole(line.words[0], "ID");
      const auto found = place_of_id_.find(id);
      if (found == place_of_id_.end()) fail(fmt::format("there is no atom with the ID {}", id));
      if (has_velocity[found->second]) fail(fmt::format("the atom {} has a second velocity", id));
      has_velocity[found->second] = true;
      atoms.v[found->second] = {real(line.words[1]), real(line.words[2]), real(line.words[3])};
    });
  }

  std::filesystem::path path_;
  std::string text_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;
  std::string section_, style_;
  std::uint64_t count_ = 0;
  std::uint64_t types_ = 0;
  bool has_charges_ = false;
  std::optional<Turn> turn_;  // of a box that is given by its edges
  std::unordered_map<std::string, std::size_t> type_of_label_;
  std::unordered_map<std::uint64_t, std::size_t> place_of_id_;
  LammpsData result_;
};

}  // namespace

LammpsData read_lammps_data(const std::filesystem::path& path) { return DataReader(path).read(); }

/// Of a tilted box the bounds are those of an upright one around it.
std::string lammps_dump_header(const Box& box, std::size_t atoms, std::uint64_t step) {
  std::string result = fmt::format("ITEM: TIMESTEP\n{}\nITEM: NUMBER OF ATOMS\n{}\nITEM: BOX BOUNDS", step, atoms);
  if (box.is_tilted()) result += " xy xz yz";
  for (const bool is_periodic : box.periodic) result += is_periodic ? " pp" : " ff";
  const std::array more{
      std::array{std::min({0.0, box.xy, box.xz, box.xy + box.xz}), std::max({0.0, box.xy, box.xz, box.xy + box.xz})},
      std::array{std::min(0.0, box.yz), std::max(0.0, box.yz)}, std::array{0.0, 0.0}};
  const std::array tilt{box.xy, box.xz, box.yz};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    result += fmt::format("\n{:.17g} {:.17g}", box.origin[axis] + more[axis][0],
                          box.origin[axis] + box.size[axis] + more[axis][1]);
    if (box.is_tilted()) result += fmt::format(" {:.17g}", tilt[axis]);
  }
  return result + "\nITEM: ATOMS id type element mass x y z ix iy iz vx vy vz fx fy fz\n";
}

void append_lammps_dump(std::string& to, const AtomLine& atom) {
  const auto& [id, type, element, mass, x, image, v, f] = atom;
  fmt::format_to(std::back_inserter(to), "{} {} {} {:.17g} {:.17g} {:.17g} {:.17g} {} {} {}", id, type + 1, element,
                 mass, x.x, x.y, x.z, image[0], image[1], image[2]);
  for (const base::Vec3& vector : {v, f}) {
    fmt::format_to(std::back_inserter(to), " {:.17g} {:.17g} {:.17g}", vector.x, vector.y, vector.z);
  }
  to += '\n';
}

}  // namespace tacit::md

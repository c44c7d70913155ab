// Finds neighbours in a box of links, and lists its sites.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/gauge/box_sites.hpp"

#include <algorithm>

#include "tacit/base/error.hpp"

namespace tacit::qcd {
namespace {

/// The distance of a site from the begin of a box along an axis, around the lattice.
std::uint32_t offset(const GaugeBox& box, std::uint32_t x, std::size_t axis) {
  return (x + box.extents.n[axis] - box.first[axis]) % box.extents.n[axis];
}

std::uint32_t number_in(const GaugeBox& box, const Coordinates& x) {
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (offset(box, x[axis], axis) >= box.size.n[axis]) return BoxSites::none;
  }
  return static_cast<std::uint32_t>(box.number(x));
}

std::size_t parity_of(const Coordinates& x) { return (x[0] + x[1] + x[2] + x[3]) % 2; }

}  // namespace

BoxSites::BoxSites(const GaugeField& field) {
  const GaugeBox& box = field.box;
  const std::size_t count = box.size.sites();
  if (count >= none) throw base::Error("a lattice of " + field.part.own.text() + " sites is too large");
  next_.resize(count * axes);
  before_.resize(count * axes);
  in_lattice_.resize(count);
  for (std::size_t site = 0; site < count; ++site) {
    const Coordinates x = box.site(site);
    in_lattice_[site] = box.extents.index(x);
    for (std::size_t axis = 0; axis < axes; ++axis) {
      next_[site * axes + axis] = number_in(box, box.extents.next(x, axis));
      before_[site * axes + axis] = number_in(box, box.extents.before(x, axis));
    }
  }
  for (std::size_t k = 0; k < field.part.own.sites(); ++k) {
    const Coordinates x = field.part.at(k);
    const auto site = static_cast<std::uint32_t>(box.number(x));
    own_.push_back(site);
    bool is_at_rim = false;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const std::uint32_t inside = x[axis] - field.part.begin[axis];
      is_at_rim = is_at_rim || (field.part.is_divided[axis] && (inside == 0 || inside + 1 == field.part.own.n[axis]));
    }
    (is_at_rim ? rim_ : interior_)[parity_of(x)].push_back(site);
  }
  find_faces(field);
}

/// Axis by axis, each with what has come along the earlier ones, so that edges and corners travel with the faces.
void BoxSites::find_faces(const GaugeField& field) {
  const GaugeBox& box = field.box;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (!field.part.is_divided[axis]) continue;
    for (const bool is_high : {false, true}) {
      for (std::vector<BoxFace>& faces : faces_) faces.push_back({.axis = axis, .is_high = is_high});
    }
    for (std::uint32_t site = 0; site < count(); ++site) {
      const Coordinates x = box.site(site);
      bool takes_part = true;
      for (std::size_t other = axis + 1; other < axes; ++other) {
        const std::uint32_t inside = offset(box, x[other], other);
        takes_part = takes_part && (!field.part.is_divided[other] || (inside > 0 && inside + 1 < box.size.n[other]));
      }
      if (!takes_part) continue;
      const std::uint32_t inside = offset(box, x[axis], axis);
      std::vector<BoxFace>& faces = faces_[parity_of(x)];
      BoxFace& low = faces[faces.size() - 2];
      BoxFace& high = faces.back();
      if (inside == 0) low.received.push_back(site);
      if (inside == 1) low.sent.push_back(site);
      if (inside + 2 == box.size.n[axis]) high.sent.push_back(site);
      if (inside + 1 == box.size.n[axis]) high.received.push_back(site);
    }
  }
}

}  // namespace tacit::qcd

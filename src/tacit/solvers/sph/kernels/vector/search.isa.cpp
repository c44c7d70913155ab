// The loops that search; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/sph/kernels/vector/search.hpp"

#include "tacit/base/pack.hpp"
#include "tacit/solvers/sph/kernels/pair_terms.hpp"
#include "tacit/solvers/sph/kernels/vector/near_box.hpp"

namespace tacit::sph::kernels::vector {
// Nothing here may be visible to the linker but what carries the instruction set in its name.
namespace {

using Isa = base::isa::TACIT_ISA;
using P = base::Pack<float, Isa>;
using terms::Vector;
constexpr std::size_t width = P::width;
static_assert(widest % width == 0);

constexpr float far_away = 1e15F;

/// Puts `widest` massless candidates behind the list.
void seal(ShortlistTarget to, std::size_t size, std::size_t massless) noexcept {
  for (std::size_t k = size; k < size + widest; ++k) {
    to.x[k] = to.y[k] = to.z[k] = far_away;
    to.m[k] = to.H2[k] = 0.0F;
    to.index[k] = static_cast<std::uint32_t>(massless);
  }
}

/// @param reach  gives the radius around the box for candidates j, j + 1, ...
template <class Reach>
std::size_t list_near(const Candidates& from, const Region& region, const Reach& reach, ShortlistTarget to) noexcept {
  std::size_t size = 0;
  for (std::size_t j = 0; j < from.size; j += width) {
    const P x = P::load(from.x + j);
    const P y = P::load(from.y + j);
    const P z = P::load(from.z + j);
    const auto near = is_near(region, x, y, z, reach(j));
    store_compressed(to.x + size, x, near);
    store_compressed(to.y + size, y, near);
    store_compressed(to.z + size, z, near);
    store_compressed(to.m + size, P::load(from.m + j), near);
    store_compressed(to.H2 + size, P::load(from.H2 + j), near);
    size += store_indices(to.index + size, static_cast<std::uint32_t>(j), near);
  }
  seal(to, size, from.size);
  return size;
}

std::size_t shortlist(Candidates from, const Region& region, ShortlistTarget to) {
  const P radius(region.radius);
  return list_near(
      from, region, [radius](std::size_t) { return radius; }, to);
}

std::size_t shortlist_either(Candidates from, const Region& region, ShortlistTarget to) {
  const P radius(region.radius);
  const auto reach = [radius, &from](std::size_t j) { return max(radius, sqrt(P::load(from.H2 + j))); };
  return list_near(from, region, reach, to);
}

/// Squared separations from those at j, j + 1, ... of the list.
P separation2(const Shortlist& list, const Vector<P>& at, std::size_t j) noexcept {
  const Vector<P> d = at - Vector<P>{P::load(list.x + j), P::load(list.y + j), P::load(list.z + j)};
  return dot(d, d);
}

/// Fills hits up to whole packs with the first massless candidate.
void fill_up(const Shortlist& list, const Hits& hits, std::size_t count) noexcept {
  const std::uint32_t massless = list.index[list.size];
  for (std::size_t k = 0; k < width; ++k) hits.index[count + k] = massless;
}

std::size_t find_within(Shortlist list, const Float3& centre, float H, Hits hits) {
  const Vector<P> at{P(centre.x), P(centre.y), P(centre.z)};
  const P H2(H * H);
  std::size_t found = 0;
  for (std::size_t j = 0; j < list.size; j += width) {
    const P r2 = separation2(list, at, j);
    const auto near = r2 < H2;
    store_compressed(hits.index + found, list.index + j, near);
    store_compressed(hits.r + found, r2, near);
    store_compressed(hits.m + found, P::load(list.m + j), near);
    found += count(near);
  }
  fill_up(list, hits, found);
  P(0).store(hits.r + found);
  P(0).store(hits.m + found);
  for (std::size_t k = 0; k < found; k += width) sqrt(P::load(hits.r + k)).store(hits.r + k);
  return found;
}

std::size_t find_within_either(Shortlist list, const Float3& centre, float H, Hits hits) {
  const Vector<P> at{P(centre.x), P(centre.y), P(centre.z)};
  const P H2(H * H);
  std::size_t found = 0;
  for (std::size_t j = 0; j < list.size; j += width) {
    const auto near = separation2(list, at, j) < max(H2, P::load(list.H2 + j));
    store_compressed(hits.index + found, list.index + j, near);
    found += count(near);
  }
  fill_up(list, hits, found);
  return found;
}

}  // namespace

template <class>
SearchFunctions search_of() noexcept {
  return {&shortlist, &shortlist_either, &find_within, &find_within_either};
}
template SearchFunctions search_of<Isa>() noexcept;

}  // namespace tacit::sph::kernels::vector

// The loops over sorted pairs of cells; compiled once per instruction set, which TACIT_ISA names.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/base/pack.hpp"
#include "tacit/solvers/sph/kernels/pair_terms.hpp"
#include "tacit/solvers/sph/kernels/smoothing.hpp"
#include "tacit/solvers/sph/kernels/vector/pair_kernels.hpp"

namespace tacit::sph::kernels::vector {
// Nothing here may be visible to the linker but what carries the instruction set in its name.
namespace {

using Isa = base::isa::TACIT_ISA;
using P = base::Pack<float, Isa>;
using Lanes = P::mask_type;
using terms::Gas, terms::Thermal, terms::Vector, terms::Separation;
using Field = SweepField;
using Sum = SweepSum;
constexpr std::size_t width = P::width;
static_assert(widest % width == 0);

/// Where particle j's number is in blocks of `fields` fields.
constexpr std::size_t place_in_blocks(std::size_t j, std::size_t fields) noexcept {
  return j / widest * (fields * widest) + j % widest;
}
constexpr std::size_t offset_of(Field field) noexcept { return static_cast<std::size_t>(field) * widest; }
constexpr std::size_t offset_of(Sum sum) noexcept { return static_cast<std::size_t>(sum) * widest; }

[[gnu::always_inline]] inline P load(const float* particle, Field field) noexcept {
  return P::load(particle + offset_of(field));
}
/// The same number in all lanes.
[[gnu::always_inline]] inline P broadcast(const float* particle, Field field) noexcept {
  return P(particle[offset_of(field)]);
}

/// A particle in all lanes, or as many as there are lanes.
template <P (*get)(const float*, Field) noexcept>
struct Body {
  const float* particle;
  [[gnu::always_inline]] Vector<P> at() const noexcept {
    return {get(particle, Field::x), get(particle, Field::y), get(particle, Field::z)};
  }
  [[gnu::always_inline]] Vector<P> v() const noexcept {
    return {get(particle, Field::vx), get(particle, Field::vy), get(particle, Field::vz)};
  }
  [[gnu::always_inline]] P m() const noexcept { return get(particle, Field::m); }
  [[gnu::always_inline]] P inverse_H() const noexcept { return get(particle, Field::inverse_H); }
  [[gnu::always_inline]] Gas<P> gas() const noexcept {
    return {get(particle, Field::cs), inverse_H(), get(particle, Field::rho), get(particle, Field::omega_P),
            get(particle, Field::balsara)};
  }
  [[gnu::always_inline]] Thermal<P> thermal() const noexcept {
    return {get(particle, Field::u), get(particle, Field::f), get(particle, Field::alpha_v),
            get(particle, Field::alpha_d)};
  }
};
using Centre = Body<&broadcast>;
using Others = Body<&load>;

/// Adds to the sums of as many particles as there are lanes.
[[gnu::always_inline]] inline void add_to(float* sums, Sum sum, const P& more) noexcept {
  float* const at = sums + offset_of(sum);
  (P::load(at) + more).store(at);
}
[[gnu::always_inline]] inline void raise_to(float* sums, Sum sum, const P& other) noexcept {
  float* const at = sums + offset_of(sum);
  max(P::load(at), other).store(at);
}
/// Adds lanes to the sum of one particle.
[[gnu::always_inline]] inline void add_lanes(float* sums, Sum sum, const P& lanes) noexcept {
  sums[offset_of(sum)] += static_cast<float>(sum_of(lanes));
}
[[gnu::always_inline]] inline void raise_lanes(float* sums, Sum sum, const P& lanes) noexcept {
  float& at = sums[offset_of(sum)];
  const float most = largest_of(lanes);
  at = at > most ? at : most;
}

/// One particle with as many others as there are lanes. Of these, some may not be wanted.
struct Meeting {
  Vector<P> d;  ///< x_i - x_j
  P r2;
  P least;        ///< of both 1/H
  Lanes touches;  ///< within either support, and wanted

  [[gnu::always_inline]] Meeting(const Centre& i, const Others& j, const Lanes& wanted) noexcept
      : d(i.at() - j.at()),
        r2(dot(d, d)),
        least(min(i.inverse_H(), j.inverse_H())),
        touches((r2 * (least * least) < P(1)) & wanted) {}
};

/// Density, its derivative, and the gradients of velocity.
template <class Kernel>
struct DensityTerms {
  P sum_w = P(0), sum_q_dw = P(0), dot_sum = P(0);
  Vector<P> cross{P(0), P(0), P(0)};

  /// One side: the kernel of the particle that is summed for, and the other's mass.
  struct Side {
    P w, q_dw, weight;
    [[gnu::always_inline]] Side(const Separation<P>& separation, const P& inverse_H, const P& m) noexcept {
      const P q = terms::kernel_argument(separation.r, inverse_H);
      const P dw = Kernel::dw_dq(q);
      w = m * Kernel::w(q);
      q_dw = m * q * dw;
      weight = m * dw * separation.inverse_r;
    }
  };

  [[gnu::always_inline]] void meet(const Centre& i, const Others& j, const Meeting& pair, float* sums_j,
                                   const ForceConstants& /*constants*/) noexcept {
    const Separation<P> separation(pair.r2);
    const Vector<P> v = i.v() - j.v();
    const Vector<P>& d = pair.d;
    const P along = dot(v, d);
    const Vector<P> turn{v.y * d.z - v.z * d.y, v.z * d.x - v.x * d.z, v.x * d.y - v.y * d.x};
    const Side to_i(separation, i.inverse_H(), select(pair.touches, j.m(), P(0)));
    sum_w += to_i.w;
    sum_q_dw += to_i.q_dw;
    dot_sum = fma(to_i.weight, along, dot_sum);
    cross.x = fma(to_i.weight, turn.x, cross.x);
    cross.y = fma(to_i.weight, turn.y, cross.y);
    cross.z = fma(to_i.weight, turn.z, cross.z);
    // Both velocity and separation turn round, so that their products stay.
    const Side to_j(separation, j.inverse_H(), select(pair.touches, i.m(), P(0)));
    add_to(sums_j, Sum::a, to_j.w);
    add_to(sums_j, Sum::b, to_j.q_dw);
    add_to(sums_j, Sum::c, to_j.weight * along);
    add_to(sums_j, Sum::x, to_j.weight * turn.x);
    add_to(sums_j, Sum::y, to_j.weight * turn.y);
    add_to(sums_j, Sum::z, to_j.weight * turn.z);
  }
  void total(float* sums) const noexcept {
    add_lanes(sums, Sum::a, sum_w);
    add_lanes(sums, Sum::b, sum_q_dw);
    add_lanes(sums, Sum::c, dot_sum);
    add_lanes(sums, Sum::x, cross.x);
    add_lanes(sums, Sum::y, cross.y);
    add_lanes(sums, Sum::z, cross.z);
  }
};

/// What both forces sum: an acceleration, a rate of heating, the largest signal velocity.
struct ForceLanes {
  Vector<P> a{P(0), P(0), P(0)};
  P heating = P(0);
  P v_sig = P(0);

  /// @param along  what pushes the two apart, per mass of the other
  [[gnu::always_inline]] void push(const Meeting& pair, const P& along, const P& m_i, const P& m_j,
                                   float* sums_j) noexcept {
    const Vector<P>& d = pair.d;
    const P pull_i = m_j * along;
    a.x -= pull_i * d.x;
    a.y -= pull_i * d.y;
    a.z -= pull_i * d.z;
    const P pull_j = m_i * along;
    add_to(sums_j, Sum::x, pull_j * d.x);
    add_to(sums_j, Sum::y, pull_j * d.y);
    add_to(sums_j, Sum::z, pull_j * d.z);
  }
  [[gnu::always_inline]] void heat(const P& of_i, const P& of_j, float* sums_j) noexcept {
    heating += of_i;
    add_to(sums_j, Sum::a, of_j);
  }
  /// Who lies on top of the particle sends no signal.
  [[gnu::always_inline]] void hear(const P& signal, const Lanes& heard, float* sums_j) noexcept {
    const P v = select(heard, signal, P(0));
    v_sig = max(v_sig, v);
    raise_to(sums_j, Sum::largest, v);
  }
  void total(float* sums) const noexcept {
    add_lanes(sums, Sum::x, a.x);
    add_lanes(sums, Sum::y, a.y);
    add_lanes(sums, Sum::z, a.z);
    add_lanes(sums, Sum::a, heating);
    raise_lanes(sums, Sum::largest, v_sig);
  }
};

template <class Kernel>
struct ForceTerms : ForceLanes {
  [[gnu::always_inline]] void meet(const Centre& i, const Others& j, const Meeting& pair, float* sums_j,
                                   const ForceConstants& constants) noexcept {
    const Separation<P> separation(pair.r2);
    const P v_r = dot(i.v() - j.v(), pair.d);
    const terms::PairForce<P> force = terms::pair_force<Kernel>(
        i.gas(), j.gas(), separation, v_r, P(constants.viscosity), P(constants.norm), constants.dimension);
    const P m_i = select(pair.touches, i.m(), P(0));
    const P m_j = select(pair.touches, j.m(), P(0));
    push(pair, force.along, m_i, m_j, sums_j);
    heat(m_j * force.dissipation, m_i * force.dissipation, sums_j);
    hear(force.v_sig, pair.touches & (pair.r2 > P(0)), sums_j);
  }
};

template <class Kernel>
struct SphenixForceTerms : ForceLanes {
  [[gnu::always_inline]] void meet(const Centre& i, const Others& j, const Meeting& pair, float* sums_j,
                                   const ForceConstants& constants) noexcept {
    const Separation<P> separation(pair.r2);
    const P v_r = dot(i.v() - j.v(), pair.d);
    const terms::PairSphenix<P> force =
        terms::pair_sphenix<Kernel>(i.gas(), j.gas(), i.thermal(), j.thermal(), separation, v_r, P(constants.viscosity),
                                    P(constants.norm), constants.dimension);
    const Lanes heard = pair.touches & (pair.r2 > P(0));
    const P m_i = select(heard, i.m(), P(0));
    const P m_j = select(heard, j.m(), P(0));
    push(pair, force.along, m_i, m_j, sums_j);
    // Conduction between particles on top of each other is no number.
    heat(select(heard, m_j * force.du_dt, P(0)), select(heard, m_i * force.du_dt_of_j, P(0)), sums_j);
    hear(force.v_sig, heard, sums_j);
  }
};

/// What SPHENIX must know between densities and forces; each side looks within its own support.
template <class Kernel>
struct SphenixGradientTerms {
  P laplace = P(0), v_sig = P(0), alpha_v = P(0);

  [[gnu::always_inline]] void meet(const Centre& i, const Others& j, const Meeting& pair, float* sums_j,
                                   const ForceConstants& constants) noexcept {
    const Separation<P> separation(pair.r2);
    const Gas<P> gas_i = i.gas();
    const Gas<P> gas_j = j.gas();
    const P v_r = dot(i.v() - j.v(), pair.d);
    const terms::Signal<P> signal(gas_i, gas_j, v_r, separation.inverse_r, P(constants.viscosity));
    const P u_ij = i.thermal().u - j.thermal().u;
    const P term_i = terms::laplacian<Kernel>(separation, gas_i.inverse_H, u_ij, gas_j.rho);
    const P term_j = terms::laplacian<Kernel>(separation, gas_j.inverse_H, -u_ij, gas_i.rho);
    const Lanes in_i = pair.touches & (separation.r * gas_i.inverse_H < P(1));
    const Lanes in_j = pair.touches & (separation.r * gas_j.inverse_H < P(1));
    const Lanes apart = pair.r2 > P(0);
    laplace += select(in_i & apart, j.m() * term_i, P(0));
    v_sig = max(v_sig, select(in_i & apart, signal.v, P(0)));
    alpha_v = max(alpha_v, select(in_i, j.thermal().alpha_v, P(0)));
    add_to(sums_j, Sum::a, select(in_j & apart, i.m() * term_j, P(0)));
    raise_to(sums_j, Sum::largest, select(in_j & apart, signal.v, P(0)));
    raise_to(sums_j, Sum::other_largest, select(in_j, i.thermal().alpha_v, P(0)));
  }
  void total(float* sums) const noexcept {
    add_lanes(sums, Sum::a, laplace);
    raise_lanes(sums, Sum::largest, v_sig);
    raise_lanes(sums, Sum::other_largest, alpha_v);
  }
};

/// One particle with those at j, j + 1, ... of a side.
template <class Terms>
[[gnu::always_inline]] inline void meet(Terms& terms, const Centre& i, const SweepSide& side, std::size_t j,
                                        const Lanes& wanted, const ForceConstants& constants) noexcept {
  const Others others{side.fields + place_in_blocks(j, sweep_fields)};
  const Meeting pair(i, others, wanted);
  if (any(pair.touches)) terms.meet(i, others, pair, side.sums + place_in_blocks(j, sweep_sums), constants);
}

/// Lanes beyond the first n.
Lanes beyond(std::size_t n) noexcept {
  constexpr float numbers[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  return P::load(numbers) >= P(n);
}

Centre centre_of(const SweepSide& side, std::size_t i) noexcept {
  return {side.fields + place_in_blocks(i, sweep_fields)};
}
float support_of(const Centre& i) noexcept { return 1.0F / i.particle[offset_of(Field::inverse_H)]; }
float larger(float a, float b) noexcept { return a > b ? a : b; }

template <class Terms>
void sweep_self(const Sweep& sweep) {
  const SweepSide& side = sweep.near;
  const float* const key = side.key;
  std::size_t farthest = 0;  // whom the largest support may reach
  for (std::size_t i = 0; i < side.size; ++i) {
    const float edge = key[i] + (side.H_max + sweep.slack);
    while (farthest < side.size && key[farthest] < edge) ++farthest;
    if (farthest <= i + 1) continue;
    const Centre centre = centre_of(side, i);
    Terms terms;
    const std::size_t first = (i + 1) / width * width;
    meet(terms, centre, side, first, beyond(i + 1 - first), sweep.constants);
    for (std::size_t j = first + width; j < farthest; j += width) {
      meet(terms, centre, side, j, beyond(0), sweep.constants);
    }
    terms.total(side.sums + place_in_blocks(i, sweep_sums));
  }
}

template <class Terms>
void sweep_pair(const Sweep& sweep) {
  const auto& [near, far, slack, constants] = sweep;
  const float most = larger(near.H_max, far.H_max) + slack;
  std::size_t end = far.size;  // whom the largest support may reach
  for (std::size_t i = near.size; i-- > 0;) {
    const float key = near.key[i];
    while (end > 0 && !(far.key[end - 1] < key + most)) --end;
    if (end == 0) return;
    const Centre centre = centre_of(near, i);
    const float edge = key + (larger(support_of(centre), far.H_max) + slack);
    std::size_t seen = end;
    while (seen > 0 && !(far.key[seen - 1] < edge)) --seen;
    if (seen == 0) continue;
    Terms terms;
    for (std::size_t j = 0; j < seen; j += width) meet(terms, centre, far, j, beyond(0), constants);
    terms.total(near.sums + place_in_blocks(i, sweep_sums));
  }
}

/// Four numbers of each particle become four fields.
[[gnu::always_inline]] inline void put(float* particle, Field first, const base::Pack4<P>& record) noexcept {
  float* const to = particle + offset_of(first);
  record.a.store(to);
  record.b.store(to + widest);
  record.c.store(to + 2 * widest);
  record.d.store(to + 3 * widest);
}

/// As many particles as there are lanes.
template <bool has_thermal>
[[gnu::always_inline]] inline void fill_pack(const SweepSource& source, const std::uint32_t* index,
                                             float* particle) noexcept {
  auto place = base::gather4<P>(source.place, index);
  place.a = fma(place.a, P(source.sign.x), P(source.offset.x));
  place.b = fma(place.b, P(source.sign.y), P(source.offset.y));
  place.c = fma(place.c, P(source.sign.z), P(source.offset.z));
  put(particle, Field::x, place);
  auto flow = base::gather4<P>(source.flow, index);
  flow.a *= P(source.sign.x);
  flow.b *= P(source.sign.y);
  flow.c *= P(source.sign.z);
  put(particle, Field::vx, flow);
  put(particle, Field::inverse_H, base::gather4<P>(source.state, index));
  if constexpr (has_thermal) put(particle, Field::u, base::gather4<P>(source.thermal, index));
}

template <bool has_thermal>
void fill(const SweepSource& source, float* fields, float* sums) {
  const std::size_t whole = source.size / widest * widest;
  for (std::size_t k = 0; k < whole; k += width) {
    fill_pack<has_thermal>(source, source.index + k, fields + place_in_blocks(k, sweep_fields));
  }
  if (whole < source.size) {
    std::uint32_t last[widest];
    for (std::size_t k = 0; k < widest; ++k) {
      last[k] = whole + k < source.size ? source.index[whole + k] : source.massless;
    }
    for (std::size_t k = 0; k < widest; k += width) {
      fill_pack<has_thermal>(source, last + k, fields + place_in_blocks(whole + k, sweep_fields));
    }
  }
  const std::size_t blocks = (source.size + widest - 1) / widest;
  for (std::size_t k = 0; k < blocks * sweep_sums * widest; k += width) P(0).store(sums + k);
}

/// Adds the sums of `count` particles to their records. Reads before it writes: so compilers do four at a time.
void scatter(const SweepHarvest& harvest, const std::uint32_t* index, std::size_t count, const float* first,
             const float* second) noexcept {
  for (std::size_t lane = 0; lane < count; ++lane) {
    float* const record = harvest.records + sweep_sums * index[lane];
    const float* const low = first + 4 * lane;
    const float* const high = second + 4 * lane;
    float sum[4];
    for (std::size_t s = 0; s < 4; ++s) sum[s] = record[s] + low[s];
    const float sum_4 = record[4] + high[0];
    const float sum_5 = record[5] + high[1];
    const float most_6 = larger(record[6], high[2]);
    const float most_7 = larger(record[7], high[3]);
    for (std::size_t s = 0; s < 4; ++s) record[s] = sum[s];
    record[4] = sum_4;
    record[5] = sum_5;
    record[6] = most_6;
    record[7] = most_7;
  }
}

void harvest(const SweepHarvest& harvest) {
  alignas(64) float first[4 * width];
  alignas(64) float second[4 * width];
  for (std::size_t k = 0; k < harvest.size; k += width) {
    const float* const sums = harvest.sums + place_in_blocks(k, sweep_sums);
    const auto sum = [sums](Sum which) { return P::load(sums + offset_of(which)); };
    store_records(first, sum(Sum::x) * P(harvest.sign.x), sum(Sum::y) * P(harvest.sign.y),
                  sum(Sum::z) * P(harvest.sign.z), sum(Sum::a));
    store_records(second, sum(Sum::b), sum(Sum::c), sum(Sum::largest), sum(Sum::other_largest));
    const std::size_t rest = harvest.size - k;
    scatter(harvest, harvest.index + k, rest < width ? rest : width, first, second);
  }
}

template <class Terms>
SweepLoop loop_of() noexcept {
  return {&sweep_self<Terms>, &sweep_pair<Terms>};
}

}  // namespace

template <class Kernel, class>
SweepKernels sweep_kernels_of() noexcept {
  return {&fill<false>,
          &fill<true>,
          &harvest,
          loop_of<DensityTerms<Kernel>>(),
          loop_of<ForceTerms<Kernel>>(),
          loop_of<SphenixGradientTerms<Kernel>>(),
          loop_of<SphenixForceTerms<Kernel>>()};
}

template SweepKernels sweep_kernels_of<CubicSpline, Isa>() noexcept;
template SweepKernels sweep_kernels_of<QuarticSpline, Isa>() noexcept;
template SweepKernels sweep_kernels_of<QuinticSpline, Isa>() noexcept;
template SweepKernels sweep_kernels_of<WendlandC2, Isa>() noexcept;
template SweepKernels sweep_kernels_of<WendlandC4, Isa>() noexcept;
template SweepKernels sweep_kernels_of<WendlandC6, Isa>() noexcept;
template SweepKernels sweep_kernels_of<WendlandC2Line, Isa>() noexcept;
template SweepKernels sweep_kernels_of<WendlandC4Line, Isa>() noexcept;
template SweepKernels sweep_kernels_of<WendlandC6Line, Isa>() noexcept;

}  // namespace tacit::sph::kernels::vector

// The loops over folded sites: hopping term, local terms, and the vector operations of solvers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace tacit::qcd::kernels {

/// Numbers of a folded site per lane: spin, colour, real and imaginary part of a spinor; row, column, ... of four
/// links.
inline constexpr std::size_t spinor_numbers = 24;
inline constexpr std::size_t half_spinor_numbers = 12;
inline constexpr std::size_t link_numbers = 18;
/// Of the two hermitian 6 x 6 blocks of the local term: of each the diagonal, then the elements below it row by row.
inline constexpr std::size_t clover_numbers = 72;

/// Whether D or its hermitian conjugate gamma_5 D gamma_5 is applied.
enum class Conjugate : std::uint8_t { no, yes };

/// What is added to the hopping term of a site, H psi = sum_mu (1 - gamma_mu) U psi + (1 + gamma_mu) U^+ psi.
enum class LocalTerm : std::uint8_t {
  none,    ///< out = hopping * H in
  mass,    ///< out = mass * local + hopping * H in
  clover,  ///< out = A local + hopping * H in, where A is hermitian and acts on each half of the spins alone
  after,   ///< out = A (hopping * H in)
};

/// What the Dirac operator needs of a folded lattice. Sites are counted from `first_*` on, so that fields may hold one
/// parity alone.
template <class T>
struct Hopping {
  const T* links = nullptr;                   ///< [site][mu][row][column][re, im][lane], of all sites
  const std::uint32_t* neighbours = nullptr;  ///< [site][mu][forward, backward]
  const std::uint32_t* strides = nullptr;     ///< of lanes that are exchanged, per axis
  const T* in = nullptr;                      ///< [site][spin][colour][re, im][lane]
  std::size_t first_in = 0;                   ///< the site with which `in` begins
  T* out = nullptr;                           ///< none of the others
  const T* local = nullptr;                   ///< to which the local term is applied, from the first site of `out` on
  const T* clover = nullptr;                  ///< A, or its inverse, of all sites
  std::size_t first_out = 0;                  ///< the site with which `out` and `local` begin
  LocalTerm term = LocalTerm::mass;
  T mass = 0;
  T hopping = 0;
  const T* ghosts = nullptr;  ///< half spinors of other ranks, [ghost][upper spin][colour][re, im][lane]; null: of none
  const std::uint32_t* ghost_places = nullptr;  ///< [site][mu][forward, backward], where the neighbour is a ghost
};

/// Sites at an end of this rank's part, for the rank beyond.
struct FaceSites {
  std::size_t axis = 0;
  bool is_high = false;
  const std::uint32_t* sites = nullptr;
  std::size_t count = 0;
};

/// The loops of one instruction set for packs of T. Every lane is computed alone and without contraction, by the same
/// operations in each set: all foldings give the same bits. Sums are of eight sites of one parity in a block, from the
/// first number to the last, so that they depend on the lattice alone; `sums` has one for each lane of each half block.
template <class T>
struct Loops {
  std::size_t lanes = 1;  ///< of a pack; fields must be folded into as many
  /// Applies the operator to the sites [first, last). Cost: 1320 operations and the local term per site; at best four
  /// links, a spinor read and one written: 480 bytes in single precision.
  void (*hop)(const Hopping<T>&, Conjugate, std::size_t first, std::size_t last);
  /// Stores of each site the half spinor that `hop` needs as a ghost on the rank beyond: that of the site itself at a
  /// low end, to which the link leads from there, and U^+ times it at a high end, where the link lies here.
  /// Of folded axes the lanes at that end alone are stored: [site][upper spin][colour][re, im][lane].
  void (*pack_face)(const Hopping<T>&, Conjugate, const FaceSites& face, T* to);

  /// psi <- A psi in place, for sites [first, last) of a field and of A alike. @param clover  null: A = factor
  void (*local)(const T* clover, T factor, T* psi, std::size_t first, std::size_t last);

  // Over half blocks [first, last) of fields; `sums` begins with that of half block 0.
  /// |x|^2
  void (*norm2)(const T* x, double* sums, std::size_t first, std::size_t last);
  /// x^+ y; real and imaginary parts
  void (*dot)(const T* x, const T* y, double* real, double* imaginary, std::size_t first, std::size_t last);
  /// y <- y + a x, a complex
  void (*axpy)(T a_real, T a_imaginary, const T* x, T* y, std::size_t first, std::size_t last);
  /// y <- x + a y, a complex
  void (*xpay)(const T* x, T a_real, T a_imaginary, T* y, std::size_t first, std::size_t last);
  /// x <- x + a p, r <- r - a w, and |r|^2
  void (*advance)(T a, const T* p, const T* w, T* x, T* r, double* sums, std::size_t first, std::size_t last);
};

template <class T, class Isa>
[[nodiscard]] Loops<T> loops_of() noexcept;

/// The widest loops that this processor has, of TACIT_INSTRUCTION_SET if that is set, whose packs are no wider than a
/// number of lanes. @throws base::Error as base::chosen_instruction_set
template <class T>
[[nodiscard]] Loops<T> loops_for(std::size_t most_lanes);

}  // namespace tacit::qcd::kernels

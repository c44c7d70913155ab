// Exchanges the modes with kx = 0 of -ky with those of ky.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/dns/across_ranks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tacit/comm/collectives/all_to_all_view.hpp"

namespace tacit::dns {
namespace {

/// The index of minus a wave number.
std::size_t minus(std::size_t index, std::size_t count) { return (count - index) % count; }

/// Which ky of the rank at one place have their partners at another, in the order of the former.
std::vector<std::size_t> partners(const fft::Pencils& pencils, std::size_t at, std::size_t of) {
  const fft::Range own = pencils.ky_of(at);
  const fft::Range theirs = pencils.ky_of(of);
  std::vector<std::size_t> list;
  for (std::size_t ky = own.begin; ky < own.end; ++ky) {
    const std::size_t partner = minus(ky, pencils.modes().count(1));
    if (partner >= theirs.begin && partner < theirs.end) list.push_back(ky);
  }
  return list;
}

/// The modes with kx = 0 of one field and ky, by kz.
class Column {
 public:
  Column(const fft::Pencils& pencils, Complex* field, std::size_t ky)
      : first_(field + pencils.spectral_place(0, ky, 0)), stride_(pencils.ky().size()) {}
  Complex& operator[](std::size_t kz) const { return first_[kz * stride_]; }

 private:
  Complex* first_;
  std::size_t stride_;
};

/// Sets the modes of `ky` to the conjugates of their partners, which lie by kz.
void conjugate(const fft::Pencils& pencils, Complex* field, std::size_t ky, const Complex* partner) {
  const fft::Modes& modes = pencils.modes();
  const Column own(pencils, field, ky);
  const std::size_t partner_ky = minus(ky, modes.count(1));
  for (std::size_t kz = 0; kz < modes.count(2); ++kz) {
    const std::size_t partner_kz = minus(kz, modes.count(2));
    if (partner_kz == kz && partner_ky == ky) {
      own[kz] = own[kz].real();
    } else if (partner_kz < kz || (partner_kz == kz && partner_ky < ky)) {
      own[kz] = std::conj(partner[partner_kz]);
    }
  }
}

}  // namespace

void pair_conjugates(const fft::Pencils& pencils, std::span<const std::span<Complex>> fields,
                     fft::GridCommunicators& ranks) {
  if (pencils.kx().begin != 0 || pencils.kx().size() == 0) return;
  const std::size_t planes = pencils.modes().count(2);
  const std::size_t column_size = pencils.grid().column_size;
  const std::size_t own = pencils.place_in_column();
  std::vector<Complex> sent;
  for (std::size_t place = 0; place < column_size; ++place) {
    for (const std::size_t ky : partners(pencils, own, place)) {
      for (const auto field : fields) {
        const Column column(pencils, field.data(), ky);
        for (std::size_t kz = 0; kz < planes; ++kz) sent.push_back(column[kz]);
      }
    }
  }
  std::optional<comm::AllToAllView<Complex>> exchange;
  if (column_size > 1) {
    exchange.emplace(ranks.column(), [&](comm::RankId from, comm::RankId to) {
      return partners(pencils, number(from), number(to)).size() * fields.size() * planes;
    });
    std::copy(sent.begin(), sent.end(), exchange->input());
    exchange->run();
  }
  for (std::size_t place = 0; place < column_size; ++place) {
    const Complex* const from =
        exchange ? exchange->block_from(comm::RankId{static_cast<std::uint32_t>(place)}).data() : sent.data();
    // What came is in the order of the sender's ky.
    const std::vector<std::size_t> theirs = partners(pencils, place, own);
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      const std::size_t ky = minus(theirs[i], pencils.modes().count(1));
      for (std::size_t f = 0; f < fields.size(); ++f) {
        conjugate(pencils, fields[f].data(), ky, from + (i * fields.size() + f) * planes);
      }
    }
  }
}

}  // namespace tacit::dns

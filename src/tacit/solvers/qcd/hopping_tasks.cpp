// Builds the graph of the hopping term, and packs and unpacks half spinors.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/hopping_tasks.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "tacit/base/error.hpp"
#include "tacit/exchange/messages.hpp"

namespace tacit::qcd {
namespace {

constexpr std::size_t eight = Lattice::sites_of_half_block;

/// Streams of spaces in double and in single precision are told apart, and those of several fields at once.
template <class T>
constexpr std::uint32_t stream_key(std::size_t most) {
  return (std::is_same_v<T, double> ? 0x51430000U : 0x51430010U) + (most > 1 ? 0x20U : 0U);
}

std::size_t index_of(Target target) { return static_cast<std::size_t>(target); }

/// Of a message towards an end of the sender's part; the same at both ends.
std::uint32_t key_of(const Face& face, bool towards_high) {
  return static_cast<std::uint32_t>(2 * face.axis) + (towards_high ? 1U : 0U);
}

}  // namespace

template <class T>
HoppingTasks<T>::HoppingTasks(FieldSpace<T>& space, std::size_t most) : space_(space), most_(most) {
  TACIT_EXPECT(most > 0);
  by_.reserve(most);
  const Lattice& lattice = space.lattice();
  std::array<Tasks, 3> tasks;
  if (space.division().ranks() != nullptr) {
    exchange_.emplace(*space.division().ranks(), exchange::Options{.key = stream_key<T>(most)});
    ghosts_.resize(most * lattice.ghosts() * kernels::half_spinor_numbers * lattice.lanes());
    for (const std::uint32_t parity : {0U, 1U}) {
      ghosts_data_[parity] = graph_.add_datum();
      const Tasks halo = add_halo(parity);
      for (const Target target : {parity == 0 ? Target::odd : Target::even, Target::both}) {
        Tasks& all = tasks[index_of(target)];
        all.insert(all.end(), halo.begin(), halo.end());
      }
    }
    exchange_->connect();
    exchange_->time_transfers();
  }
  for (const Target target : {Target::even, Target::odd, Target::both}) {
    add_pieces(target, lattice.interior_blocks(), false, tasks[index_of(target)]);
    add_pieces(target, lattice.rim_blocks(), true, tasks[index_of(target)]);
    activations_[index_of(target)] = graph_.activate(tasks[index_of(target)]);
  }
}

template <class T>
typename HoppingTasks<T>::Tasks HoppingTasks<T>::add_halo(std::uint32_t parity) {
  exchange::Messages messages;
  for (const Face& face : space_.lattice().faces()) {
    if (face.parity != parity) continue;
    exchange::Message message{.peer = space_.division().beyond(face), .count = most_ * numbers(face)};
    message.key = key_of(face, face.is_high);
    messages.send<T>(message, {}, [this, &face](tasks::StepContext&, std::span<T> to) { pack(face, to); });
    message.key = key_of(face, !face.is_high);
    messages.receive<T>(
        message, tasks::writes(ghosts_data_[parity]), [this, &face](tasks::StepContext&, std::span<const T> from) {
          const std::size_t ghosts = ghosts_.size() / most_;
          for (std::size_t field = 0; field < by_.size(); ++field) {
            unpack(face, from.subspan(field * numbers(face), numbers(face)), ghosts_.data() + field * ghosts);
          }
        });
  }
  return exchange_->add(graph_, parity == 0 ? "even halo" : "odd halo", std::move(messages)).all();
}

/// Of a field in the message of a face.
template <class T>
std::size_t HoppingTasks<T>::numbers(const Face& face) const noexcept {
  return face.sites.size() * kernels::half_spinor_numbers * space_.lattice().lanes_at(face);
}

template <class T>
void HoppingTasks<T>::pack(const Face& face, std::span<T> message) const {
  for (std::size_t field = 0; field < by_.size(); ++field) {
    space_.loops().pack_face(
        by_[field], conjugate_,
        {.axis = face.axis, .is_high = face.is_high, .sites = face.sites.data(), .count = face.sites.size()},
        message.data() + field * numbers(face));
  }
}

/// Into the lanes at this end: the k-th of a site's lanes at one end goes on in the k-th at the other.
template <class T>
void HoppingTasks<T>::unpack(const Face& face, std::span<const T> message, T* ghosts) const {
  const Lattice& lattice = space_.lattice();
  const std::size_t lanes = lattice.lanes();
  T* const to = ghosts + face.first_ghost * kernels::half_spinor_numbers * lanes;
  const std::size_t stride = lattice.strides()[face.axis];
  if (stride == 0) {
    std::ranges::copy(message, to);
    return;
  }
  const T* from = message.data();
  const std::size_t packs = message.size() / (lanes / 2);
  for (std::size_t pack = 0; pack < packs; ++pack) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if (((lane & stride) != 0) == face.is_high) to[pack * lanes + lane] = *from++;
    }
  }
}

/// Some for each worker, so that messages are looked after in between, but none too short.
template <class T>
void HoppingTasks<T>::add_pieces(Target target, std::span<const std::uint32_t> blocks, bool is_rim, Tasks& tasks) {
  if (blocks.empty()) return;
  const std::size_t pieces = std::clamp<std::size_t>(blocks.size() / 8, 1, 8 * space_.scheduler().workers());
  const tasks::TaskKind kind = graph_.kind(is_rim ? "hop at the rim" : "hop");
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const std::size_t first = blocks.size() * piece / pieces;
    const auto mine = blocks.subspan(first, blocks.size() * (piece + 1) / pieces - first);
    const tasks::DatumId out = graph_.add_datum();
    graph_.set_place(out, static_cast<double>(piece) / static_cast<double>(pieces));
    tasks::Accesses accesses = tasks::writes(out);
    if (is_rim) {
      if (target != Target::even) accesses.emplace_back(ghosts_data_[0], tasks::AccessMode::read);
      if (target != Target::odd) accesses.emplace_back(ghosts_data_[1], tasks::AccessMode::read);
    }
    tasks.push_back(graph_.add(kind, accesses,
                               [this, mine, target, is_rim](tasks::StepContext&) { hop(mine, target, is_rim); },
                               {.cost = static_cast<double>(mine.size()), .key = static_cast<std::uint32_t>(piece)}));
  }
}

/// Both parities of a block follow each other, and all fields: their links, which all use, are then read from memory
/// once.
template <class T>
void HoppingTasks<T>::hop(std::span<const std::uint32_t> blocks, Target target, bool is_rim) const {
  const std::size_t ghosts = ghosts_.size() / most_;
  const std::size_t half = space_.lattice().half_blocks() / 2;
  for (const std::uint32_t block : blocks) {
    for (std::size_t field = 0; field < by_.size(); ++field) {
      kernels::Hopping<T> by = by_[field];
      if (is_rim) by.ghosts = ghosts_.data() + field * ghosts;
      if (target != Target::odd) space_.loops().hop(by, conjugate_, block * eight, (block + 1) * eight);
      const std::size_t odd = half + block;
      if (target != Target::even) space_.loops().hop(by, conjugate_, odd * eight, (odd + 1) * eight);
    }
  }
}

template <class T>
void HoppingTasks<T>::run(std::span<const kernels::Hopping<T>> by, kernels::Conjugate conjugate, Target target) {
  TACIT_EXPECT(by.size() <= most_);
  by_.assign(by.begin(), by.end());
  for (kernels::Hopping<T>& one : by_) one.ghost_places = space_.lattice().ghost_places();
  conjugate_ = conjugate;
  space_.scheduler().run(graph_, activations_[index_of(target)], tasks::StepContext{});
}

template class HoppingTasks<double>;
template class HoppingTasks<float>;

}  // namespace tacit::qcd

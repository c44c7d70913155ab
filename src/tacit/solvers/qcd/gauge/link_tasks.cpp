// Builds the graph of a computation on sites of one parity, with its halo.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/solvers/qcd/gauge/link_tasks.hpp"

#include <algorithm>

#include "tacit/base/exact_sum.hpp"
#include "tacit/exchange/messages.hpp"
#include "tacit/tasks/parallel_for.hpp"

namespace tacit::qcd {
namespace {

constexpr std::uint32_t link_stream_key = 0x51430020U;
constexpr std::size_t matrix_numbers = 18;  // of a matrix

std::size_t parity_index(Parity parity) { return parity == Parity::even ? 0 : 1; }

}  // namespace

LinkTasks::LinkTasks(const GaugeField& field, const Division& division, tasks::Scheduler& scheduler)
    : sites_(field), scheduler_(scheduler) {
  comm::Communicator* const ranks = division.ranks();
  if (ranks == nullptr) return;
  reductions_.emplace(*ranks);
  exchange_.emplace(*ranks, exchange::Options{.key = link_stream_key});
  for (const Parity parity : {Parity::even, Parity::odd}) add_graph(parity, division);
  exchange_->connect();
  exchange_->time_transfers();
}

void LinkTasks::add_graph(Parity parity, const Division& division) {
  Tasks all;
  tasks::Accesses written;
  const auto add_pieces = [&](const SiteList& sites, const char* name, bool is_rim) {
    if (sites.empty()) return;
    const tasks::TaskKind kind = graph_.kind(name);
    const std::size_t pieces = std::clamp<std::size_t>(sites.size() / 64, 1, 8 * scheduler_.workers());
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      const std::size_t first = sites.size() * piece / pieces;
      const auto mine = std::span(sites).subspan(first, sites.size() * (piece + 1) / pieces - first);
      const tasks::DatumId out = graph_.add_datum();
      if (is_rim) written.emplace_back(out, tasks::AccessMode::read);
      all.push_back(graph_.add(kind, tasks::writes(out), [this, mine](tasks::StepContext&) { (*body_)(mine); },
                               {.cost = static_cast<double>(mine.size()), .key = static_cast<std::uint32_t>(piece)}));
    }
  };
  add_pieces(sites_.rim(parity), "links at the rim", true);
  const std::vector<BoxFace>& faces = sites_.faces(parity);
  for (std::size_t first = 0; first < faces.size(); first += 2) {
    const tasks::DatumId ghosts = graph_.add_datum();
    exchange::Messages messages;
    for (const BoxFace& face : std::span(faces).subspan(first, 2)) {
      Face towards;
      towards.axis = face.axis;
      towards.is_high = face.is_high;
      exchange::Message message{.peer = division.beyond(towards), .count = face.sent.size() * matrix_numbers};
      // By the end of the sender's part at which it begins.
      message.key = face.is_high ? 1U : 0U;
      messages.send<double>(message, written, [this, &face](tasks::StepContext&, std::span<double> to) {
        double* next = to.data();
        for (const std::uint32_t site : face.sent) {
          for (const Complex& value : matrices_.at(site).m) {
            *next++ = value.real();
            *next++ = value.imag();
          }
        }
      });
      message.count = face.received.size() * matrix_numbers;
      message.key = face.is_high ? 0U : 1U;
      messages.receive<double>(message, tasks::writes(ghosts),
                               [this, &face](tasks::StepContext&, std::span<const double> from) {
                                 const double* next = from.data();
                                 for (const std::uint32_t site : face.received) {
                                   for (Complex& value : matrices_.at(site).m) {
                                     value = {next[0], next[1]};
                                     next += 2;
                                   }
                                 }
                               });
    }
    const Tasks halo =
        exchange_->add(graph_, parity == Parity::even ? "even links" : "odd links", std::move(messages)).all();
    all.insert(all.end(), halo.begin(), halo.end());
    written.emplace_back(ghosts, tasks::AccessMode::read);
  }
  add_pieces(sites_.interior(parity), "links", false);
  activations_[parity_index(parity)] = graph_.activate(all);
}

void LinkTasks::run(Parity parity, const SiteMatrices& matrices, const Body& body) {
  matrices_ = matrices;
  body_ = &body;
  if (exchange_) return scheduler_.run(graph_, activations_[parity_index(parity)], tasks::StepContext{});
  const SiteList& all = sites_.interior(parity);
  tasks::parallel_for(scheduler_, 0, all.size(),
                      [&](std::size_t first, std::size_t last) { body(std::span(all).subspan(first, last - first)); });
}

std::vector<double> LinkTasks::sums(std::size_t count, const Values& value) const {
  const SiteList& own = sites_.own();
  std::vector<double> values(own.size() * count);
  tasks::parallel_for(scheduler_, 0, own.size(),
                      [&](std::size_t k) { value(own[k], std::span(values).subspan(k * count, count)); });
  std::vector<base::ExactSum> sums(count);
  for (std::size_t k = 0; k < values.size(); ++k) sums[k % count].add(values[k]);
  if (reductions_) reductions_->add(sums);
  std::vector<double> result;
  for (const base::ExactSum& sum : sums) result.push_back(sum.value());
  return result;
}

}  // namespace tacit::qcd

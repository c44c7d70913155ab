// Makes the transfers of a pass, in the same order on all ranks.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fft/pass_buffers.hpp"

#include <algorithm>
#include <limits>

#include "tacit/base/clock.hpp"
#include "tacit/base/error.hpp"

namespace tacit::fft {

template <class Real>
PassBuffers<Real>::PassBuffers(const ExchangePlan& plan, const Fields& fields, GridCommunicators& ranks,
                               std::span<Complex> memory)
    : plan_(plan), fields_(fields) {
  if (ranks.column().size() > 1) {
    make_column(fields, ranks.column());
  } else {
    make_alone(fields, memory);
  }
  if (ranks.row().size() > 1) make_row(fields, ranks.row());
}

/// In an order in which all ranks have equally many.
template <class Real>
std::vector<Transfer<Real>*> PassBuffers<Real>::all() {
  std::vector<Transfer<Real>*> transfers;
  for (auto* some : {&to_points_, &rows_in_, &rows_out_, &to_modes_}) {
    for (Transfer<Real>& transfer : *some) transfers.push_back(&transfer);
  }
  return transfers;
}

template <class Real>
void PassBuffers<Real>::prepare() {
  for (auto* transfers : {&to_points_, &to_modes_, &rows_in_, &rows_out_}) {
    for (Transfer<Real>& transfer : *transfers) transfer.prepare();
  }
}

template <class Real>
void PassBuffers<Real>::time_exchanges(GridCommunicators& ranks) {
  const Modes& modes = plan_.pencils().modes();
  const auto& n = modes.points();
  const ExchangeShape shape{n[0],
                            n[1],
                            n[2],
                            modes.count(0),
                            modes.count(1),
                            fields_.to_points,
                            fields_.to_modes,
                            fields_.rows_in,
                            fields_.rows_out,
                            plan_.division().chunks,
                            plan_.division().groups,
                            sizeof(Real)};
  const auto transfers = all();
  std::vector<double>& seconds = ranks.exchange_times()[shape];
  if (seconds.empty()) {
    seconds.assign(transfers.size(), std::numeric_limits<double>::infinity());
    for (int round = 0; round < 3; ++round) {
      prepare();
      for (std::size_t i = 0; i < transfers.size(); ++i) {
        ranks.world().synchronise();
        if (transfers[i]->is_alone()) continue;
        const base::Stopwatch watch;
        transfers[i]->run();
        if (round > 0) seconds[i] = std::min(seconds[i], watch.seconds());  // the first one makes connections
      }
    }
  }
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    if (!transfers[i]->is_alone()) transfers[i]->set_alone_s(seconds[i]);
  }
}

template <class Real>
void PassBuffers<Real>::make_alone(const Fields& fields, std::span<Complex> memory) {
  const Division& division = plan_.division();
  const std::size_t count = std::max(fields.to_points, fields.to_modes);
  const auto size = [&](std::size_t group, std::size_t chunk) { return plan_.column_block(count, 0, 0, group, chunk); };
  if (memory.empty()) {
    std::size_t sum = 0;
    for (std::size_t group = 0; group < division.groups; ++group) {
      for (std::size_t chunk = 0; chunk < division.chunks; ++chunk) sum += size(group, chunk);
    }
    own_memory_.resize(sum);
    bytes_ += sum * sizeof(Complex);
    memory = own_memory_;
  }
  for (std::size_t group = 0; group < division.groups; ++group) {
    for (std::size_t chunk = 0; chunk < division.chunks; ++chunk) {
      TACIT_EXPECT(size(group, chunk) <= memory.size());
      to_points_.emplace_back(memory.first(size(group, chunk)));
      to_modes_.emplace_back(memory.first(size(group, chunk)));
      memory = memory.subspan(size(group, chunk));
    }
  }
}

template <class Real>
void PassBuffers<Real>::make_column(const Fields& fields, comm::Communicator& column) {
  const Division& division = plan_.division();
  const std::size_t own = plan_.pencils().place_in_column();
  const auto add = [&](std::deque<Transfer<Real>>& transfers, std::size_t count, std::size_t group, auto counts) {
    if (count == 0 || plan_.kx(group).size() == 0) {
      transfers.emplace_back(std::span<Complex>());  // on no rank of the column is anything to exchange
    } else {
      transfers.emplace_back(column, counts);
    }
  };
  for (std::size_t group = 0; group < division.groups; ++group) {
    for (std::size_t chunk = 0; chunk < division.chunks; ++chunk) {
      add(to_points_, fields.to_points, group, [&](std::size_t from, std::size_t to) {
        return plan_.column_block(fields.to_points, from, to, group, chunk);
      });
      add(to_modes_, fields.to_modes, group, [&](std::size_t from, std::size_t to) {
        return plan_.column_block(fields.to_modes, to, from, group, chunk);
      });
      for (std::size_t place = 0; place < column.size(); ++place) {
        // Shared buffers have two halves.
        bytes_ += 2 * sizeof(Complex) * plan_.column_block(fields.to_points, own, place, group, chunk);
        bytes_ += 2 * sizeof(Complex) * plan_.column_block(fields.to_modes, place, own, group, chunk);
      }
    }
  }
}

template <class Real>
void PassBuffers<Real>::make_row(const Fields& fields, comm::Communicator& row) {
  const std::size_t own = plan_.pencils().place_in_row();
  const auto add = [&](std::deque<Transfer<Real>>& transfers, std::size_t count, std::size_t chunk, auto counts) {
    if (count == 0 || plan_.z(chunk).size() == 0) {
      transfers.emplace_back(std::span<Complex>());  // on no rank of the row
    } else {
      transfers.emplace_back(row, counts);
    }
  };
  for (std::size_t chunk = 0; chunk < plan_.division().chunks; ++chunk) {
    add(rows_in_, fields.rows_in, chunk,
        [&](std::size_t from, std::size_t to) { return plan_.row_block(fields.rows_in, from, to, chunk); });
    add(rows_out_, fields.rows_out, chunk,
        [&](std::size_t from, std::size_t to) { return plan_.row_block(fields.rows_out, to, from, chunk); });
    for (std::size_t place = 0; place < row.size(); ++place) {
      bytes_ += 2 * sizeof(Complex) * plan_.row_block(fields.rows_in, own, place, chunk);
      bytes_ += 2 * sizeof(Complex) * plan_.row_block(fields.rows_out, place, own, chunk);
    }
  }
}

template class PassBuffers<double>;
template class PassBuffers<float>;

}  // namespace tacit::fft

// Broadcasts a text, or that there is none.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/fft/detail/first_rank.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <exception>
#include <span>

#include "tacit/base/error.hpp"
#include "tacit/comm/collectives/broadcast.hpp"

namespace tacit::fft::detail {
namespace {

struct Header {
  std::uint64_t bytes = 0;
  std::uint64_t has_failed = 0;
};

}  // namespace

std::string of_first_rank(comm::Communicator& ranks, const std::string& task,
                          const std::function<std::string()>& make) {
  if (ranks.size() == 1) return make();
  constexpr comm::RankId first{0};
  std::string text;
  std::exception_ptr error;
  if (ranks.rank() == first) {
    try {
      text = make();
    } catch (...) {
      error = std::current_exception();
    }
  }
  Header header{.bytes = text.size(), .has_failed = error ? 1U : 0U};
  comm::Broadcast<Header> announce(ranks, first, std::span(&header, 1));
  announce.run();
  text.resize(header.bytes);
  comm::Broadcast<char> tell(ranks, first, std::span(text));
  tell.run();
  ranks.synchronise();  // a broadcast may be over for the first rank before others have begun it
  if (error) std::rethrow_exception(error);
  if (header.has_failed != 0) {
    throw base::Error(fmt::format("{}: {} could not {}; its message says why", comm::describe(ranks.own()),
                                  comm::describe(ranks.ranks().front()), task));
  }
  return text;
}

}  // namespace tacit::fft::detail

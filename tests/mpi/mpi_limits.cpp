// What the transport mpi does where MPI itself cannot go on: messages that MPI cannot count, and calls after its end.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <iostream>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tacit/base/clock.hpp"
#include "tacit/comm/bootstrap/mpi.hpp"
#include "tacit/comm/c/tacit_comm.h"
#include "tacit/comm/c/tacit_comm_mpi.h"
#include "tacit/comm/error.hpp"
#include "tacit/comm/providers/mpi/context.hpp"
#include "tacit/comm/providers/mpi/provider.hpp"
#include "tacit/comm/window.hpp"

namespace {

using namespace tacit;
using namespace tacit::comm;

void require(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error(what);
}

/// What a call throws must be of the transport, and say `words`.
void require_words(const char* call, const std::string& words, const std::function<void()>& function) {
  try {
    function();
  } catch (const ProviderError& error) {
    require(std::string(error.what()).find(words) != std::string::npos, fmt::format("{}: {}", call, error.what()));
    return;
  }
  throw std::runtime_error(fmt::format("{} throws nothing", call));
}

/// The ends of a window from each rank to the next, below what chooses transports.
class Ring {
 public:
  Ring(mpi::Context& context, MPI_Comm ranks, RankId next, RankId before, const WindowSpec& out, const WindowSpec& in)
      : to_next_(context, next), to_before_(context, before) {
    Blob own_sender;
    Blob own_receiver;
    sender = to_next_.offer_sender(out, own_sender);
    receiver = to_before_.offer_receiver(in, own_receiver);
    to_next_.join(sender, exchanged(own_receiver, before, next, ranks));
    to_before_.join(receiver, exchanged(own_sender, next, before, ranks));
  }
  mpi::Sender sender;
  mpi::Receiver receiver;

 private:
  static Blob exchanged(const Blob& mine, RankId to, RankId from, MPI_Comm ranks) {
    Blob theirs;
    constexpr int bytes = sizeof(Blob::bytes);
    MPI_Sendrecv(mine.bytes.data(), bytes, MPI_BYTE, static_cast<int>(number(to)), 1, theirs.bytes.data(), bytes,
                 MPI_BYTE, static_cast<int>(number(from)), 1, ranks, MPI_STATUS_IGNORE);
    return theirs;
  }
  mpi::Link to_next_;
  mpi::Link to_before_;
};

std::byte byte_of(std::size_t message, std::size_t i) { return static_cast<std::byte>(31 * message + i + i / 251); }

/// Messages of all lengths through a window of `longest`, where MPI carries `of_mpi` bytes at once.
void exchange_long_messages(MpiBootstrap& bootstrap, std::size_t of_mpi, Owner owner, std::uint32_t depth) {
  constexpr std::size_t longest = 50'000;
  const auto size = static_cast<std::uint32_t>(bootstrap.size());
  const std::uint32_t own = number(bootstrap.rank());
  const std::vector<RankInfo> ranks(size, RankInfo{.host = "here"});
  mpi::Context context(bootstrap, ranks, of_mpi);
  std::vector<std::byte> sent(longest);
  std::vector<std::byte> received(longest);
  WindowSpec out{.depth = depth, .bytes = longest, .owner = owner};
  WindowSpec in = out;
  if (owner == Owner::user) {
    out.memory = Layout::contiguous(sent.data(), longest);
    in.memory = Layout::contiguous(received.data(), longest);
  }
  Ring ring(context, bootstrap.communicator(), RankId{(own + 1) % size}, RankId{(own + size - 1) % size}, out, in);
  const auto wait = [](auto& end) {
    const base::Stopwatch time;
    while (!end.test()) require(time.seconds() < 60.0, "a message does not come");
    require(end.error() == 0, end.explain());
  };
  std::mt19937 random(1);  // the same lengths on all ranks
  const std::vector<std::size_t> edges{0, 1, of_mpi / 2 - 1, of_mpi / 2, of_mpi / 2 + 1, of_mpi, of_mpi + 1, longest};
  for (std::size_t message = 0; message < 200; ++message) {
    const std::size_t bytes = message < edges.size() ? std::min(edges[message], longest) : random() % (longest + 1);
    const bool is_granted_first = message % 3 != 0;  // else the message waits for its grant
    if (is_granted_first) ring.receiver.grant();
    std::byte* from = ring.sender.memory().data;
    for (std::size_t i = 0; i < bytes; ++i) from[i] = byte_of(message, i);
    const bool is_gone = ring.sender.start(bytes);
    if (!is_granted_first) {
      // The grant of another rank may be here already.
      require(bytes <= of_mpi || !is_gone || size > 1, "a message that MPI cannot count has gone before its grant");
      ring.receiver.grant();
    }
    const base::Stopwatch time;
    while (!ring.receiver.test()) {
      static_cast<void>(ring.sender.test());
      require(time.seconds() < 60.0, "a message does not come");
    }
    wait(ring.sender);
    require(ring.receiver.bytes() == bytes, fmt::format("{} B came, not {}", ring.receiver.bytes(), bytes));
    const std::byte* data = owner == Owner::user ? received.data() : ring.receiver.data();
    std::size_t right = 0;
    while (right < bytes && data[right] == byte_of(message, right)) ++right;
    require(right == bytes, fmt::format("message {}, byte {} of {} is wrong", message, right, bytes));
  }
}

/// A message that was posted goes on from its memory when its window is gone; what was granted is taken back.
void destroy_what_is_under_way(MpiBootstrap& bootstrap) {
  constexpr std::size_t bytes = 200'000;  // MPI asks the receiver first
  const RankId own = bootstrap.rank();
  const std::vector<RankInfo> ranks(bootstrap.size(), RankInfo{.host = "here"});
  mpi::Context context(bootstrap, ranks);
  const WindowSpec spec{.bytes = bytes};
  { Ring(context, bootstrap.communicator(), own, own, spec, spec).receiver.grant(); }
  Ring ring(context, bootstrap.communicator(), own, own, spec, spec);
  for (std::size_t i = 0; i < bytes; ++i) ring.sender.memory().data[i] = byte_of(1, i);
  require(!ring.sender.start(bytes), "a long message has gone before its grant");
  ring.sender = mpi::Sender();
  const std::vector<std::byte> other(bytes);  // would take the place of memory that was given back
  ring.receiver.grant();
  const base::Stopwatch time;
  while (!ring.receiver.test()) require(time.seconds() < 60.0, "a message without a window does not come");
  for (std::size_t i = 0; i < bytes; ++i) {
    require(ring.receiver.data()[i] == byte_of(1, i), "a message without a window is wrong");
  }
}

/// A message through MPI to ourselves.
struct Loop {
  explicit Loop(Communicator& world)
      : connection(world, {.rank = world.rank(), .via = ProviderId::mpi}), out(connection, 1000), in(connection, 1000) {
    in.init();
    out.post();
    static_cast<void>(in.wait());
    out.wait();
  }
  Connection connection;
  SendWindow<double> out;
  RecvWindow<double> in;
};

void use_after_the_end() {
  const std::string ended = "MPI has been ended (MPI_Finalize)";
  std::optional<Communicator> world(bootstrap_mpi(MPI_COMM_WORLD));
  std::optional<Loop> granted(*world);
  std::optional<Loop> posted(*world);
  granted->in.init();  // MPI holds a receive
  MPI_Finalize();
  require_words("a test", ended, [&] { static_cast<void>(granted->in.test()); });
  require_words("a post", ended, [&] { posted->out.post(); });
  require_words("a grant and its wait", ended, [&] {
    posted->in.init();
    static_cast<void>(posted->in.wait());
  });
  require_words("a new window", ended, [&] { Loop{*world}; });
  require_words("all ranks", ended, [&] { world->synchronise(); });
  granted.reset();
  posted.reset();
  world.reset();
  require_words("a new communicator", ended, [] { Communicator(bootstrap_mpi(MPI_COMM_WORLD)); });
  tacit_comm* in_c = nullptr;
  require(tacit_comm_create_mpi(MPI_COMM_WORLD, nullptr, &in_c) == TACIT_TRANSPORT, "C: no error of the transport");
  require(std::strstr(tacit_last_error(), ended.c_str()) != nullptr, tacit_last_error());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    require_words("a communicator before MPI_Init", "MPI has not been started: MPI_Init",
                  [] { Communicator(bootstrap_mpi(MPI_COMM_WORLD)); });
    MPI_Init(&argc, &argv);
    {
      MpiBootstrap bootstrap(MPI_COMM_WORLD, MpiBootstrap::Ends::leaves_mpi);
      for (const std::size_t of_mpi : {std::size_t{4096}, std::size_t{20'000}, mpi::Context::longest_of_mpi}) {
        exchange_long_messages(bootstrap, of_mpi, Owner::library, 1);
        exchange_long_messages(bootstrap, of_mpi, Owner::library, 3);
        exchange_long_messages(bootstrap, of_mpi, Owner::user, 1);
      }
      destroy_what_is_under_way(bootstrap);
    }
    use_after_the_end();
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    std::_Exit(EXIT_FAILURE);  // other ranks may wait for this one
  }
}

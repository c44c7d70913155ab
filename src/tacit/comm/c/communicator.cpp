// The C interface: errors, communicators and connections.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <new>
#include <type_traits>

#include "tacit/comm/c/handles.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::comm::c {
namespace {

/// Of this thread. A text for which there is no memory is replaced by a literal.
struct LastError {
  std::string text = {};
  const char* shown = "no call has failed";
};

LastError& last_error() noexcept {
  thread_local LastError error;
  return error;
}

tacit_status keep(tacit_status status, const char* text) noexcept {
  LastError& last = last_error();
  try {
    last.text = text;
    last.shown = last.text.c_str();
  } catch (const std::bad_alloc&) {
    last.shown = "no memory";
  }
  return status;
}

}  // namespace

tacit_status take_exception() noexcept {
  try {
    throw;
  } catch (const BadUse& error) {
    return keep(TACIT_BAD_USE, error.what());
  } catch (const ArgumentError& error) {
    return keep(TACIT_BAD_USE, error.what());
  } catch (const base::PreconditionError& error) {
    return keep(TACIT_BAD_USE, error.what());
  } catch (const MismatchError& error) {
    return keep(TACIT_MISMATCH, error.what());
  } catch (const DeadlineError& error) {
    return keep(TACIT_DEADLINE, error.what());
  } catch (const PeerError& error) {
    return keep(TACIT_PEER, error.what());
  } catch (const ProviderError& error) {
    return keep(TACIT_TRANSPORT, error.what());
  } catch (const LaunchError& error) {
    return keep(TACIT_LAUNCH, error.what());
  } catch (const base::SystemError& error) {
    return keep(TACIT_SYSTEM, error.what());
  } catch (const std::bad_alloc&) {
    return keep(TACIT_SYSTEM, "no memory");
  } catch (const std::exception& error) {
    return keep(TACIT_UNKNOWN, error.what());
  } catch (...) {
    return keep(TACIT_UNKNOWN, "an exception without words");
  }
}

Options options_of(const tacit_options* options) {
  Options made;
  if (options == nullptr) return made;
  if (options->setup_deadline_s > 0.0) made.setup_deadline_s = options->setup_deadline_s;
  if (options->deadline_s > 0.0) made.deadline_s = options->deadline_s;
  if (options->stopped_s > 0.0) made.stopped_s = options->stopped_s;
  return made;
}

}  // namespace tacit::comm::c

namespace c = tacit::comm::c;

const char* tacit_last_error() { return c::last_error().shown; }

const char* tacit_status_name(tacit_status status) {
  constexpr std::array names{"TACIT_OK",   "TACIT_NOT_YET",   "TACIT_BAD_USE", "TACIT_MISMATCH", "TACIT_DEADLINE",
                             "TACIT_PEER", "TACIT_TRANSPORT", "TACIT_LAUNCH",  "TACIT_SYSTEM",   "TACIT_UNKNOWN"};
  const auto number = static_cast<std::size_t>(status);
  return number < names.size() ? names[number] : names.back();
}

tacit_status tacit_comm_create(const tacit_options* options, tacit_comm** comm) {
  return c::make(comm, [&] {
    return std::unique_ptr<tacit_comm>(
        new tacit_comm{.communicator = tacit::comm::Communicator(c::options_of(options))});
  });
}

tacit_status tacit_comm_free(tacit_comm** comm) {
  return c::guarded([&] {
    if (comm == nullptr || *comm == nullptr) return;
    c::require((*comm)->connections == 0, "connections of this communicator have not been freed");
    c::require((*comm)->collectives == 0, "collectives of this communicator have not been freed");
    delete std::exchange(*comm, nullptr);
  });
}

void tacit_comm_give_up(tacit_comm* comm) {
  if (comm != nullptr) comm->communicator.give_up();
}

uint32_t tacit_comm_rank(const tacit_comm* comm) { return number(comm->communicator.rank()); }
uint32_t tacit_comm_size(const tacit_comm* comm) { return static_cast<uint32_t>(comm->communicator.size()); }

tacit_status tacit_comm_synchronise(tacit_comm* comm) {
  return c::guarded([&] {
    c::require(comm != nullptr, "there is no communicator: NULL");
    comm->communicator.synchronise();
  });
}

tacit_status tacit_connect(tacit_comm* comm, uint32_t peer, uint32_t key, tacit_connection** connection) {
  return c::make(connection, [&] {
    c::require(comm != nullptr, "there is no communicator: NULL");
    const tacit::comm::Target target{.rank = tacit::comm::RankId{peer}, .key = key};
    auto made = std::unique_ptr<tacit_connection>(
        new tacit_connection{.comm = comm, .connection = tacit::comm::Connection(comm->communicator, target)});
    ++comm->connections;
    return made;
  });
}

tacit_status tacit_connection_free(tacit_connection** connection) {
  return c::guarded([&] {
    if (connection == nullptr || *connection == nullptr) return;
    c::require((*connection)->windows == 0, "windows of this connection have not been freed");
    --(*connection)->comm->connections;
    delete std::exchange(*connection, nullptr);
  });
}

tacit_status tacit_connection_open(tacit_connection* connection) {
  return c::guarded([&] {
    c::require(connection != nullptr, "there is no connection: NULL");
    connection->connection.open();
  });
}

const char* tacit_connection_provider(const tacit_connection* connection) {
  return name(connection->connection.provider()).data();  // names of literals end with a zero
}

// One end of a connection, as users hold it.
// SPDX-License-Identifier: Apache-2.0
#include "tacit/comm/connection.hpp"

#include "tacit/comm/connections/connection_core.hpp"

namespace tacit::comm {

Connection::Connection(Communicator& communicator, const Target& target)
    : core_(std::make_unique<detail::ConnectionCore>(*communicator.core_, target)) {}
Connection::~Connection() = default;
Connection::Connection(Connection&&) noexcept = default;
Connection& Connection::operator=(Connection&&) noexcept = default;

const Target& Connection::target() const noexcept { return core_->target(); }
ProviderId Connection::provider() const noexcept { return core_->provider(); }
void Connection::open() { core_->open(); }

}  // namespace tacit::comm

// Waits for requests, and progresses all others meanwhile.
// SPDX-License-Identifier: Apache-2.0
//
// Requests are waited for by other functions than those that start them, which the analyser of MPI does not follow.
// NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker)
#include "tacit/comm/c/shim/registry.hpp"

#include <algorithm>

#include "tacit/comm/bootstrap/mpi.hpp"
#include "tacit/comm/c/handles.hpp"

namespace tacit::comm::shim {
namespace {

constexpr std::uint32_t patient = 64;  // turns, 1 to 2 us, in which a message of a peer that is ready comes

}  // namespace

/// It is never destroyed: at the end of the program MPI has gone, and communicators that are still attached need it.
Registry& Registry::instance() {
  static Registry& registry = *std::unique_ptr<Registry>(new Registry).release();
  return registry;
}

Registry::Registry() {
  check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_freed, &keyval_, nullptr), "MPI_Comm_create_keyval");
}

/// Called when a communicator of MPI is freed that is still attached.
int Registry::forget_freed(MPI_Comm comm, int /*keyval*/, void* /*value*/, void* /*state*/) {
  std::erase_if(instance().attached_, [comm](const auto& one) { return one->user() == comm; });
  return MPI_SUCCESS;
}

void Registry::attach(MPI_Comm comm, const Options& options) {
  c::require(find(comm) == nullptr, "this communicator is attached already");
  int is_between_groups = 0;
  check_mpi(MPI_Comm_test_inter(comm, &is_between_groups), "MPI_Comm_test_inter");
  c::require(is_between_groups == 0, "a communicator between two groups cannot be attached");
  auto made = std::make_unique<Attached>(
      comm, options, [this, comm](detail::Collective& collective) { finish(at(comm), collective); });
  check_mpi(MPI_Comm_set_attr(comm, keyval_, nullptr), "MPI_Comm_set_attr");
  attached_.push_back(std::move(made));
}

void Registry::detach(MPI_Comm comm) {
  c::require(at(comm).under_way == 0, "requests of this communicator are under way");
  std::erase_if(attached_, [comm](const auto& one) { return one->user() == comm; });
  check_mpi(MPI_Comm_delete_attr(comm, keyval_), "MPI_Comm_delete_attr");
}

Attached& Registry::at(MPI_Comm comm) {
  Attached* attached = find(comm);
  c::require(attached != nullptr, "this communicator is not attached: TACIT_Attach comes first");
  return *attached;
}

Request& Registry::describe(Attached& owner, const Buffer& buffer) {
  c::require(buffer.count >= 0, "a count is negative");
  Request& request = requests_.take();
  request.owner = &owner;
  request.buffer = buffer;
  if (const auto bytes = dense_.bytes(buffer.type)) {
    auto* data = static_cast<std::byte*>(buffer.data);
    request.layout = Layout::contiguous(data, static_cast<std::size_t>(buffer.count) * *bytes);
  } else {
    const auto layout = layout_of(buffer);
    request.is_plain = layout.has_value();
    request.layout = layout.value_or(Layout{});
    // The caller may free the type before the message has come.
    check_mpi(MPI_Type_dup(buffer.type, &request.buffer.type), "MPI_Type_dup");
    request.is_type_ours = true;
  }
  ++owner.under_way;
  return request;
}

bool Registry::is_over_by_mpi(Request& request) {
  if (request.mpi == MPI_REQUEST_NULL) return true;
  int is_done = 0;
  const int code = MPI_Test(&request.mpi, &is_done, &request.status);
  if (code != MPI_SUCCESS) request.error = code;
  return is_done != 0 || code != MPI_SUCCESS;
}

bool Registry::is_over(Request& request) {
  if (!request.is_window_over) {
    if (request.send != nullptr) request.send->advance();
    if (request.receive != nullptr) request.owner->advance(*request.receive);
    if (!request.is_window_over) return false;
  }
  return is_over_by_mpi(request);
}

void Registry::progress() {
  for (const auto& attached : attached_) attached->progress();
}

/// A message of a peer may come only when it has got one of ours: of a window, or of MPI.
template <class Question, class Fail>
void Registry::wait_until(Attached& owner, const Request* request, Question&& is_over, Fail&& fail) {
  for (std::uint32_t turn = 0; turn < patient; ++turn) {
    if (is_over()) return;
  }
  Backoff backoff = owner.backoff(request);
  for (std::uint32_t turn = 0; !is_over(); ++turn) {
    progress();
    if (turn % patient == 0) owner.poke_mpi();
    if (!backoff.pause()) fail();
  }
}

bool Registry::must_help() noexcept {
  return std::ranges::any_of(attached_, [](const auto& attached) { return attached->has_work(); });
}

void Registry::wait(Request& request) {
  if (request.owner != nullptr) {
    return wait_until(
        *request.owner, &request, [&] { return is_over(request); },
        [&] { request.owner->throw_cannot_complete(request); });
  }
  wait_for_mpi(request);
}

/// While messages of channels wait, they are progressed; then MPI waits by itself.
void Registry::wait_for_mpi(Request& request) {
  for (std::uint32_t turn = 0; must_help() && !is_over_by_mpi(request); ++turn) {
    progress();
    if (turn > patient) yield_processor();
  }
  if (request.mpi == MPI_REQUEST_NULL) return;
  const int code = MPI_Wait(&request.mpi, &request.status);
  if (code != MPI_SUCCESS) request.error = code;
}

std::optional<std::size_t> Registry::first_over(std::span<Request* const> requests) {
  const auto over = std::ranges::find_if(requests, [this](Request* one) { return one != nullptr && is_over(*one); });
  if (over == requests.end()) return std::nullopt;
  return static_cast<std::size_t>(over - requests.begin());
}

std::optional<std::size_t> Registry::wait_any(std::span<Request* const> requests) {
  if (std::ranges::all_of(requests, [](const Request* one) { return one == nullptr; })) return std::nullopt;
  std::optional<std::size_t> over;
  const auto is_any_over = [&] {
    over = first_over(requests);
    return over.has_value();
  };
  const auto ours =
      std::ranges::find_if(requests, [](Request* one) { return one != nullptr && one->owner != nullptr; });
  if (ours == requests.end()) {
    while (!is_any_over()) progress();
  } else {
    wait_until(*(*ours)->owner, nullptr, is_any_over, [&] { (*ours)->owner->throw_cannot_complete(**ours); });
  }
  return over;
}

void Registry::finish(Attached& owner, detail::Collective& collective) {
  // Its own wait, which looks once, names what it has waited for.
  constexpr double at_once_s = 1e-9;
  wait_until(
      owner, nullptr, [&] { return collective.test(); }, [&] { collective.wait(at_once_s); });
}

}  // namespace tacit::comm::shim
// NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker)

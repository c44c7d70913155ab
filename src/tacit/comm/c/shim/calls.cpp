// The calls of the shim: by a declared channel where there is one, else by MPI.
// SPDX-License-Identifier: Apache-2.0
//
// Requests are waited for by other functions than those that start them, which the analyser of MPI does not follow.
// NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker)
#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "tacit/comm/bootstrap/mpi.hpp"
#include "tacit/comm/c/handles.hpp"
#include "tacit/comm/c/shim/registry.hpp"
#include "tacit/comm/c/tacit_mpi_shim.h"

namespace tacit::comm::shim {
namespace {

Registry& registry() { return Registry::instance(); }

/// A code of MPI that has the words of the last error.
int code_of_last_error() {
  static const int code = [] {
    int made = MPI_ERR_OTHER;
    int error_class = MPI_ERR_OTHER;
    if (MPI_Add_error_class(&error_class) == MPI_SUCCESS) MPI_Add_error_code(error_class, &made);
    return made;
  }();
  const std::string words(tacit_last_error());
  MPI_Add_error_string(code, words.substr(0, MPI_MAX_ERROR_STRING - 1).c_str());
  return code;
}

/// @param comm  none: MPI has reported it
int report(MPI_Comm comm, int code) {
  if (comm != MPI_COMM_NULL) MPI_Comm_call_errhandler(comm, code);
  return code;
}

/// Calls `function`; what it throws becomes an error of MPI on `comm`, as its code.
template <class Function>
int guarded(MPI_Comm comm, Function&& function) {
  const bool is_good = c::guarded([&] { function(); }) == TACIT_OK;
  return is_good ? MPI_SUCCESS : report(comm, code_of_last_error());
}

MPI_Comm comm_of(const Request* request) {
  return request == nullptr || request->owner == nullptr ? MPI_COMM_NULL : request->owner->user();
}

Declaration declaration_of(MPI_Aint bytes, int messages, int peer, int tag) {
  c::require(bytes > 0 && messages > 0, "a channel is declared for at least 1 B and 1 message");
  return {peer, tag, static_cast<std::size_t>(bytes), static_cast<std::uint32_t>(messages)};
}

/// MPI's status of a request that there is not.
MPI_Status empty_status() {
  MPI_Status status{};
  status.MPI_SOURCE = MPI_ANY_SOURCE;
  status.MPI_TAG = MPI_ANY_TAG;
  MPI_Status_set_elements(&status, MPI_BYTE, 0);
  return status;
}

/// Hands the result of a request out, which is over and becomes null.
int retire(TACIT_Request& request, MPI_Status* status) {
  Request& over = *std::exchange(request, TACIT_REQUEST_NULL);
  const int error = over.error;
  if (status != MPI_STATUS_IGNORE) *status = over.status;
  if (over.owner != nullptr) --over.owner->under_way;
  registry().requests().give_back(over);
  return error;
}

/// @return  MPI_SUCCESS, or the code of an error that was not reported yet
int wait_for(TACIT_Request& request, MPI_Status* status) {
  if (request == TACIT_REQUEST_NULL) {
    if (status != MPI_STATUS_IGNORE) *status = empty_status();
    return MPI_SUCCESS;
  }
  registry().wait(*request);
  return retire(request, status);
}

bool is_over(TACIT_Request request) { return request == TACIT_REQUEST_NULL || registry().is_over(*request); }

/// As guarded, for a function that may return a code of MPI by itself.
template <class Function>
int guarded_code(MPI_Comm comm, Function&& function) {
  int code = MPI_SUCCESS;
  const int thrown = guarded(comm, [&] { code = function(); });
  if (thrown != MPI_SUCCESS) return thrown;
  return code == MPI_SUCCESS ? code : report(comm, code);
}

/// Ends all of them. @return  whether one has failed; its status says how
bool retire_all(std::span<TACIT_Request> requests, MPI_Status* statuses) {
  bool has_failed = false;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    MPI_Status* status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
    const int code = wait_for(requests[i], status);
    has_failed = has_failed || code != MPI_SUCCESS;
    if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = code;
  }
  return has_failed;
}

/// The number of one that is over, or that there is none to wait for, and its status; it becomes null.
int retire_one(std::span<TACIT_Request> requests, std::optional<std::size_t> over, int* index, MPI_Status* status) {
  TACIT_Request none = TACIT_REQUEST_NULL;
  *index = over ? static_cast<int>(*over) : MPI_UNDEFINED;
  return wait_for(over ? requests[*over] : none, status);
}

bool are_all_null(std::span<TACIT_Request> requests) {
  return std::ranges::all_of(requests, [](const Request* one) { return one == TACIT_REQUEST_NULL; });
}

/// Ends all that are over, in MPI's arrays of results. @return  whether one has failed; its status says how
bool retire_some(std::span<TACIT_Request> requests, int* ended, int* indices, MPI_Status* statuses) {
  bool has_failed = false;
  *ended = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i] == TACIT_REQUEST_NULL || !registry().is_over(*requests[i])) continue;
    has_failed = retire_all(requests.subspan(i, 1), statuses == MPI_STATUSES_IGNORE ? statuses : statuses + *ended) ||
                 has_failed;
    indices[(*ended)++] = static_cast<int>(i);
  }
  return has_failed;
}

/// A receive from no rank, which is over at once. MPI_Recv says so in its status; of a request MPICH's MPI_Wait does
/// not.
int receive_from_none(void* buf, int count, MPI_Datatype type, int tag, MPI_Comm comm, TACIT_Request& request) {
  MPI_Status status{};
  const int code = MPI_Recv(buf, count, type, MPI_PROC_NULL, tag, comm, &status);
  if (code != MPI_SUCCESS) return code;
  request = &registry().requests().take();
  request->status = status;
  return MPI_SUCCESS;
}

std::span<TACIT_Request> span_of(int count, TACIT_Request* requests) {
  return {requests, static_cast<std::size_t>(count)};
}

/// Of the first request that is ours.
MPI_Comm comm_of(std::span<TACIT_Request> requests) {
  const auto is_ours = [](const Request* request) { return request != nullptr && request->owner != nullptr; };
  const auto first = std::ranges::find_if(requests, is_ours);
  return first == requests.end() ? MPI_COMM_NULL : comm_of(*first);
}

}  // namespace
}  // namespace tacit::comm::shim

namespace shim = tacit::comm::shim;
namespace c = tacit::comm::c;

int TACIT_Attach(MPI_Comm comm, const tacit_options* options) {
  return shim::guarded(comm, [&] { shim::registry().attach(comm, c::options_of(options)); });
}

int TACIT_Declare_send(MPI_Aint bytes, int messages, int dest, int tag, MPI_Comm comm) {
  if (dest == MPI_PROC_NULL) return MPI_SUCCESS;
  return shim::guarded(
      comm, [&] { shim::registry().at(comm).declare_send(shim::declaration_of(bytes, messages, dest, tag)); });
}

int TACIT_Declare_recv(MPI_Aint bytes, int messages, int source, int tag, MPI_Comm comm) {
  if (source == MPI_PROC_NULL) return MPI_SUCCESS;
  return shim::guarded(
      comm, [&] { shim::registry().at(comm).declare_receive(shim::declaration_of(bytes, messages, source, tag)); });
}

int TACIT_Commit(MPI_Comm comm) {
  return shim::guarded(comm, [&] { shim::registry().at(comm).commit(); });
}

int TACIT_Detach(MPI_Comm comm) {
  return shim::guarded(comm, [&] { shim::registry().detach(comm); });
}

int TACIT_Get_counts(MPI_Comm comm, TACIT_Counts* counts) {
  return shim::guarded(comm, [&] {
    shim::Attached& attached = shim::registry().at(comm);
    *counts = {attached.sent_by_window, attached.sent_by_mpi, attached.collectives().calls()};
  });
}

MPI_Request* TACIT_Foreign(TACIT_Request* request) {
  *request = &shim::registry().requests().take();
  return &(*request)->mpi;
}

int TACIT_Isend(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                TACIT_Request* request) {
  *request = TACIT_REQUEST_NULL;
  shim::Attached* attached = shim::registry().find(comm);
  shim::SendChannel* channel = attached == nullptr ? nullptr : attached->find_send(dest, tag);
  if (channel == nullptr) return MPI_Isend(buf, count, type, dest, tag, comm, TACIT_Foreign(request));
  return shim::guarded(comm, [&] {
    // Only read: MPI's buffers of both kinds have one description.
    *request = &shim::registry().describe(*attached, {const_cast<void*>(buf), count, type});
    attached->start_send(*channel, **request);
  });
}

int TACIT_Irecv(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, TACIT_Request* request) {
  *request = TACIT_REQUEST_NULL;
  if (source == MPI_PROC_NULL) return shim::receive_from_none(buf, count, type, tag, comm, *request);
  shim::Attached* attached = shim::registry().find(comm);
  shim::ReceiveChannel* channel = attached == nullptr ? nullptr : attached->find_receive(source, tag);
  if (channel == nullptr && (attached == nullptr || !attached->is_ambiguous(source, tag))) {
    return MPI_Irecv(buf, count, type, source, tag, comm, TACIT_Foreign(request));
  }
  return shim::guarded(comm, [&] {
    c::require(channel != nullptr, "a wildcard might mean messages of a declared channel, which it would not see");
    *request = &shim::registry().describe(*attached, {buf, count, type});
    attached->start_receive(*channel, **request);
  });
}

int TACIT_Send(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  TACIT_Request request;
  const int code = TACIT_Isend(buf, count, type, dest, tag, comm, &request);
  return code == MPI_SUCCESS ? TACIT_Wait(&request, MPI_STATUS_IGNORE) : code;
}

int TACIT_Recv(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  TACIT_Request request;
  const int code = TACIT_Irecv(buf, count, type, source, tag, comm, &request);
  return code == MPI_SUCCESS ? TACIT_Wait(&request, status) : code;
}

int TACIT_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int dest, int out_tag, void* in, int in_count,
                   MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm, MPI_Status* status) {
  TACIT_Request receive;
  TACIT_Request send;
  int code = TACIT_Irecv(in, in_count, in_type, source, in_tag, comm, &receive);
  if (code == MPI_SUCCESS) code = TACIT_Isend(out, out_count, out_type, dest, out_tag, comm, &send);
  if (code == MPI_SUCCESS) code = TACIT_Wait(&receive, status);
  return code == MPI_SUCCESS ? TACIT_Wait(&send, MPI_STATUS_IGNORE) : code;
}

int TACIT_Wait(TACIT_Request* request, MPI_Status* status) {
  return shim::guarded_code(shim::comm_of(*request), [&] { return shim::wait_for(*request, status); });
}

int TACIT_Test(TACIT_Request* request, int* flag, MPI_Status* status) {
  *flag = 0;
  return shim::guarded_code(shim::comm_of(*request), [&] {
    shim::registry().progress();
    if (!shim::is_over(*request)) return MPI_SUCCESS;
    *flag = 1;
    return shim::wait_for(*request, status);
  });
}

int TACIT_Waitall(int count, TACIT_Request* requests, MPI_Status* statuses) {
  const auto all = shim::span_of(count, requests);
  return shim::guarded_code(shim::comm_of(all),
                            [&] { return shim::retire_all(all, statuses) ? MPI_ERR_IN_STATUS : MPI_SUCCESS; });
}

int TACIT_Testall(int count, TACIT_Request* requests, int* flag, MPI_Status* statuses) {
  const auto all = shim::span_of(count, requests);
  *flag = 0;
  return shim::guarded_code(shim::comm_of(all), [&] {
    shim::registry().progress();
    if (!std::ranges::all_of(all, shim::is_over)) return MPI_SUCCESS;
    *flag = 1;
    return shim::retire_all(all, statuses) ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
  });
}

int TACIT_Waitany(int count, TACIT_Request* requests, int* index, MPI_Status* status) {
  const auto all = shim::span_of(count, requests);
  return shim::guarded_code(shim::comm_of(all),
                            [&] { return shim::retire_one(all, shim::registry().wait_any(all), index, status); });
}

int TACIT_Testany(int count, TACIT_Request* requests, int* index, int* flag, MPI_Status* status) {
  const auto all = shim::span_of(count, requests);
  *flag = 0;
  *index = MPI_UNDEFINED;
  return shim::guarded_code(shim::comm_of(all), [&] {
    shim::registry().progress();
    const auto over = shim::registry().first_over(all);
    if (!over && !shim::are_all_null(all)) return MPI_SUCCESS;
    *flag = 1;
    return shim::retire_one(all, over, index, status);
  });
}

int TACIT_Waitsome(int count, TACIT_Request* requests, int* ended, int* indices, MPI_Status* statuses) {
  const auto all = shim::span_of(count, requests);
  *ended = MPI_UNDEFINED;
  return shim::guarded_code(shim::comm_of(all), [&] {
    if (!shim::registry().wait_any(all)) return MPI_SUCCESS;
    return shim::retire_some(all, ended, indices, statuses) ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
  });
}

int TACIT_Testsome(int count, TACIT_Request* requests, int* ended, int* indices, MPI_Status* statuses) {
  const auto all = shim::span_of(count, requests);
  *ended = MPI_UNDEFINED;
  return shim::guarded_code(shim::comm_of(all), [&] {
    if (shim::are_all_null(all)) return MPI_SUCCESS;
    shim::registry().progress();
    return shim::retire_some(all, ended, indices, statuses) ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
  });
}

int TACIT_Alltoall(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count, MPI_Datatype in_type,
                   MPI_Comm comm) {
  shim::Attached* attached = shim::registry().find(comm);
  bool is_done = false;
  if (attached != nullptr) {
    const int code = shim::guarded(comm, [&] {
      is_done =
          attached->collectives().all_to_all({const_cast<void*>(out), out_count, out_type}, {in, in_count, in_type});
    });
    if (code != MPI_SUCCESS) return code;
  }
  return is_done ? MPI_SUCCESS : MPI_Alltoall(out, out_count, out_type, in, in_count, in_type, comm);
}

int TACIT_Allreduce(const void* out, void* in, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm) {
  shim::Attached* attached = shim::registry().find(comm);
  bool is_done = false;
  if (attached != nullptr) {
    const int code =
        shim::guarded(comm, [&] { is_done = attached->collectives().all_reduce(out, in, count, type, operation); });
    if (code != MPI_SUCCESS) return code;
  }
  return is_done ? MPI_SUCCESS : MPI_Allreduce(out, in, count, type, operation, comm);
}
// NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker)

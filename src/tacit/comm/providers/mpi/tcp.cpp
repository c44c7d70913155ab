// Reads the variables of Open MPI that say which networks it uses, and its eager limit.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "tacit/comm/providers/mpi/context.hpp"

namespace tacit::comm::mpi {
namespace {

// Components of Open MPI that carry bytes. Those that it does not use are unloaded, and their variables with them.
constexpr std::array networks{"openib", "uct", "usnic", "ofi", "ugni", "portals4"};
constexpr std::array shared_memory{"vader", "sm", "smcuda"};
// Of each message, for the header that Open MPI puts before it.
constexpr std::size_t header = 256;
// Shorter pieces would cost more than the question.
constexpr std::size_t shortest = 16384;

/// MPI's variables may be read while it lives.
class Session {
 public:
  Session() {
    int granted = 0;
    is_open_ = MPI_T_init_thread(MPI_THREAD_SERIALIZED, &granted) == MPI_SUCCESS;
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    if (is_open_) MPI_T_finalize();
  }
  explicit operator bool() const noexcept { return is_open_; }

 private:
  bool is_open_ = false;
};

std::optional<int> index_of(const std::string& name) {
  int index = 0;
  if (MPI_T_cvar_get_index(name.c_str(), &index) != MPI_SUCCESS) return std::nullopt;
  return index;
}

bool is_used(std::string_view component) { return index_of(fmt::format("btl_{}_eager_limit", component)).has_value(); }

bool is_unsigned_long(int index) {
  int name_length = 0;
  int text_length = 0;
  int verbosity = 0;
  int bound_to = 0;
  int scope = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const int code = MPI_T_cvar_get_info(index, nullptr, &name_length, &verbosity, &type, nullptr, nullptr, &text_length,
                                       &bound_to, &scope);
  return code == MPI_SUCCESS && type == MPI_UNSIGNED_LONG;
}

/// 0 if there is none.
std::size_t value_of(const std::string& name) {
  const auto index = index_of(name);
  if (!index || !is_unsigned_long(*index)) return 0;
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  int count = 0;
  if (MPI_T_cvar_handle_alloc(*index, nullptr, &handle, &count) != MPI_SUCCESS) return 0;
  unsigned long value = 0;
  if (count != 1 || MPI_T_cvar_read(handle, &value) != MPI_SUCCESS) value = 0;
  MPI_T_cvar_handle_free(&handle);
  return value;
}

TcpLimits find_tcp_limits() {
  const Session session;
  // Messages go through Open MPI's own protocol (ob1), or that of a library of some network.
  if (!session || !index_of("pml_ob1_priority") || std::ranges::any_of(networks, is_used)) return {};
  const std::size_t limit = value_of("btl_tcp_eager_limit");
  if (limit < shortest) return {};
  return {.eager = limit - header, .within_nodes = std::ranges::none_of(shared_memory, is_used)};
}

}  // namespace

const TcpLimits& tcp_limits(std::mutex* calls) {
  static std::once_flag has_asked;
  static TcpLimits limits;
  std::call_once(has_asked, [calls] {
    const std::unique_lock lock = calls != nullptr ? std::unique_lock(*calls) : std::unique_lock<std::mutex>();
    limits = find_tcp_limits();
  });
  return limits;
}

}  // namespace tacit::comm::mpi

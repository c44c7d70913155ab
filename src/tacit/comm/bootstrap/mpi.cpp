// Starts MPI where a launcher did, and carries the messages of the set-up over it.
// SPDX-License-Identifier: Apache-2.0
//
// Requests are waited for in finish(), which the analyser of MPI does not follow.
// NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker)
#include "tacit/comm/bootstrap/mpi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <numeric>
#include <utility>

#include "tacit/comm/backoff.hpp"
#include "tacit/comm/bootstrap/launcher.hpp"
#include "tacit/comm/detail/peer_watch.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::comm {
namespace {

constexpr int setup_tag = 0;

MpiThreads granted_threads() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level == MPI_THREAD_MULTIPLE) return MpiThreads::all;
  return level == MPI_THREAD_SERIALIZED ? MpiThreads::one_at_a_time : MpiThreads::main_only;
}

// Of the process, as MPI is.
std::atomic<bool> is_mpi_over{false};

int note_end(MPI_Comm /*comm*/, int /*keyval*/, void* /*value*/, void* /*state*/) {
  is_mpi_over.store(true, std::memory_order_release);
  return MPI_SUCCESS;
}

/// MPI_Finalize begins by deleting what is attached to MPI_COMM_SELF. To ask MPI_Finalized before each call would cost
/// more than a load.
void notice_end_of_mpi() {
  static std::once_flag is_noticed;
  std::call_once(is_noticed, [] {
    int key = MPI_KEYVAL_INVALID;
    check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, note_end, &key, nullptr), "MPI_Comm_create_keyval");
    check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), "MPI_Comm_set_attr");
    MPI_Comm_free_keyval(&key);  // gone with the attribute
  });
}

void require_mpi() {
  int is_started = 0;
  int is_over = 0;
  MPI_Initialized(&is_started);
  MPI_Finalized(&is_over);
  if (is_started == 0)
    throw ProviderError("MPI has not been started: MPI_Init comes before a communicator of its ranks");
  if (is_over != 0) throw ProviderError("MPI has been ended (MPI_Finalize): there are no ranks any more");
}

/// A number of bytes as MPI counts.
int count_of(std::size_t bytes) { return static_cast<int>(bytes); }

}  // namespace

bool has_mpi_ended() noexcept { return is_mpi_over.load(std::memory_order_acquire); }

std::string mpi_text(int code) {
  if (has_mpi_ended()) {
    return "MPI has been ended (MPI_Finalize), but its ranks are still in use: windows, connections and communicators "
           "end before it";
  }
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  return {text.data(), static_cast<std::size_t>(length)};
}

void check_mpi(int code, const char* call) {
  if (code != MPI_SUCCESS) throw ProviderError(fmt::format("{} failed: {}", call, mpi_text(code)));
}

MpiBootstrap::MpiBootstrap(MPI_Comm ranks, Ends ends) : ends_(ends), exceptions_(std::uncaught_exceptions()) {
  require_mpi();
  notice_end_of_mpi();
  threads_ = granted_threads();
  check_mpi(MPI_Comm_dup(ranks, &ranks_), "MPI_Comm_dup");
  MPI_Comm_set_errhandler(ranks_, MPI_ERRORS_RETURN);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(ranks_, &rank);
  MPI_Comm_size(ranks_, &size);
  rank_ = RankId{static_cast<std::uint32_t>(rank)};
  size_ = static_cast<std::size_t>(size);
}

MpiBootstrap::~MpiBootstrap() {
  if (has_mpi_ended()) return;
  // After an error the others may never come: the launcher ends them when this process ends without MPI_Finalize.
  if (std::uncaught_exceptions() > exceptions_ || is_abandoned()) {
    for (auto& sending : sending_) static_cast<void>(sending.release());  // MPI still reads them
    return;
  }
  try {
    leave_together();
  } catch (const base::Error&) {
    return;  // a rank is missing: MPI_Finalize would never return
  }
  MPI_Comm_free(&ranks_);
  if (ends_ == Ends::ends_mpi) MPI_Finalize();
}

/// Lets no message of the set-up go astray.
void MpiBootstrap::leave_together() {
  constexpr double deadline_s = 30.0;
  Lock lock(mutex_);
  MPI_Request request = MPI_REQUEST_NULL;
  for (auto& sending : sending_) finish(lock, sending->request, deadline_s, "MPI_Isend");
  check_mpi(MPI_Ibarrier(ranks_, &request), "MPI_Ibarrier");
  finish(lock, request, deadline_s, "MPI_Ibarrier");
  take_all();
}

void MpiBootstrap::require_allowed() const {
  if (has_mpi_ended()) throw ProviderError(fmt::format("rank {}: {}", number(rank_), mpi_text(MPI_ERR_OTHER)));
  int is_main = 1;
  if (threads_ == MpiThreads::main_only) MPI_Is_thread_main(&is_main);
  if (is_main == 0) {
    throw ProviderError(
        fmt::format("rank {}: MPI lets only the thread that started it communicate; make connections there, or start "
                    "MPI with MPI_THREAD_SERIALIZED or more",
                    number(rank_)));
  }
}

void MpiBootstrap::drop_sent() {
  std::erase_if(sending_, [](const auto& sending) {
    int is_sent = 0;
    MPI_Test(&sending->request, &is_sent, MPI_STATUS_IGNORE);
    return is_sent != 0;
  });
  has_unsent_.store(!sending_.empty(), std::memory_order_relaxed);
}

/// MPI sends what it could not send at once only when it is called again. MPICH, with UCX, has such messages often.
void MpiBootstrap::send_on() noexcept {
  if (!has_unsent_.load(std::memory_order_relaxed) || has_mpi_ended()) return;
  int is_main = 1;
  if (threads_ == MpiThreads::main_only) MPI_Is_thread_main(&is_main);
  if (is_main == 0) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock) drop_sent();
}

void MpiBootstrap::send(RankId to, const SetupKey& key, std::span<const std::byte> message) {
  if (to == rank_) return mailbox_.put(to, key, Bytes(message.begin(), message.end()));
  require_allowed();
  const std::lock_guard guard(mutex_);
  drop_sent();
  auto sending = std::make_unique<Sending>();
  sending->bytes.resize(sizeof(SetupKey) + message.size());
  std::memcpy(sending->bytes.data(), &key, sizeof(SetupKey));
  std::copy(message.begin(), message.end(), sending->bytes.begin() + sizeof(SetupKey));
  check_mpi(MPI_Isend(sending->bytes.data(), count_of(sending->bytes.size()), MPI_BYTE, static_cast<int>(number(to)),
                      setup_tag, ranks_, &sending->request),
            "MPI_Isend");
  sending_.push_back(std::move(sending));
  has_unsent_.store(true, std::memory_order_relaxed);
}

/// Moves every message that has come to the mailbox.
void MpiBootstrap::take_all() {
  for (;;) {
    int has_come = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    check_mpi(MPI_Improbe(MPI_ANY_SOURCE, setup_tag, ranks_, &has_come, &message, &status), "MPI_Improbe");
    if (has_come == 0) return;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    Bytes bytes(static_cast<std::size_t>(size));
    check_mpi(MPI_Mrecv(bytes.data(), size, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
    SetupKey key;
    std::memcpy(&key, bytes.data(), sizeof(key));
    bytes.erase(bytes.begin(), bytes.begin() + sizeof(key));
    mailbox_.put(RankId{static_cast<std::uint32_t>(status.MPI_SOURCE)}, key, std::move(bytes));
  }
}

std::optional<Bytes> MpiBootstrap::try_receive(RankId from, const SetupKey& key) {
  if (from != rank_) {
    require_allowed();
    const std::lock_guard guard(mutex_);
    take_all();
  }
  return mailbox_.take(from, key);
}

/// Takes messages meanwhile: those of others end only when they are taken. Other threads may call MPI in between: what
/// this rank waits for may need theirs.
void MpiBootstrap::finish(Lock& lock, MPI_Request& request, double deadline_s, const char* what) {
  Backoff backoff(Processors::shared, deadline_s, watch_);
  int is_done = 0;
  for (;;) {
    check_mpi(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), what);
    if (is_done != 0) return;
    take_all();
    lock.unlock();
    carry_on();
    const bool may_go_on = backoff.pause();
    lock.lock();
    if (!may_go_on) {
      if (watch_ != nullptr && watch_->is_lost()) watch_->throw_lost("all ranks to take part in the set-up");
      throw DeadlineError(
          fmt::format("rank {}: waited {} s for all ranks to take part in the set-up", number(rank_), deadline_s));
    }
  }
}

std::vector<Bytes> MpiBootstrap::all_gather(std::span<const std::byte> mine, double deadline_s) {
  require_allowed();
  Lock lock(mutex_);
  MPI_Request request = MPI_REQUEST_NULL;
  std::vector<int> sizes(size_);
  const int size = count_of(mine.size());
  check_mpi(MPI_Iallgather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, ranks_, &request), "MPI_Iallgather");
  finish(lock, request, deadline_s, "MPI_Iallgather");
  std::vector<int> offsets(size_);
  std::exclusive_scan(sizes.begin(), sizes.end(), offsets.begin(), 0);
  Bytes all(static_cast<std::size_t>(offsets.back() + sizes.back()));
  check_mpi(MPI_Iallgatherv(mine.data(), size, MPI_BYTE, all.data(), sizes.data(), offsets.data(), MPI_BYTE, ranks_,
                            &request),
            "MPI_Iallgatherv");
  finish(lock, request, deadline_s, "MPI_Iallgatherv");
  std::vector<Bytes> by_rank;
  for (std::size_t i = 0; i < size_; ++i)
    by_rank.emplace_back(all.begin() + offsets[i], all.begin() + offsets[i] + sizes[i]);
  return by_rank;
}

std::unique_ptr<Bootstrap> bootstrap_mpi(MPI_Comm ranks) {
  return std::make_unique<MpiBootstrap>(ranks, MpiBootstrap::Ends::leaves_mpi);
}

std::unique_ptr<Bootstrap> started_by_mpi(const std::optional<Launch>& launch) {
  int is_over = 0;
  MPI_Finalized(&is_over);
  if (is_over != 0 && (!launch || launch->size <= 1)) return nullptr;
  if (is_over != 0) throw ProviderError("MPI has been ended, and cannot be started again: there are no other ranks");
  int is_started = 0;
  MPI_Initialized(&is_started);
  if (is_started != 0) return bootstrap_mpi(MPI_COMM_WORLD);
  if (!launch) return nullptr;
  int granted = MPI_THREAD_SINGLE;
  check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &granted), "MPI_Init_thread");
  return std::make_unique<MpiBootstrap>(MPI_COMM_WORLD, MpiBootstrap::Ends::ends_mpi);
}

std::string describe_mpi() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string version(text.data(), static_cast<std::size_t>(length));
  std::ranges::replace(version, '\t', ' ');
  return version.substr(0, version.find_first_of(",\n"));
}

}  // namespace tacit::comm
// NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker)

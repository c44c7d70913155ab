// Carries the messages of the set-up through the servers of PMIx, which Open MPI's mpirun and srun run beside the
// ranks. SPDX-License-Identifier: Apache-2.0
//
// PMIx itself only hands around where ranks listen. All messages could go through its values, but a value more costs
// the server the more, the more there are: 10 ms each at a thousand, with PMIx 4.2.
#include "tacit/comm/bootstrap/pmix.hpp"

#include <fmt/format.h>
#include <pmix.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "tacit/comm/backoff.hpp"
#include "tacit/comm/bootstrap/launcher.hpp"
#include "tacit/comm/bootstrap/mailbox.hpp"
#include "tacit/comm/bootstrap/sockets.hpp"
#include "tacit/comm/detail/peer_watch.hpp"
#include "tacit/comm/error.hpp"

namespace tacit::comm {
namespace {

/// PMIX_COLLECT_DATA: a fence brings what was published.
pmix_info_t collecting() {
  pmix_info_t info{};
  std::strncpy(info.key, PMIX_COLLECT_DATA, sizeof(info.key) - 1);
  info.value.type = PMIX_BOOL;
  info.value.data.flag = true;
  return info;
}

void check(pmix_status_t code, const char* call) {
  if (code == PMIX_SUCCESS) return;
  throw ProviderError(fmt::format("{} failed: {} ({})", call, PMIx_Error_string(code), describe_pmix()));
}

/// What was asked of the server. PMIx has a share in it until it answers, which may be after we have given up.
struct Question {
  pmix_proc_t whom{};
  std::string key;
  pmix_info_t collect = collecting();
  pmix_status_t status = PMIX_SUCCESS;
  Bytes bytes;              // of a value that is bytes
  std::uint32_t count = 0;  // a value that is a number
  std::atomic<bool> is_answered{false};
};
using Share = std::shared_ptr<Question>;

Share take_share(void* share) {
  const std::unique_ptr<Share> owned(static_cast<Share*>(share));
  return *owned;
}

void copy_value(const pmix_value_t& value, Question& question) {
  const auto copy = [&](const char* first, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(first, size));
    question.bytes.assign(bytes.begin(), bytes.end());
  };
  if (value.type == PMIX_BYTE_OBJECT) copy(value.data.bo.bytes, value.data.bo.size);
  if (value.type == PMIX_UINT32) question.count = value.data.uint32;
}

/// Called by a thread of PMIx; `value` is lent.
void take_value(pmix_status_t status, pmix_value_t* value, void* share) {
  const Share question = take_share(share);
  question->status = status;
  if (status == PMIX_SUCCESS && value != nullptr) copy_value(*value, *question);
  question->is_answered.store(true, std::memory_order_release);
}

void take_status(pmix_status_t status, void* share) {
  const Share question = take_share(share);
  question->status = status;
  question->is_answered.store(true, std::memory_order_release);
}

/// Lets PMIx have its share; if the call did not begin there will be no answer.
template <class Call>
void ask(const Share& question, Call&& call) {
  question->is_answered.store(false, std::memory_order_relaxed);
  auto share = std::make_unique<Share>(question);
  const pmix_status_t status = call(static_cast<void*>(share.get()));
  if (status == PMIX_SUCCESS) {
    static_cast<void>(share.release());
    return;
  }
  question->status = status == PMIX_OPERATION_SUCCEEDED ? PMIX_SUCCESS : status;
  question->is_answered.store(true, std::memory_order_relaxed);
}

void ask_for_value(const Share& question) {
  ask(question,
      [&](void* share) { return PMIx_Get_nb(&question->whom, question->key.c_str(), nullptr, 0, take_value, share); });
}

constexpr std::uint64_t gathering = ~std::uint64_t{0};  // no connection has this number

/// A rank's part of a gather: whose, how long, what.
Bytes packed(std::uint32_t rank, std::span<const std::byte> part) {
  const std::array<std::uint64_t, 2> head{rank, part.size()};
  const auto bytes = std::as_bytes(std::span(head));
  Bytes all(bytes.begin(), bytes.end());
  all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// Parts in any order, by rank.
std::vector<Bytes> unpacked(std::span<const std::byte> all, std::size_t ranks) {
  std::vector<Bytes> parts(ranks);
  while (!all.empty()) {
    std::array<std::uint64_t, 2> head{};
    std::memcpy(head.data(), all.data(), sizeof(head));
    const auto part = all.subspan(sizeof(head), head[1]);
    parts[head[0]].assign(part.begin(), part.end());
    all = all.subspan(sizeof(head) + part.size());
  }
  return parts;
}

class PmixBootstrap final : public Bootstrap {
 public:
  explicit PmixBootstrap(const pmix_proc_t& self);
  ~PmixBootstrap() override;

  [[nodiscard]] RankId rank() const noexcept override { return RankId{self_.rank}; }
  [[nodiscard]] std::size_t size() const noexcept override { return size_; }
  [[nodiscard]] std::string_view name() const noexcept override { return "PMIx"; }
  void send(RankId to, const SetupKey& key, std::span<const std::byte> message) override;
  std::optional<Bytes> try_receive(RankId from, const SetupKey& key) override;
  std::vector<Bytes> all_gather(std::span<const std::byte> mine, double deadline_s) override;
  void send_on() noexcept override;

 private:
  [[nodiscard]] Share question(std::uint32_t whom, std::string key) const;
  [[nodiscard]] Share answer_for(std::uint32_t whom, const char* key);
  [[nodiscard]] std::size_t count_local();
  void meet();
  void publish(const char* key, std::span<const std::byte> message);
  void await(const Question& question, double deadline_s);
  void fence(double deadline_s);
  [[nodiscard]] Bytes receive(RankId from, const SetupKey& key, double deadline_s);
  void pause(Backoff& backoff, double deadline_s);

  static constexpr double answer_s = 60.0;  // for servers to answer, and for all ranks to begin and to leave

  pmix_proc_t self_;
  std::size_t size_ = 1;
  std::uint64_t gathers_ = 0;
  std::mutex mutex_;
  Mailbox mailbox_;
  std::optional<SetupSockets> sockets_;
  int exceptions_;
};

/// Counts bootstraps of this process, which all ranks make in the same order.
std::uint32_t next_life() {
  static std::atomic<std::uint32_t> lives{0};
  return lives++;
}

PmixBootstrap::PmixBootstrap(const pmix_proc_t& self) : self_(self), exceptions_(std::uncaught_exceptions()) {
  const Share size = answer_for(PMIX_RANK_WILDCARD, PMIX_JOB_SIZE);
  check(size->status, "PMIx_Get");
  size_ = size->count;
  if (self_.rank >= size_) throw ProviderError(fmt::format("PMIx says that we are rank {} of {}", self_.rank, size_));
  sockets_.emplace(count_local() == size_ ? SetupSockets::Reach::machine : SetupSockets::Reach::network);
  meet();
}

PmixBootstrap::~PmixBootstrap() {
  // After an error the others may never come: the launcher ends them when this process ends without PMIx_Finalize.
  if (std::uncaught_exceptions() > exceptions_ || is_abandoned()) return;
  try {
    fence(answer_s);
  } catch (const base::Error&) {
    return;  // a rank is missing
  }
  PMIx_Finalize(nullptr, 0);
}

Share PmixBootstrap::question(std::uint32_t whom, std::string key) const {
  auto question = std::make_shared<Question>();
  std::memcpy(question->whom.nspace, self_.nspace, sizeof(self_.nspace));
  question->whom.rank = whom;
  question->key = std::move(key);
  return question;
}

/// What the server of this node knows of a rank.
Share PmixBootstrap::answer_for(std::uint32_t whom, const char* key) {
  Share asked = question(whom, key);
  ask_for_value(asked);
  await(*asked, answer_s);
  return asked;
}

/// How many ranks have the same server as we: those of our node.
std::size_t PmixBootstrap::count_local() {
  const Share local = answer_for(PMIX_RANK_WILDCARD, PMIX_LOCAL_SIZE);
  return local->status == PMIX_SUCCESS ? local->count : 0;
}

void PmixBootstrap::publish(const char* key, std::span<const std::byte> message) {
  std::vector<char> bytes(message.size());
  std::memcpy(bytes.data(), message.data(), message.size());
  pmix_value_t value{};
  value.type = PMIX_BYTE_OBJECT;
  value.data.bo.bytes = bytes.data();
  value.data.bo.size = bytes.size();
  check(PMIx_Put(PMIX_GLOBAL, key, &value), "PMIx_Put");
  check(PMIx_Commit(), "PMIx_Commit");
}

/// Every rank learns where the others listen.
void PmixBootstrap::meet() {
  const std::string key = fmt::format("tacit.address.{}", next_life());
  publish(key.c_str(), std::as_bytes(std::span(&sockets_->address(), 1)));
  fence(answer_s);
  std::vector<SocketAddress> addresses(size_);
  for (std::uint32_t i = 0; i < size_; ++i) {
    const Share answer = answer_for(i, key.c_str());
    check(answer->status, "PMIx_Get");
    if (answer->bytes.size() != sizeof(SocketAddress)) {
      throw LaunchError(
          fmt::format("rank {} is another program, or another build of this one: it listens at an address "
                      "of {} B, we at one of {} B",
                      i, answer->bytes.size(), sizeof(SocketAddress)));
    }
    std::memcpy(&addresses[i], answer->bytes.data(), sizeof(SocketAddress));
  }
  sockets_->meet(rank(), std::move(addresses));
}

void PmixBootstrap::send(RankId to, const SetupKey& key, std::span<const std::byte> message) {
  if (to == rank()) return mailbox_.put(to, key, Bytes(message.begin(), message.end()));
  const std::lock_guard guard(mutex_);
  sockets_->send(to, key, message);
}

std::optional<Bytes> PmixBootstrap::try_receive(RankId from, const SetupKey& key) {
  if (auto message = mailbox_.take(from, key)) return message;
  if (from == rank()) return std::nullopt;
  const std::lock_guard guard(mutex_);
  sockets_->progress(mailbox_);
  return mailbox_.take(from, key);
}

void PmixBootstrap::send_on() noexcept {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || !sockets_ || !sockets_->has_unsent()) return;
  try {
    sockets_->progress(mailbox_);
  } catch (const base::Error&) {
    return;  // a machine that cannot be reached: the next message to it fails
  }
}

void PmixBootstrap::pause(Backoff& backoff, double deadline_s) {
  carry_on();
  if (backoff.pause()) return;
  constexpr const char* what = "all ranks to take part in the set-up";
  if (watch_ != nullptr && watch_->is_lost()) watch_->throw_lost(what);
  throw DeadlineError(fmt::format("rank {}: waited {} s for {}", number(rank()), deadline_s, what));
}

/// Sends and takes messages meanwhile: others may wait for them.
void PmixBootstrap::await(const Question& question, double deadline_s) {
  Backoff backoff(Processors::shared, deadline_s, watch_);
  while (!question.is_answered.load(std::memory_order_acquire)) {
    if (sockets_) {
      const std::lock_guard guard(mutex_);
      sockets_->progress(mailbox_);
    }
    pause(backoff, deadline_s);
  }
}

void PmixBootstrap::fence(double deadline_s) {
  const Share done = question(PMIX_RANK_WILDCARD, "");
  ask(done, [&](void* share) { return PMIx_Fence_nb(&done->whom, 1, &done->collect, 1, take_status, share); });
  await(*done, deadline_s);
  check(done->status, "PMIx_Fence");
}

Bytes PmixBootstrap::receive(RankId from, const SetupKey& key, double deadline_s) {
  Backoff backoff(Processors::shared, deadline_s, watch_);
  for (;;) {
    if (auto message = try_receive(from, key)) return std::move(*message);
    pause(backoff, deadline_s);
  }
}

/// Up a binary tree, and down again with everything.
std::vector<Bytes> PmixBootstrap::all_gather(std::span<const std::byte> mine, double deadline_s) {
  const SetupKey up{gathering, 2 * gathers_, 0};
  const SetupKey down{gathering, 2 * gathers_ + 1, 0};
  ++gathers_;
  const std::uint32_t self = number(rank());
  const RankId parent{(self - 1) / 2};
  Bytes all = packed(self, mine);
  for (std::uint32_t child = 2 * self + 1; child <= 2 * self + 2 && child < size_; ++child) {
    const Bytes theirs = receive(RankId{child}, up, deadline_s);
    all.insert(all.end(), theirs.begin(), theirs.end());
  }
  if (self > 0) {
    send(parent, up, all);
    all = receive(parent, down, deadline_s);
  }
  for (std::uint32_t child = 2 * self + 1; child <= 2 * self + 2 && child < size_; ++child) {
    send(RankId{child}, down, all);
  }
  return unpacked(all, size_);
}

bool is_started_by_pmix() { return std::getenv("PMIX_RANK") != nullptr && std::getenv("PMIX_NAMESPACE") != nullptr; }

}  // namespace

std::unique_ptr<Bootstrap> bootstrap_pmix() {
  if (!is_started_by_pmix()) {
    throw LaunchError(
        "PMIx was asked for, but no launcher that offers it started this process (PMIX_RANK is not set). Start it with "
        "`srun --mpi=pmix` or Open MPI's mpirun");
  }
  pmix_proc_t self{};
  const pmix_status_t status = PMIx_Init(&self, nullptr, 0);
  if (status != PMIX_SUCCESS) {
    throw LaunchError(fmt::format(
        "the launcher's server of PMIx does not answer to {}, which this program was built with: {}. Build it with the "
        "PMIx of the launcher",
        describe_pmix(), PMIx_Error_string(status)));
  }
  return std::make_unique<PmixBootstrap>(self);
}

std::unique_ptr<Bootstrap> started_by_pmix() { return is_started_by_pmix() ? bootstrap_pmix() : nullptr; }

std::string describe_pmix() {
  const std::string version = PMIx_Get_version();
  return version.substr(0, std::min(version.find(','), version.find(" (")));
}

}  // namespace tacit::comm
